// SPDX-License-Identifier: MIT
//
// The rungs of the ladder in single precision.
#include "kov/contractions/kernels/ladder/ladder_kernels.hpp"

namespace kov {

template void multiply_on_rung(ProductRung, const Complex<float>*, const Complex<float>*, Complex<float>*, int, int,
                               bool, const Exec&);
template KernelResources rung_resources<float>(ProductRung);
template void traces_on_rung(TraceRung, const TraceProblem<Complex<float>>&, Complex<double>*, TraceWorkspace&,
                             const Exec&);

}  // namespace kov
