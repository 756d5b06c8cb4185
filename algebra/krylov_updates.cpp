// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov_updates.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/sum_kernels.hpp"

namespace kov::detail {

/// Calls f(i, z...) for each complex number i of a group of columns of a site, where z are those of the views, and
/// writes back what f left in the first two, but for finished columns.  Number by number, because registers do not hold
/// the numbers of several spinors; where these have a codec, site by site.
template <class View, class Batch, class Site, class F, class... Views>
KOKKOS_FORCEINLINE_FUNCTION void update_two(const Batch& batch, Site x, int slot, const F& f, const View& first,
                                            const View& second, const Views&... others) {
  const int group = batch.group[slot];
  using S = decltype(first(x, group));
  using R = typename S::Real;
  const auto keep = [&](const Complex<R>& old, const Complex<R>& changed) {
    if constexpr (Batch::width > 1) {
      if (batch.is_mixed[slot]) {
        const R finished = R::load(batch.finished + slot * Batch::width), none(0);
        return Complex<R>{where_greater(finished, none, old.re, changed.re),
                          where_greater(finished, none, old.im, changed.im)};
      }
    }
    return changed;
  };
  if constexpr (View::Codec::is_plain) {
    for (int i = 0; i < S::n_complex; ++i) {
      const Complex<R> a = first.element(x, group, i), b = second.element(x, group, i);
      Complex<R> new_a = a, new_b = b;
      f(new_a, new_b, others.element(x, group, i)...);
      first.set_element(x, group, i, keep(a, new_a));
      second.set_element(x, group, i, keep(b, new_b));
    }
  } else {
    S a = first(x, group), b = second(x, group);
    const auto update = [&](const auto&... sites) {
      for (int i = 0; i < S::n_complex; ++i) f(a.z[i], b.z[i], sites.z[i]...);
    };
    update(others(x, group)...);
    first.set(x, a, group);
    second.set(x, b, group);
  }
}

/// See cg_step().  For each real number 4 flops, 3 reads and 2 writes.
template <class View, class Batch>
struct CgStepKernel {
  View x, p, r;
  Batch batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site site, int slot) const {
    using R = typename decltype(x(site, 0))::Real;
    const R alpha = batch.template coefficient<R>(0, slot), beta = batch.template coefficient<R>(1, slot);
    update_two(
        batch, site, slot,
        [&](Complex<R> & to, Complex<R> & direction, const Complex<R>& residual) __attribute__((always_inline)) {
          add_product(to.re, alpha, direction.re);
          add_product(to.im, alpha, direction.im);
          Complex<R> turned = residual;
          add_product(turned.re, beta, direction.re);
          add_product(turned.im, beta, direction.im);
          direction = turned;
        },
        x, p, r);
  }
};

/// See bicgstab_step().  For each complex number 24 flops of updates and 12 of sums, in double; 5 reads and 2 writes.
template <class View, class Batch>
struct BiCgStabStepKernel {
  View x, r, p, t, shadow;
  Batch batch;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site site, int slot) const {
    using S = decltype(x(site, 0));
    using R = typename S::Real;
    using D = RealSumOf<S>;
    const Complex<R> alpha = batch.template coefficient<R>(0, slot), omega = batch.template coefficient<R>(1, slot),
                     minus = -omega;
    Complex<D> product{D(0.0), D(0.0)};
    D square(0.0);
    update_two(
        batch, site, slot,
        [&](Complex<R> & to, Complex<R> & residual, const Complex<R>& direction, const Complex<R>& of_t,
            const Complex<R>& of_shadow) __attribute__((always_inline)) {
          multiply_add(to, alpha, direction);
          multiply_add(to, omega, residual);
          multiply_add(residual, minus, of_t);
          const auto z = to_double(residual);
          square += z.re * z.re;
          square += z.im * z.im;
          conj_multiply_add(product, to_double(of_shadow), z);
        },
        x, r, p, t, shadow);
    return Values<D, 3>{{product.re, product.im, square}};
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site site, int slot) const {
    if (!streaming) return;
    for (const View& view : {x, r, p, t, shadow}) prefetch_ahead(view, site, batch.group[slot]);
  }
};

template <VectorField F>
void KrylovUpdates<F>::cg_step(const Real& alpha, const F& x, const Real& beta, const F& r, const F& p,
                               const ColumnMask& finished) {
  require_conforming(x, r, p);
  using View = typename F::View;
  const std::array<ColumnCoefficients<double>, 2> c{alpha, beta};
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    for_each_site<typename F::Lanes>(
        "cg_step", x.range(), batch.n_slots,
        CgStepKernel<View, std::decay_t<decltype(batch)>>{x.view(), p.view(), r.view(), batch});
}

template <VectorField F>
ColumnProducts KrylovUpdates<F>::bicgstab_step(const Number& alpha, const F& p, const Number& omega, const F& t,
                                               const F& shadow, const F& x, const F& r, const ColumnMask& finished) {
  require_conforming(x, p, t, shadow, r);
  using View = typename F::View;
  using C = std::complex<double>;
  const std::array<ColumnCoefficients<C>, 2> c{alpha, omega};
  SumsOfColumns<3, F> sums(x, {});
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    sums.add("bicgstab_step", batch,
             BiCgStabStepKernel<View, std::decay_t<decltype(batch)>>{x.view(), r.view(), p.view(), t.view(),
                                                                     shadow.view(), batch, worth_streaming(x.bytes())});
  return column_products(sums.over_ranks(finished));
}

template struct KrylovUpdates<Field<Spinor, float>>;
template struct KrylovUpdates<Field<Spinor, float, ColumnLanes<4>>>;
template struct KrylovUpdates<Field<Spinor, float, ColumnLanes<8>>>;
template struct KrylovUpdates<Field<Spinor, float, ColumnLanes<16>>>;
template struct KrylovUpdates<Field<Spinor, double>>;
template struct KrylovUpdates<Field<Spinor, double, ColumnLanes<4>>>;
template struct KrylovUpdates<Field<Spinor, double, ColumnLanes<8>>>;
template struct KrylovUpdates<Field<Spinor, double, ColumnLanes<16>>>;
template struct KrylovUpdates<Field<ColorVector, float>>;
template struct KrylovUpdates<Field<ColorVector, float, ColumnLanes<4>>>;
template struct KrylovUpdates<Field<ColorVector, float, ColumnLanes<8>>>;
template struct KrylovUpdates<Field<ColorVector, double>>;
template struct KrylovUpdates<Field<ColorVector, double, ColumnLanes<4>>>;
template struct KrylovUpdates<Field<ColorVector, double, ColumnLanes<8>>>;
template struct KrylovUpdates<Field<Spinor, Fixed16>>;

}  // namespace kov::detail
