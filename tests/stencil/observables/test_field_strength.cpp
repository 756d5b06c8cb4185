// SPDX-License-Identifier: MIT
//
// Clover field strength, energy density and topological charge: against the leaves link by link, exactly known fields,
// and numbers of other codes.
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/observables/field_strength.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/constant_field.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/oracles.hpp"
#include "tests/support/precision.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::GlobalArray;
using reference::Number;

constexpr double pi = 3.14159265358979323846;

/// Six matrices a site, the planes in their order.
GlobalArray naive_field_strength(const GlobalArray& u, bool traceless) {
  GlobalArray f(u.extent, 54);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    int plane = 0;
    for (int mu = 0; mu < 4; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu, ++plane) {
        const reference::Rows3 m = reference::field_strength(u, x, mu, nu);
        const Number third = traceless ? (m[0][0] + m[1][1] + m[2][2]) / 3.0 : 0.0;
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b)
            f.at(x)[9 * plane + int(3 * a + b)] = m[a][b] - (a == b ? third : Number(0));
      }
  });
  return f;
}

/// tr A B of planes k and l of a site.
Number trace_product(const Number* f, int k, int l) {
  Number sum = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) sum += f[9 * k + 3 * a + b] * f[9 * l + 3 * b + a];
  return sum;
}

FieldStrengthAverages naive_averages(const GlobalArray& u) {
  const GlobalArray f = naive_field_strength(u, true);
  FieldStrengthAverages r;
  const double sites = double(volume(u.extent));
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (const int k : {2, 4, 5}) r.temporal_energy -= trace_product(f.at(x), k, k).real() / sites;
    for (const int k : {0, 1, 3}) r.spatial_energy -= trace_product(f.at(x), k, k).real() / sites;
    r.charge -= 8 / (32 * pi * pi) *
                (trace_product(f.at(x), 0, 5) - trace_product(f.at(x), 1, 4) + trace_product(f.at(x), 2, 3)).real();
  });
  return r;
}

class FieldStrength : public test::OnLattices {};

template <class T>
void check_definitions(const Lattice& lattice, const GlobalArray& u) {
  const GaugeField<T> gauge = gauge_field<T>(lattice, u);
  EXPECT_LT(max_difference(field_strength(gauge, FieldStrengthTrace::kept), naive_field_strength(u, false)),
            20 * eps<T>);
  EXPECT_LT(max_difference(field_strength(gauge, FieldStrengthTrace::removed), naive_field_strength(u, true)),
            20 * eps<T>);
  const FieldStrengthAverages expected = naive_averages(u);
  for (const SumMode mode : {SumMode::chunked, SumMode::exact}) {
    const FieldStrengthAverages r = field_strength_averages(gauge, mode);
    EXPECT_NEAR(r.temporal_energy, expected.temporal_energy, 50 * eps<T>);
    EXPECT_NEAR(r.spatial_energy, expected.spatial_energy, 50 * eps<T>);
    EXPECT_NEAR(r.charge, expected.charge, 10 * eps<T> * double(lattice.volume()));
  }
}

// Links of 32-bit files are not exactly in SU(3); no U U^+ may be replaced by 1.
TEST_P(FieldStrength, EqualsItsDefinitionAlsoOffTheGroup) {
  const Lattice lattice = GetParam().make(Comm::world());
  GlobalArray u = reference::random_su3(lattice.extent(), 4, 91);
  check_definitions<double>(lattice, u);
  for (std::size_t i = 0; i < u.data.size(); i += 5) u.data[i] *= 1.01;
  check_definitions<float>(lattice, u);
  check_definitions<double>(lattice, u);
}

// F = i lambda sin(phi), so Q = 2 n_1 n_2 sin(phi) sin(psi) / (phi psi): an integer up to the lattice's spacing.
TEST_P(FieldStrength, ConstantFieldHasItsEnergyAndCharge) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (const std::array<int, 2>& n : {std::array{1, 1}, {1, -2}, {0, 3}}) {
    const reference::ConstantField field{.extent = lattice.extent(), .n = n};
    const GaugeField<double> gauge = gauge_field<double>(lattice, field.links());
    const FieldStrengthAverages r = field_strength_averages(gauge);
    const double phi = std::sin(field.phi()), psi = std::sin(field.psi());
    EXPECT_NEAR(r.spatial_energy, 2 * phi * phi, 1e3 * eps<double>);
    EXPECT_NEAR(r.temporal_energy, 2 * psi * psi, 1e3 * eps<double>);
    EXPECT_NEAR(r.charge, double(lattice.volume()) * 2 * phi * psi / (4 * pi * pi), 1e4 * eps<double>);
    EXPECT_NEAR(plaquette_energy(plaquettes(gauge)), 4 * (1 - std::cos(field.phi())) + 4 * (1 - std::cos(field.psi())),
                1e3 * eps<double>);
  }
}

