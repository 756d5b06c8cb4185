// SPDX-License-Identifier: MIT
//
// Work: the operations and memory traffic of what was launched, for effective speeds in reports.
#pragma once

namespace kov {

/// Of this rank: floating-point operations, and bytes of memory traffic when neighbours come from cache and columns
/// share what they have in common; both as the comments of kernels count them.
struct Work {
  double flops = 0, bytes = 0;
};

/// All that this thread of the host has launched and counted: operators, and the vector algebra of solvers.
const Work& work_done();

namespace detail {
void count_work(double flops, double bytes);
}

}  // namespace kov
