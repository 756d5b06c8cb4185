// SPDX-License-Identifier: MIT
//
// Even-odd forms of an operator with legs of one and three links: the parts of the full one, and its solutions.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {
namespace even_odd_improved {

constexpr double mass = 0.4;

class EvenOddImproved : public test::OnLattices {};

/// Links that are hot to a degree, and Naik's operator on them.
struct Problem {
  GaugeField<double> gauge;

  explicit Problem(const Lattice& lattice)
      : gauge(reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 21))) {}
  template <class T>
  ImprovedOperator<T> naik(const LinkForms& forms = {}) const {
    return naik_operator<T>(gauge, mass, BoundaryAngles{test::kAngles}, forms);
  }
};

// With x_o = D^-1 (1/2 H_oe x_e), M x is M_e x_e on even sites and 0 on odd ones.
template <class T, class Lanes = SiteLanes>
void check_elimination(const Lattice& lattice) {
  using F = SpinorField<T, Lanes>;
  const auto M = Problem(lattice).template naik<T>({.columns = Lanes::holds_columns});
  const F x(lattice, "x", 3), nothing = x.like("nothing"), image = x.like("M x");
  load(x, reference::random_array(lattice.extent(), 36, 22));
  const double size = std::sqrt(norm2(x)), rounding = 100 * double(std::numeric_limits<T>::epsilon());
  for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric}) {
    const SchurComplement<T, MassTerm, F, ImprovedHop<T>> reduced(M, 3, form);
    reduced.complete(nothing, x);
    M.apply(x, image);
    const F even(lattice, "M_e x", 3, Subset::even), in_full = even.like("in the normalisation of M");
    reduced.apply(x.even(), even);
    reduced.restore_residual(even, in_full);
    axpy(-1, image.even(), in_full);
    EXPECT_LT(std::sqrt(norm2(in_full)), rounding * size);
    EXPECT_LT(std::sqrt(norm2(image.odd())), rounding * size);
  }
}

TEST_P(EvenOddImproved, EliminatesTheOddSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  if (!test::legs_fit(lattice, 3)) GTEST_SKIP() << "does not apply: legs reach beyond the next rank";
  check_elimination<double>(lattice);
  check_elimination<float>(lattice);
  check_elimination<double, ColumnLanes<4>>(lattice);
}

TEST_P(EvenOddImproved, SolvesTheFullSystem) {
  const Lattice lattice = GetParam().make(Comm::world());
  if (!test::legs_fit(lattice, 3)) GTEST_SKIP() << "does not apply: legs reach beyond the next rank";
  const Problem problem(lattice);
  const auto M = problem.naik<double>();
  const auto low = problem.naik<float>();
  const SpinorField<double> b(lattice, "b"), x = b.like("x"), expected = b.like("by the full operator"),
                                             r = b.like("b - M x");
  load(b, reference::random_array(lattice.extent(), 12, 23));
  const BiCgStab bicgstab{.tolerance = 1e-12};
  const SolveReport full = bicgstab(M, b, expected);
  ASSERT_TRUE(full.converged) << full.text();
  const auto check = [&](const auto& solver) {
    zero(x);
    const SolveReport report = solver(M, b, x);
    EXPECT_TRUE(report.converged) << report.text();
    EXPECT_EQ(report.precision_switches, 0) << report.text();
    EXPECT_LE(std::sqrt(true_residual<SpinorField<double>>(M, b, x, r) / norm2(b)), 1.01e-12);
    axpy(-1, expected, x);
    EXPECT_LE(std::sqrt(norm2(x) / norm2(expected)), 1e-10);
    return report.iterations;
  };
  // Half of the sites, and a condition number that is about a quarter of the full one's.
  EXPECT_LT(check(EvenOdd(M, bicgstab)), 0.75 * full.iterations);
  check(EvenOdd(M, bicgstab, SchurForm::symmetric));
  const SchurComplement low_even(low);
  check(EvenOdd(M, MixedPrecision(low_even, bicgstab)));
  check(EvenOdd(M, ReliableUpdates(low_even, bicgstab)));
  check(EvenOdd(M, ReliableUpdates(low_even, NormalConjugateGradient{.tolerance = 1e-12})));
}

/// With one that legs of three links fit into on four ranks, too.
std::vector<test::LatticeCase> cases() {
  std::vector<test::LatticeCase> all = test::small_lattice_cases(600);
  all.push_back({{4, 4, 6, 12}, {}, true});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Lattices, EvenOddImproved, ::testing::ValuesIn(cases()), test::case_name);

TEST(EvenOddWithLegsOfTwoLinks, IsRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto M = hamber_wu_operator<double>(Problem(lattice).gauge, mass);
  const SpinorField<double> b(lattice, "b"), x = b.like("x");
  load(b, reference::random_array(lattice.extent(), 12, 24));
  try {
    EvenOdd(M, BiCgStab{})(M, b, x);
    FAIL() << "eliminated sites that are neighbours of each other";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("solve for all sites"), std::string::npos) << error.what();
  }
}

}  // namespace even_odd_improved
}  // namespace
}  // namespace kov
