// SPDX-License-Identifier: MIT
//
// The kernels of traces of complex numbers in single precision.
#include "kov/contractions/kernels/trace_launch.hpp"

namespace kov::detail {

template void launch_traces_of<Complex<float>, false>(const TraceParts<Complex<float>>&, TraceTiling, const Exec&,
                                                      KernelResources*);
template int trace_teams<Complex<float>, false>(TraceTiling);
template std::int64_t pack_part_length<Complex<float>, false>();

}  // namespace kov::detail
