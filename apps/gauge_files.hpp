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

/// The lattice of a file: its extents, or those given where it has none.  Collective.
Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options);

/// Formats that write_gauge() knows, by name.
const std::vector<std::string>& format_names();

/// The format to write a file in: the one named, or, where the name is empty, the one that the file's ending says:
/// .nersc, .lime or .ildg, .h5 or .hdf5.  Throws InputError.
GaugeFormat output_format(const std::string& name, const std::string& file);

/// Throws InputError unless --precision is 32 or 64.
void require_precision(int bits);

/// "0.594850158947"
std::string twelve_digits(double value);

/// A warning for every failed check that was let pass, and for what else was odd about the file, on standard error and
/// in the log.
void warn_overridden(const Session& session, const GaugeReport& report);

}  // namespace kov::app
