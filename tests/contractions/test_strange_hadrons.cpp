// SPDX-License-Identifier: MIT
//
// Every entry of lalibe's two-point functions with three different Wilson-clover quarks: pion, kaon, octet and
// decuplet, both parities, all spins, seven momenta.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/support/oracles.hpp"

#include <cstdio>
#include <gtest/gtest.h>

namespace kov {
namespace {
namespace strange_hadrons {

using nlohmann::json;

/// "px-1_py0_pz0"
Momentum momentum_of(const std::string& text) {
  Momentum p{};
  EXPECT_EQ(std::sscanf(text.c_str(), "px%d_py%d_pz%d", &p[0], &p[1], &p[2]), 3) << text;
  return p;
}

class PublishedStrangeHadrons : public ::testing::Test {
 protected:
  void SetUp() override {
    KOV_SKIP_WITHOUT_DATA("oracles/lalibe_clover_2pt_PS.json", "chroma_weakfield/weak_field.lime");
    oracle_ = test::oracle("lalibe_clover_2pt_PS.json");
    gauge_ = read_gauge<double>(lattice_, test::data_folder() / "chroma_weakfield" / "weak_field.lime");
    tolerance_ = oracle_.at("tolerance").at("rel_to_max_over_t");
  }
  /// From the parameters' "SHELL 0 0 0 0, gaussian w=2.0 N=5, no link smearing".
  Propagator<double> solved(const std::string& quark) const {
    const json& parameters = oracle_.at("parameters");
    const WilsonCloverOperator<double> M(
        gauge_, BoundaryAngles::antiperiodic_in_time(),
        {.mass = parameters.at("masses").at(quark), .c_sw = parameters.at("csw").get<double>()});
    const WuppertalSmearing<double> smear(GaugeLinks<double>(gauge_), {.width = 2, .iterations = 5});
    const auto source = smeared(point_source<double>(lattice_, {0, 0, 0, 0}), smear);
    return solve_propagator(EvenOdd(M, BiCgStab{.tolerance = 1e-13}), M, source).propagator;
  }
  /// One entry: the largest difference over t relative to the largest value.
  void compare(const std::string& name, const Correlator& ours, const json& values) {
    double worst = 0, most = 0;
    ASSERT_EQ(ours.value.size(), values.size()) << name;
    for (std::size_t t = 0; t < values.size(); ++t) {
      const std::complex<double> z(values[t].at(0), values[t].at(1));
      worst = max_or_nan(worst, std::abs(ours.value[t] - z));
      most = std::max(most, std::abs(z));
    }
    EXPECT_LE(worst / most, tolerance_) << name << ", p = " << to_string(ours.momentum);
    worst_ = max_or_nan(worst_, worst / most);
    ++compared_;
  }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 8}};
  GaugeField<double> gauge_;
  json oracle_;
  double tolerance_ = 0, worst_ = 0;
  int compared_ = 0;
};

TEST_F(PublishedStrangeHadrons, EveryMesonAndBaryonIsReproduced) {
  const Propagator<double> u = solved("u"), d = solved("d"), s = solved("s");
  std::vector<Momentum> momenta;
  const json& values = oracle_.at("values");
  for (const auto& [name, entry] : values.at("piplus").items()) momenta.push_back(momentum_of(name));
  ASSERT_EQ(momenta.size(), 7u);
  std::vector<BaryonOperator> operators;
  int expected = 0;
  for (const auto& [name, entry] : values.items()) {
    if (name == "piplus" || name == "kplus") continue;
    for (const BaryonOperator& op : baryon_operators(name)) operators.push_back(op);
    expected += int(entry.size());
    auto quarks = operators.back().quarks;
    auto theirs = oracle_.at("flavours").at(name).get<std::array<std::string, 3>>();
    std::sort(quarks.begin(), quarks.end());
    std::sort(theirs.begin(), theirs.end());
    EXPECT_EQ(quarks, theirs) << name;
  }
  ASSERT_EQ(int(operators.size()), expected) << "every spin of every baryon";

  for (const Correlator& c : baryons<double>({{"u", u}, {"d", d}, {"s", s}}, operators, momenta)) {
    const std::size_t at = c.channel.rfind('_');
    const Momentum& p = c.momentum;
    compare(c.channel, c,
            values.at(c.channel.substr(0, at))
                .at("spin_" + c.channel.substr(at + 1))
                .at("px" + std::to_string(p[0]) + "_py" + std::to_string(p[1]) + "_pz" + std::to_string(p[2])));
  }
  for (const auto& [name, antiquark] : {std::pair{"piplus", &d}, std::pair{"kplus", &s}})
    for (const auto& [p, entry] : values.at(name).items())
      compare(name, mesons(u, *antiquark, {{15, 15}}, {momentum_of(p)}).at(0), entry);
  EXPECT_EQ(compared_, 7 * (2 + 8 * 2 + 8 * 4)) << "all that the file has";
  RecordProperty("worst relative difference", ::testing::PrintToString(worst_));
}

/// The file's tables of spins and coefficients are the Wick contractions of our operators.
TEST_F(PublishedStrangeHadrons, WickContractionsAreThePublishedTables) {
  const std::map<std::string, int> number{{"d", 0}, {"s", 1}, {"u", 2}};
  int compared = 0;
  for (const auto& [name, components] : oracle_.at("operator_tables").items()) {
    const auto flavours = oracle_.at("flavours").at(name).get<std::array<std::string, 3>>();
    for (const BaryonOperator& op : baryon_operators(name)) {
      std::array<int, 3> quark{}, theirs{};
      for (std::size_t k = 0; k < 3; ++k) {
        quark[k] = number.at(op.quarks[k]);
        theirs[k] = number.at(flavours[k]);
      }
      detail::BaryonValue table{theirs, {}};
      for (const json& row : components.at(op.name.substr(op.name.rfind('_') + 1))) {
        const auto s = row.at(0).get<std::array<int, 6>>();
        table.terms.push_back({{4 * s[0] + s[1], 4 * s[2] + s[3], 4 * s[4] + s[5]}, row.at(1).get<double>()});
      }
      const detail::BaryonValue ours = detail::wick_contraction(op, op, quark), sorted = detail::in_order(table);
      EXPECT_EQ(ours.quark, sorted.quark);
      ASSERT_EQ(ours.terms.size(), sorted.terms.size()) << op.name;
      for (std::size_t i = 0; i < ours.terms.size(); ++i) {
        EXPECT_EQ(ours.terms[i].pair, sorted.terms[i].pair) << op.name;
        EXPECT_LT(std::abs(ours.terms[i].coefficient - sorted.terms[i].coefficient), 1e-14) << op.name;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 8 * 2 + 8 * 4);
}

}  // namespace strange_hadrons
}  // namespace
}  // namespace kov
