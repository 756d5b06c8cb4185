// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_file.hpp"

#include "kov/contractions/io/propagator_hdf5.hpp"
#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/core/io/gauge/gauge_hdf5.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"

#include <cmath>
#include <numeric>
#include <sstream>

namespace kov::detail {

std::vector<int> propagator_elements(PropagatorOrder order) {
  std::vector<int> elements;
  if (order == PropagatorOrder::qdpxx) {
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r)
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) elements.push_back(propagator_element(s, a, r, b));
  } else {
    for (int a = 0; a < 3; ++a)
      for (int s = 0; s < 4; ++s)
        for (int b = 0; b < 3; ++b)
          for (int r = 0; r < 4; ++r) elements.push_back(propagator_element(s, a, r, b));
  }
  return elements;
}

std::vector<int> column_elements(int column) {
  std::vector<int> elements(12);
  std::iota(elements.begin(), elements.end(), 12 * column);
  return elements;
}

PropagatorSource open_propagator(const Comm& comm, const std::filesystem::path& path,
                                 const ReadPropagatorOptions& options) {
  SharedInput file;
  PropagatorSource source;
  std::int64_t in_hdf5 = 0;
  comm.agree([&] {
    file = std::make_shared<const InputFile>(path);
    in_hdf5 = is_hdf5(*file);
    if (in_hdf5) return;
    require<FormatError>(is_lime(*file), file->name(), "is not a propagator that can be read: it begins with",
                         in_quotes(file->text(0, 16)) + ",", "which is neither HDF5 nor SciDAC (LIME)");
    source = scidac_propagator(file, options);
  });
  comm.max(std::span(&in_hdf5, 1));
  return in_hdf5 ? hdf5_propagator(comm, file) : source;
}

namespace {

std::string numbers_text(const auto& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : " ") + exact_text(double(value));
  return text;
}

template <std::size_t n>
std::array<double, n> parse_numbers(const std::string& text, const std::string& file, const std::string& name) {
  const std::vector<std::string> parts = words(text);
  std::array<double, n> values{};
  bool good = parts.size() == n;
  for (std::size_t i = 0; i < n && good; ++i) {
    const auto value = parse_real(parts[i]);
    good = value.has_value();
    values[i] = value.value_or(0);
  }
  require<FormatError>(good, file, "has", in_quotes(text), "for the label", name + ",", "which is not", n,
                       "numbers: it is damaged; make or fetch it again");
  return values;
}

LabelValue parse_label(const std::string& sort, const std::string& text, const std::string& file) {
  if (sort == "text") return text;
  if (sort == "real")
    if (const auto value = parse_real(text)) return *value;
  if (sort == "integer")
    if (const auto value = parse_integer(text)) return *value;
  throw FormatError(sentence(file, "has a label of the type", in_quotes(sort), "with the value", in_quotes(text) + ",",
                             "which is not of that type: it is damaged, or a newer version wrote it; fetch it again or "
                             "take that version"));
}

void require_finite(const std::string& label, double value) {
  require(std::isfinite(value), "the label", printable(label), "of a propagator is", value,
          ", which files do not hold: leave it out or give it a number");
}

}  // namespace

std::string sums_text(const std::array<std::uint32_t, 2>& sums) { return to_hex(sums[0]) + " " + to_hex(sums[1]); }

std::string label_lines(const PropagatorHeader& header) {
  std::string lines;
  const auto add = [&](const std::string& sort, const std::string& name, const std::string& value) {
    for (const std::string* text : {&name, &value})
      for (const char c : *text)
        require(static_cast<unsigned char>(c) >= 32, "the label", printable(name), "of a propagator is",
                in_quotes(value) + ",",
                "but names and values in files have no line ends or control characters: leave them out");
    require(!name.empty() && name.find(" =") == name.npos && name.front() != '=', "the label", in_quotes(name),
            "of a propagator is no name: it is empty or has an equals sign, at which files end names; give it another");
    lines += sort + " " + name + " = " + value + "\n";
  };
  const PropagatorLabels& labels = header.labels;
  add("propagator", "source", labels.source);
  add("propagator", "origin", to_string(labels.origin));
  for (const double angle : labels.boundary.angle) require_finite("boundary_angles", angle);
  for (const auto& [name, value] : labels.others) {
    if (const double* real = std::get_if<double>(&value)) require_finite(name, *real);
    add(std::holds_alternative<double>(value)         ? "real"
        : std::holds_alternative<std::int64_t>(value) ? "integer"
                                                      : "text",
        name, label_text(value));
  }
  for (const auto& [name, value] : header.metadata) add("metadata", name, value);
  // Last, because readers of XML cut off blanks at the end of a text, which a value may have or consist of.
  add("propagator", "boundary_angles", numbers_text(labels.boundary.angle));
  return lines;
}

void require_writable(const PropagatorHeader& header) {
  require(header.bits == 32 || header.bits == 64, "propagators are written with 32 or 64 bits, not", header.bits);
  label_lines(header);
}

void parse_label_lines(const std::string& text, const std::string& file, PropagatorHeader& header) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (trim(line).empty()) continue;
    // Readers of XML cut off the blank of an empty value at the end.
    if (line.ends_with(" =") && line.find(" = ") == line.npos) line += ' ';
    const std::size_t blank = line.find(' '), equals = line.find(" = ");
    require<FormatError>(equals != line.npos && blank < equals, file, "has the label", in_quotes(line) + ",",
                         "which is not TYPE NAME = VALUE: it is damaged, or Kovariant did not write it; make or fetch "
                         "it again");
    const std::string sort = line.substr(0, blank), name = line.substr(blank + 1, equals - blank - 1),
                      value = line.substr(equals + 3);
    if (sort == "metadata") {
      header.metadata.emplace_back(name, value);
    } else if (sort != "propagator") {
      header.labels.others[name] = parse_label(sort, value, file);
    } else if (name == "source") {
      header.labels.source = value;
    } else if (name == "origin") {
      const auto x = parse_numbers<4>(value, file, name);
      for (std::size_t mu = 0; mu < 4; ++mu) {
        require<FormatError>(x[mu] >= 0 && x[mu] <= 65535, file, "has the origin", in_quotes(value) + ",",
                             "which is no site: it is damaged; make or fetch it again");
        header.labels.origin[mu] = int(x[mu]);
      }
      header.has_origin = true;
    } else if (name == "boundary_angles") {
      header.labels.boundary.angle = parse_numbers<4>(value, file, name);
      header.has_boundary = true;
    }
  }
}

}  // namespace kov::detail
