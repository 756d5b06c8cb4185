// SPDX-License-Identifier: MIT
//
// The memory that `kovariant distill` expects, beside what contractions allocate.
#include "apps/distill/baryons.hpp"
#include "apps/distill/distill_plan.hpp"
#include "apps/distill/two_mesons.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"
#include "kov/core/base/memory_use.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov::app {
namespace test_distill_memory {

/// Zeros.
DistilledQuarks<double> no_quarks(int n, int n_times) {
  return {.n_vectors = n,
          .n_times = n_times,
          .elemental = [](int, int, std::span<Complex<double>>) {},
          .perambulator = [](const std::string&, int, int, std::span<Complex<double>>) {},
          .same_as = {{"d", "u"}}};
}

TEST(DistillMemory, OfTwoMesonsIsWhatOneSinkTakes) {
  constexpr int n = 4, n_times = 2;
  const Coord extent{8, 8, 8, n_times};
  struct Case {
    int max_momentum;
    Momentum total;
    std::vector<int> isospin = {2};
    std::vector<std::string> mesons = {};
    std::vector<std::string> kaon_isospin = {};
  };
  for (const Case& c : std::vector<Case>{{0, {0, 0, 0}},
                                         {1, {0, 0, 0}},
                                         {1, {0, 1, 1}},
                                         {2, {0, 1, 1}},
                                         {0, {0, 0, 0}, {0}},
                                         {1, {0, 0, 0}, {0, 1}, {"a0", "rho", "rho_g4"}},
                                         {2, {0, 1, 1}, {0, 1}, {"rho"}},
                                         {0, {0, 0, 0}, {}, {}, {"1/2", "3/2"}},
                                         {1, {0, 0, 0}, {}, {"K0star", "Kstar"}, {"1/2", "3/2"}},
                                         {1, {0, 0, 1}, {}, {"K0star", "Kstar"}, {"1/2"}},
                                         {2, {0, 1, 1}, {}, {}, {"3/2"}}}) {
    DistillParameters p;
    p.eigenvectors.n = n;
    p.elementals.max_momentum = c.max_momentum;
    p.correlators.two_pions = {c.total};
    p.correlators.two_pion_isospin = c.isospin;
    p.correlators.two_pion_mesons = p.correlators.pion_kaon_mesons = c.mesons;
    p.correlators.pion_kaon_isospin = c.kaon_isospin;
    const MesonPair pair = c.kaon_isospin.empty() ? MesonPair::two_pions : MesonPair::pion_kaon;
    for (const TwoMesonGroup& group : two_meson_groups(p, extent, pair)) {
      const auto contraction =
          multi_meson_contraction<double>(group.operators, no_quarks(n, n_times), {.workspace_bytes = 1});
      // What buffers hold, beside which matrices are on the host, too.
      const double taken = double(most_bytes_of([&] { contraction(no_quarks(n, n_times), {0}, {}); })),
                   expected = two_meson_sink_bytes(p, group);
      EXPECT_LT(taken, expected) << c.max_momentum << ", " << to_string(c.total) << ", isospin "
                                 << isospin_text(group.twice_isospin);
      EXPECT_GT(taken, 0.3 * expected) << c.max_momentum << ", " << to_string(c.total) << ", isospin "
                                       << isospin_text(group.twice_isospin);
    }
  }
}

TEST(DistillMemory, OfBaryonsIsWhatTheyTake) {
  constexpr int n = 6, n_times = 2;
  DistillParameters p;
  p.eigenvectors.n = n;
  p.elementals.max_baryon_momentum = 0;
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"proton"}, {"proton", "proton_np"}, {"delta_pp", "delta_pp_np"}}) {
    p.correlators.baryons = names;
    std::vector<BaryonCorrelation> correlations;
    for (const BaryonOperator& op : wanted_baryon_operators(p)) correlations.push_back({op.name, op, op});
    const double taken = double(most_bytes_of(
                     [&] { distilled_baryons(correlations, 1, no_quarks(n, n_times), {.sources = {0}}); })),
                 expected = baryon_bytes(p, n_times);
    EXPECT_LT(taken, expected) << names.back();
    EXPECT_GT(taken, 0.25 * expected) << names.back();
  }
  // Two quarks have lines of their own.
  for (const char* name : {"light", "strange"}) p.quarks.emplace_back().name = name;
  p.correlators.flavours = {"light", "light", "strange"};
  p.correlators.baryons = {"sigma_p", "xi_z", "lambda_z", "xi_z_np"};
  std::vector<BaryonCorrelation> correlations;
  for (const BaryonOperator& op : wanted_baryon_operators(p)) correlations.push_back({op.name, op, op});
  const double taken =
      double(most_bytes_of([&] { distilled_baryons(correlations, 1, no_quarks(n, n_times), {.sources = {0}}); }));
  EXPECT_LT(taken, baryon_bytes(p, n_times));
  EXPECT_GT(taken, 0.25 * baryon_bytes(p, n_times));
  p.quarks.clear();
  p.correlators = {};
  p.correlators.baryons = {"delta_pp", "delta_pp_np"};
  // A workspace holds one cube at least, however large it is.
  p.eigenvectors.n = 512;
  const double cube = 16 * std::pow(512.0, 3);
  EXPECT_GT(baryon_bytes(p, n_times), (2 * (4 + 4) + 5 + 1 + 1) * cube);
  // What is read from a file is another cube, and two where it is of 16 bits.
  const double expected = baryon_bytes(p, n_times);
  p.output.precision = 16;
  EXPECT_NEAR(baryon_bytes(p, n_times) - expected, cube, 1);
}

/// Ranks that share a time slice have all of its matrices.
TEST(DistillMemory, OfMatricesIsSharedByRanksInTimeAlone) {
  DistillParameters p;
  p.correlators.mesons = {};
  p.eigenvectors.n = 128;
  p.elementals.max_momentum = 6;
  const Coord extent{8, 8, 8, 8};
  const auto bytes = [&](const Coord& grid) { return distill_job_bytes(p, extent, grid); };
  const double elementals = 16.0 * 128 * 128 * 8 * double(p.labels().size());
  EXPECT_NEAR(bytes({2, 1, 1, 1}) - bytes({1, 1, 1, 2}), elementals / 2, 1);
  EXPECT_NEAR(bytes({2, 2, 1, 2}) - bytes({1, 1, 1, 8}), elementals * (0.5 - 0.125), 1);
  EXPECT_GT(bytes({2, 2, 2, 1}), elementals);
  p.eigenvectors.n = 64;
  p.elementals.max_momentum = 0;
  p.elementals.displacements = {"1"};
  p.correlators.baryons = {"proton"};
  const double of_baryons = 16.0 * 64 * 64 * 64 * double(p.baryon_momenta().size());
  EXPECT_NEAR(bytes({2, 1, 1, 1}) - bytes({1, 1, 1, 2}), of_baryons * 4, 1);
}

}  // namespace test_distill_memory
}  // namespace kov::app
