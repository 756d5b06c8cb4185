// SPDX-License-Identifier: MIT
//
// The rungs of the ladder in double precision.
#include "kov/contractions/kernels/ladder/ladder_kernels.hpp"

namespace kov {

template void multiply_on_rung(ProductRung, const Complex<double>*, const Complex<double>*, Complex<double>*, int, int,
                               bool, const Exec&);
template KernelResources rung_resources<double>(ProductRung);
template void traces_on_rung(TraceRung, const TraceProblem<Complex<double>>&, Complex<double>*, TraceWorkspace&,
                             const Exec&);

}  // namespace kov
