// SPDX-License-Identifier: MIT
//
// Options and messages shared by the subcommands that read gauge configurations.
#pragma once

#include "apps/program/command_line.hpp"
#include "kov/stencil/io/gauge_io.hpp"

namespace kov::app {

/// How the user writes the options for reading; for messages.
enum class OptionSyntax {
  /// --ignore checksums, --extent X Y Z T
  command_line,
  /// gauge.ignore = ['checksums'], gauge.extent = [X, Y, Z, T]
  settings,
  /// No options: `kovariant generate` makes the file again.
  chain
};

/// Options of reading: a subcommand's, or the settings of a job.
struct GaugeFileOptions {
  /// Of files that have none; names of checks that may fail; and how messages speak of these options.
  std::optional<Coord> extent = {};
  std::vector<std::string> ignore = {};
  OptionSyntax syntax = OptionSyntax::command_line;

  /// --extent and --ignore.
  void declare(Arguments& arguments);
};

/// "checksums", "plaquette", "link-trace", "unitarity".
const std::vector<std::string>& check_names();
/// The checks with these names.  Throws InputError for an unknown name.
ReadGaugeOptions read_gauge_options(const std::vector<std::string>& ignore);

/// The header of a file; where it has no extents, those of the options.  Errors name the option for extents where it
/// would help.  Throws InputError for an unknown check in options.ignore, before the file is opened.  Collective.
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

/// The format to write a file in: the one named or, without a name, the one of the file's ending: .nersc, .lime or
/// .ildg, .h5 or .hdf5.  Throws InputError.
GaugeFormat output_format(const std::string& name, const std::string& file);

/// Throws InputError unless --precision is 32 or 64.
void require_precision(int bits);

/// "0.594850158947"
std::string twelve_digits(double value);

/// The note in captions about failed checks that were ignored, as markup; empty when all passed.
std::string ignored_text(const std::vector<std::string>& overridden);

/// Warns, on standard error and in the log, about every failed check that was ignored and everything else unusual in
/// the file.
void warn_overridden(const Session& session, const GaugeReport& report);

}  // namespace kov::app
