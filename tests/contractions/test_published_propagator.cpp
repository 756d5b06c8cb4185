// SPDX-License-Identifier: MIT
//
// A Wilson-clover propagator from a smeared source that lalibe computed: the naive operator applied to it gives our
// smeared source, and ours solved from that source is the same on all sites.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/contractions/published_propagator.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/clover.hpp"
#include "tests/reference/gather.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using test::published_propagator;

class PublishedPropagator : public ::testing::Test {
 protected:
  void SetUp() override {
    KOV_SKIP_WITHOUT_DATA("oracles/lalibe_clover_propagator_t4.json", "chroma_weakfield/weak_field.lime",
                          "lalibe/test_propagator_t4.h5");
    if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED against the published propagator: this build has no HDF5";
    const auto folder = test::data_folder();
    oracle_ = nlohmann::json::parse(test::bytes_of(folder / "oracles" / "lalibe_clover_propagator_t4.json"));
    const Lattice lattice(Comm::world(), {4, 4, 4, 8});
    gauge_ = read_gauge<double>(lattice, folder / "chroma_weakfield" / "weak_field.lime");
    published_.emplace(
        published_propagator(folder / "lalibe" / "test_propagator_t4.h5", "sh_sig2p0_n5/PS_dn_4", lattice.extent()));
  }
  /// The parameters' "SHELL 0 0 0 4 gaussian w=2.0 N=5, no link smearing".
  Propagator<double> source() const {
    const WuppertalSmearing<double> smear(GaugeLinks<double>(gauge_), {.width = 2, .iterations = 5});
    return smeared(point_source<double>(gauge_.lattice(), origin), smear);
  }
  double mass() const { return oracle_["parameters"]["mass"]; }
  double csw() const { return oracle_["parameters"]["csw"]; }

  static constexpr Coord origin{0, 0, 0, 4};
  nlohmann::json oracle_;
  GaugeField<double> gauge_;
  std::optional<GlobalArray> published_;
};

TEST_F(PublishedPropagator, IsSolvedFromOurSmearedSource) {
  const Propagator<double> smeared_source = source();
  const double norm = oracle_["values"]["source_norm2"];
  EXPECT_NEAR(norm2(smeared_source.columns()), norm, 1e-13 * norm);

  const GlobalArray u = gather(gauge_), ours = gather(smeared_source.columns());
  double on_slice = 0, elsewhere = 0;
  for (int k = 0; k < 12; ++k) {
    const GlobalArray ms = reference::wilson_clover(u, reference::part(*published_, 12 * k, 12), mass(), csw(),
                                                    BoundaryAngles::antiperiodic_in_time().angle);
    reference::for_each_coordinate(u.extent, [&](const Coord& x) {
      for (int i = 0; i < 12; ++i) {
        double& worst = x[3] == origin[3] ? on_slice : elsewhere;
        worst = max_or_nan(worst, std::abs(ms.at(x)[i] - ours.at(x)[12 * k + i]));
      }
    });
  }
  EXPECT_LE(on_slice, oracle_["tolerance"]["smeared_source_abs"].get<double>());
  EXPECT_LE(elsewhere, oracle_["tolerance"]["residual_per_timeslice_abs"].get<double>());
  RecordProperty("difference of the smeared sources", ::testing::PrintToString(on_slice));
  RecordProperty("residual elsewhere", ::testing::PrintToString(elsewhere));
}

TEST_F(PublishedPropagator, IsOurSolutionOnAllSitesWithAndWithoutElimination) {
  const WilsonCloverOperator<double> M(gauge_, BoundaryAngles::antiperiodic_in_time(), {.mass = mass(), .c_sw = csw()});
  const BiCgStab bicgstab{.tolerance = 1e-13};
  const Propagator<double> smeared_source = source();
  const double tolerance = oracle_["tolerance"]["residual_per_timeslice_abs"];
  const auto all_sites = solve_propagator(bicgstab, M, smeared_source);
  EXPECT_LE(max_difference(all_sites.propagator.columns(), *published_), tolerance) << "all sites";
  const auto even_odd = solve_propagator(EvenOdd(M, bicgstab), M, smeared_source);
  EXPECT_LE(max_difference(even_odd.propagator.columns(), *published_), tolerance) << "even-odd";
  EXPECT_LT(even_odd.iterations(), 0.8 * all_sites.iterations());
  const auto symmetric = solve_propagator(EvenOdd(M, bicgstab, SchurForm::symmetric), M, smeared_source);
  EXPECT_LE(max_difference(symmetric.propagator.columns(), *published_), tolerance) << "even-odd, symmetric";
}

TEST_F(PublishedPropagator, IsOurSolutionWithTwelveColumnsAtOnceInMixedPrecision) {
  const BoundaryAngles boundary = BoundaryAngles::antiperiodic_in_time();
  const CloverParameters parameters{.mass = mass(), .c_sw = csw()};
  const LinkForms forms{.columns = true};
  using Lanes = ColumnLanes<8>;
  const WilsonCloverOperator<double> M(gauge_, boundary, parameters, forms);
  const SchurComplement<float, CloverTerm<float>, SpinorField<float, Lanes>> low(
      WilsonCloverOperator<float>(gauge_, boundary, parameters, forms), 12);
  const EvenOdd<double, Lanes> solve(M, ReliableUpdates<float, double, Lanes>(low, BiCgStab{.tolerance = 1e-13}),
                                     SchurForm::asymmetric, 12);
  const SpinorField<double, Lanes> b(gauge_.lattice(), "source", 12), x = b.like("solution");
  convert(source().columns(), b);
  solve(M, b, x);
  EXPECT_LE(max_difference(x, *published_), oracle_["tolerance"]["residual_per_timeslice_abs"].get<double>());
}

}  // namespace
}  // namespace kov
