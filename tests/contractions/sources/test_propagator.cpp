// SPDX-License-Identifier: MIT
//
// Sources and propagators: the free one against its Fourier form, symmetries on hot links, reports and errors.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

using std::numbers::pi;

template <class T>
WilsonOperator<T> wilson(const Lattice& lattice, const GlobalArray& u, const BoundaryAngles& boundary, double mass) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  return WilsonOperator<T>(GaugeLinks<T>(gauge, boundary), mass);
}

/// S(x; 0) of a free quark: sum over p of e^{ipx} (m(p) - i sum g_mu sin p_mu) / (m(p)^2 + sum sin^2 p_mu) / V with
/// m(p) = m + sum (1 - cos p_mu), as 16 numbers [sink][source spin] a site; p_mu L_mu = 2 pi n + angle_mu.
GlobalArray free_propagator(const Coord& extent, double mass, const BoundaryAngles& boundary) {
  GlobalArray of_p(extent, 16), of_x(extent, 16);
  const auto momentum = [&](const Coord& n, int mu) {
    return (2 * pi * n[mu] + boundary.angle[std::size_t(mu)]) / extent[mu];
  };
  reference::for_each_coordinate(extent, [&](const Coord& n) {
    double m = mass, denominator = 0;
    for (int mu = 0; mu < 4; ++mu) {
      m += 1 - std::cos(momentum(n, mu));
      denominator += std::pow(std::sin(momentum(n, mu)), 2);
    }
    denominator += m * m;
    for (int s = 0; s < 4; ++s)
      for (int r = 0; r < 4; ++r) {
        Number z = s == r ? m : 0;
        for (int mu = 0; mu < 4; ++mu)
          z -= Number(0, 1) * std::sin(momentum(n, mu)) * reference::gammas()[std::size_t(mu)][s][r];
        of_p.at(n)[4 * s + r] = z / denominator / double(volume(extent));
      }
  });
  // Fourier transform, one direction after the other.
  for (int mu = 0; mu < 4; ++mu) {
    std::fill(of_x.data.begin(), of_x.data.end(), Number(0));
    reference::for_each_coordinate(extent, [&](const Coord& x) {
      for (int n = 0; n < extent[mu]; ++n) {
        Coord p = x;
        p[mu] = n;
        const Number phase = std::polar(1.0, momentum(p, mu) * x[mu]);
        for (int k = 0; k < 16; ++k) of_x.at(x)[k] += phase * of_p.at(p)[k];
      }
    });
    std::swap(of_p.data, of_x.data);
  }
  return of_p;
}

class Propagators : public test::OnLattices {};

TEST_P(Propagators, FreePropagatorEqualsItsFourierForm) {
  const Lattice lattice = GetParam().make(Comm::world());
  const double mass = 0.6;
  for (const BoundaryAngles& boundary : {BoundaryAngles::periodic(), BoundaryAngles::antiperiodic_in_time()}) {
    const auto M = wilson<double>(lattice, reference::unit_gauge(lattice.extent()), boundary, mass);
    const auto solved =
        solve_propagator(EvenOdd(M, BiCgStab{.tolerance = 1e-14}), M, point_source<double>(lattice, {0, 0, 0, 0}));
    const GlobalArray free = free_propagator(lattice.extent(), mass, boundary);
    GlobalArray expected(lattice.extent(), 144);
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      for (int s = 0; s < 4; ++s)
        for (int r = 0; r < 4; ++r)
          for (int a = 0; a < 3; ++a) expected.at(x)[12 * (3 * r + a) + 3 * s + a] = free.at(x)[4 * s + r];
    });
    EXPECT_LT(max_difference(solved.propagator, expected), 1e-12);
  }
}

