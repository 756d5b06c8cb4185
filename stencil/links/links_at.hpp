// SPDX-License-Identifier: MIT
//
// LinksAt: the matrices of one site on all legs of a stencil, for kernels that sum over the legs.
#pragma once

#include "kov/stencil/links/cuda/load_order.hpp"
#include "kov/stencil/links/link_view.hpp"

namespace kov {

/// Calls run(std::bool_constant<multiplies>), see LinksAt, for a kernel that takes links with and without factors:
/// lanes ask here whether links have any, other sites for each site.
template <class Site, class Links, class Run>
KOKKOS_FORCEINLINE_FUNCTION void by_factors(const Links& links, const Run& run) {
  if constexpr (std::is_same_v<Site, LaneSite>) {
    if (!links.has_factors()) {
      detail::load_after_branch();
      return run(std::false_type{});
    }
    detail::load_after_branch();
  }
  run(std::true_type{});
}

/// The matrices of one site on the n_legs legs of a stencil, or the first `used` of them, for kernels that sum over
/// them: of_leg<backward>(hop, leg), where hop = near(leg), as LinkView::of_leg().  multiplies: whether the view may
/// have factors: a kernel asks has_factors() once for all legs.
template <class View, class Site, int n_legs, bool multiplies>
class LinksAt {
 public:
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION LinksAt(const View& view, Site x, const Near&, int /*used*/ = n_legs)
      : view_(view), x_(x) {}

  template <bool backward, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(const Hop& hop, int leg) const {
    if constexpr (std::is_same_v<Site, LaneSite>)
      return view_.template of_lane<backward, multiplies>(x_, hop, leg);
    else
      return view_.template of_leg<backward>(x_, hop, leg);
  }
  /// The same on a leg in time of a lane, for kernels that are used in temporal gauge: see TimeLinks.
  template <bool backward, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg_in_time(const Hop& hop, int leg) const {
    return view_.template of_lane_in_time<backward, multiplies>(x_, hop, leg);
  }
  /// The matrix of a leg on GPUs without its factor, and a real number times the factor: a real or a complex one.
  template <bool backward, class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto without_factor(const Hop& hop, int leg) const {
    return view_.template of_lane<backward, false>(x_, hop, leg);
  }
  template <class Hop>
  KOKKOS_FORCEINLINE_FUNCTION auto times_factor(typename View::Real c, const Hop& hop, int leg) const {
    if constexpr (multiplies)
      return c * view_.lane_factor(x_, hop.crossing, leg);
    else
      return c;
  }

 private:
  const View& view_;
  Site x_;
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// Matrices with a factor are multiplied here, before the sums of a kernel exist: compilers keep these in memory around
/// a call, even one that is not taken.
template <class View, int n_legs>
class LinksAt<View, PackSite, n_legs, true> {
 public:
  using InMemory = typename View::InMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION LinksAt(const View& view, PackSite x, const Near& near, int used = n_legs) {
    const unsigned multiplied = view.legs_with_factor(near);
    if (multiplied != 0) multiply(view, x, near, multiplied, used, products_);
    // After the call, so that these stay in registers.
    view_ = &view;
    x_ = x;
    multiplied_ = multiplied;
  }

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(const PackHop& hop, int leg) const {
    if constexpr (backward)
      return AdjointInMemory<InMemory>{read<true>(hop, leg)};
    else
      return read<false>(hop, leg);
  }

 private:
  using Blocks = typename View::Real[n_legs][InMemory::reals];

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PackHop& hop, int leg) const {
    return InMemory([&](InMemory & u) __attribute__((always_inline)) {
      if (multiplied_ >> leg & 1)
        u.point_to(products_[leg], products_[leg] + InMemory::split_reals);
      else
        view_->template locate<backward>(u, x_, hop, leg);
    });
  }
  template <class Near>
  [[gnu::noinline]] static void multiply(const View& view, PackSite x, const Near& near, unsigned legs, int used,
                                         Blocks& to) {
    for (int leg = 0; leg < used; ++leg)
      if (legs >> leg & 1) view.multiply_leg(x, near(leg), leg, to[leg]);
  }

