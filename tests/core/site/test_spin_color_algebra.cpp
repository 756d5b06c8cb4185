// SPDX-License-Identifier: MIT
//
// Products computed block by block equal those of whole matrices, for every kind of factor.
#include "kov/core/site/spin_color_algebra.hpp"
#include "kov/core/site/spin_matrix.hpp"
#include "tests/core/numbers.hpp"

namespace kov::test {
namespace {

#if defined(KOKKOS_ENABLE_CUDA)
using AlgebraReals = ::testing::Types<float, double>;
#else
using AlgebraReals = ::testing::Types<double, Pack<float, default_lanes>>;
#endif

/// A matrix in memory that counts how often its blocks are read.
template <class R>
struct InMemory {
  using Real = R;
  static constexpr int cost = 0;
  const SpinColorMatrix<R>* m;
  int* reads;

  ColorMatrix<R> block(int s, int r) const {
    ++*reads;
    return m->block(s, r);
  }
};

template <class R>
class SpinColorAlgebra : public ::testing::Test {
 protected:
  static constexpr bool scalar = std::is_arithmetic_v<R>;
  using Matrix = SpinColorMatrix<R>;
  Matrix s_value = random_site<Matrix>(41), t_value = random_site<Matrix>(42);
  int reads = 0;
  InMemory<R> s{&s_value, &reads}, t{&t_value, &reads};

