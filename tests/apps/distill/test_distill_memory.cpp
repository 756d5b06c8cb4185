// SPDX-License-Identifier: MIT
//
// The memory that `kovariant distill` expects, beside what contractions allocate.
#include "apps/distill/baryons.hpp"
#include "apps/distill/distill_correlators.hpp"
#include "apps/distill/distill_plan.hpp"
#include "apps/distill/two_mesons.hpp"
#include "apps/quarks/quark_operator.hpp"
#include "kov/contractions/distillation/baryon_elementals.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"
#include "kov/contractions/distillation/eigenvector_file.hpp"
#include "kov/contractions/distillation/elementals.hpp"
#include "kov/contractions/distillation/perambulators.hpp"
#include "kov/contractions/engine/engine_group.hpp"
#include "kov/contractions/engine/stream.hpp"
#include "kov/core/base/memory_use.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "tests/core/io/io_support.hpp"

#include <algorithm>
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
                 expected = baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes);
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
  EXPECT_LT(taken, baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes));
  EXPECT_GT(taken, 0.25 * baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes));
  p.quarks.clear();
  p.correlators = {};
  p.correlators.baryons = {"delta_pp", "delta_pp_np"};
  // A workspace holds one cube at least, however large it is.
  p.eigenvectors.n = 512;
  const double cube = 16 * std::pow(512.0, 3);
  EXPECT_GT(baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes), (2 * (4 + 4) + 5 + 1 + 1) * cube);
  // What is read from a file is another cube, and two where it is of 16 bits.
  const double expected = baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes);
  p.output.precision = 16;
  EXPECT_NEAR(baryon_bytes(p, n_times, DistilledBaryonOptions{}.workspace_bytes) - expected, cube, 1);
}

/// Ranks that share a time slice have all of its matrices.
TEST(DistillMemory, OfMatricesIsSharedByRanksInTimeAlone) {
  DistillParameters p;
  p.correlators.mesons = {};
  p.eigenvectors.n = 128;
  p.elementals.max_momentum = 6;
  const Coord extent{8, 8, 8, 8};
  const auto bytes = [&](const Coord& grid) {
    return distill_bytes(p, extent, grid, DistillBatches::of(p), {std::begin(distill_steps), std::end(distill_steps)});
  };
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

/// What single mesons of all momenta take, streamed and not.
TEST(DistillMemory, OfSingleMesonsIsWhatTheyTake) {
  constexpr int n = 8, n_times = 4;
  DistillParameters p;
  p.eigenvectors.n = n;
  p.correlators.mesons = {"pion", "rho_x"};
  const int e = int(p.elementals.displacements.size()), n_momenta = 7;
  for (const std::size_t slice_bytes : {std::size_t(1), StreamOptions{}.slice_bytes})
    for (const std::size_t workspace : {std::size_t(1), std::size_t(1) << 20, EngineOptions{}.workspace_bytes}) {
      DistillBatches batches = DistillBatches::of(p);
      batches.meson_bytes = workspace;
      batches.slice_bytes = slice_bytes;
      EXPECT_EQ(keeps_elementals(p, n_times, 1, batches), slice_bytes > 1);
      const double of_sink = 16.0 * (2 * 16 * e * n * n + 2 * 256 * e * e);
      const int at_once = int(std::clamp(4 * double(workspace) / of_sink, 1.0, double(n_momenta)));
      std::vector<FactorisedOperator> operators;
      for (int g = 0; g < 2; ++g)
        for (int d = 0; d < e; ++d) operators.push_back({d, g == 0 ? Gamma::five() : Gamma::direction(0)});
      const double taken = double(most_bytes_of([&] {
        std::vector<FactorisedEngine<double>> engines;
        for (int k = 0; k < at_once; ++k)
          engines.emplace_back(operators, e, n, n_times,
                               EngineOptions{.workspace_bytes = workspace / std::size_t(at_once)});
        EngineGroup<FactorisedEngine<double>> group(std::move(engines));
        const SliceReader<double> zeros{.slice = [](int, std::span<Complex<double>>) {},
                                        .perambulator = [](int, int, std::span<Complex<double>>) {}};
        add_correlators(group, zeros, {.sources = {0}, .slice_bytes = slice_bytes});
      }));
      const double expected = correlator_bytes(p, n_times, 1, batches);
      EXPECT_LT(taken, expected) << slice_bytes << " " << workspace;
      EXPECT_GT(taken, 0.25 * expected) << slice_bytes << " " << workspace;
    }
}

/// Eigenvectors from a file, some of them or all.
TEST(DistillMemory, OfEigenvectorsIsWhatTheyTake) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED memory of eigenvectors: this build has no HDF5";
  const Lattice lattice(Comm::world(), {8, 8, 8, 8});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  hot_start(gauge, 1);
  const Coord& grid = lattice.geometry().grid();
  const double sites = double(lattice.geometry().local_volume());
  DistillParameters p;
  p.eigenvectors.n = 24;
  p.elementals.displacements = {"1", "dx"};
  p.elementals.max_momentum = 0;
  p.correlators.baryons = {"proton"};
  p.elementals.max_baryon_momentum = 0;
  p.action.mass = 6;
  p.solver.columns = "together";
  p.solver.tolerance = 1e-3;
  const GaugeLinks<double> links(gauge);
  const test::Folder folder(lattice.comm());
  const auto path = folder / "vectors.h5";
  {
    const SliceEigenvectors<double> noise{.vectors = Field<ColorVector, double>(lattice, "vectors", 24),
                                          .values = std::vector<double>(24 * 8),
                                          .residuals = std::vector<double>(24 * 8),
                                          .report = {}};
    fill_noise(noise.vectors, {.seed = 1});
    write_eigenvectors(path, noise);
  }
  for (const int at_once : {0, 8}) {
    DistillBatches batches = DistillBatches::of(p);
    batches.vectors = at_once;
    const auto groups = [&] {
      return at_once == 0 ? VectorGroups<double>(read_eigenvectors<double>(lattice, path).vectors)
                          : eigenvector_groups<double>(lattice, path, at_once);
    };
    const auto expect_bytes = [&](DistillStep step, const std::function<void()>& f) {
      f();  // what the lattice keeps is made
      // Without the configuration and the links of the Laplacian.
      const double taken = double(most_bytes_of(f)),
                   expected = distill_step_bytes(p, lattice.extent(), grid, batches, step) - 8 * 72 * 3 * sites;
      EXPECT_LT(taken, expected) << at_once << " " << int(step);
      EXPECT_GT(taken, 0.6 * expected) << at_once << " " << int(step);
    };
    expect_bytes(DistillStep::elementals,
                 [&] { elementals(links, groups(), p.labels(), {.columns = batches.displaced}); });
    expect_bytes(DistillStep::baryon_elementals,
                 [&] { baryon_elementals(groups(), p.baryon_momenta(), {.columns = batches.pairs}); });
    expect_bytes(DistillStep::perambulators, [&] {
      const auto quark = quark_operator<double>(gauge, p.action, p.solver, 12);
      const SourceCoefficient one = [](int source, int t, int n, int spin) {
        return t == 0 && spin == 0 && n == source ? 1.0 : 0.0;
      };
      perambulators<SiteLanes>(groups(), *quark.solver, *quark.M, 12, one, {.columns = 12});
    });
  }
}

