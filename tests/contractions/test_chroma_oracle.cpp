// SPDX-License-Identifier: MIT
//
// From a configuration file to correlators: every meson and baryon that Chroma's hadron spectrum measured with Wilson
// quarks on its weak-field configuration, source smeared, sink smeared and not; by every way to solve for the quarks.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/block_conjugate_gradient.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/support/oracles.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kov {
namespace {

using nlohmann::json;

std::vector<std::complex<double>> numbers(const json& list) {
  std::vector<std::complex<double>> z;
  for (const json& pair : list) z.emplace_back(pair.at(0).get<double>(), pair.at(1).get<double>());
  return z;
}

/// The largest difference, relative to the largest value over t.
double difference(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b) {
  double worst = 0, most = 0;
  for (std::size_t t = 0; t < b.size(); ++t) {
    worst = max_or_nan(worst, std::abs(a.at(t) - b[t]));
    most = std::max(most, std::abs(b[t]));
  }
  return worst / most;
}

const Correlator& find(const std::vector<Correlator>& list, const std::string& channel, const Momentum& p) {
  for (const Correlator& c : list)
    if (c.channel == channel && c.momentum == p) return c;
  throw InputError("no correlator of " + channel + " at " + to_string(p));
}

class PublishedChromaSpectrum : public ::testing::Test {
 protected:
  void SetUp() override {
    KOV_SKIP_WITHOUT_DATA("oracles/chroma_hadspec_wilson_k0.11.json", "chroma_weakfield/weak_field.lime");
    oracle_ = test::oracle("chroma_hadspec_wilson_k0.11.json");
    configuration_ = test::data_folder() / "chroma_weakfield" / "weak_field.lime";
  }

  /// All mesons and baryons of a propagator against a section of the file.
  void compare(const Propagator<double>& s, const std::string& section) {
    const json& expected = oracle_.at("values").at(section);
    const Coord extent = s.lattice().extent();
    const std::vector<Momentum> momenta = momenta_up_to(3);
    const bool smeared_sink = section == "shell_shell";
    // With both ends smeared, signals at p != 0 are a thousandth of those at rest and Chroma summed in single
    // precision: the file's note has 1e-4 for them, but its own verification reached only 1.1e-4 at (1, 1, 1),
    // hence 1.2e-4 there.
    const auto limit = [&](const Momentum& p, double rest) {
      return !smeared_sink || norm2(p) == 0 ? rest : norm2(p) < 3 ? 1e-4 : 1.2e-4;
    };
    const double others = oracle_.at("tolerance").at("others_rel_to_max_over_t");

    const auto meson = average_equivalent_momenta(mesons(s, s, diagonal_mesons(), momenta), extent);
    const auto channels = diagonal_mesons();
    for (std::size_t n = 0; n < 16; ++n)
      for (const auto& [name, values] : expected.at("mesons").at(n).at("mom").items()) {
        const Momentum p = parse(name);
        EXPECT_LT(difference(find(meson, to_string(channels[n]), p).value, numbers(values)), limit(p, others))
            << section << ", gamma " << n << ", p = " << name;
        ++compared_;
      }

    const auto baryon = average_equivalent_momenta(baryons(s, s, standard_baryons(), momenta), extent);
    for (std::size_t n = 0; n < 17; ++n)
      for (const auto& [name, values] : expected.at("baryons").at(n).at("mom").items()) {
        // Baryons 12 and 14 of the file agree digit for digit: both are the unpolarised one.
        const std::string channel = standard_baryons()[n == 14 ? 12 : n].name;
        EXPECT_LT(difference(find(baryon, channel, parse(name)).value, numbers(values)), limit(parse(name), others))
            << section << ", " << channel << ", p = " << name;
        ++compared_;
      }
  }

  static Momentum parse(const std::string& text) {
    std::istringstream in(text);
    Momentum p;
    in >> p[0] >> p[1] >> p[2];
    return p;
  }

