// SPDX-License-Identifier: MIT
//
// The problem of paper 000 (kernels/ladder/ladder.hpp): correlator matrices of 256 x 256 operators on 128 time slices.
#pragma once

#include "apps/bench/contractions/contraction_bench.hpp"

namespace kov::app {

/// The time of a (t, delta) pair and of the whole problem for various numbers of operators, beside the paper's, and the
/// paper's model of operations per transfer (section 4.1).
void bench_whole_problem(const Session& session, const ContractionBench& bench);

/// `kovariant bench paper000`: 64 operators by the dense engine, and the same as 16 gammas x 4 elementals by the
/// factorised one.
void bench_paper000(const Session& session, const ContractionBench& bench);

}  // namespace kov::app
