// SPDX-License-Identifier: MIT
//
// Private to laplacian_impl.hpp and slice_steps.cpp: a LaplacianStep in kernels.
#pragma once

#include "kov/core/site/color_spin.hpp"
#include "kov/stencil/operators/cuda/laplacian_blocks.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

#include <type_traits>

namespace kov::detail {

/// The fields that a step may read besides `from`, as views; nothing for steps that read no other.
template <class View, bool others>
struct OtherFields {
  View in, before;
};
template <class View>
struct OtherFields<View, false> {
  OtherFields(const View&, const View&) {}
};

/// A LaplacianStep in kernels.  others: whether the step may have a source or a `before`.  CPUs ask after the sum over
/// the legs whether it has either, and GPUs whether it has a `before`.  A source that GPUs do not ask for has the
/// coefficient 0, and its field is one that is read anyway.
template <class T, bool others>
struct StepAtSite {
  T alpha, beta, source, previous;
  bool has_before, reads_others;

  explicit StepAtSite(const LaplacianStep& step)
      : alpha(T(step.alpha)),
        beta(T(step.beta)),
        source(T(step.source.value_or(0))),
        previous(step.has_before ? T(-1) : T(0)),
        has_before(step.has_before),
        reads_others(step.reads_others()) {}

  /// In kernels over packs or columns, for fields out of cache: prefetches what finish() will read in its next call,
  /// which is more than the hardware foresees beside the legs.
  template <class Site, class View>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(Site x, int c, int n_components,
                                                 const OtherFields<View, others>& other) const {
    if constexpr (others && !std::is_same_v<Site, LaneSite>) {
      with_component_after(
          x, c, n_components, [&](Site next, int component, auto) __attribute__((always_inline)) {
            for (int k = 0; k < outers_of_site<Site>; k += View::outers) {
              if (reads_others) other.in.prefetch(next.outer + k, component);
              if (has_before) other.before.prefetch(next.outer + k, component);
            }
          });
    }
  }

  /// Makes the sum over the legs of component c at x the result of the step; from is a view.  Number by number, as the
  /// registers of a CPU hold no second spinor beside the sum.
  template <class Value, class Site, class From, class View>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Value& sum, Site x, int c, const From& from,
                                          const OtherFields<View, others>& other) const {
    if constexpr (!others)
      finish_numbers<false, false>(sum, x, c, from, other);
    else if constexpr (has_packs)
      reads_others ? finish_numbers<true, true>(sum, x, c, from, other)
                   : finish_numbers<false, false>(sum, x, c, from, other);
    else
      has_before ? finish_numbers<true, true>(sum, x, c, from, other)
                 : finish_numbers<true, false>(sum, x, c, from, other);
  }

 private:
  template <bool reads_source, bool reads_before, class Value, class Site, class From, class View>
  KOKKOS_FORCEINLINE_FUNCTION void finish_numbers(Value& sum, Site x, int c, const From& from,
                                                  const OtherFields<View, others>& other) const {
    using R = typename Value::Real;
    const R a(alpha), b(beta), s(source), p(previous);
    kov::unroll<Value::n_complex>([&](int i) __attribute__((always_inline)) {
      // Fused explicitly: slices and whole fields must agree bit for bit, whatever compilers make of the branches.
      Complex<R> to{R(0), R(0)};
      if constexpr (reads_before) add_multiple(to, p, other.before.element(x, c, i));
      if constexpr (reads_source) add_multiple(to, s, other.in.element(x, c, i));
      add_multiple(to, a, from.element(x, c, i));
      add_multiple(to, b, sum.z[i]);
      sum.z[i] = to;
    });
  }
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION void add_multiple(Complex<R>& to, const R& a, const Complex<R>& z) {
    using Kokkos::fma;
    to = {fma(a, z.re, to.re), fma(a, z.im, to.im)};
  }
};

/// What a view of one site would give, which was read before.
template <class Value>
struct AlreadyRead {
  Value value;
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION const Complex<typename Value::Real>& element(Site, int, int i) const {
    return value.z[i];
  }
};
template <class Value>
AlreadyRead(Value) -> AlreadyRead<Value>;

/// Calls launch(std::bool_constant<others>).  others: whether steps read fields besides `from`.  On CPUs one kernel
/// takes both.
template <class View, class Launch>
void launch_step(bool others, const Launch& launch) {
  if constexpr (!has_packs && LaplacianKernelsApart<View>::without_others)
    if (!others) return launch(std::false_type{});
  launch(std::true_type{});
}

}  // namespace kov::detail
