// SPDX-License-Identifier: MIT
//
// What subcommands that read gauge configurations share.
#pragma once

#include "apps/command_line.hpp"
#include "kov/stencil/gauge_io.hpp"

namespace kov::app {

/// Options of reading, declared on a subcommand.
struct GaugeFileOptions {
  std::optional<Coord> extent;
  std::vector<std::string> ignore;

  /// --extent and --ignore.
  void declare(Arguments& arguments);
};

/// The checks by name: "checksums", "plaquette", "link-trace", "unitarity".  Throws InputError with this list.
ReadGaugeOptions read_gauge_options(const std::vector<std::string>& ignore);

/// What a file says of itself, its extents those given where it has none.  Errors name --extent where that helps.
/// Collective.
GaugeHeader header_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options);
/// The lattice of these extents.  Collective.
Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options);

/// read_gauge() of a file with the checks that options leave; warns of those that failed and were ignored.  Errors name
/// the option that goes on without a check.  Collective.
GaugeField<double> read_configuration(const Session& session, const Lattice& lattice, const std::string& file,
                                      const GaugeFileOptions& options, GaugeReport& report);

/// Formats that write_gauge() knows, by name.
const std::vector<std::string>& format_names();

/// The format to write a file in: the one named, or, where the name is empty, the one that the file's ending says:
/// .nersc, .lime or .ildg, .h5 or .hdf5.  Throws InputError.
GaugeFormat output_format(const std::string& name, const std::string& file);

/// Throws InputError unless --precision is 32 or 64.
void require_precision(int bits);

/// "0.594850158947"
std::string twelve_digits(double value);

/// What captions say about failed checks that were let pass, markup; empty where all are good.
std::string ignored_text(const std::vector<std::string>& overridden);

/// A warning for every failed check that was let pass, and for what else was odd about the file, on standard error and
/// in the log.
void warn_overridden(const Session& session, const GaugeReport& report);

}  // namespace kov::app
