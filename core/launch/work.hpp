// SPDX-License-Identifier: MIT
//
// Work: how much of it was launched, for effective speeds in reports.
#pragma once

namespace kov {

/// As the comments of kernels count them: floating-point operations, and bytes of memory traffic when neighbours come
/// from cache and columns share what they have in common.  Of this rank.
struct Work {
  double flops = 0, bytes = 0;
};

/// All that this thread of the host has launched and counted: operators, and the vector algebra of solvers.
const Work& work_done();

namespace detail {
void count_work(double flops, double bytes);
}

}  // namespace kov
