// SPDX-License-Identifier: MIT
//
// Plaquettes, link trace and Polyakov loop against naive loops, their symmetries, and exact sums on any decomposition.
#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Number;
using test::LatticeCase;

class Observables : public test::OnLattices {};

/// Rounding of the mean of numbers of order 1.
template <class T>
constexpr double rounding = 20 * std::numeric_limits<T>::epsilon();

template <class T>
void check_definitions(const Lattice& lattice, const GlobalArray& u) {
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  for (const SumMode mode : {SumMode::chunked, SumMode::exact}) {
    const Plaquettes p = plaquettes(gauge, mode);
    double spatial = 0, temporal = 0;
    for (int mu = 0; mu < 4; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu) {
        const double expected = reference::plaquette(u, mu, nu);
        EXPECT_NEAR(p.plane(mu, nu), expected, rounding<T>) << mu << nu;
        EXPECT_EQ(p.plane(nu, mu), p.plane(mu, nu));
        (nu == 3 ? temporal : spatial) += expected / 3;
      }
    EXPECT_NEAR(p.spatial(), spatial, rounding<T>);
    EXPECT_NEAR(p.temporal(), temporal, rounding<T>);
    EXPECT_NEAR(p.mean(), (spatial + temporal) / 2, rounding<T>);
    EXPECT_NEAR(link_trace(gauge, mode), reference::link_trace(u), rounding<T>);
    EXPECT_LT(std::abs(polyakov_loop(gauge, mode) - reference::polyakov_loop(u)), rounding<T>);
  }
}

TEST_P(Observables, EqualTheirDefinitions) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 21);
  check_definitions<float>(lattice, u);
  check_definitions<double>(lattice, u);
}

TEST_P(Observables, AreOneOnUnitLinks) {
  const Lattice lattice = GetParam().make(Comm::world());
  GlobalArray u(lattice.extent(), 36);
  for (std::size_t i = 0; i < u.data.size(); ++i) u.data[i] = i % 9 % 4 == 0 ? 1 : 0;
  const GaugeField<double> gauge = gauge_field<double>(lattice, u);
  for (const double p : plaquettes(gauge).planes) EXPECT_EQ(p, 1);
  EXPECT_EQ(link_trace(gauge), 1);
  EXPECT_EQ(polyakov_loop(gauge), Number(1));
  EXPECT_EQ(unitarity_deviation(gauge), 0);
}

/// The bits of every observable, exact sums.
template <class T>
std::vector<double> bits(const Lattice& lattice, const GlobalArray& u) {
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  const auto planes = plaquettes(gauge, SumMode::exact).planes;
  const Number line = polyakov_loop(gauge, SumMode::exact);
  std::vector<double> all(planes.begin(), planes.end());
  all.insert(all.end(), {link_trace(gauge, SumMode::exact), line.real(), line.imag()});
  return all;
}

// Each rank alone, in the memory order of one process, computes the bits that all ranks together must get.
TEST_P(Observables, ExactSumsAreTheSameOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world());
  const Lattice alone(Comm::self(), together.extent());
  const GlobalArray u = reference::random_su3(together.extent(), 4, 22);
  EXPECT_EQ(bits<float>(together, u), bits<float>(alone, u));
  EXPECT_EQ(bits<double>(together, u), bits<double>(alone, u));
}

TEST(GaugeObservables, AreGaugeInvariant) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 23),
                    g = reference::random_su3(lattice.extent(), 1, 24);
  const GaugeField<double> a = gauge_field<double>(lattice, u), b = gauge_field<double>(lattice, gauge_transform(u, g));
  for (int mu = 0; mu < 3; ++mu) EXPECT_NEAR(plaquettes(a).plane(mu, 3), plaquettes(b).plane(mu, 3), rounding<double>);
  EXPECT_LT(std::abs(polyakov_loop(a) - polyakov_loop(b)), rounding<double>);
  EXPECT_GT(std::abs(link_trace(a) - link_trace(b)), 1e-3) << "the transformation did nothing";
}

/// Fields that exceed the caches, whose kernels prefetch, and store past the caches.
class OutOfCache : public ::testing::Test {
 protected:
  /// So long in t that every rank has enough sites.
  const Coord extent_{16, 16, 16, 32 * Comm::world().size()};
  const GlobalArray u_ = reference::random_su3(extent_, 4, 27);
  const double plane_ = reference::plaquette(u_, 0, 3);
  const Number line_ = reference::polyakov_loop(u_);

