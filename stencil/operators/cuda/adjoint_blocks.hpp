// SPDX-License-Identifier: MIT
//
// Private to adjoint_laplacian.cpp: whether GPUs unroll its legs.
#pragma once

#include "kov/core/lattice/site.hpp"

#include <type_traits>

namespace kov::detail {

/// Of floats; those of doubles would need too many registers: see docs/performance.md.
template <class Site, class Out>
inline constexpr bool unrolls_adjoint_legs =
    std::is_same_v<Site, LaneSite> && sizeof(typename Out::Real) != sizeof(double);

}  // namespace kov::detail
