// SPDX-License-Identifier: MIT
//
// The kernels of traces of complex numbers in double precision.
#include "kov/contractions/kernels/trace_launch.hpp"

namespace kov::detail {

template void launch_traces_of<Complex<double>, false>(const TraceParts<Complex<double>>&, TraceTiling, const Exec&,
                                                       KernelResources*);
template int trace_teams<Complex<double>, false>(TraceTiling);
template std::int64_t pack_part_length<Complex<double>, false>();

}  // namespace kov::detail