TEST_P(Propagators, AreGamma5Hermitian) {
  // S(y; x) = g5 adj(S(x; y)) g5
  const Lattice lattice = GetParam().make(Comm::world());
  const auto M = wilson<double>(lattice, reference::random_su3(lattice.extent(), 4, 21),
                                BoundaryAngles::antiperiodic_in_time(), 0.3);
  const Coord x{1, 0, 3, 2}, y{0, 1, 1, 3};
  const auto from = [&](const Coord& origin) {
    return gather(solve_propagator(BiCgStab{.tolerance = 1e-13}, M, point_source<double>(lattice, origin)).propagator);
  };
  const GlobalArray from_x = from(x), from_y = from(y);
  double size = 0, worst = 0;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      const double sign = (i < 6) == (j < 6) ? 1 : -1;  // of g5 on both sides
      const Number forward = from_x.at(y)[12 * j + i], backward = from_y.at(x)[12 * i + j];
      size = std::max(size, std::abs(forward));
      worst = max_or_nan(worst, std::abs(forward - sign * std::conj(backward)));
    }
  EXPECT_GT(size, 1e-4);
  EXPECT_LT(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Propagators, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

constexpr Coord kExtent{4, 4, 4, 8};

TEST(Propagator, MovesWithItsSourceOnUnitLinks) {
  const Lattice lattice(Comm::world(), kExtent);
  const auto M = wilson<double>(lattice, reference::unit_gauge(kExtent), BoundaryAngles::antiperiodic_in_time(), 0.4);
  const Coord origin{3, 1, 2, 5};
  const BiCgStab solve{.tolerance = 1e-14};
  const GlobalArray at_zero =
      gather(solve_propagator(solve, M, point_source<double>(lattice, {0, 0, 0, 0})).propagator);
  const auto moved = solve_propagator(solve, M, point_source<double>(lattice, origin)).propagator;
  GlobalArray expected(kExtent, 144);
  reference::for_each_coordinate(kExtent, [&](const Coord& x) {
    Coord to = x;
    for (int mu = 0; mu < 4; ++mu) to[mu] += origin[mu];
    const double sign = to[3] >= kExtent[3] ? -1 : 1;  // around the antiperiodic end
    for (int k = 0; k < 144; ++k) expected.at(to)[k] = sign * at_zero.at(x)[k];
  });
  EXPECT_LT(max_difference(moved, expected), 1e-12);
}

TEST(Propagator, ReportsEveryColumnInEitherPrecision) {
  const Lattice lattice(Comm::world(), kExtent);
  const GlobalArray u = reference::random_su3(kExtent, 4, 24);
  const auto M = wilson<double>(lattice, u, {}, 0.3);
  const auto M_float = wilson<float>(lattice, u, {}, 0.3);
  const auto source = point_source<double>(lattice, {0, 1, 2, 3});
  std::vector<int> done;
  const auto mixed = solve_propagator(MixedPrecision(M_float, BiCgStab{.tolerance = 1e-12}), M, source,
                                      [&](int n, const SolveReport& r) {
                                        EXPECT_TRUE(r.converged);
                                        done.push_back(n);
                                      });
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  ASSERT_EQ(mixed.reports.size(), 12u);
  EXPECT_LE(mixed.worst_residual(), 1e-12);
  EXPECT_GE(mixed.iterations(), 12 * 5);
  EXPECT_GT(mixed.seconds(), 0);
  // M S is the source, for all columns.
  for (int k = 0; k < 12; ++k) {
    const SpinorField<double> r(lattice, "residual");
    M.apply(mixed.propagator.column(k), r);
    EXPECT_LE(axpy_norm2(-1, source.column(k), r), 1.01e-24) << "column " << k;
  }
  const auto single =
      solve_propagator(BiCgStab{.tolerance = 1e-5}, M_float, point_source<float>(lattice, {0, 1, 2, 3}));
  EXPECT_LE(single.worst_residual(), 1e-5);
  EXPECT_LT(max_difference(single.propagator, gather(mixed.propagator)), 1e-4);
}

TEST(SolvedPropagator, ANaNIsTheWorstResidual) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 4});
  SolvedPropagator<double> solved{point_source<double>(lattice, {0, 0, 0, 0}), {}};
  for (const double residual : {1e-9, std::numeric_limits<double>::quiet_NaN(), 1e-8}) {
    solved.reports.emplace_back();
    solved.reports.back().residual = residual;
  }
  EXPECT_TRUE(std::isnan(solved.worst_residual()));
}

TEST(Propagator, IsTwelveColumnsOnAllSitesWithItsLabels) {
  const Lattice lattice(Comm::world(), kExtent);
  const SpinorField<double> columns(lattice, "columns", 12), eleven(lattice, "eleven", 11), thirteen(lattice, "13", 13),
      even(lattice, "even", 12, Subset::even);
  const Propagator<double> s(columns, {.source = "mine", .origin = {1, 2, 3, 4}, .others = {{"kappa", 0.15}}});
  EXPECT_EQ(s.columns().data(), columns.data()) << "shares its memory";
  EXPECT_EQ(s.alias().columns().data(), columns.data());
  EXPECT_EQ(s.column(7).data(), columns.column(7).data());
  const Propagator<double> other = s.like("other");
  EXPECT_NE(other.columns().data(), columns.data());
  EXPECT_EQ(other.labels.source, "mine");
  EXPECT_EQ(other.labels.origin, s.labels.origin);
  EXPECT_EQ(other.labels.others, s.labels.others);
  EXPECT_THROW(Propagator<double>{eleven}, InputError);
  EXPECT_THROW(Propagator<double>{thirteen}, InputError);
  EXPECT_THROW(Propagator<double>{even}, InputError);
  static_assert(!std::is_convertible_v<const SpinorField<double>&, Propagator<double>>);
}