TEST_P(FieldStrength, SameBitsOnAnyDecomposition) {
  const Lattice together = GetParam().make(Comm::world()), alone(Comm::self(), together.extent());
  const GlobalArray u = reference::random_su3(together.extent(), 4, 92);
  const auto a = field_strength_averages(gauge_field<double>(together, u), SumMode::exact),
             b = field_strength_averages(gauge_field<double>(alone, u), SumMode::exact);
  EXPECT_EQ(a.temporal_energy, b.temporal_energy);
  EXPECT_EQ(a.spatial_energy, b.spatial_energy);
  EXPECT_EQ(a.charge, b.charge);
}

TEST(FieldStrengthFacts, EnergyAndChargeAreGaugeInvariant) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 93),
                    g = reference::random_su3(lattice.extent(), 1, 94);
  const auto a = field_strength_averages(gauge_field<double>(lattice, u)),
             b = field_strength_averages(gauge_field<double>(lattice, transform_links(g, u)));
  EXPECT_NEAR(a.energy(), b.energy(), 100 * eps<double>);
  EXPECT_NEAR(a.charge, b.charge, 1e4 * eps<double>);
  EXPECT_GT(std::abs(a.charge), 1e-3) << "nothing to compare";
}

// x -> -x maps links to links and flips the sign of the charge.
TEST(FieldStrengthFacts, ParityTurnsTheCharge) {
  const Coord extent{4, 4, 4, 8};
  const Lattice lattice(Comm::world(), extent);
  const GlobalArray u = reference::random_su3(extent, 4, 95);
  GlobalArray mirrored(extent, 36);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const Coord y{-x[0] - (mu == 0), x[1], x[2], x[3]};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          mirrored.at(x)[9 * mu + 3 * a + b] =
              mu == 0 ? std::conj(u.at(y)[9 * mu + 3 * b + a]) : u.at(y)[9 * mu + 3 * a + b];
    }
  });
  const auto a = field_strength_averages(gauge_field<double>(lattice, u)),
             b = field_strength_averages(gauge_field<double>(lattice, mirrored));
  EXPECT_NEAR(a.charge, -b.charge, 1e4 * eps<double>);
  EXPECT_NEAR(a.spatial_energy, b.spatial_energy, 100 * eps<double>);
  EXPECT_NEAR(a.temporal_energy, b.temporal_energy, 100 * eps<double>);
}

TEST(FieldStrengthFacts, AMeasurementThatIsKeptFindsTheSame) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 4});
  const FieldStrengthMeasurement<double> measurement(lattice);
  double before = 0;
  for (const int seed : {96, 97, 98}) {
    const auto gauge = gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, seed));
    const auto kept = measurement(gauge), made = field_strength_averages(gauge);
    EXPECT_EQ(kept.temporal_energy, made.temporal_energy);
    EXPECT_EQ(kept.spatial_energy, made.spatial_energy);
    EXPECT_EQ(kept.charge, made.charge);
    EXPECT_NE(kept.charge, before);
    before = kept.charge;
  }
  const Lattice other(Comm::world(), {4, 4, 4, 4});
  EXPECT_THROW(measurement(GaugeField<double>(other, "links", 4)), InputError);
}

TEST(FieldStrengthFacts, FieldsThatAreNotGaugeFieldsAreRefused) {
  const GaugeField<double> one(Lattice(Comm::world(), {4, 4, 4, 4}), "one link", 1);
  EXPECT_THROW(field_strength(one, FieldStrengthTrace::kept), InputError);
  EXPECT_THROW(field_strength_averages(one), InputError);
}

TEST(PublishedFieldStrength, MilcConfiguration) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto all = oracle("reference_lq_milc_l4448.json");
  const auto& expected = all["values"]["gauge"];
  const double relative = all["tolerance"]["rel"];
  const auto gauge =
      read_gauge<double>(Lattice(Comm::world(), {4, 4, 4, 8}), data_folder() / "milc" / "lat.sample.l4448");
  const FieldStrengthAverages r = field_strength_averages(gauge);
  EXPECT_NEAR(r.temporal_energy, expected["E_clover_t"].get<double>(), relative);
  EXPECT_NEAR(r.spatial_energy, expected["E_clover_s"].get<double>(), relative);
  EXPECT_NEAR(r.charge, expected["Q_clover"].get<double>(), relative * r.charge);
}

INSTANTIATE_TEST_SUITE_P(Lattices, FieldStrength, ::testing::ValuesIn(small_lattice_cases(1100)), case_name);

}  // namespace
}  // namespace kov::test
