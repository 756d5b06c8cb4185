// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<Links12<float>, SpinorField<float>>;
template struct HopOn<Links12<float>, SpinorField<Fixed16>>;
template struct HopOn<Links12<float>, SpinorField<float, ColumnLanes<4>>>;
template struct HopOn<Links12<float>, SpinorField<float, ColumnLanes<8>>>;
template struct HopOn<Links12<float>, SpinorField<float, ColumnLanes<16>>>;
template struct HopOn<Links12<double>, SpinorField<double>>;
template struct HopOn<Links12<double>, SpinorField<double, ColumnLanes<4>>>;
template struct HopOn<Links12<double>, SpinorField<double, ColumnLanes<8>>>;

}  // namespace kov::detail
