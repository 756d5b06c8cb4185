// SPDX-License-Identifier: MIT
//
// Gauge covariance, A[U^g] g psi = g A[U] psi, and gamma_5 hermiticity, for hot links and a random transformation.
#include "kov/core/site/gamma.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;

class Covariance : public test::OnLattices {};

/// apply(links, in, out) on both sides of a transformation; growth: how much larger rounding is than the result's eps.
template <class T, class Apply>
void check(const Lattice& lattice, const Apply& apply, double growth, const char* what) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1),
                    g = reference::random_su3(lattice.extent(), 1, 2),
                    psi = reference::random_array(lattice.extent(), 12, 3);
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  load(in, psi);
  apply(test::links<T>(lattice, u), in, out);
  const GlobalArray expected = transform_quarks(g, gather(out));
  load(in, transform_quarks(g, psi));
  apply(test::links<T>(lattice, transform_links(g, u)), in, out);
  EXPECT_LT(max_difference(out, expected),
            40 * growth * std::numeric_limits<T>::epsilon() * reference::max_abs(expected))
      << what;
}

template <class T>
void check_all(const Lattice& lattice) {
  for (Dimensions d : {Dimensions::space, Dimensions::spacetime})
    check<T>(
        lattice, [&](const auto& u, const auto& in, const auto& out) { CovariantLaplacian<T>(u, d).apply(in, out); }, 1,
        "Laplacian");
  check<T>(
      lattice, [&](const auto& u, const auto& in, const auto& out) { WilsonOperator<T>(u, 0.1).apply(in, out); }, 1,
      "Wilson");
  constexpr WuppertalParameters parameters{.width = 1.5, .iterations = 6};
  check<T>(
      lattice,
      [&](const auto& u, const auto& in, const auto& out) { WuppertalSmearing<T>(u, parameters).apply(in, out); },
      parameters.iterations, "Wuppertal smearing");
}

TEST_P(Covariance, LaplacianWilsonAndSmearingCommuteWithGaugeTransformations) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_all<float>(lattice);
  check_all<double>(lattice);
}

template <class T>
SpinorField<T> times_gamma5(const SpinorField<T>& in) {
  const SpinorField<T> out = in.like("gamma5");
  GlobalArray a = gather(in);
  for (std::size_t i = 0; i < a.data.size(); ++i)
    if (i % 12 >= 6) a.data[i] = -a.data[i];
  load(out, a);
  return out;
}

template <class T>
void check_hermiticity(const Lattice& lattice) {
  const WilsonOperator<T> M(test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1)), 0.1);
  const SpinorField<T> phi(lattice, "phi"), psi(lattice, "psi"), m_psi(lattice, "M psi"), m_phi(lattice, "M^+ phi");
  load(phi, reference::random_array(lattice.extent(), 12, 5));
  load(psi, reference::random_array(lattice.extent(), 12, 6));
  M.apply(psi, m_psi);
  const double scale = std::sqrt(norm2(phi) * norm2(m_psi)), tolerance = 20 * std::numeric_limits<T>::epsilon() * scale;
  const std::complex<double> expected = inner_product(phi, m_psi);  // phi^+ M psi = (M^+ phi)^+ psi
  M.apply_adjoint(phi, m_phi);
  EXPECT_LT(std::abs(inner_product(m_phi, psi) - expected), tolerance) << "M^+ is not the adjoint of M";
  M.apply(times_gamma5(phi), m_phi);
  EXPECT_LT(std::abs(inner_product(times_gamma5(m_phi), psi) - expected), tolerance)
      << "g5 M g5 is not the adjoint of M";
}

TEST_P(Covariance, WilsonIsGamma5Hermitian) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_hermiticity<float>(lattice);
  check_hermiticity<double>(lattice);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Covariance, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace
}  // namespace kov
