// SPDX-License-Identifier: MIT
//
// Updates of recursions in one pass: up to rounding those of vector algebra one after the other, and finished columns
// stay what they are.
#include "kov/algebra/krylov_updates.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace kov {
namespace {
namespace krylov_updates {

using C = std::complex<double>;

/// Random fields, which Vectors are copied from.
template <class F>
std::vector<F> random_fields(const Lattice& lattice, int n) {
  std::vector<F> fields;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    load(fields.emplace_back(lattice, "random", n), reference::random_array(lattice.extent(), F::n_complex * n, seed));
  return fields;
}

template <class F>
struct Vectors {
  F x, r, p, t, shadow;
  Vectors(const std::vector<F>& random, Subset subset)
      : x(random[0].lattice(), "x", random[0].n_components(), subset),
        r(x.like("r")),
        p(x.like("p")),
        t(x.like("t")),
        shadow(x.like("shadow")) {
    std::size_t k = 0;
    for (const F* f : {&x, &r, &p, &t, &shadow}) {
      const F& whole = random[k++];
      copy(subset == Subset::all ? whole.alias() : whole.even(), *f);
    }
  }
};

template <class F>
constexpr double tolerance_of() {
  return std::is_same_v<typename F::Storage, Fixed16> ? 1e-3
         : std::is_same_v<typename F::Storage, float> ? 1e-5
                                                      : 1e-13;
}

/// Columns that are finished have the bits of `before`, the others are about those of the other field.
template <class F>
void expect_columns(const F& one, const F& two, const F& before, const ColumnMask& finished) {
  const auto expected = export_sites(one), found = export_sites(two), old = export_sites(before);
  const std::size_t n = std::size_t(one.n_components()), per_column = 2 * std::size_t(F::n_complex);
  ASSERT_EQ(expected.size() % (n * per_column), 0u);
  const double tolerance = tolerance_of<F>() * double(n + 4);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_right = finished.is_finished(int(i / per_column % n)) ? found[i] == old[i]
                                                                        : std::abs(found[i] - expected[i]) <= tolerance;
    ASSERT_TRUE(is_right) << "number " << i << " is " << found[i] << ", one update after the other gives "
                          << expected[i] << ", before it was " << old[i];
  }
}

template <class F>
void check_conjugate_gradient(const std::vector<F>& random, Subset subset, const ByColumn<double>& a,
                              const ByColumn<double>& b, const ColumnMask& finished) {
  const Vectors<F> one(random, subset), two(random, subset), before(random, subset);
  const int n = before.x.n_components();
  const CgSums sums = detail::cg_sums(one.p, one.t, one.r, finished);
  const auto pq = inner_product_by_column(one.p, one.t, finished), rq = inner_product_by_column(one.r, one.t, finished);
  const ByColumn<double> qq = norm2_by_column(one.t, finished), rr = norm2_by_column(one.r, finished);
  for (std::size_t k = 0; k < std::size_t(n); ++k) {
    const double error = tolerance_of<F>() * (qq[k] + rr[k]);
    EXPECT_NEAR(sums.pq[k], pq[k].real(), error) << k;
    EXPECT_NEAR(sums.rq[k], rq[k].real(), error) << k;
    EXPECT_NEAR(sums.qq[k], qq[k], error) << k;
    EXPECT_NEAR(sums.rr[k], rr[k], error) << k;
  }
  axpy(a, one.p, one.x, finished);
  axpy(-a, one.t, one.r, finished);
  xpay(one.r, b, one.p, finished);
  detail::cg_update(a, two.t, two.x, b, two.r, two.p, finished);
  expect_columns(one.x, two.x, before.x, finished);
  expect_columns(one.r, two.r, before.r, finished);
  expect_columns(one.p, two.p, before.p, finished);
}

template <class F>
void check(const Lattice& lattice, int n, Subset subset, bool masked) {
  ColumnMask finished = masked ? ColumnMask(n) : ColumnMask();
  if (masked)
    for (const int k : {1, n - 1}) finished.finish(k);
  ByColumn<double> a = ByColumn<double>::repeated(n, 0), b = a;
  ByColumn<C> alpha = ByColumn<C>::repeated(n, 0), omega = alpha;
  for (std::size_t k = 0; k < std::size_t(n); ++k) {
    a[k] = 0.3 + double(k);
    b[k] = -0.7 / double(k + 1);
    alpha[k] = {0.2, double(k) - 1};
    omega[k] = {-0.4, 0.1 * double(k)};
    if (finished.is_finished(int(k))) a[k] = b[k] = std::nan(""), alpha[k] = omega[k] = {std::nan(""), 0};
  }
  const std::vector<F> random = random_fields<F>(lattice, n);
  check_conjugate_gradient(random, subset, a, b, finished);
  const Vectors<F> one(random, subset), two(random, subset), before(random, subset);
  axpy(a, one.p, one.x, finished);
  xpay(one.r, b, one.p, finished);
  detail::cg_step(a, two.x, b, two.r, two.p, finished);
  expect_columns(one.x, two.x, before.x, finished);
  expect_columns(one.p, two.p, before.p, finished);

  const BiCgStabSums sums = detail::bicgstab_sums(one.t, one.r, one.p, one.shadow, one.x, finished);
  const auto expect_product = [&](const ByColumn<C>& found, const F& left, const F& right) {
    const ByColumn<C> expected = inner_product_by_column(left, right, finished);
    const ByColumn<double> size = norm2_by_column(left, finished);
    for (std::size_t k = 0; k < std::size_t(n); ++k)
      EXPECT_LE(std::abs(found[k] - expected[k]), tolerance_of<F>() * size[k]) << k;
  };
  expect_product(sums.tr, one.t, one.r);
  expect_product(sums.shadow_t, one.shadow, one.t);
  expect_product(sums.shadow_r, one.shadow, one.r);
  expect_product(sums.shadow_v, one.shadow, one.p);
  expect_product(sums.image_t, one.x, one.t);
  expect_product(sums.image_v, one.x, one.p);
  const ByColumn<double> tt = norm2_by_column(one.t, finished), rr = norm2_by_column(one.r, finished);
  for (std::size_t k = 0; k < std::size_t(n); ++k) {
    EXPECT_NEAR(sums.tt[k], tt[k], tolerance_of<F>() * tt[k]) << k;
    EXPECT_NEAR(sums.rr[k], rr[k], tolerance_of<F>() * rr[k]) << k;
  }

  const Vectors<F> in_turn(random, subset), at_once(random, subset);
  ByColumn<C> beta = ByColumn<C>::repeated(n, 0);
  for (std::size_t k = 0; k < std::size_t(n); ++k) beta[k] = finished.is_finished(int(k)) ? std::nan("") : C{0.1, 0.5};
  axpbypz(alpha, in_turn.p, omega, in_turn.r, in_turn.x, finished);
  axpy(-omega, in_turn.t, in_turn.r, finished);
  xpaypbz(in_turn.r, -beta * omega, in_turn.shadow, beta, in_turn.p, finished);
  detail::bicgstab_update(alpha, omega, at_once.t, beta, at_once.shadow, at_once.x, at_once.r, at_once.p, finished);
  expect_columns(in_turn.x, at_once.x, before.x, finished);
  expect_columns(in_turn.r, at_once.r, before.r, finished);
  expect_columns(in_turn.p, at_once.p, before.p, finished);
}

class KrylovUpdates : public test::OnLattices {};

TEST_P(KrylovUpdates, AreTheUpdatesOneAfterTheOther) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const bool masked : {false, true})
    for (const Subset subset : {Subset::all, Subset::even}) {
      check<SpinorField<double>>(lattice, 3, subset, masked);
      check<SpinorField<float>>(lattice, 3, subset, masked);
      check<SpinorField<Fixed16>>(lattice, 2, subset, masked);
      check<SpinorField<double, ColumnLanes<8>>>(lattice, 11, subset, masked);
      check<SpinorField<float, ColumnLanes<4>>>(lattice, 6, subset, masked);
      check<Field<ColorVector, float>>(lattice, 35, subset, masked);
    }
  check<SpinorField<double>>(lattice, 1, Subset::all, false);
}

INSTANTIATE_TEST_SUITE_P(Lattices, KrylovUpdates, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace krylov_updates
}  // namespace
}  // namespace kov