DistillParameters large_job() {
  DistillParameters p;
  p.eigenvectors.n = 64;
  p.correlators.two_pions = {{0, 0, 0}};
  p.correlators.baryons = {"proton"};
  p.elementals.max_baryon_momentum = 0;
  return p;
}
const std::vector<DistillStep> all_steps{std::begin(distill_steps), std::end(distill_steps)};

TEST(DistillMemory, HasBatchesThatFit) {
  const DistillParameters p = large_job();
  const Coord extent{16, 16, 16, 32}, grid{1, 1, 1, 2};
  const DistillBatches largest = DistillBatches::of(p);
  const double all = distill_bytes(p, extent, grid, largest, all_steps);
  const DistillBatches plenty = batches_that_fit(p, extent, grid, all_steps, all);
  EXPECT_EQ(plenty.slices, 0);
  EXPECT_EQ(plenty.columns, largest.columns);
  EXPECT_EQ(plenty.meson_bytes, largest.meson_bytes);
  EXPECT_EQ(plenty.slice_bytes, largest.slice_bytes);
  int fitted = 0;
  double before = all;
  for (double bytes = all;; bytes *= 0.9) {
    DistillBatches batches;
    try {
      batches = batches_that_fit(p, extent, grid, all_steps, bytes);
    } catch (const InputError&) {
      break;
    }
    ++fitted;
    const double needed = distill_bytes(p, extent, grid, batches, all_steps);
    EXPECT_LE(needed, bytes);
    EXPECT_LE(needed, before);
    before = needed;
  }
  EXPECT_GT(fitted, 3);
  // A step alone, down to its smallest.
  const auto smallest = [&](DistillStep step) {
    DistillBatches batches;
    for (double bytes = distill_step_bytes(p, extent, grid, largest, step);; bytes *= 0.98) try {
        batches = batches_that_fit(p, extent, grid, {step}, bytes);
      } catch (const InputError&) {
        return batches;
      }
  };
  EXPECT_EQ(smallest(DistillStep::eigenvectors).slices, 2);
  EXPECT_GT(smallest(DistillStep::eigenvectors).vectors, 0);
  EXPECT_EQ(smallest(DistillStep::elementals).vectors, 8);
  EXPECT_EQ(smallest(DistillStep::baryon_elementals).vectors, 8);
  EXPECT_EQ(smallest(DistillStep::baryon_elementals).pairs, 1);
  EXPECT_EQ(smallest(DistillStep::perambulators).vectors, 8);
  EXPECT_EQ(plenty.vectors, 0);
  // Vectors are read again before solves have fewer columns.
  const double of_solves = distill_step_bytes(p, extent, grid, largest, DistillStep::perambulators);
  const DistillBatches streamed = batches_that_fit(p, extent, grid, {DistillStep::perambulators}, 0.95 * of_solves);
  EXPECT_GT(streamed.vectors, 8);
  EXPECT_EQ(streamed.columns, largest.columns);
  EXPECT_EQ(smallest(DistillStep::perambulators).columns, std::vector<int>{1});
  EXPECT_FALSE(keeps_elementals(p, extent[3], 2, smallest(DistillStep::mesons)));
  EXPECT_LT(smallest(DistillStep::two_pions).two_meson_bytes, largest.two_meson_bytes);
  EXPECT_LT(smallest(DistillStep::baryons).baryon_bytes, largest.baryon_bytes);
  // What is finished needs nothing.
  EXPECT_EQ(batches_that_fit(p, extent, grid, {DistillStep::mesons}, all / 8).columns, largest.columns);
}