  GaugeField<double> gauge() const { return read_gauge<double>(lattice_, configuration_); }
  WuppertalSmearing<double> smearing() const {
    const auto smooth =
        ape(gauge(), ApeSmearing{.weight = 2.5,
                                 .n = 1,
                                 .directions = space_directions,
                                 .projection = {.stop = TraceProjection::Stop::average, .change = 1e-5}});
    return {GaugeLinks<double>(smooth), {.width = 2.0, .iterations = 5}};
  }
  Propagator<double> source() const { return smeared(point_source<double>(lattice_, kSource), smearing()); }
  /// Storage: of the links.
  template <class Storage>
  WilsonOperator<Storage> wilson(const LinkForms& forms = {}) const {
    return {GaugeLinks<Storage>(gauge(), BoundaryAngles::antiperiodic_in_time()), mass_of_kappa(0.11), forms};
  }

  /// All hadrons of a propagator solved to 1e-12, and its pion to more digits.
  void expect_reproduced(const Propagator<double>& s) {
    const auto pion = mesons(s, s, {{15, 15}}, {{0, 0, 0}})[0].value;
    const auto expected = numbers(oracle_.at("values").at("shell_point").at("mesons").at(15).at("mom").at("0 0 0"));
    ASSERT_EQ(pion.size(), expected.size());
    for (std::size_t t = 0; t < pion.size(); ++t)
      EXPECT_LT(std::abs(pion[t] - expected[t]),
                oracle_.at("tolerance").at("pion_p0_rel").get<double>() * std::abs(expected[t]))
          << t;
    compared_ = 0;
    compare(s, "shell_point");
    compare(smeared(s, smearing()), "shell_shell");
    EXPECT_EQ(compared_, 2 * 4 * (16 + 17)) << "the file has four momenta of every hadron";
  }
  /// Column by column.
  void expect_reproduced_by(const Solver<SpinorField<double>>& solver, const WilsonOperator<double>& M) {
    SCOPED_TRACE(solver.name());
    const auto solved = solve_propagator(solver, M, source());
    EXPECT_LE(solved.worst_residual(), 1e-12);
    expect_reproduced(solved.propagator);
  }
  /// All columns at once; Lanes: of the fields.
  template <class Lanes, class S>
  void expect_reproduced_at_once_by(const S& solver, const Operator<SpinorField<double, Lanes>>& M) {
    SCOPED_TRACE(solver.name());
    const SpinorField<double, Lanes> b(lattice_, "source", 12), x = b.like("solution");
    convert(source().columns(), b);
    const SolveReport report = solver(M, b, x);
    EXPECT_LE(report.residual, 1e-12);
    const Propagator<double> s(lattice_, "propagator", {.origin = kSource});
    convert(x, s.columns());
    expect_reproduced(s);
  }

  static constexpr Coord kSource{0, 0, 0, 0};
  static BiCgStab bicgstab() { return {.tolerance = 1e-12}; }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 8}};
  json oracle_;
  std::filesystem::path configuration_;
  int compared_ = 0;
};

TEST_F(PublishedChromaSpectrum, EveryMesonAndBaryonIsReproduced) {
  const auto b = source();
  const double norm = oracle_.at("values").at("source_norm2_t0");
  EXPECT_NEAR(mesons(b, b, {{15, 15}}, {{0, 0, 0}})[0].value[0].real(), norm, 1e-6 * norm);
  const auto solved = solve_propagator(NormalConjugateGradient{.tolerance = 1e-12}, wilson<double>(), b);
  EXPECT_LT(solved.worst_residual(), 1e-11);
  expect_reproduced(solved.propagator);
}

TEST_F(PublishedChromaSpectrum, IsReproducedThroughEvenSitesInBothForms) {
  const auto M = wilson<double>();
  for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric}) {
    expect_reproduced_by(EvenOdd(M, bicgstab(), form), M);
    expect_reproduced_by(EvenOdd(M, NormalConjugateGradient{.tolerance = 1e-12}, form), M);
  }
}