  template <class T>
  void check(bool force_exchange) const {
    const Lattice lattice(Comm::world(), extent_, {.force_exchange = force_exchange});
    const GaugeField<T> gauge = gauge_field<T>(lattice, u_);
    const Field<ColorMatrix, T> x = gauge.column(0), t = gauge.column(3);
    ASSERT_TRUE(!has_packs || worth_streaming(x.bytes() + t.bytes()));
    EXPECT_NEAR(plaquettes(gauge).plane(0, 3), plane_, rounding<T>);
    EXPECT_LT(std::abs(polyakov_loop(gauge) - line_), rounding<T>);
    const double of_statement = sum(real(trace(x * shift(t, 0, 1) * adj(shift(x, 3, 1)) * adj(t))));
    EXPECT_NEAR(of_statement / (3 * double(lattice.volume())), plane_, rounding<T>);
    const GaugeField<T> fixed = gauge_transform(gauge, temporal_gauge(gauge));
    EXPECT_NEAR(plaquettes(fixed).plane(0, 3), plane_, rounding<T>);
    EXPECT_GT(std::abs(link_trace(fixed) - link_trace(gauge)), 0.1) << "the transformation did nothing";
  }
};
TEST_F(OutOfCache, ObservablesEqualTheirDefinitions) {
  check<float>(false);
  check<double>(true);
}

TEST(GaugeObservables, CenterElementOnOneTimeSliceTurnsThePolyakovLoopAlone) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  GlobalArray u = reference::random_su3(lattice.extent(), 4, 25);
  const GaugeField<double> before = gauge_field<double>(lattice, u);
  const Number z = std::polar(1.0, 2 * 3.14159265358979323846 / 3);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int k = 0; k < 9; ++k)
      if (x[3] == 5) u.at(x)[27 + k] *= z;
  });
  const GaugeField<double> after = gauge_field<double>(lattice, u);
  EXPECT_NEAR(plaquettes(after).mean(), plaquettes(before).mean(), rounding<double>);
  EXPECT_LT(std::abs(polyakov_loop(after) - z * polyakov_loop(before)), rounding<double>);
}

TEST(GaugeObservables, UnitarityDeviationFindsOneWrongLink) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  GlobalArray u = reference::random_su3(lattice.extent(), 4, 26);
  EXPECT_LT(unitarity_deviation(gauge_field<double>(lattice, u)), rounding<double>);
  EXPECT_LT(unitarity_deviation(gauge_field<float>(lattice, u)), rounding<float>);
  const Coord x{3, 1, 2, 3};
  for (int k = 0; k < 9; ++k) u.at(x)[18 + k] *= 1.001;
  // det(1.001 U) = 1.001^3
  EXPECT_NEAR(unitarity_deviation(gauge_field<double>(lattice, u)), 1.001 * 1.001 * 1.001 - 1, rounding<double>);
  for (int k = 0; k < 9; ++k) u.at(x)[18 + k] *= std::polar(1 / 1.001, 0.1);  // unitary, determinant e^{0.3 i}
  EXPECT_NEAR(unitarity_deviation(gauge_field<double>(lattice, u)), std::abs(std::polar(1.0, 0.3) - 1.0),
              rounding<double>);
  u.at(x)[20] = std::nan("");
  EXPECT_TRUE(std::isinf(unitarity_deviation(gauge_field<double>(lattice, u))));
}

TEST(GaugeObservables, FieldsThatAreNotGaugeFieldsAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<double> one(lattice, "one link", 1), half(lattice, "half", 4, Subset::even);
  EXPECT_THROW(plaquettes(one), InputError);
  EXPECT_THROW(plaquettes(half), InputError);
  EXPECT_THROW(link_trace(one), InputError);
  EXPECT_THROW(polyakov_loop(one), InputError);
  EXPECT_THROW(unitarity_deviation(one), InputError);
  EXPECT_THROW(Plaquettes{}.plane(1, 1), InputError);
  EXPECT_THROW(Plaquettes{}.plane(1, 4), InputError);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Observables, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

}  // namespace
}  // namespace kov
