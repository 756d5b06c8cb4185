// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov_updates.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/sum_kernels.hpp"

namespace kov::detail {

/// The numbers of a finished column as they were, of the others as they were changed.
template <class R, class Batch>
KOKKOS_FORCEINLINE_FUNCTION Complex<R> keep_finished(const Batch& batch, int slot, const Complex<R>& old,
                                                     const Complex<R>& changed) {
  if constexpr (Batch::width > 1) {
    if (batch.is_mixed[slot]) {
      const R finished = R::load(batch.finished + slot * Batch::width), none(0);
      return Complex<R>{where_greater(finished, none, old.re, changed.re),
                        where_greater(finished, none, old.im, changed.im)};
    }
  }
  return changed;
}

/// Calls f(z...) for each complex number of a group of columns of a site, where z are those of the views, and writes
/// back what f left in the first two, but for finished columns.  Number by number, because registers do not hold the
/// numbers of several spinors; where these have a codec, site by site.
template <class View, class Batch, class Site, class F, class... Views>
KOKKOS_FORCEINLINE_FUNCTION void update_two(const Batch& batch, Site x, int slot, const F& f, const View& first,
                                            const View& second, const Views&... others) {
  const int group = batch.group[slot];
  using S = decltype(first(x, group));
  using R = typename S::Real;
  if constexpr (View::Codec::is_plain) {
    for (int i = 0; i < S::n_complex; ++i) {
      const Complex<R> a = first.element(x, group, i), b = second.element(x, group, i);
      Complex<R> new_a = a, new_b = b;
      f(new_a, new_b, others.element(x, group, i)...);
      first.set_element(x, group, i, keep_finished(batch, slot, a, new_a));
      second.set_element(x, group, i, keep_finished(batch, slot, b, new_b));
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

/// The same with three that are written, and one more that is read.
template <class View, class Batch, class Site, class F>
KOKKOS_FORCEINLINE_FUNCTION void update_three(const Batch& batch, Site x, int slot, const F& f, const View& first,
                                              const View& second, const View& third, const View& other) {
  const int group = batch.group[slot];
  using S = decltype(first(x, group));
  using R = typename S::Real;
  if constexpr (View::Codec::is_plain) {
    for (int i = 0; i < S::n_complex; ++i) {
      const Complex<R> a = first.element(x, group, i), b = second.element(x, group, i), c = third.element(x, group, i);
      Complex<R> new_a = a, new_b = b, new_c = c;
      f(new_a, new_b, new_c, other.element(x, group, i));
      first.set_element(x, group, i, keep_finished(batch, slot, a, new_a));
      second.set_element(x, group, i, keep_finished(batch, slot, b, new_b));
      third.set_element(x, group, i, keep_finished(batch, slot, c, new_c));
    }
  } else {
    S a = first(x, group), b = second(x, group), c = third(x, group);
    const S d = other(x, group);
    for (int i = 0; i < S::n_complex; ++i) f(a.z[i], b.z[i], c.z[i], d.z[i]);
    first.set(x, a, group);
    second.set(x, b, group);
    third.set(x, c, group);
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

/// See cg_sums().  For each complex number 16 flops, in double; 3 reads.
template <class View, class Groups>
struct CgSumsKernel {
  View p, q, r;
  Groups batch;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int slot) const {
    const int group = batch.group[slot];
    using S = decltype(p(x, group));
    using D = RealSumOf<S>;
    D pq(0.0), rq(0.0), qq(0.0), rr(0.0);
    const auto add = [&](const auto& of_p, const auto& of_q, const auto& of_r) __attribute__((always_inline)) {
      const auto a = to_double(of_p), b = to_double(of_q), c = to_double(of_r);
      pq += a.re * b.re;
      rq += c.re * b.re;
      qq += b.re * b.re;
      rr += c.re * c.re;
      pq += a.im * b.im;
      rq += c.im * b.im;
      qq += b.im * b.im;
      rr += c.im * c.im;
    };
    if constexpr (View::Codec::is_plain) {
      for (int i = 0; i < S::n_complex; ++i)
        add(p.element(x, group, i), q.element(x, group, i), r.element(x, group, i));
    } else {
      const S a = p(x, group), b = q(x, group), c = r(x, group);
      for (int i = 0; i < S::n_complex; ++i) add(a.z[i], b.z[i], c.z[i]);
    }
    return Values<D, 4>{{pq, rq, qq, rr}};
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site site, int slot) const {
    if (!streaming) return;
    for (const View& view : {p, q, r}) prefetch_ahead(view, site, batch.group[slot]);
  }
};

/// See cg_update().  For each real number 6 flops, 4 reads and 3 writes.
template <class View, class Batch>
struct CgUpdateKernel {
  View x, r, p, q;
  Batch batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site site, int slot) const {
    using R = typename decltype(x(site, 0))::Real;
    const R alpha = batch.template coefficient<R>(0, slot), minus = -alpha,
            beta = batch.template coefficient<R>(1, slot);
    update_three(
        batch, site, slot,
        [&](Complex<R> & to, Complex<R> & residual, Complex<R> & direction, const Complex<R>& image)
            __attribute__((always_inline)) {
              add_product(to.re, alpha, direction.re);
              add_product(to.im, alpha, direction.im);
              add_product(residual.re, minus, image.re);
              add_product(residual.im, minus, image.im);
              Complex<R> turned = residual;
              add_product(turned.re, beta, direction.re);
              add_product(turned.im, beta, direction.im);
              direction = turned;
            },
        x, r, p, q);
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
CgSums KrylovUpdates<F>::cg_sums(const F& p, const F& q, const F& r, const ColumnMask& finished) {
  require_conforming(p, q, r);
  using View = typename F::View;
  SumsOfColumns<4, F> sums(p, {});
  for (const auto& groups : column_groups<F::Lanes::width>(p.name(), p.n_components(), finished))
    sums.add("cg_sums", groups,
             CgSumsKernel<View, std::decay_t<decltype(groups)>>{p.view(), q.view(), r.view(), groups,
                                                                worth_streaming(3 * p.bytes())});
  const std::vector<double> found = sums.over_ranks(finished);
  const Real none = Real::repeated(p.n_components(), 0);
  CgSums result{none, none, none, none};
  for (std::size_t k = 0; k < none.size(); ++k) {
    result.pq[k] = found[4 * k];
    result.rq[k] = found[4 * k + 1];
    result.qq[k] = found[4 * k + 2];
    result.rr[k] = found[4 * k + 3];
  }
  return result;
}

template <VectorField F>
void KrylovUpdates<F>::cg_update(const Real& alpha, const F& q, const F& x, const Real& beta, const F& r, const F& p,
                                 const ColumnMask& finished) {
  require_conforming(x, r, p, q);
  using View = typename F::View;
  const std::array<ColumnCoefficients<double>, 2> c{alpha, beta};
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    for_each_site<typename F::Lanes>(
        "cg_update", x.range(), batch.n_slots,
        CgUpdateKernel<View, std::decay_t<decltype(batch)>>{x.view(), r.view(), p.view(), q.view(), batch});
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