/// With few vectors, where a group of some and what is read and copied beside it can take more than all of them.
TEST(DistillMemory, HasGroupsOfVectorsOnlyWhereAllDoNotFit) {
  const Coord extent{16, 16, 16, 32}, grid{1, 1, 1, 2};
  DistillParameters p;
  p.correlators.baryons = {"proton"};
  p.elementals.max_baryon_momentum = 0;
  for (const auto& steps : {std::vector<DistillStep>{DistillStep::elementals, DistillStep::perambulators},
                            {DistillStep::elementals},
                            {DistillStep::baryon_elementals},
                            {DistillStep::eigenvectors, DistillStep::elementals, DistillStep::perambulators},
                            {DistillStep::eigenvectors, DistillStep::elementals, DistillStep::baryon_elementals}})
    for (const int n : {2, 3, 9, 10, 16, 24, 40}) {
      p.eigenvectors.n = n;
      // Whether there are batches that fit, with one of these numbers of vectors and so many columns.
      const auto any_fits = [&](const std::vector<int>& vectors, int columns, double bytes) {
        DistillBatches b = DistillBatches::of(p);
        b.columns = {columns};
        for (const int v : vectors)
          for (const int moved : {16, 8, 4, 2, 1})
            for (const int slices : {0, 8, 4, 2}) {
              b.vectors = v;
              b.displaced = b.pairs = moved;
              b.slices = slices;
              if (distill_bytes(p, extent, grid, b, steps) <= bytes) return true;
            }
        return false;
      };
      bool moves_fewer = false;
      for (double bytes = distill_bytes(p, extent, grid, DistillBatches::of(p), steps);; bytes *= 0.985) try {
          const DistillBatches found = batches_that_fit(p, extent, grid, steps, bytes);
          EXPECT_LE(distill_bytes(p, extent, grid, found, steps), bytes) << n;
          const bool fewer = found.displaced < 16 || found.pairs < 16;
          moves_fewer |= found.vectors == 0 && fewer;
          if (found.vectors > 0 && (n < 25 || fewer)) {
            EXPECT_FALSE(any_fits({0}, found.columns.front(), bytes))
                << n << " vectors, " << found.vectors << " in memory, of " << bytes;
          }
        } catch (const InputError&) {
          EXPECT_FALSE(any_fits({0, std::min(8, (n + 1) / 2)}, 1, bytes)) << n << " vectors, of " << bytes;
          break;
        }
      if (steps.size() == 1) {
        EXPECT_TRUE(moves_fewer) << n;
      }
    }
}

TEST(DistillMemory, IsRefusedWithWhatWouldFit) {
  DistillParameters p = large_job();
  const Coord extent{16, 16, 16, 32}, grid{1, 1, 1, 2};
  const auto least_bytes = [&](int n) {
    p.eigenvectors.n = n;
    double least = distill_bytes(p, extent, grid, DistillBatches::of(p), all_steps);
    try {
      for (;; least *= 0.999) batches_that_fit(p, extent, grid, all_steps, least);
    } catch (const InputError&) {
    }
    return least;
  };
  const double few = least_bytes(40), many = least_bytes(64);
  ASSERT_LT(few, many);
  for (const double bytes : {0.7 * few + 0.3 * many, 0.3 * few + 0.7 * many}) {
    p.eigenvectors.n = 64;
    std::string text;
    try {
      batches_that_fit(p, extent, grid, all_steps, bytes);
    } catch (const InputError& error) {
      text = error.what();
    }
    const std::string before = "set eigenvectors.n to ";
    ASSERT_NE(text.find(before), text.npos) << text;
    const int fit = std::stoi(text.substr(text.find(before) + before.size()));
    p.eigenvectors.n = fit;
    EXPECT_NO_THROW(batches_that_fit(p, extent, grid, all_steps, bytes));
    p.eigenvectors.n = fit + 1;
    EXPECT_THROW(batches_that_fit(p, extent, grid, all_steps, bytes), InputError);
  }
  EXPECT_THROW(batches_that_fit(p, extent, grid, all_steps, 1e6), InputError);
}

}  // namespace test_distill_memory
}  // namespace kov::app
