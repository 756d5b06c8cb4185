// SPDX-License-Identifier: MIT
//
// The figures of H.-L. Wu, "GPU Matrix Multiplication" (CSE 260), over the size of matrices: tile sets, multiply()
// beside a BLAS, and how many times as fast it is.
#pragma once

#include "apps/plot/plot.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// Products of two N x N matrices by all kernels: Gflop/s, NaN of those that were not run.
struct SizeRow {
  int n;
  double naive, automatic, blas;
  /// Of each tile set.
  std::vector<double> tile_sets;

  double over_naive() const { return automatic / naive; }
  double over_blas() const { return automatic / blas; }
};

/// What was measured in one type of numbers.
struct SizeTable {
  /// "real double"
  std::string numbers;
  /// Of the BLAS; empty: there is none.
  std::string blas;
  std::vector<std::string> tile_sets;
  std::vector<SizeRow> rows;
};

/// Which figure.
enum class SizeFigure {
  /// Figure 2: each tile set, and what multiply() chooses.
  tilings,
  /// Figure 3: multiply(), the BLAS and the naive kernel.
  blas,
  /// Figure 4: multiply() over the BLAS, and over the naive kernel.
  speedup
};

/// All of them.
inline constexpr SizeFigure size_figures[] = {SizeFigure::tilings, SizeFigure::blas, SizeFigure::speedup};

/// What stands behind PREFIX in the names of its files, before .svg: "_tilings_real_double".
std::string size_figure_name(SizeFigure figure, const std::string& numbers);

/// The picture of a table; device: for the caption.
Plot size_plot(SizeFigure figure, const SizeTable& table, const std::string& device);

}  // namespace kov::app