  const View* view_;
  PackSite x_;
  unsigned multiplied_;
  alignas(64) Blocks products_;
};

/// A matrix in memory whose complex elements follow one another, or its adjoint: what kernels over columns read of
/// links.
template <class R, bool adjoint>
struct MatrixInMemory {
  const R* p;
};
template <class R, bool adjoint>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> element(const MatrixInMemory<R, adjoint>& u, int i) {
  const int k = adjoint ? 3 * (i % 3) + i / 3 : i;
  const Complex<R> z{u.p[2 * k], u.p[2 * k + 1]};
  return adjoint ? conj(z) : z;
}

/// Those of a site of columns, which are read where they are; ones with a factor are multiplied here.
template <class View, int n_legs>
requires(View::Codec::is_plain) class LinksAt<View, ColumnSite, n_legs, true> {
 public:
  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION LinksAt(const View& view, ColumnSite x, const Near& near, int used = n_legs) {
    const unsigned multiplied = view.legs_with_factor(near);
    if (multiplied != 0) multiply(view, x, near, multiplied, used, products_);
    // After the call, so that these stay in registers.
    view_ = &view;
    x_ = x;
    multiplied_ = multiplied;
  }

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(const LaneHop&, int leg) const {
    return MatrixInMemory<Real, backward>{multiplied_ >> leg & 1 ? products_[leg]
                                                                 : view_->links_.field().address(x_.outer, leg)};
  }

 private:
  using Real = typename View::Real;
  using Blocks = Real[n_legs][18];

  template <class Near>
  [[gnu::noinline]] static void multiply(const View& view, ColumnSite x, const Near& near, unsigned legs, int used,
                                         Blocks& to) {
    for (int leg = 0; leg < used; ++leg)
      if (legs >> leg & 1) {
        ColorMatrix<Real> u = view.links_(LaneSite{x.outer, 0}, leg);
        leg % 2 == 0 ? view.template scale<false>(u, near(leg).crossing, leg)
                     : view.template scale<true>(u, near(leg).crossing, leg);
        for (int i = 0; i < 9; ++i) {
          to[leg][2 * i] = u.z[i].re;
          to[leg][2 * i + 1] = u.z[i].im;
        }
      }
  }

  const View* view_;
  ColumnSite x_;
  unsigned multiplied_;
  Blocks products_;
};

/// Matrices of links without factors.
template <class View, int n_legs>
class LinksAt<View, PackSite, n_legs, false> {
 public:
  using InMemory = typename View::InMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION LinksAt(const View& view, PackSite x, const Near&, int /*used*/ = n_legs)
      : view_(view), x_(x) {}

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(const PackHop& hop, int leg) const {
    if constexpr (backward)
      return AdjointInMemory<InMemory>{read<true>(hop, leg)};
    else
      return read<false>(hop, leg);
  }

 private:
  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PackHop& hop, int leg) const {
    return InMemory([&](InMemory & u)
                        __attribute__((always_inline)) { view_.template locate<backward>(u, x_, hop, leg); });
  }

  const View& view_;
  PackSite x_;
};

/// Matrices that are not together are gathered too.
template <class View, int n_legs, bool multiplies>
class LinksAt<View, PairSite, n_legs, multiplies> {
 public:
  using InMemory = typename View::PairInMemory;

  template <class Near>
  KOKKOS_FORCEINLINE_FUNCTION LinksAt(const View& view, PairSite x, const Near& near, int used = n_legs) {
    constexpr unsigned backward = 0xaaaaaaaa;
    unsigned made = view.legs_with_factor(near);
    if (!view.doubled_) made |= near.legs_apart() & backward;
    if (made != 0) make(view, x, near, made, used, products_);
    // After the call, so that these stay in registers.
    view_ = &view;
    x_ = x;
    made_ = made;
  }

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION auto of_leg(const PairHop& hop, int leg) const {
    if constexpr (backward)
      return AdjointInMemory<InMemory>{read<true>(hop, leg)};
    else
      return read<false>(hop, leg);
  }

 private:
  using Blocks = typename View::Real[n_legs][InMemory::reals];

  template <bool backward>
  KOKKOS_FORCEINLINE_FUNCTION InMemory read(const PairHop& hop, int leg) const {
    return InMemory([&](InMemory & u) __attribute__((always_inline)) {
      if (made_ >> leg & 1)
        u.point_to(products_[leg], products_[leg] + InMemory::split_reals);
      else
        view_->template locate<backward>(u, x_, hop, leg);
    });
  }
  template <class Near>
  [[gnu::noinline]] static void make(const View& view, PairSite x, const Near& near, unsigned legs, int used,
                                     Blocks& to) {
    for (int leg = 0; leg < used; ++leg)
      if (legs >> leg & 1) {
        view.multiply_leg(x.lower(), near.lower()(leg), leg, to[leg]);
        view.multiply_leg(x.upper(), near.upper()(leg), leg, to[leg] + InMemory::lanes / 2);
      }
  }

  const View* view_;
  PairSite x_;
  unsigned made_;
  alignas(64) Blocks products_;
};
#endif

}  // namespace kov
