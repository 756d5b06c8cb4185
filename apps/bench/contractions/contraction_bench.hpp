// SPDX-License-Identifier: MIT
//
// The tables of `kovariant bench contractions`: products and traces in all their implementations, beside a BLAS.
#pragma once

#include "apps/bench/contractions/roofline.hpp"
#include "apps/program/command_line.hpp"
#include "kov/core/site/pack.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// Pairs of times of paper 000's 128 x 128: all on a GPU, and on a CPU some, which stand for all.
inline constexpr int default_pairs = has_packs ? 64 : 128 * 128;

/// What the tables of `kovariant bench contractions` and `bench paper000` need.
struct ContractionBench {
  /// The median seconds of one call of an asynchronous function.
  std::function<double(const std::function<void()>&)> seconds;
  /// Kernels in tables over sizes are left out where one call takes longer.
  double most_seconds;
  MeasureRoofs roofs;
  /// The BLAS to compare with; empty: the usual one.
  std::string blas;
  /// Tables whose name contains this text.
  std::string only;
  /// Rows of the matrices, a multiple of 4.
  int n_rows = 256;
  /// PREFIX of the pictures of the roofline and of tables over sizes; empty: none.
  std::string picture = {};
  /// Pairs of times that paper000 contracts at least.
  int n_pairs = default_pairs;
  /// Traces of every number of operators up to 65, not of 16 of these, and the whole problem up to 64, not of 10.
  bool every_c = false;
};

/// What can stand behind PREFIX in the names of the pictures.
std::vector<std::string> contraction_picture_endings();

/// Throws InputError where no table has this text in its name, and for options that none of those that have it takes.
void require_contraction_tables(const Session& session, const std::string& only);

/// Prints the tables and draws the pictures.  Those of an earlier run that it does not draw again stay, and are named.
void bench_contractions(const Session& session, const ContractionBench& bench);

}  // namespace kov::app
