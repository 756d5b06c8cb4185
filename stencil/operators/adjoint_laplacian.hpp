// SPDX-License-Identifier: MIT
//
// The covariant Laplacian in the adjoint representation of SU(3): octets, such as the scalars of adjoint matter or the
// fluctuations of the gauge field itself.
#pragma once

#include "kov/stencil/operators/laplacian.hpp"

namespace kov {

/// M = sum over a of phi[a] T_a, T_a half the Gell-Mann matrices: traceless, Hermitian for real phi.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> to_color_matrix(const AdjointVector<R>& phi) {
  const R half(0.5), root(0.57735026918962576451);  // 1 / sqrt(3)
  const Complex<R> third = half * phi(2), eighth = (half * root) * phi(7);
  ColorMatrix<R> m;
  m(0, 0) = eighth + third;
  m(1, 1) = eighth - third;
  m(2, 2) = -root * phi(7);
  const auto pair = [&](int i, int j, int a) {
    m(i, j) = half * (phi(a) - times_i(phi(a + 1)));
    m(j, i) = half * (phi(a) + times_i(phi(a + 1)));
  };
  pair(0, 1, 0);
  pair(0, 2, 3);
  pair(1, 2, 5);
  return m;
}

/// phi[a] = 2 tr(T_a M), the inverse of to_color_matrix(); the trace of M does not enter.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION AdjointVector<R> to_adjoint(const ColorMatrix<R>& m) {
  AdjointVector<R> phi;
  phi(0) = m(0, 1) + m(1, 0);
  phi(1) = times_i(m(0, 1) - m(1, 0));
  phi(2) = m(0, 0) - m(1, 1);
  phi(3) = m(0, 2) + m(2, 0);
  phi(4) = times_i(m(0, 2) - m(2, 0));
  phi(5) = m(1, 2) + m(2, 1);
  phi(6) = times_i(m(1, 2) - m(2, 1));
  phi(7) = R(0.57735026918962576451) * (m(0, 0) + m(1, 1) - (m(2, 2) + m(2, 2)));
  return phi;
}

/// sum += U M U^+, read element by element.
template <class Matrix, class R>
KOKKOS_FORCEINLINE_FUNCTION void add_conjugated(ColorMatrix<R>& sum, const Matrix& u, const ColorMatrix<R>& m) {
  unroll<3>([&](int a) __attribute__((always_inline)) {
    Complex<R> row[3];
    unroll<3>([&](int c) __attribute__((always_inline)) {
      const auto w = element(u, 3 * a + c);
      unroll<3>([&](int b) __attribute__((always_inline)) {
        if (c == 0)
          row[b] = w * m(0, b);
        else
          multiply_add(row[b], w, m(c, b));
      });
    });
    unroll<9>([&](int k) __attribute__((always_inline)) {
      const int d = k / 3, b = k % 3;
      conj_multiply_add(sum(a, d), element(u, k), row[b]);
    });
  });
}

/// (Delta phi)^a(x) = sum over mu of U^{ab}_mu(x) phi^b(x + mu) + U^{ba}_mu(x - mu) phi^b(x - mu) - 2 phi^a(x), U^{ab}
/// = 2 tr(T_a U T_b U^+) real and orthogonal.  A link's phase cancels, so boundary angles have no effect.
///
/// The 8 x 8 matrices are never formed: U M U^+ with 3 x 3 matrices takes 448 flops a leg where U^{ab} phi^b takes 256,
/// but reads 18 reals of links instead of 64: much faster when fields exceed the caches (docs/performance.md).  Columns
/// in lanes are taken four at a time.
template <class T>
class AdjointLaplacian {
 public:
  /// forms: {.columns = true} if it will be applied to columns in lanes.
  explicit AdjointLaplacian(const GaugeLinks<T>& links, Dimensions dimensions = Dimensions::spacetime,
                            const LinkForms& forms = {})
      : links_(links.with(forms)),
        dimensions_(dimensions),
        halos_(lattice(), detail::laplacian_legs(links.legs(), dimensions)) {}

  /// out = Delta in, for every component of a full field.  Asynchronous; in and out must be different fields.
  template <class Lanes>
  void apply(const Field<AdjointVector, T, Lanes>& in, const Field<AdjointVector, T, Lanes>& out,
             const Exec& exec = {}) const {
    combine(-2 * int(dimensions_), 1, in, out, exec);
  }
  /// out = alpha in + beta * (sum of the legs).  Throws InputError when the shapes differ.
  template <class Lanes>
  void combine(double alpha, double beta, const Field<AdjointVector, T, Lanes>& in,
               const Field<AdjointVector, T, Lanes>& out, const Exec& exec = {}) const;

  const Lattice& lattice() const { return links_.lattice(); }
  Dimensions dimensions() const { return dimensions_; }

 private:
  GaugeLinks<T> links_;
  Dimensions dimensions_;
  StencilHalos halos_;
};

}  // namespace kov
