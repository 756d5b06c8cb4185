// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov_updates.hpp"

#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/column_batch.hpp"
#include "kov/core/vectors/sum_kernels.hpp"

namespace kov::detail {

/// Calls f(z...) for each complex number of a group of columns of a site, where z are those of the views, and writes
/// back what f left in the first two, but for finished columns.  Number by number, because registers do not hold the
/// numbers of several spinors; where these have a codec, site by site.
template <class View, class Batch, class Site, class F, class... Views>
KOKKOS_FORCEINLINE_FUNCTION void update_two(const Batch& batch, PartsOfSite<> parts, Site x, int slot, const F& f,
                                            const View& first, const View& second, const Views&... others) {
  const int group = batch.group[slot];
  using S = decltype(first(x, group));
  using R = typename S::Real;
  if constexpr (View::Codec::is_plain) {
    for_each_number<View>(
        parts, group, [&](int part, int i) __attribute__((always_inline)) {
          const Complex<R> a = first.element(x, part, i), b = second.element(x, part, i);
          Complex<R> new_a = a, new_b = b;
          f(new_a, new_b, others.element(x, part, i)...);
          first.set_element(x, part, i, keep_finished(batch, slot, a, new_a));
          second.set_element(x, part, i, keep_finished(batch, slot, b, new_b));
        });
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

/// The same with three that are written.
template <class View, class Batch, class Site, class F, class... Views>
KOKKOS_FORCEINLINE_FUNCTION void update_three(const Batch& batch, PartsOfSite<> parts, Site x, int slot, const F& f,
                                              const View& first, const View& second, const View& third,
                                              const Views&... others) {
  const int group = batch.group[slot];
  using S = decltype(first(x, group));
  using R = typename S::Real;
  if constexpr (View::Codec::is_plain) {
    for_each_number<View>(
        parts, group, [&](int part, int i) __attribute__((always_inline)) {
          const Complex<R> a = first.element(x, part, i), b = second.element(x, part, i), c = third.element(x, part, i);
          Complex<R> new_a = a, new_b = b, new_c = c;
          f(new_a, new_b, new_c, others.element(x, part, i)...);
          first.set_element(x, part, i, keep_finished(batch, slot, a, new_a));
          second.set_element(x, part, i, keep_finished(batch, slot, b, new_b));
          third.set_element(x, part, i, keep_finished(batch, slot, c, new_c));
        });
  } else {
    S a = first(x, group), b = second(x, group), c = third(x, group);
    const auto update = [&](const auto&... sites) {
      for (int i = 0; i < S::n_complex; ++i) f(a.z[i], b.z[i], c.z[i], sites.z[i]...);
    };
    update(others(x, group)...);
    first.set(x, a, group);
    second.set(x, b, group);
    third.set(x, c, group);
  }
}

/// direction = residual + beta direction
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void turn(Complex<R>& direction, const Complex<R>& residual, const R& beta) {
  Complex<R> turned = residual;
  add_product(turned.re, beta, direction.re);
  add_product(turned.im, beta, direction.im);
  direction = turned;
}

/// See cg_step().  For each real number 4 flops, 3 reads and 2 writes.
template <class View, class Batch>
struct CgStepKernel {
  View x, p, r;
  PartsOfSite<> parts;
  Batch batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site site, int slot) const {
    using R = typename decltype(x(site, 0))::Real;
    const R alpha = batch.template coefficient<R>(0, slot), beta = batch.template coefficient<R>(1, slot);
    update_two(
        batch, parts, site, slot,
        [&](Complex<R> & to, Complex<R> & direction, const Complex<R>& residual) __attribute__((always_inline)) {
          add_product(to.re, alpha, direction.re);
          add_product(to.im, alpha, direction.im);
          turn(direction, residual, beta);
        },
        x, p, r);
  }
};

/// See cg_sums().  For each complex number 16 flops, in double; 3 reads.
template <class View, class Groups>
struct CgSumsKernel {
  View p, q, r;
  PartsOfSite<> parts;
  Groups batch;
  bool prefetches;

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
      for_each_number<View>(
          parts, group, [&](int part, int i) __attribute__((always_inline)) {
            add(p.element(x, part, i), q.element(x, part, i), r.element(x, part, i));
          });
    } else {
      const S a = p(x, group), b = q(x, group), c = r(x, group);
      for (int i = 0; i < S::n_complex; ++i) add(a.z[i], b.z[i], c.z[i]);
    }
    return Values<D, 4>{{pq, rq, qq, rr}};
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site site, int slot) const {
    if (prefetches) prefetch_groups(parts, site, batch.group[slot], batch.group[slot] + 1, p, q, r);
  }
};

