// SPDX-License-Identifier: MIT
//
// Private to laplacian*.cpp and slice_steps.cpp: a LaplacianStep in kernels.
#pragma once

#include "kov/core/site/color_spin.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <type_traits>

namespace kov::detail {

/// A LaplacianStep in kernels.  others: whether the step may have a source or a `before`.  Without a source its number
/// is 0 and `in` any field that is read anyway: a branch would hold the loads back that follow.
template <class T, bool others>
struct StepAtSite {
  T alpha, beta, source;
  bool has_before;

  explicit StepAtSite(const LaplacianStep& step)
      : alpha(T(step.alpha)), beta(T(step.beta)), source(T(step.source.value_or(0))), has_before(step.has_before) {}

  /// The result of the step for component c at x, given the sum over the legs; the other arguments are views.
  template <class Value, class Site, class From, class View>
  KOKKOS_FORCEINLINE_FUNCTION Value result(const Value& legs, Site x, int c, const From& from, const View& in,
                                           const View& before) const {
    using R = typename Value::Real;
    // One product in each sum, so that compilers fuse them the same way in all kernels.
    Value to = zero<Value>();
    if constexpr (others) {
      if (has_before) to -= before(x, c);
      multiply_add(to, R(source), in(x, c));
    }
    multiply_add(to, R(alpha), from(x, c));
    multiply_add(to, R(beta), legs);
    return to;
  }
};

/// What a view of one site would give, which was read before.
template <class Value>
struct AlreadyRead {
  Value value;
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION const Value& operator()(Site, int) const {
    return value;
  }
};
template <class Value>
AlreadyRead(Value) -> AlreadyRead<Value>;

/// Calls launch(std::bool_constant<others>).  others: whether steps read fields besides `from`.  Where registers cannot
/// hold two values of a site, on CPUs and for spinors on GPUs, steps that read only `from` have a kernel of their own.
template <class View, class Launch>
void launch_step(bool others, const Launch& launch) {
  if constexpr (has_packs || View::n_complex > 3)
    if (!others) return launch(std::false_type{});
  launch(std::true_type{});
}

}  // namespace kov::detail
