// SPDX-License-Identifier: MIT
//
// From a configuration file to correlators with Wilson-clover quarks: mesons and baryons that another code computed on
// MILC's sample configuration, point sources and smeared ones.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/support/oracles.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {
namespace clover_hadrons {

using nlohmann::json;

/// The largest difference over t, relative to the largest value.
double difference(const Correlator& ours, const json& expected) {
  double worst = 0, most = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const std::complex<double> z(expected[t].at(0), expected[t].at(1));
    worst = max_or_nan(worst, std::abs(ours.value.at(t) - z));
    most = std::max(most, std::abs(z));
  }
  return ours.value.size() == expected.size() ? worst / most : 1;
}

/// All hadrons of one section of the file.
int compare(const Propagator<double>& s, const json& section, double tolerance) {
  const std::map<std::string, Momentum> momenta{{"p000", {0, 0, 0}}, {"p100", {1, 0, 0}}, {"p110", {1, 1, 0}}};
  const std::map<std::string, int> gammas{{"pion_g15", 15}, {"rho_x_g1", 1}, {"rho_y_g2", 2},
                                          {"rho_z_g4", 4},  {"a0_g0", 0},    {"pion_A4_g7", 7}};
  const std::map<std::string, std::size_t> numbers{
      {"proton_unpol_bar9", 9}, {"proton_NR_unpol_bar11", 11}, {"delta_like_bar2", 2}};
  int compared = 0;
  for (const auto& [hadron, by_momentum] : section.items())
    for (const auto& [p, values] : by_momentum.items()) {
      const Momentum momentum = momenta.at(p);
      const Correlator c = gammas.contains(hadron)
                               ? mesons(s, s, {{gammas.at(hadron), gammas.at(hadron)}}, {momentum}).at(0)
                               : baryons(s, s, {standard_baryons().at(numbers.at(hadron))}, {momentum}).at(0);
      EXPECT_LE(difference(c, values), tolerance) << hadron << ", " << p;
      ++compared;
    }
  return compared;
}

TEST(PublishedCloverHadrons, EqualThoseOfTheReferenceCode) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const json oracle = test::oracle("reference_lq_milc_l4448.json");
  const json &values = oracle.at("values"), &parameters = oracle.at("parameters");
  const double tolerance = oracle.at("tolerance").at("rel");
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = read_gauge<double>(lattice, test::data_folder() / "milc" / "lat.sample.l4448");
  const WilsonCloverOperator<double> M(
      gauge, BoundaryAngles::antiperiodic_in_time(),
      {.mass = mass_of_kappa(parameters.at("kappa")), .c_sw = parameters.at("csw").get<double>()});
  const EvenOdd solve(M, BiCgStab{.tolerance = 1e-13});
  const Coord origin{3, 0, 2, 1};
  const auto source = point_source<double>(lattice, origin);
  const auto point = solve_propagator(solve, M, source);

  const std::vector<double> norms = values.at("prop_norm_point");
  const auto pion = mesons(point.propagator, point.propagator, {{15, 15}}, {{0, 0, 0}}).at(0).value;
  for (std::size_t t = 0; t < norms.size(); ++t)
    EXPECT_NEAR(pion.at((t + 8 - 1) % 8).real(), norms[t], tolerance * norms[t]) << "norm on slice " << t;

  const auto stout_links = stout(gauge, {.rho = 0.1, .n = 2, .directions = space_directions});
  const WuppertalSmearing<double> smear(GaugeLinks<double>(stout_links), {.width = 2, .iterations = 8});
  const auto wide = smeared(source, smear);
  EXPECT_NEAR(norm2(wide.columns()), values.at("gauss_source_norm2").get<double>(), tolerance);
  const auto from_wide = solve_propagator(solve, M, wide);
  EXPECT_EQ(compare(point.propagator, values.at("point_point"), tolerance), 24);
  EXPECT_EQ(compare(from_wide.propagator, values.at("smeared_point"), tolerance), 24);
  EXPECT_EQ(compare(smeared(from_wide.propagator, smear), values.at("smeared_smeared"), tolerance), 24);
}

}  // namespace clover_hadrons
}  // namespace
}  // namespace kov
