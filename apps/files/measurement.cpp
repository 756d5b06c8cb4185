// SPDX-License-Identifier: MIT
#include "apps/files/measurement.hpp"

#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

namespace kov::app {

namespace {

constexpr std::size_t width = 20;

std::string right(const std::string& text) {
  return std::string(text.size() < width ? width - text.size() : 1, ' ') + text;
}

std::string parameter_text(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return digits(*real);
  std::string text;
  for (const double number : std::get<std::vector<double>>(value)) text += (text.empty() ? "" : " ") + digits(number);
  return text;
}

void write_hdf5(const std::string& name, const Measurement& m) {
  Hdf5File file = Hdf5File::create(name);
  file.set_attribute("/", "format", "kovariant " + m.what);
  file.set_attribute("/", "format_version", std::int64_t(2));
  file.set_attribute("/", "extent", std::vector<std::int64_t>(m.extent.begin(), m.extent.end()));
  file.set_attribute("/", "conventions", m.conventions);
  file.set_attribute("/", "version", std::string(version()));
  file.set_attribute("/", "revision", std::string(git_revision()));
  file.set_attribute("/", "build", std::string(build_description()));
  const auto set = [&](const char* group, const std::string& key, const auto& value) {
    std::visit([&](const auto& v) { file.set_attribute(group, key, v); }, value);
  };
  file.create_group("/parameters");
  for (const auto& [key, value] : m.parameters) set("/parameters", key, value);
  file.create_group("/inputs");
  for (const auto& [key, text] : m.inputs) set("/inputs", key, input_value(key, text));
  file.create_group("/results");
  for (const auto& [key, value] : m.results) file.set_attribute("/results", key, value);
  for (const ColumnTable& table : m.tables) {
    std::vector<double> values;
    for (const auto& row : table.rows) values.insert(values.end(), row.begin(), row.end());
    file.write<double>("/" + table.name, values, {table.rows.size(), table.columns.size()});
    file.set_attribute("/" + table.name, "columns", table.columns);
  }
  file.commit();
}

void require_finite(const Measurement& m) {
  const auto look = [&](const std::string& what, double value) {
    if (!std::isfinite(value))
      throw ConvergenceError(sentence(what, "is", value, "- parameters or links make numbers that are too large for",
                                      "this machine; no table was written"));
  };
  for (const auto& [name, value] : m.results) look(name, value);
  for (const ColumnTable& table : m.tables)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (std::count(table.with_gaps.begin(), table.with_gaps.end(), table.columns[c]) > 0) continue;
      for (std::size_t r = 0; r < table.rows.size(); ++r)
        look(sentence(table.columns[c], "in row", r + 1, "of the table", table.name), table.rows[r][c]);
    }
}

}  // namespace

std::vector<std::string> measurement_endings() {
  std::vector<std::string> endings = picture_endings();
  if (has_hdf5()) endings.insert(endings.begin(), ".h5");
  endings.insert(endings.begin(), ".txt");
  return endings;
}

LabelValue input_value(const std::string& name, const std::string& text) {
  static const std::set<std::string> reals{"plaquette", "plaquette_spatial", "plaquette_temporal", "link_trace",
                                           "unitarity_deviation"};
  const auto real = reals.count(name) ? parse_real(text) : std::nullopt;
  if (real) return *real;
  return text;
}

std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.12g", value);
  return std::isfinite(value) ? text : "-";
}

std::string measurement_text(const Measurement& m) {
  std::ostringstream text;
  text << "# " << m.what << " on " << to_string(m.extent) << "\n";
  for (const auto& [key, value] : m.parameters) text << "# " << key << ": " << parameter_text(value) << "\n";
  for (const std::string& check : m.ignored) text << "# check that failed and was ignored: " << check << "\n";
  text << "# " << m.conventions << "\n";
  for (const auto& [key, value] : m.results) text << "# " << key << " = " << digits(value) << "\n";
  for (std::size_t k = 0; k < m.tables.size(); ++k) {
    const ColumnTable& table = m.tables[k];
    text << (k == 0 ? "" : "\n\n") << "#";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string name = right(table.columns[c]);
      text << (c == 0 ? name.substr(1) : name);  // the # is part of the first column
    }
    text << "\n";
    for (const auto& row : table.rows) {
      for (const double value : row) text << right(digits(value));
      text << "\n";
    }
  }
  return text.str();
}

std::vector<std::string> write_measurement(const Comm& comm, const std::string& prefix, const Measurement& m) {
  require_finite(m);
  std::vector<std::string> files{prefix + ".txt"};
  write_text_file(comm, files[0], measurement_text(m));
  if (has_hdf5()) {
    files.push_back(prefix + ".h5");
    comm.agree([&] {
      if (comm.rank() == 0) write_hdf5(files[1], m);
    });
  }
  return files;
}

}  // namespace kov::app