TEST_F(PublishedChromaSpectrum, IsReproducedByDefectCorrection) {
  const auto M = wilson<double>();
  const auto low = wilson<float>();
  expect_reproduced_by(MixedPrecision(low, bicgstab()), M);
  expect_reproduced_by(EvenOdd(M, MixedPrecision(SchurComplement(low), bicgstab())), M);
  // With 16 bits, as a defect correction in float around one in 16 bits: reliable updates of the inner solver.
  using Reduced16 = SchurComplement<float, MassTerm, SpinorField<Fixed16>>;
  const ReliableUpdates<Fixed16, float> inner(Reduced16(low), bicgstab());
  expect_reproduced_by(EvenOdd(M, MixedPrecision(SchurComplement(low), inner)), M);
}

TEST_F(PublishedChromaSpectrum, IsReproducedByReliableUpdatesInFloatAndSixteenBits) {
  const auto M = wilson<double>();
  const auto low = wilson<float>();
  const Operator<SpinorField<Fixed16>> of_16_bits = low;
  expect_reproduced_by(ReliableUpdates(low, bicgstab()), M);
  expect_reproduced_by(ReliableUpdates<Fixed16>(of_16_bits, bicgstab()), M);
  using Reduced16 = SchurComplement<float, MassTerm, SpinorField<Fixed16>>;
  for (const SchurForm form : {SchurForm::asymmetric, SchurForm::symmetric}) {
    expect_reproduced_by(EvenOdd(M, ReliableUpdates(SchurComplement(low, 1, form), bicgstab()), form), M);
    expect_reproduced_by(EvenOdd(M, ReliableUpdates<Fixed16>(Reduced16(low, 1, form), bicgstab()), form), M);
  }
}

TEST_F(PublishedChromaSpectrum, IsReproducedWithLinksOfTwelveReals) {
  const WilsonOperator<Links12<double>> M12 = wilson<Links12<double>>();
  const auto solved = solve_propagator(EvenOdd(M12, bicgstab()), M12, source());
  EXPECT_LE(solved.worst_residual(), 1e-12);
  expect_reproduced(solved.propagator);
  const auto M = wilson<double>();
  const auto low = wilson<Links12<float>>();
  using Reduced16 = SchurComplement<Links12<float>, MassTerm, SpinorField<Fixed16>>;
  expect_reproduced_by(EvenOdd(M, ReliableUpdates(SchurComplement(low), bicgstab())), M);
  expect_reproduced_by(EvenOdd(M, ReliableUpdates<Fixed16>(Reduced16(low), bicgstab())), M);
}

TEST_F(PublishedChromaSpectrum, IsReproducedWithTwelveColumnsAtOnce) {
  const LinkForms forms{.doubled = true, .columns = true};
  const auto M = wilson<double>(forms);
  const auto low = wilson<float>(forms);
  constexpr auto form = SchurForm::symmetric;
  expect_reproduced_at_once_by<SiteLanes>(EvenOdd(M, bicgstab(), form, 12), M);
  using Lanes = ColumnLanes<8>;
  using Low = SchurComplement<float, MassTerm, SpinorField<float, Lanes>>;
  expect_reproduced_at_once_by<Lanes>(bicgstab(), M);
  expect_reproduced_at_once_by<Lanes>(EvenOdd<double, Lanes>(M, bicgstab(), form, 12), M);
  expect_reproduced_at_once_by<Lanes>(
      EvenOdd<double, Lanes>(M, ReliableUpdates<float, double, Lanes>(Low(low, 12), bicgstab()), SchurForm::asymmetric,
                             12),
      M);
  expect_reproduced_at_once_by<ColumnLanes<4>>(NormalBlockConjugateGradient{.tolerance = 1e-13}, M);
}

}  // namespace
}  // namespace kov
