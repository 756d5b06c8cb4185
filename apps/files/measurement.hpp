// SPDX-License-Identifier: MIT
//
// The result of a subcommand on one configuration: tables, numbers and their provenance, as text for people and as HDF5
// for programs.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kov::app {

/// Rows of numbers under names.
struct ColumnTable {
  /// The dataset's name in HDF5.
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  /// Columns that may contain NaN for missing numbers; in the others a number that is not finite is an error.
  std::vector<std::string> with_gaps = {};
};

/// A text or numbers; HDF5 files store numbers as numbers.
using ParameterValue = std::variant<std::string, std::int64_t, double, std::vector<double>>;
using Parameters = std::vector<std::pair<std::string, ParameterValue>>;

/// What a subcommand measured on one configuration, with everything that its files say of it.
struct Measurement {
  /// "gradient flow"; format of the file and first line of the text.
  std::string what;
  Coord extent{};
  /// Units, normalisations, definitions.
  std::string conventions;
  /// The options in force.
  Parameters parameters;
  /// The configuration that was measured: GaugeReport::attributes().
  std::vector<std::pair<std::string, std::string>> inputs;
  /// Checks of the configuration that failed and were ignored on request, in words.
  std::vector<std::string> ignored = {};
  /// Summary numbers of the tables.
  std::vector<std::pair<std::string, double>> results;
  std::vector<ColumnTable> tables;
};

/// Comment lines (#) with everything but the inputs' details, then the tables' columns, two blank lines between tables
/// (gnuplot's `index`).
std::string measurement_text(const Measurement& measurement);

/// The endings that write_measurement() appends to PREFIX: .txt and, where the build has HDF5, .h5; and
/// picture_endings().
std::vector<std::string> measurement_endings();

/// PREFIX.txt and, where the build has HDF5, PREFIX.h5; returns their names.  In HDF5 a table is a dataset
/// [row][column] with the attribute columns; parameters, inputs and results are attributes of groups of these names.
/// Collective; throws ConvergenceError, and writes nothing, when a number is not finite.
std::vector<std::string> write_measurement(const Comm& comm, const std::string& prefix, const Measurement& measurement);

/// A value of GaugeReport::attributes(), as a number if it is one, else as text.
LabelValue input_value(const std::string& name, const std::string& text);

/// Twelve digits, for tables: "0.594850158947", "1.2e-14".
std::string digits(double value);

}  // namespace kov::app
