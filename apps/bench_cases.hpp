// SPDX-License-Identifier: MIT
//
// The kernels that `kovariant bench` runs, with what each site costs.
#pragma once

#include "kov/core/lattice.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// One kernel on one lattice.
struct BenchCase {
  std::string kernel;
  /// "double" or "float"
  std::string precision;
  /// Sites that one call works on, columns counted as sites.
  double sites;
  /// Memory traffic when neighbours come from cache and nothing else does, and effective flops; for one of those sites.
  double bytes, flops;
  /// Asynchronous or not; the caller fences.
  std::function<void()> run;
  /// How often one call goes over its sites.
  int steps = 1;
};

/// All kernels on a lattice of random links and sources.
template <class T>
std::vector<BenchCase> bench_cases(const Lattice& lattice);

}  // namespace kov::app
