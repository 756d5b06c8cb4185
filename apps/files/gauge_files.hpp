// SPDX-License-Identifier: MIT
//
// What subcommands that read gauge configurations share.
#pragma once

#include "apps/program/command_line.hpp"
#include "kov/stencil/io/gauge_io.hpp"

namespace kov::app {

/// How a user writes options of reading, for messages.
enum class OptionSyntax {
  /// --ignore checksums, --extent X Y Z T
  command_line,
  /// gauge.ignore = ['checksums'], gauge.extent = [X, Y, Z, T]
  settings,
  /// There are none, because the file is one that `kovariant generate` makes again.
  chain
};

/// Options of reading: a subcommand's, or the settings of a job.
struct GaugeFileOptions {
  std::optional<Coord> extent = {};
  std::vector<std::string> ignore = {};
  OptionSyntax syntax = OptionSyntax::command_line;

  /// --extent and --ignore.
  void declare(Arguments& arguments);
};

/// "checksums", "plaquette", "link-trace", "unitarity".
const std::vector<std::string>& check_names();
/// The checks by name.  Throws InputError for a name that is none of these.
ReadGaugeOptions read_gauge_options(const std::vector<std::string>& ignore);

/// What a file says of itself, its extents those given where it has none.  Errors name the option of extents where that
/// helps.  Collective.
GaugeHeader header_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options);
/// The lattice of these extents.  Collective.
Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options);

/// read_gauge() of a file with the checks that options leave.  Errors name the option that goes on without a check.
/// Collective.
GaugeField<double> read_configuration(const Lattice& lattice, const std::string& file, const GaugeFileOptions& options,
                                      GaugeReport& report);
/// The same; warns of the checks that failed and were ignored.
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
