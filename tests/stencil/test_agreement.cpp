// SPDX-License-Identifier: MIT
//
// Parameters that ranks disagree about are refused on every rank, before a message is sent.
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/gauge/gradient_flow.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/observables/loops.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/support/every_rank.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace {

TEST(Agreement, ParametersThatRanksDisagreeAboutAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  if (comm.size() == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  const bool other = comm.rank() == comm.size() - 1;
  const Lattice lattice(comm, {4, 4, 4, 8});
  const GaugeField<double> gauge(lattice, "gauge", 4);
  hot_start(gauge, 1);
  const GaugeLinks<double> links(gauge);
  const auto refused = [](const std::function<void()>& f) { return throws_everywhere(f); };
  EXPECT_TRUE(refused([&] { hot_start(gauge, other ? 1 : 2); }));
  EXPECT_TRUE(refused([&] { PureGaugeUpdate<double>(gauge, other ? 6.0 : 6.0 + 1e-12, 1); }));
  EXPECT_TRUE(refused([&] { PureGaugeUpdate<double>(gauge, 6, other ? 1 : 2); }));
  EXPECT_TRUE(refused([&] { QuenchedEnsemble<double>(lattice, {.n_thermalise = other ? 3 : 4}); }));
  EXPECT_TRUE(refused([&] { QuenchedEnsemble<double>(lattice, {.n_between = other ? 0 : 1}); }));
  EXPECT_TRUE(refused([&] { QuenchedEnsemble<double>(gauge, {.n_thermalise = 1}, other ? 1 : 2); }));
  EXPECT_TRUE(refused([&] { WuppertalSmearing<double>(links, {1, other ? 4 : 5}); }));
  EXPECT_TRUE(refused([&] { WuppertalSmearing<double>(links, {other ? -1.0 : 1.0, 4}); }));
  EXPECT_TRUE(refused([&] { ProfileSmearing<double>(links, gaussian_profile(other ? 1 : 1.001), {.order = 8}); }));
  EXPECT_TRUE(refused([&] { ProfileSmearing<double>(links, gaussian_profile(1), {.order = other ? 8 : 9}); }));
  EXPECT_TRUE(
      refused([&] { ProfileSmearing<double>(links, gaussian_profile(1), {.accuracy = {other ? 1e-30 : 1e-6}}); }));
  EXPECT_TRUE(refused([&] { stout(gauge, {.rho = other ? 0.1 : 0.11}); }));
  EXPECT_TRUE(refused([&] { stout(gauge, {.n = other ? 1 : 2}); }));
  EXPECT_TRUE(refused([&] { ape(gauge, {.directions = other ? all_directions : space_directions}); }));
  EXPECT_TRUE(refused([&] { hyp(gauge, {.alpha3 = other ? 0.3 : 0.31}); }));
  EXPECT_TRUE(refused([&] { gradient_flow(gauge, {.time = other ? 0.02 : 0.04}); }));
  EXPECT_TRUE(refused([&] { gradient_flow(gauge, {.time = 0.04, .measure_every = other ? 1 : 2}); }));
  EXPECT_TRUE(refused([&] { fix_gauge(gauge, {.tolerance = other ? 1e-1 : 1e-2}); }));
  EXPECT_TRUE(refused([&] {
    fix_gauge(gauge, {.condition = other ? GaugeCondition::coulomb : GaugeCondition::landau, .tolerance = 0.1});
  }));
  EXPECT_TRUE(refused([&] { wilson_loops(gauge, {.space = other ? 1 : 2, .time = 1}); }));
  EXPECT_FALSE(refused([&] { wilson_loops(gauge, {.space = 1, .time = 1}); }));
}

}  // namespace
}  // namespace kov
