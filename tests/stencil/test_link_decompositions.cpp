// SPDX-License-Identifier: MIT
//
// Everything that is computed from links, on every decomposition of a lattice on the ranks of this run: the bits of one
// rank.  Smearing, flow, gauge fixing, heatbath, and observables with exact sums.
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/gauge/gradient_flow.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/gauge/hyp_smearing.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/observables/field_strength.hpp"
#include "kov/stencil/observables/loops.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "tests/support/bits.hpp"

namespace kov {
namespace {

using test::bits_extent;
using test::checksum;
using test::checksum_of;
using test::Checksums;

template <class T>
void add_smearing(Checksums& table, const GaugeField<T>& gauge) {
  const std::string real = test::in_precision<T>;
  table["stout links" + real] = checksum(stout(gauge, {.rho = 0.1, .n = 1, .directions = all_directions}));
  table["APE links" + real] = checksum(ape(gauge, {.n = 2}));
  const TraceProjection average{.stop = TraceProjection::Stop::average};
  table["APE links, projected together" + real] = checksum(ape(gauge, {.n = 1, .projection = average}));
  table["HYP links" + real] = checksum(hyp(gauge, {}));
  for (const auto& [name, action] : {std::pair{"Wilson", FlowAction::wilson}, {"Symanzik", FlowAction::symanzik}}) {
    GradientFlow<T> flow(gauge, action);
    flow.step(0.02);
    table[std::string(name) + " flow" + real] = checksum(flow.gauge());
  }
  table["field strength" + real] = checksum(field_strength(gauge, FieldStrengthTrace::removed));
}

template <class T>
void add_gauges(Checksums& table, const GaugeField<T>& gauge) {
  const std::string real = test::in_precision<T>;
  for (const auto& [name, condition] :
       {std::pair{"Landau", GaugeCondition::landau}, {"Coulomb", GaugeCondition::coulomb}}) {
    const auto fixed = fix_gauge(gauge, {.condition = condition, .tolerance = 1e-2, .check_every = 4});
    table[std::string(name) + " gauge" + real] = checksum(fixed.transformation);
    const GaugeFixingPoint& end = fixed.result();
    table[std::string(name) + " gauge, where it ended" + real] =
        checksum_of(std::array{double(end.iteration), end.functional, end.theta});
  }
  const auto g = temporal_gauge(gauge);
  table["temporal gauge" + real] = checksum(g);
  table["transformed links" + real] = checksum(gauge_transform(gauge, g));
}

template <class T>
void add_observables(Checksums& table, const GaugeField<T>& gauge) {
  const std::string real = std::string(", exact sum") + test::in_precision<T>;
  constexpr SumMode exact = SumMode::exact;
  table["plaquettes" + real] = checksum_of(plaquettes(gauge, exact).planes);
  table["link trace" + real] = checksum_of(std::array{link_trace(gauge, exact)});
  for (const int direction : {0, 3})
    table["Polyakov loop along " + std::to_string(direction) + real] =
        checksum_of(std::array{polyakov_loop(gauge, exact, direction)});
  const FieldStrengthAverages average = field_strength_averages(gauge, exact);
  table["energy and charge" + real] =
      checksum_of(std::array{average.temporal_energy, average.spatial_energy, average.charge});
  const WilsonLoops loops = wilson_loops(gauge, {.space = 2, .time = 3}, exact);
  table["Wilson loops" + real] = checksum_of(std::array{loops.space_time(2, 3), loops.space_space(2, 2)});
  table["deviation from SU(3)" + real] = checksum_of(std::array{unitarity_deviation(gauge)});
}

/// Everything on the links of a short chain.
template <class T>
void add_all(Checksums& table, const Lattice& lattice) {
  const std::string real = test::in_precision<T>;
  const GaugeField<T> gauge(lattice, "links", 4);
  weak_field_start(gauge, 0.1, 5);
  table["weak field" + real] = checksum(gauge);
  hot_start(gauge, 5);
  table["random links" + real] = checksum(gauge);
  PureGaugeUpdate<T> chain(gauge, 5.9, 8);
  for (int i = 0; i < 2; ++i) chain.heatbath();
  table["heatbath" + real] = checksum(gauge);
  chain.overrelax();
  table["overrelaxation" + real] = checksum(gauge);
  add_smearing(table, gauge);
  if (sizeof(T) == 8) add_gauges(table, gauge);  // hundreds of exchanges
  add_observables(table, gauge);
}

TEST(EveryDecompositionOfLinks, GivesTheBitsOfOneRank) {
  test::expect_bits_of_one_rank(bits_extent, test::Schedules::blocking, [](const Lattice& lattice) {
    Checksums table;
    add_all<double>(table, lattice);
    add_all<float>(table, lattice);
    return table;
  });
}

TEST(EveryDecompositionOfLinks, HasTheSameChunkedSumsAgain) {
  test::expect_the_same_bits_again({8, 8, 8, 12}, [](const Lattice& lattice) {
    Checksums table;
    const GaugeField<double> gauge(lattice, "links", 4);
    hot_start(gauge, 5);
    table["plaquettes"] = checksum_of(plaquettes(gauge).planes);
    table["link trace"] = checksum_of(std::array{link_trace(gauge)});
    table["Polyakov loop"] = checksum_of(std::array{polyakov_loop(gauge)});
    const FlowPoint point = GradientFlow<double>(gauge).measure();
    table["energy and charge"] =
        checksum_of(std::array{point.plaquette_energy, point.temporal_energy, point.spatial_energy, point.charge});
    table["Wilson loop"] = checksum_of(std::array{wilson_loops(gauge, {.space = 1, .time = 2}).space_time(1, 2)});
    return table;
  });
}

}  // namespace
}  // namespace kov
