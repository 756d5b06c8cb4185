// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/laplacian_impl.hpp"

namespace kov::detail {

template struct LaplacianOn<Links12<double>, Field<ColorVector, double>>;
template struct LaplacianOn<Links12<double>, Field<ColorVector, double, ColumnLanes<4>>>;
template struct LaplacianOn<Links12<double>, Field<ColorVector, double, ColumnLanes<8>>>;
template struct LaplacianOn<Links12<double>, Field<Spinor, double>>;
template struct LaplacianOn<Links12<double>, Field<Spinor, double, ColumnLanes<4>>>;
template struct LaplacianOn<Links12<double>, Field<Spinor, double, ColumnLanes<8>>>;

}  // namespace kov::detail
