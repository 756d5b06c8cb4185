// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/hop_impl.hpp"

namespace kov::detail {

template struct HopOn<double, SpinorField<double>>;
template struct HopOn<double, SpinorField<double, ColumnLanes<4>>>;
template struct HopOn<double, SpinorField<double, ColumnLanes<8>>>;

}  // namespace kov::detail
