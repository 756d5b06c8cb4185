// SPDX-License-Identifier: MIT
//
// The gauge-covariant Laplacian in three or four dimensions, on colour vectors, spinors and blocks of columns.
#pragma once

#include "kov/stencil/operators/gauge_links.hpp"
#include "kov/stencil/operators/leg_sum.hpp"

namespace kov {

/// Directions an operator works in.
enum class Dimensions { space = 3, spacetime = 4 };

/// out(x) = alpha in(x) + beta sum over n_legs of U_leg(x) in(x + leg), for every component: alpha = -n_legs, beta = 1
/// is the Laplacian, other numbers are a step of a smearing.
///
/// What LegSum counts, and for a spinor 48 flops and 24 reals of memory traffic for what is written.
template <class Links, class In, class Out, int n_legs, class StencilView = Stencil::NearestView>
struct CovariantLaplacianKernel {
  using Real = typename Out::Real;
  static constexpr int max_threads = leg_threads<Out>, min_blocks = leg_blocks<Out>;
  static constexpr bool reaches_in_time = n_legs == 8;

  LegSum<Links, In, n_legs, StencilView> legs;
  Out out;
  Real alpha, beta;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    auto sum = zero<decltype(legs.in(x, c))>();
    legs.add_to(sum, x, c);
    using R = typename decltype(sum)::Real;
    sum = R(beta) * sum;
    multiply_add(sum, R(alpha), legs.in(x, c));
    if (legs.streaming)
      out.stream(x, sum, c);
    else
      out.set(x, sum, c);
  }
};

/// (Delta psi)(x) = sum over mu of U_mu(x) psi(x + mu) + adj(U_mu(x - mu)) psi(x - mu) - 2 psi(x).  Storage: of the
/// links.
template <class StorageT>
class CovariantLaplacian {
 public:
  using Storage = StorageT;

  /// forms: of the links, where it will be applied to columns.
  explicit CovariantLaplacian(const GaugeLinks<Storage>& links, Dimensions dimensions = Dimensions::spacetime,
                              const LinkForms& forms = {})
      : links_(links.with(forms)), dimensions_(dimensions), halos_(lattice(), legs()) {}

  /// out = Delta in, for every component of a field of ColorVector or Spinor.  Asynchronous; in and out must be
  /// different fields.
  template <template <class> class SiteT, class S, class Lanes>
  void apply(const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& out) const {
    combine(-2 * int(dimensions_), 1, in, out);
  }

  /// out = alpha in + beta * (sum of the legs): Delta is alpha = -2 d, beta = 1.  Throws InputError when the shapes
  /// differ.
  template <template <class> class SiteT, class S, class Lanes>
  void combine(double alpha, double beta, const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& out) const;

  const Lattice& lattice() const { return links_.lattice(); }
  const GaugeLinks<Storage>& links() const { return links_; }
  Dimensions dimensions() const { return dimensions_; }
  /// Of the legs that it reads.
  const StencilHalos& halos() const { return halos_; }

 private:
  std::vector<Coord> legs() const {
    const auto& all = links_.legs();
    return {all.begin(), all.begin() + 2 * int(dimensions_)};
  }

  GaugeLinks<Storage> links_;
  Dimensions dimensions_;
  StencilHalos halos_;
};

}  // namespace kov
