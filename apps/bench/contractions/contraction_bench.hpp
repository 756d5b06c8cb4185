// SPDX-License-Identifier: MIT
//
// The tables of `kovariant bench contractions`: products and traces in all their implementations, beside a BLAS.
#pragma once

#include "apps/program/command_line.hpp"

#include <functional>
#include <string>

namespace kov::app {

struct ContractionBench {
  /// The median seconds of one call of an asynchronous function.
  std::function<double(const std::function<void()>&)> seconds;
  /// The BLAS to compare with; empty: the usual one.
  std::string blas;
  /// Tables whose name contains this text.
  std::string only;
  /// Rows of the matrices, a multiple of 4.
  int n_rows = 256;
};

/// Prints the tables.
void bench_contractions(const Session& session, const ContractionBench& bench);

}  // namespace kov::app
