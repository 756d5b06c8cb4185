// SPDX-License-Identifier: MIT
//
// The kernels of traces of complex numbers in single precision whose products and sums are in double.
#include "kov/contractions/kernels/trace_launch.hpp"

namespace kov::detail {

template void launch_traces_of<Complex<float>, true>(const TraceParts<Complex<float>>&, TraceTiling, const Exec&,
                                                     KernelResources*);
template int trace_teams<Complex<float>, true>(TraceTiling);
template std::int64_t pack_part_length<Complex<float>, true>();

}  // namespace kov::detail