/// Element [row][column] of S(x) for all sites, in four ways.
template <class View>
struct ReadMatrices {
  View s;
  SpinorField<double>::View value, blocks;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto m = s(x);
    const auto lazy = s.read(x);
    for (int column = 0; column < 12; ++column) {
      auto v = s.columns()(x, 0), b = v;
      for (int row = 0; row < 12; ++row) {
        v.z[row] = m(row / 3, row % 3, column / 3, column % 3);
        b.z[row] = lazy.block(row / 3, column / 3)(row % 3, column % 3);
      }
      value.set(x, v, column);
      blocks.set(x, b, column);
    }
  }
};

TEST(Propagator, IsAMatrixAtASite) {
  const Lattice lattice(Comm::world(), kExtent);
  const GlobalArray numbers = reference::random_array(kExtent, 144, 25);
  const auto s = test::make_propagator<double>(lattice, numbers);
  const Propagator<double> value = s.like("value"), blocks = s.like("blocks");
  const ReadMatrices<Propagator<double>::View> kernel{s.view(), value.columns().view(), blocks.columns().view()};
  for_each_site("matrices", s.columns().range(), kernel);
  EXPECT_EQ(max_difference(value, numbers), 0);
  EXPECT_EQ(max_difference(blocks, numbers), 0);
  zero(value.columns());
  zero(blocks.columns());
  for_each_lane("matrices", s.columns().range(), kernel);
  EXPECT_EQ(max_difference(value, numbers), 0);
  EXPECT_EQ(max_difference(blocks, numbers), 0);
}

TEST(Propagator, HasTheLabelsOfItsSource) {
  const Lattice lattice(Comm::world(), kExtent);
  const auto M = wilson<double>(lattice, reference::unit_gauge(kExtent), BoundaryAngles::periodic(), 1.0);
  auto source = point_source<double>(lattice, {1, 0, 0, 2});
  source.labels.boundary = BoundaryAngles::periodic();
  source.labels.others["mass"] = 1.0;
  const auto s = solve_propagator(BiCgStab{.tolerance = 1e-4}, M, source).propagator;
  EXPECT_EQ(s.labels.source, "point");
  EXPECT_EQ(s.labels.origin, (Coord{1, 0, 0, 2}));
  EXPECT_EQ(s.labels.boundary, BoundaryAngles::periodic());
  EXPECT_EQ(s.labels.others, source.labels.others);
}

TEST(Source, IsTheUnitMatrixAtItsPoint) {
  for (const test::LatticeCase& c : test::small_lattice_cases(600)) {
    if (!c.possible(Comm::world().size())) continue;
    const Lattice lattice = c.make(Comm::world());
    const Coord origin{1, 3, 2, lattice.extent()[3] - 1};
    GlobalArray expected(lattice.extent(), 144);
    for (int k = 0; k < 12; ++k) expected.at(origin)[13 * k] = 1;
    EXPECT_EQ(max_difference(point_source<double>(lattice, origin), expected), 0);
    EXPECT_EQ(max_difference(point_source<float>(lattice, origin), expected), 0);
    EXPECT_EQ(max_difference(point_source<double>(lattice, origin, 2, 1), reference::part(expected, 12 * 7, 12)), 0);
  }
}

TEST(Source, ErrorsNameWhatDoesNotExist) {
  const Lattice lattice(Comm::world(), kExtent);
  EXPECT_THROW(point_source<double>(lattice, {0, 0, 0, 8}), InputError);
  EXPECT_THROW(point_source<double>(lattice, {-1, 0, 0, 0}), InputError);
  EXPECT_THROW(point_source<double>(lattice, {0, 0, 0, 0}, 4, 0), InputError);
  EXPECT_THROW(point_source<double>(lattice, {0, 0, 0, 0}, 0, 3), InputError);
  const auto M = wilson<double>(lattice, reference::unit_gauge(kExtent), {}, 0.4);
  EXPECT_THROW(solve_propagator(BiCgStab{.max_iterations = 2}, M, point_source<double>(lattice, {0, 0, 0, 0})),
               ConvergenceError);
}

}  // namespace
}  // namespace kov
