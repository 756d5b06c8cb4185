// SPDX-License-Identifier: MIT
#include "apps/files/gauge_files.hpp"

#include "apps/plot/typeset.hpp"
#include "apps/settings/suggest.hpp"

#include <cmath>
#include <cstdio>

namespace kov::app {

void GaugeFileOptions::declare(Arguments& arguments) {
  arguments.option("--extent", extent, "extents, for files that do not record them");
  arguments.option(
      "--ignore", ignore,
      "go on although a check fails: checksums, plaquette, link-trace or unitarity; recorded in every output");
}

const std::vector<std::string>& check_names() {
  static const std::vector<std::string> names{"checksums", "plaquette", "link-trace", "unitarity"};
  return names;
}

ReadGaugeOptions read_gauge_options(const std::vector<std::string>& ignore) {
  ReadGaugeOptions options;
  for (const std::string& name : ignore) {
    if (name == "checksums")
      options.ignore_checksums = true;
    else if (name == "plaquette")
      options.ignore_plaquette = true;
    else if (name == "link-trace")
      options.ignore_link_trace = true;
    else if (name == "unitarity")
      options.ignore_unitarity = true;
    else
      throw InputError("a check to ignore " + not_a_choice(name, check_names()));
  }
  return options;
}

namespace {

constexpr const char* make_again = "move it away, and the chain goes on from the configuration before it";

/// A message of the library, its remedies replaced by the options that the user would write.  In a chain the remedies
/// of checks, and of what is in a file's place, are to move that away.
std::string with_options(std::string message, OptionSyntax syntax) {
  struct Remedy {
    const char *general, *command_line, *settings;
    bool is_check;
  };
  constexpr Remedy remedies[] = {
      {"name a file in it", "name a file in it", "name a file in it", true},
      {"ask to ignore checksums", "go on with --ignore checksums", "go on with gauge.ignore = ['checksums']", true},
      {"ask to ignore the plaquette", "go on with --ignore plaquette", "go on with gauge.ignore = ['plaquette']", true},
      {"ask to ignore the link trace", "go on with --ignore link-trace", "go on with gauge.ignore = ['link-trace']",
       true},
      {"ask to ignore unitarity", "go on with --ignore unitarity", "go on with gauge.ignore = ['unitarity']", true},
      {"give the extents", "give the extents: --extent X Y Z T", "give the extents: gauge.extent = [X, Y, Z, T]",
       false},
      {"leave the extents out where", "leave --extent out where", "leave gauge.extent out where", false},
  };
  for (const Remedy& remedy : remedies) {
    const std::string written = syntax == OptionSyntax::chain      ? remedy.is_check ? make_again : remedy.general
                                : syntax == OptionSyntax::settings ? remedy.settings
                                                                   : remedy.command_line;
    for (std::size_t at = message.find(remedy.general); at != message.npos;
         at = message.find(remedy.general, at + written.size()))
      message.replace(at, std::string(remedy.general).size(), written);
  }
  return message;
}

/// The same for a damaged file.
std::string with_remedy(const std::string& message, OptionSyntax syntax) {
  const std::string text = with_options(message, syntax);
  const bool helps = syntax != OptionSyntax::chain || text.find(make_again) != text.npos;
  return helps ? text : text + "; " + make_again;
}

template <class Read>
auto naming_options(OptionSyntax syntax, const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(with_options(error.what(), syntax));
  } catch (const FormatError& error) {
    throw FormatError(with_remedy(error.what(), syntax));
  }
}

}  // namespace

GaugeHeader header_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options) {
  read_gauge_options(options.ignore);
  ReadOptions read;
  read.extent = options.extent;
  return naming_options(options.syntax, [&] { return read_gauge_header(comm, file, read); });
}

Lattice lattice_of(const Comm& comm, const std::string& file, const GaugeFileOptions& options) {
  return Lattice(comm, header_of(comm, file, options).extent);
}

GaugeField<double> read_configuration(const Lattice& lattice, const std::string& file, const GaugeFileOptions& options,
                                      GaugeReport& report) {
  auto gauge = naming_options(
      options.syntax, [&] { return read_gauge<double>(lattice, file, read_gauge_options(options.ignore), &report); });
  // An error whichever checks are ignored.
  if (!std::isfinite(report.plaquettes.mean()) || !std::isfinite(report.link_trace))
    throw FormatError(sentence(file, "has the plaquette", report.plaquettes.mean(), "and the link trace",
                               std::to_string(report.link_trace) + ": its links are damaged beyond use"));
  return gauge;
}

GaugeField<double> read_configuration(const Session& session, const Lattice& lattice, const std::string& file,
                                      const GaugeFileOptions& options, GaugeReport& report) {
  const auto gauge = read_configuration(lattice, file, options, report);
  warn_overridden(session, report);
  return gauge;
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"nersc", "nersc-3x2", "ildg", "hdf5"};
  return names;
}

namespace {
std::string format_of_ending(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".nersc") return "nersc";
  if (ending == ".lime" || ending == ".ildg") return "ildg";
  if (ending == ".h5" || ending == ".hdf5") return "hdf5";
  throw InputError("the ending of " + file +
                   " names no format (.nersc, .lime, .ildg, .h5, .hdf5): add --format nersc, nersc-3x2, ildg or hdf5");
}
}  // namespace

GaugeFormat output_format(const std::string& name, const std::string& file) {
  return gauge_format(name.empty() ? format_of_ending(file) : name);
}

void require_precision(int bits) {
  require(bits == 32 || bits == 64, "--precision is", bits, "- it must be 32 or 64 (bits)");
}

std::string twelve_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.12f", value);
  return text;
}

std::string ignored_text(const std::vector<std::string>& overridden) {
  std::string text;
  for (const std::string& check : overridden) text += (text.empty() ? "IGNORED CHECKS: " : "; ") + plain(check);
  return text.empty() ? "" : text + ". ";
}

void warn_overridden(const Session& session, const GaugeReport& report) {
  for (const std::string& text : report.header.warnings) session.warn(report.source + ": " + text);
  for (const std::string& text : report.overridden) session.warn(report.source + ": " + text);
}

}  // namespace kov::app