  static long double size(const Matrix& m) {
    long double most = 0;
    for (int lane = 0; lane < lanes_of<R>; ++lane) {
      long double sum = 0;
      for (const Exact& z : exact(m, lane)) sum += std::norm(z);
      most = std::max(most, std::sqrt(sum));
    }
    return most;
  }
  void expect_matrix(const Matrix& m, const Matrix& value, long double norm, const char* what) const {
    for (int lane = 0; lane < lanes_of<R>; ++lane) expect_near(m, lane, exact(value, lane), norm, what);
  }
  void expect_traces(const Complex<R>& trace_m, const ColorMatrix<R>& over_spin, const SpinMatrix<R>& over_color,
                     const Matrix& value, long double norm, const char* what) const {
    expect_near(trace_m, 0, exact(trace(value), 0), norm, what);
    expect_near(over_spin, 0, exact(trace_spin(value), 0), norm, what);
    expect_near(over_color, 0, exact(trace_color(value), 0), norm, what);
  }
  /// All that can be asked of a lazy matrix is what its value has.
  template <class M>
  void expect_value(const M& lazy, const Matrix& value, const char* what) {
    static_assert(LazySpinColor<M>);
    const long double norm = size(value) + size(s_value) * size(t_value);
    expect_matrix(to_matrix(lazy), value, norm, what);
    if constexpr (scalar)  // traces of packs are the same templates, and as slow to compile
      expect_traces(trace(lazy), trace_spin(lazy), trace_color(lazy), value, norm, what);
  }
};
// One number and one pack, each in a precision of its own: every expression here is slow to compile.
TYPED_TEST_SUITE(SpinColorAlgebra, AlgebraReals);

TYPED_TEST(SpinColorAlgebra, GammasOnEitherSideInAnyForm) {
  const auto &s = this->s, &t = this->t;
  const auto &a = this->s_value, &b = this->t_value;
  const auto ab = a * b;
  for (int k = 0; k < 16; ++k) {
    const Gamma g = Gamma::number(k), h = Gamma::number((5 * k + 3) % 16), five = Gamma::five();
    this->expect_value(g * s * h, g * a * h, "g S h");
    this->expect_value(h * (g * s) * g, h * (g * a) * g, "h g S g");
    this->expect_value(five * adj(g * s * h) * five, five * adj(g * a * h) * five, "adj(g S h)");
    this->expect_value(g * transpose(h * s) * h, g * transpose(h * a) * h, "transpose(h S)");
    this->expect_value(transpose(adj(g * s)), transpose(adj(g * a)), "conj(g S)");
    this->expect_value(conj(g * s * h), transpose(adj(g * a * h)), "conj(g S h)");
    this->expect_value(g * (s * t) * h, g * ab * h, "g S T h");
    this->expect_value(g * (s + t) * h, g * (a + b) * h, "g (S + T) h");
    this->expect_value(adj(g * s * h * t), adj(g * a * h * b), "adj(g S h T)");
    this->expect_value(transpose(s * g * t), transpose(a * g * b), "transpose(S g T)");
    this->expect_value(conj(s * g * t), transpose(adj(a * g * b)), "conj(S g T)");
  }
}

TYPED_TEST(SpinColorAlgebra, ProductsAndSums) {
  using R = TypeParam;
  const auto &s = this->s, &t = this->t;
  const auto &a = this->s_value, &b = this->t_value;
  const SpinColorMatrix<R> ab = a * b;
  const auto spin = random_site<SpinMatrix<R>>(43);
  const auto color = random_site<ColorMatrix<R>>(44);
  SiteRandom random(45, 0, 0);
  const Complex<R> number = random_complex<R>(random);
  this->expect_value(s * t, ab, "S T");
  this->expect_value(s * b, ab, "S and a value");
  this->expect_value(a * t, ab, "a value and T");
  this->expect_value(s - t, a - b, "S - T");
  this->expect_value(s * t + t, ab + b, "S T + T");
  this->expect_value(-s, zero<SpinColorMatrix<R>>() - a, "-S");
  this->expect_value(number * s * t, number * ab, "c S T");
  this->expect_value(number.re * (s * t), number.re * ab, "x S T");
  this->expect_value(spin * s * spin, spin * a * spin, "spin S spin");
  this->expect_value(spin * (s * t) * color, spin * ab * color, "spin S T colour");
  this->expect_value(color * s * color, color * a * color, "colour S colour");
  this->expect_value(diquark(s, t), diquark(a, b), "diquark");
  this->expect_value(diquark(s, b), diquark(a, b), "diquark of S and a value");
  // A spin matrix that all lanes share.
  const SpinMatrix<double> half = 0.5 * (spin_matrix(1.0) + Gamma::direction(3));
  SpinMatrix<scalar_t<R>> shared;
  SpinMatrix<R> everywhere;
  for (int i = 0; i < 16; ++i) {
    shared.z[i] = {scalar_t<R>(half.z[i].re), scalar_t<R>(half.z[i].im)};
    everywhere.z[i] = {R(shared.z[i].re), R(shared.z[i].im)};
  }
  this->expect_value(shared * s * shared, everywhere * a * everywhere, "(1 + g4) / 2 on both sides");
}

// A trace of two propagators reads each block once; longer products are right too and read few blocks again.
TYPED_TEST(SpinColorAlgebra, TracesReadEveryBlockOnce) {
  const auto &s = this->s, &t = this->t;
  const auto &a = this->s_value, &b = this->t_value;
  const Gamma g = Gamma::number(6), five = Gamma::five();
  const auto meson = trace(five * adj(s) * five * g * t * g);
  EXPECT_EQ(this->reads, 2 * 16);
  const long double two = this->size(a) * this->size(b), four = two * two;
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane)
    expect_near(meson, lane, exact(trace(five * adj(a) * five * g * b * g), lane), two, "meson");
  this->reads = 0;
  const auto three = trace(s * t * s);
  EXPECT_LE(this->reads, 16 * (4 + 4 + 1));
  const auto all = trace(s * g * t * s * t);
  for (int lane = 0; lane < lanes_of<TypeParam>; ++lane) {
    expect_near(three, lane, exact(trace(a * b * a), lane), two * this->size(a), "tr S T S");
    expect_near(all, lane, exact(trace(a * g * b * a * b), lane), four, "tr S g T S T");
  }
}

}  // namespace
}  // namespace kov::test
