// SPDX-License-Identifier: MIT
//
// Sources have the bits of one rank on every decomposition of a lattice over the ranks of this run.  Solutions and
// correlators, whose sums are taken in chunks: the same bits blocking and overlapped and on any number of threads.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "tests/support/bits.hpp"

namespace kov {
namespace {

using test::checksum;
using test::checksum_of;
using test::Checksums;

constexpr Momentum p{1, -1, 0};
constexpr Coord origin{1, 2, 3, 5};

template <class T>
void add_sources(Checksums& table, const Lattice& lattice) {
  const std::string real = test::in_precision<T>;
  const auto add = [&](const std::string& what, const SpinorField<T>& source) {
    table["source, " + what + real] = checksum(source);
  };
  add("point", point_source<T>(lattice, origin).columns());
  add("point of one spin and colour", point_source<T>(lattice, origin, 3, 1));
  add("wall", wall_source<T>(lattice, 6).columns());
  add("momentum", momentum_source<T>(lattice, 6, p).columns());
  const Noise noise{.kind = NoiseKind::u1, .seed = 4, .stream = 2};
  add("grid", grid_source<T>(lattice, {.origin = origin, .spacing = {4, 2, 2}}).columns());
  const Propagator<T> points = grid_source<T>(lattice, {.origin = origin, .spacing = {2, 2, 4}, .noise = noise});
  const SpinorField<T>& grid = points.columns();
  add("grid with noise", grid);
  multiply_phase(grid, p, origin);
  add("grid with a phase", grid);
  for (const auto& [kind, name] : {std::pair{NoiseKind::z2, "z2"}, {NoiseKind::z4, "z4"}, {NoiseKind::u1, "u1"}})
    add(std::string(name) + " noise", noise_source<T>(lattice, {.noise = {.kind = kind, .seed = 9}, .t = 2}));
  add("noise everywhere", noise_source<T>(lattice, {.noise = noise, .dilution = Dilution::none}));
  add("noise, spins apart", noise_source<T>(lattice, {.noise = noise, .t = 0, .dilution = Dilution::spin}));
  const Propagator<T> propagator(lattice, "propagator", {.origin = origin});
  fill_noise(propagator.columns(), {.kind = NoiseKind::gaussian, .seed = 3});
  add("sequential", sequential_source(propagator, 4, Gamma::five(), p).columns());
}

TEST(EveryDecompositionOfSources, GivesTheBitsOfOneRank) {
  test::expect_bits_of_one_rank({8, 4, 4, 8}, test::Schedules::blocking, [](const Lattice& lattice) {
    Checksums table;
    add_sources<double>(table, lattice);
    add_sources<float>(table, lattice);
    return table;
  });
}

/// Links of a short chain, with antiperiodic boundary.
template <class T>
GaugeLinks<T> rough_links(const Lattice& lattice) {
  const GaugeField<double> gauge(lattice, "links", 4);
  cold_start(gauge);
  PureGaugeUpdate<double>(gauge, 6, 1).heatbath();
  return GaugeLinks<T>(gauge, BoundaryAngles::antiperiodic_in_time());
}

TEST(EveryDecompositionOfSolutions, IsTheSameAgain) {
  test::expect_the_same_bits_again({8, 4, 4, 8}, [](const Lattice& lattice) {
    Checksums table;
    const WilsonOperator<double> M(rough_links<double>(lattice), 0.5);
    const WilsonOperator<float> low(rough_links<float>(lattice), 0.5);
    const SpinorField<double> b(lattice, "b");
    fill_noise(b, {.seed = 8});
    const auto add = [&](const std::string& name, const auto& solver) {
      const SpinorField<double> x = b.like("x");
      solver(M, b, x);
      table["solution, " + name] = checksum(x);
    };
    const BiCgStab bicgstab{.tolerance = 1e-8};
    add("conjugate gradients", NormalConjugateGradient{.tolerance = 1e-8});
    add("BiCGstab", bicgstab);
    add("mixed precision", MixedPrecision(low, bicgstab));
    add("even-odd, mixed precision", EvenOdd<double>(M, MixedPrecision(SchurComplement(low), bicgstab)));
    return table;
  });
}

template <class T>
void add_correlators(Checksums& table, const Lattice& lattice) {
  const Propagator<T> s(lattice, "quark", {.origin = origin});
  fill_noise(s.columns(), {.kind = NoiseKind::gaussian, .seed = 3});
  const std::vector<Momentum> momenta{{0, 0, 0}, p};
  const auto add = [&](const std::string& what, const std::vector<Correlator>& correlators) {
    std::vector<std::complex<double>> values;
    for (const Correlator& c : correlators) values.insert(values.end(), c.value.begin(), c.value.end());
    table[what + test::in_precision<T>] = checksum_of(values);
  };
  add("256 mesons", mesons<T>(s, s, all_mesons(), momenta));
  add("17 baryons", baryons<T>(s, s, standard_baryons(), momenta));
}

TEST(EveryDecompositionOfCorrelators, IsTheSameAgain) {
  test::expect_the_same_bits_again({8, 4, 4, 8}, [](const Lattice& lattice) {
    Checksums table;
    add_correlators<double>(table, lattice);
    add_correlators<float>(table, lattice);
    return table;
  });
}

}  // namespace
}  // namespace kov