/// See cg_update().  For each real number 6 flops, 4 reads and 3 writes.
template <class View, class Batch>
struct CgUpdateKernel {
  View x, r, p, q;
  PartsOfSite<> parts;
  Batch batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site site, int slot) const {
    using R = typename decltype(x(site, 0))::Real;
    const R alpha = batch.template coefficient<R>(0, slot), minus = -alpha,
            beta = batch.template coefficient<R>(1, slot);
    update_three(
        batch, parts, site, slot,
        [&](Complex<R> & to, Complex<R> & residual, Complex<R> & direction, const Complex<R>& image)
            __attribute__((always_inline)) {
              add_product(to.re, alpha, direction.re);
              add_product(to.im, alpha, direction.im);
              add_product(residual.re, minus, image.re);
              add_product(residual.im, minus, image.im);
              turn(direction, residual, beta);
            },
        x, r, p, q);
  }
};

/// See bicgstab_sums().  For each complex number 56 flops, in double; 5 reads.
template <class View, class Groups>
struct BiCgStabSumsKernel {
  View t, r, v, shadow, image;
  PartsOfSite<> parts;
  Groups batch;
  bool prefetches;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int slot) const {
    const int group = batch.group[slot];
    using S = decltype(t(x, group));
    using D = RealSumOf<S>;
    const Complex<D> none{D(0.0), D(0.0)};
    Complex<D> tr = none, shadow_t = none, shadow_r = none, shadow_v = none, image_t = none, image_v = none;
    D tt(0.0), rr(0.0);
    const auto add = [&](const auto& of_t, const auto& of_r, const auto& of_v, const auto& of_shadow,
                         const auto& of_image) __attribute__((always_inline)) {
      const auto a = to_double(of_t), b = to_double(of_r), c = to_double(of_v), d = to_double(of_shadow),
                 e = to_double(of_image);
      conj_multiply_add(tr, a, b);
      conj_multiply_add(shadow_t, d, a);
      conj_multiply_add(shadow_r, d, b);
      conj_multiply_add(shadow_v, d, c);
      conj_multiply_add(image_t, e, a);
      conj_multiply_add(image_v, e, c);
      tt += a.re * a.re;
      rr += b.re * b.re;
      tt += a.im * a.im;
      rr += b.im * b.im;
    };
    if constexpr (View::Codec::is_plain) {
      for_each_number<View>(
          parts, group, [&](int part, int i) __attribute__((always_inline)) {
            add(t.element(x, part, i), r.element(x, part, i), v.element(x, part, i), shadow.element(x, part, i),
                image.element(x, part, i));
          });
    } else {
      const S a = t(x, group), b = r(x, group), c = v(x, group), d = shadow(x, group), e = image(x, group);
      for (int i = 0; i < S::n_complex; ++i) add(a.z[i], b.z[i], c.z[i], d.z[i], e.z[i]);
    }
    return Values<D, 14>{{tr.re, tr.im, shadow_t.re, shadow_t.im, shadow_r.re, shadow_r.im, shadow_v.re, shadow_v.im,
                          image_t.re, image_t.im, image_v.re, image_v.im, tt, rr}};
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site site, int slot) const {
    if (prefetches) prefetch_groups(parts, site, batch.group[slot], batch.group[slot] + 1, t, r, v, shadow, image);
  }
};

/// See bicgstab_update().  For each complex number 40 flops, 5 reads and 3 writes.
template <class View, class Batch>
struct BiCgStabUpdateKernel {
  View x, r, p, t, v;
  PartsOfSite<> parts;
  Batch batch;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site site, int slot) const {
    using R = typename decltype(x(site, 0))::Real;
    const Complex<R> alpha = batch.template coefficient<R>(0, slot), omega = batch.template coefficient<R>(1, slot),
                     minus = -omega, beta = batch.template coefficient<R>(2, slot);
    update_three(
        batch, parts, site, slot,
        [&](Complex<R> & to, Complex<R> & residual, Complex<R> & direction, const Complex<R>& of_t,
            const Complex<R>& of_v) __attribute__((always_inline)) {
          multiply_add(to, alpha, direction);
          multiply_add(to, omega, residual);
          multiply_add(residual, minus, of_t);
          multiply_add(direction, minus, of_v);
          Complex<R> turned = residual;
          multiply_add(turned, beta, direction);
          direction = turned;
        },
        x, r, p, t, v);
  }
};

