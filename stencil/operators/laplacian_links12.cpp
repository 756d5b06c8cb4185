// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

namespace kov::detail {

template struct LaplacianOn<Links12<float>, Field<ColorVector, float>>;
template struct LaplacianOn<Links12<float>, Field<ColorVector, float, ColumnLanes<4>>>;
template struct LaplacianOn<Links12<float>, Field<ColorVector, float, ColumnLanes<8>>>;
template struct LaplacianOn<Links12<float>, Field<ColorVector, float, ColumnLanes<16>>>;
template struct LaplacianOn<Links12<float>, Field<Spinor, float>>;
template struct LaplacianOn<Links12<float>, Field<Spinor, float, ColumnLanes<4>>>;
template struct LaplacianOn<Links12<float>, Field<Spinor, float, ColumnLanes<8>>>;
template struct LaplacianOn<Links12<float>, Field<Spinor, float, ColumnLanes<16>>>;

}  // namespace kov::detail
