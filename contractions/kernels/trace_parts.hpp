// SPDX-License-Identifier: MIT
//
// Private to trace*.cpp: traces of parts of the inner index, as kernels write them.
#pragma once

#include "kov/contractions/kernels/trace.hpp"

namespace kov::detail {

/// [pair][split][i][j]
template <class Z>
struct TraceParts {
  TraceProblem<Z> problem;
  Complex<double>* data;
  int n_splits;
};

/// Starts the kernel, or, with `resources`, only asks what it takes; defined in trace_launch.hpp and compiled in
/// trace_*.cpp, one type each.  wide: sums in double.
template <class Z, bool wide>
void launch_traces_of(const TraceParts<Z>& parts, TraceTiling tiling, const Exec& exec,
                      KernelResources* resources = nullptr);

/// Teams of a GPU's kernel of this tiling that run on a multiprocessor at a time, as its shape states them, or
/// trace_teams_unless_stated.
template <class Z, bool wide>
int trace_teams(TraceTiling tiling);

/// The length of the parts that CPUs take.
template <class Z, bool wide>
std::int64_t pack_part_length();

}  // namespace kov::detail
