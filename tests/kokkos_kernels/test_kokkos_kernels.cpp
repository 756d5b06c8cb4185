// SPDX-License-Identifier: MIT
//
// Kokkos Kernels without instantiations compiled ahead: complex gemm and dot, the parts dense contractions may use.
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

namespace {

using Complex = Kokkos::complex<double>;
using Matrix = Kokkos::View<Complex**, Kokkos::LayoutLeft>;

TEST(KokkosKernels, ProductWithTheImaginaryUnitMatrixRotatesByNinetyDegrees) {
  const int n = 5;
  const Matrix a("a", n, n), b("b", n, n), c("c", n, n);
  const auto host_a = Kokkos::create_mirror_view(a), host_b = Kokkos::create_mirror_view(b);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      host_a(i, j) = Complex(i + 1, j - 2);
      host_b(i, j) = i == j ? Complex(0, 1) : Complex(0, 0);
    }
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(b, host_b);
  KokkosBlas::gemm("N", "N", Complex(1), a, b, Complex(0), c);
  const auto host_c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_EQ(host_c(i, j), Complex(0, 1) * host_a(i, j)) << i << " " << j;
}

TEST(KokkosKernels, DotConjugatesItsFirstArgument) {
  const Kokkos::View<Complex*> x("x", 100), y("y", 100);
  Kokkos::deep_copy(x, Complex(0, 1));
  Kokkos::deep_copy(y, Complex(2, 0));
  EXPECT_EQ(KokkosBlas::dot(x, y), Complex(0, -200));
}

}  // namespace
