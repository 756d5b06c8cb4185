// SPDX-License-Identifier: MIT
//
// The fields that operators take in the non-relativistic basis of spin.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/site/spin_basis.hpp"

#include <type_traits>

namespace kov {

/// Whether hops and site terms are compiled for fields F of spinors in SpinBasis::nonrelativistic: for those with sites
/// in lanes, in float and double, on GPUs also in 16 bits.
template <class F>
inline constexpr bool takes_nonrelativistic =
    !F::Lanes::holds_columns &&
    (F::View::Codec::is_plain || (!has_packs && std::is_same_v<typename F::Storage, Fixed16>));

namespace detail {

/// Throws InputError for fields without takes_nonrelativistic.
template <class F>
void refuse_nonrelativistic(const F& in) {
  require(
      false, "an operator in the non-relativistic basis got", in.name(),
      "with columns in lanes or in a storage that it is not compiled for: it takes spinors with sites in lanes, in "
      "float and double, on GPUs also in 16 bits, and hops on links of 18 reals of their precision, on GPUs also of "
      "12");
}

/// Calls f(std::integral_constant<SpinBasis, basis>()), for fields that are taken in this basis.
template <class F, class Function>
void in_basis(SpinBasis basis, const F& in, const Function& f) {
  if (basis == SpinBasis::chiral)
    f(std::integral_constant<SpinBasis, SpinBasis::chiral>());
  else if constexpr (takes_nonrelativistic<F>)
    f(std::integral_constant<SpinBasis, SpinBasis::nonrelativistic>());
  else
    refuse_nonrelativistic(in);
}

}  // namespace detail

}  // namespace kov
