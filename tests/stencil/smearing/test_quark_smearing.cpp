// SPDX-License-Identifier: MIT
//
// QuarkSmearing gives the same as the smearing it holds, on propagators as on columns, and is Hermitian.
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"
#include "kov/stencil/smearing/quark_smearing.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/oracles.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;

constexpr WuppertalParameters kWuppertal{.width = 2, .iterations = 7};

std::vector<std::pair<std::string, SmearingShape>> shapes() {
  return {{"none", {}},
          {"Wuppertal", kWuppertal},
          {"Gaussian", gaussian_profile(1.2)},
          {"node", node_profile(1.2)},
          {"theta", theta_profile(3, 1)},
          {"a user's", RealFunction([](double p2) { return 1 / (1 + p2); })}};
}

class QuarkSmearings : public test::OnLattices {};

template <class T>
void check(const Lattice& lattice, const GaugeLinks<T>& links) {
  const SpinorField<T> in(lattice, "propagator", 12), other(lattice, "other", 12), column(lattice, "column");
  const GlobalArray psi = reference::random_array(lattice.extent(), 144, 2);
  load(in, psi);
  load(other, reference::random_array(lattice.extent(), 144, 3));
  for (const auto& [name, shape] : shapes()) {
    const QuarkSmearing<T> smear(links, shape, {.accuracy = {.error = 1e-4}});
    EXPECT_EQ(smear.is_none(), name == "none");
    EXPECT_EQ(smear.series() != nullptr, shape.index() == 2);
    const auto sink = smear(in);
    const GlobalArray all = gather(sink);
    for (const int k : {0, 7, 11}) {
      load(column, part(psi, 12 * k, 12));
      smear.apply(column, column);
      EXPECT_EQ(max_difference(column, part(all, 12 * k, 12)), 0) << name << ", column " << k;
    }
    // <S in, other> = <in, S other>
    const double scale = std::sqrt(norm2(sink) * norm2(other));
    EXPECT_LT(std::abs(inner_product(sink, other) - inner_product(in, smear(other))),
              500 * std::numeric_limits<T>::epsilon() * scale)
        << name;
  }
}

TEST_P(QuarkSmearings, OfAPropagatorAreThoseOfItsColumnsAndHermitian) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 1));
  check<double>(lattice, GaugeLinks<double>(gauge));
  check<float>(lattice, GaugeLinks<float>(gauge, momentum_factors({0.4, 0, -1})));
}

INSTANTIATE_TEST_SUITE_P(Lattices, QuarkSmearings, ::testing::ValuesIn(test::small_lattice_cases(600)),
                         test::case_name);

TEST(QuarkSmearing, IsWhatItWasMadeOf) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1)));
  const Field<ColorVector, double> in(lattice, "in", 3);
  const GlobalArray psi = reference::random_array(lattice.extent(), 9, 2);
  load(in, psi);
  EXPECT_EQ(max_difference(QuarkSmearing<double>(links, {})(in), psi), 0);
  EXPECT_EQ(max_difference(QuarkSmearing<double>(links, kWuppertal)(in),
                           gather(WuppertalSmearing<double>(links, kWuppertal)(in))),
            0);
  const ProfileSmearing<double> profile(links, node_profile(1.3), {.order = 9});
  const QuarkSmearing<double> smear(links, node_profile(1.3), {.order = 9});
  EXPECT_EQ(max_difference(smear(in), gather(profile(in))), 0);
  EXPECT_EQ(smear.series()->order(), 9);
}

TEST(QuarkSmearing, RefusesParametersWithoutMeaning) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(gauge_field(lattice, reference::unit_gauge(lattice.extent())));
  EXPECT_THROW(QuarkSmearing<double>(links, RealFunction()), InputError);
  EXPECT_THROW(QuarkSmearing<double>(links, WuppertalParameters{.width = -1, .iterations = 2}), InputError);
  const SpinorField<double> in(lattice, "in"), wide(lattice, "wide", 2);
  for (const auto& [name, shape] : shapes()) {
    const QuarkSmearing<double> smear(links, shape);
    EXPECT_THROW(smear.apply(in, wide), InputError) << name;
    EXPECT_THROW(smear(SpinorField<double>(Lattice(Comm::world(), {4, 4, 4, 8}), "elsewhere")), InputError) << name;
  }
}

/// |source|^2 of a smeared point on stout links of a published configuration, from an independent reference.
TEST(PublishedQuarkSmearing, NormOfAGaussianSource) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto all = test::oracle("reference_lq_milc_l4448.json");
  const auto gauge = read_gauge<double>(lattice, test::data_folder() / "milc" / "lat.sample.l4448");
  const QuarkSmearing<double> smear(GaugeLinks<double>(stout(gauge, {.rho = 0.1, .n = 2})),
                                    WuppertalParameters{.width = 2, .iterations = 8});
  const SpinorField<double> point(lattice, "point", 12);
  for (int k = 0; k < 12; ++k) {
    Spinor<double> unit = zero<Spinor<double>>();
    unit.z[k] = {1, 0};
    poke(point, {3, 0, 2, 1}, unit, k);
  }
  const double expected = all["values"]["gauss_source_norm2"], relative = all["tolerance"]["rel"];
  EXPECT_NEAR(norm2(smear(point)), expected, relative * expected);
}

/// The lowest eigenvalue of -Laplacian on all time slices, from an independent reference: bounds lie just below.
TEST(PublishedSpectralBounds, LowestEigenvalueOfAPublishedConfiguration) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto all = test::oracle("reference_lq_milc_l4448.json");
  const auto gauge = read_gauge<double>(lattice, test::data_folder() / "milc" / "lat.sample.l4448");
  double lowest = 12;
  for (const auto& slice : all["values"]["laplace3d_lowest_eigenvalues_per_timeslice"])
    for (const double value : slice) lowest = std::min(lowest, value);
  const CovariantLaplacian<double> laplacian(GaugeLinks<double>(stout(gauge, {.rho = 0.1, .n = 2})), Dimensions::space);
  const Interval found = spectral_bounds(momentum_squared<ColorVector>(laplacian),
                                         Field<ColorVector, double>(lattice, "shape"), {.steps = 250});
  EXPECT_LT(std::abs(found.low - lowest), all["tolerance"]["rel"].get<double>() * lowest);
}

}  // namespace
}  // namespace kov
