// SPDX-License-Identifier: MIT
//
// The tables of H.-L. Wu, "GPU Matrix Multiplication" (CSE 260), on this machine: products of square matrices over
// their size, beside the naive kernel and a BLAS.  And what a GPU tells of the kernels.
#pragma once

#include "apps/bench/contractions/contraction_bench.hpp"
#include "apps/bench/contractions/roofline.hpp"
#include "apps/bench/contractions/size_plots.hpp"
#include "kov/contractions/blas/blas.hpp"

namespace kov::app {

/// The 21 N of the paper's table 2, from 31 to 2049, and three between them; at most 8 n_rows + 1.  Z: float, double or
/// complex numbers of them.  The naive kernel, tile sets and the BLAS are left out where a call takes longer than
/// bench.most_seconds and than two calls of multiply().
template <class Z>
SizeTable bench_sizes(const Session& session, const ContractionBench& bench, const Blas& blas, Roofline& roofline);

/// Registers, occupancy and scratch memory of all tilings and rungs, in float and double.
void bench_resources(const Session& session);

}  // namespace kov::app