template <VectorField F>
void KrylovUpdates<F>::cg_step(const Real& alpha, const F& x, const Real& beta, const F& r, const F& p,
                               const ColumnMask& finished, const Exec& exec) {
  require_conforming(x, r, p);
  using View = AlgebraView<F>;
  const std::array<ColumnCoefficients<double>, 2> c{alpha, beta};
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    for_each_group("cg_step", x, batch.n_slots,
                   CgStepKernel<View, std::decay_t<decltype(batch)>>{algebra_view(x), algebra_view(p), algebra_view(r),
                                                                     parts_of_site(x), batch},
                   exec);
}

template <VectorField F>
CgSums KrylovUpdates<F>::cg_sums(const F& p, const F& q, const F& r, const ColumnMask& finished, const Exec& exec) {
  require_conforming(p, q, r);
  using View = AlgebraView<F>;
  SumsOfColumns<4, F> sums(p, exec);
  for (const auto& groups : column_groups<F::Lanes::width>(p.name(), p.n_components(), finished))
    sums.add("cg_sums", groups,
             CgSumsKernel<View, std::decay_t<decltype(groups)>>{algebra_view(p), algebra_view(q), algebra_view(r),
                                                                parts_of_site(p), groups,
                                                                exceeds_third_cache(3 * p.bytes())});
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
                                 const ColumnMask& finished, const Exec& exec) {
  require_conforming(x, r, p, q);
  using View = AlgebraView<F>;
  const std::array<ColumnCoefficients<double>, 2> c{alpha, beta};
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    for_each_group("cg_update", x, batch.n_slots,
                   CgUpdateKernel<View, std::decay_t<decltype(batch)>>{
                       algebra_view(x), algebra_view(r), algebra_view(p), algebra_view(q), parts_of_site(x), batch},
                   exec);
}

template <VectorField F>
BiCgStabSums KrylovUpdates<F>::bicgstab_sums(const F& t, const F& r, const F& v, const F& shadow, const F& image,
                                             const ColumnMask& finished, const Exec& exec) {
  require_conforming(t, r, v, shadow, image);
  using View = AlgebraView<F>;
  constexpr int n = 14;
  SumsOfColumns<n, F> sums(t, exec);
  for (const auto& groups : column_groups<F::Lanes::width>(t.name(), t.n_components(), finished))
    sums.add("bicgstab_sums", groups,
             BiCgStabSumsKernel<View, std::decay_t<decltype(groups)>>{
                 algebra_view(t), algebra_view(r), algebra_view(v), algebra_view(shadow), algebra_view(image),
                 parts_of_site(t), groups, exceeds_third_cache(5 * t.bytes())});
  const std::vector<double> found = sums.over_ranks(finished);
  const Number none = Number::repeated(t.n_components(), 0);
  BiCgStabSums result{none, none, none, none, none, none, real(none), real(none)};
  for (std::size_t k = 0; k < none.size(); ++k) {
    const double* of_k = found.data() + n * k;
    for (Number* product :
         {&result.tr, &result.shadow_t, &result.shadow_r, &result.shadow_v, &result.image_t, &result.image_v}) {
      (*product)[k] = {of_k[0], of_k[1]};
      of_k += 2;
    }
    result.tt[k] = of_k[0];
    result.rr[k] = of_k[1];
  }
  return result;
}

template <VectorField F>
void KrylovUpdates<F>::bicgstab_update(const Number& alpha, const Number& omega, const F& t, const Number& beta,
                                       const F& v, const F& x, const F& r, const F& p, const ColumnMask& finished,
                                       const Exec& exec) {
  require_conforming(x, r, p, t, v);
  using View = AlgebraView<F>;
  const std::array<ColumnCoefficients<std::complex<double>>, 3> c{alpha, omega, beta};
  for (const auto& batch : column_batches<typename F::Real, F::Lanes::width>(x.name(), x.n_components(), c, finished))
    for_each_group("bicgstab_update", x, batch.n_slots,
                   BiCgStabUpdateKernel<View, std::decay_t<decltype(batch)>>{algebra_view(x), algebra_view(r),
                                                                             algebra_view(p), algebra_view(t),
                                                                             algebra_view(v), parts_of_site(x), batch},
                   exec);
}

#define KOV_INSTANTIATE(T, Lanes)                              \
  template struct KrylovUpdates<Field<ColorVector, T, Lanes>>; \
  template struct KrylovUpdates<Field<Spinor, T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct KrylovUpdates<Field<Spinor, Fixed16>>;

}  // namespace kov::detail
