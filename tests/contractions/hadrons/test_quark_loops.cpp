// SPDX-License-Identifier: MIT
//
// Quark loops: exact ones from unit sources, noise around them, and what dilution, hopping expansion and modes leave as
// it is.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/contractions/energies/resampling.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/functions/spectral_bounds.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/contractions/instance_support.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/near_unit_links.hpp"

namespace kov {
namespace {
namespace loops {

using reference::gather;
using reference::GlobalArray;
using reference::Number;

class QuarkLoops : public ::testing::Test {
 protected:
  static WilsonOperator<double> wilson(const Lattice& lattice) {
    const auto gauge = reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 51));
    return {GaugeLinks<double>(gauge, BoundaryAngles::antiperiodic_in_time()), mass};
  }
  static BiCgStab solver() { return {.tolerance = 1e-13}; }
  /// sum_x e^{i p.x} Tr[Gamma S(x, x)], S from a unit source at every site.
  std::vector<Number> exact(int n, const Momentum& p) const {
    std::vector<Number> loop(n_times);
    const reference::Matrix4 gamma = reference::gamma(n);
    reference::for_each_coordinate(lattice_.extent(), [&](const Coord& x) {
      const GlobalArray& s = at_each_site().at(x);
      Number trace = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          for (int a = 0; a < 3; ++a)
            trace += gamma[std::size_t(i)][std::size_t(j)] * s.data[std::size_t(12 * (3 * i + a) + 3 * j + a)];
      loop[std::size_t(x[3])] += reference::phase(lattice_.extent(), p, x, {0, 0, 0, 0}) * trace;
    });
    return loop;
  }
  /// S(x, x) at every x, an array of one site each.
  const std::map<Coord, GlobalArray>& at_each_site() const {
    static const std::map<Coord, GlobalArray> all = [&] {
      std::map<Coord, GlobalArray> found;
      reference::for_each_coordinate(lattice_.extent(), [&](const Coord& x) {
        const auto s = solve_propagator(solver(), M_, point_source<double>(lattice_, x));
        const GlobalArray everywhere = gather(s.propagator);
        GlobalArray here({1, 1, 1, 1}, 144);
        std::copy_n(everywhere.at(x), 144, here.data.begin());
        found.emplace(x, here);
      });
      return found;
    }();
    return all;
  }
  void expect_exact(const std::vector<Correlator>& loops, const std::string& what) const {
    for (const Correlator& c : loops) {
      const auto n = std::find(meson_names().begin(), meson_names().end(), c.channel) - meson_names().begin();
      const auto expected = exact(int(n), c.momentum);
      for (std::size_t t = 0; t < n_times; ++t)
        EXPECT_LT(std::abs(c.value[t] - expected[t]), 1e-11 * scale)
            << what << ", " << c.channel << ", p = " << to_string(c.momentum) << ", t = " << t;
    }
  }

  static constexpr double mass = 0.4, scale = 8 * 12;
  static constexpr std::size_t n_times = 4;
  static constexpr LoopDilution all{.time = 4, .space = 2, .spin = true, .color = true};
  const Lattice lattice_{Comm::world(), {2, 2, 2, 4}};
  const WilsonOperator<double> M_ = wilson(lattice_);
  const std::vector<Momentum> momenta_{{0, 0, 0}, {1, 0, 1}};
};

TEST_F(QuarkLoops, OfAllPartsAreExactForAnyNoiseOfUnitSize) {
  EXPECT_EQ(all.n_parts(), 384);
  const auto loops = quark_loops<double>(solver(), M_, lattice_, {.dilution = all}, momenta_);
  ASSERT_EQ(loops.size(), 16u * 2);
  EXPECT_EQ(loops[0].kind, "loop");
  EXPECT_EQ(std::get<std::int64_t>(loops[0].labels.at("hit")), 0);
  expect_exact(loops, "z4");
  EXPECT_GT(std::abs(loops[0].value[0]), 0.1 * scale) << "the scalar loop";
  const auto diluted =
      quark_loops<double>(solver(), M_, lattice_,
                          {.noise = {.kind = NoiseKind::u1, .seed = 3},
                           .dilution = {.time = 4, .space = 1, .spin = true, .color = true, .parity = true}},
                          momenta_);
  double difference = 0;
  for (std::size_t t = 0; t < n_times; ++t)
    difference = std::max(difference, std::abs(diluted[0].value[t] - loops[0].value[t]));
  EXPECT_GT(difference, 1e-9 * scale) << "sites of one part are noise to each other";
  EXPECT_LT(difference, 0.1 * scale);
}

TEST_F(QuarkLoops, HoppingExpansionAndModesLeaveExactLoopsAsTheyAre) {
  const HoppingExpansion hopping{.order = 2, .diagonal = 4 + mass};
  const LoopModes<double> low = loop_modes<double>(M_, lattice_, {.n = 5, .tolerance = 1e-9});
  // Beside eigenvectors, vectors that are not eigenvectors.
  const SpinorField<double> vectors(lattice_, "modes", 7);
  reference::load(vectors, reference::random_array(lattice_.extent(), 7 * 12, 7));
  copy(low.vectors, vectors.components(0, 5));
  LoopModes<double> modes{vectors.alias(), low.values};
  modes.values.insert(modes.values.end(), {0.3, -20});
  expect_exact(quark_loops<double>(solver(), M_, lattice_, {.dilution = all, .hopping = hopping}, momenta_, &modes),
               "modes");
}

TEST_F(QuarkLoops, OnAnyInstanceAreTheSame) {
  const LoopModes<double> modes = loop_modes<double>(M_, lattice_, {.n = 2, .tolerance = 1e-6});
  const LoopParameters parameters{.dilution = {.time = 2}, .hopping = {.order = 1, .diagonal = 4 + mass}};
  using F = SpinorField<double>;
  const Exec other = test::own_instance();
  int on_other = 0;
  // What does not wait for this operator reads what its result was before.
  const Operator<F> slow([&](const F& in, const F& out, const Exec& exec) {
    if (!(exec == other)) return M_.apply(in, out, exec);
    ++on_other;
    const F product = out.like("product", exec);
    M_.apply(in, product, exec);
    test::slow_copy(product, out, exec);
  });
  const auto on = [&](const Exec& exec) {
    const LoopModes<double> low{modes.vectors.like("modes"), modes.values};
    Kokkos::fence("modes are ready");
    test::slow_copy(modes.vectors, low.vectors, exec);
    return test::values_of(
        quark_loops<double>(BiCgStab{.tolerance = 1e-6}, slow, lattice_, parameters, momenta_, &low, exec));
  };
  const auto expected = on(Exec());
  EXPECT_NE(expected[0][0], Number(0));
  EXPECT_EQ(on_other, 0);
  EXPECT_EQ(on(other), expected);
  EXPECT_EQ(on_other, 2 + parameters.dilution.n_parts()) << "hopping expansions of modes and parts";
}

/// Tr[Gamma (1 - M / d)^k] for k = 1, 2, 3, from unit sources: what the expansion leaves out.
TEST_F(QuarkLoops, NoPathOfFewerThanFourLinksCloses) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto M = wilson(lattice);
  double worst = 0, fourth = 0;
  for (const Coord& x : {Coord{0, 0, 0, 0}, Coord{1, 3, 0, 2}, Coord{3, 2, 3, 3}}) {
    Propagator<double> s = point_source<double>(lattice, x);
    const Propagator<double> of_m = s.like("M s");
    for (int k = 1; k <= 4; ++k) {
      M.apply(s.columns(), of_m.columns());
      axpy(-1 / (4 + mass), of_m.columns(), s.columns());
      const GlobalArray now = gather(s);
      for (int i = 0; i < 16; ++i) {
        Number trace = 0;
        for (int a = 0; a < 3; ++a) trace += reference::quark(now, x, i / 4, a, i % 4, a);
        double& most = k < 4 ? worst : fourth;
        most = max_or_nan(most, std::abs(trace));
      }
    }
  }
  EXPECT_LT(worst, 1e-15);
  EXPECT_GT(fourth, 1e-4) << "plaquettes close";
}

TEST_F(QuarkLoops, NoiseIsAroundTheExactLoops) {
  for (const NoiseKind kind : {NoiseKind::z2, NoiseKind::z4, NoiseKind::gaussian}) {
    const int hits = 64;
    const auto loops =
        quark_loops<double>(BiCgStab{.tolerance = 1e-8}, M_, lattice_,
                            {.noise = {.kind = kind, .seed = 11}, .hits = hits, .dilution = {.time = 2}}, momenta_);
    ASSERT_EQ(loops.size(), std::size_t(hits) * 32);
    double chi2 = 0;
    int n = 0;
    for (std::size_t c = 0; c < 32; ++c) {
      const auto expected = exact(int(c / 2), loops[c].momentum);
      for (std::size_t t = 0; t < n_times; ++t) {
        double sum = 0, squares = 0;
        for (int h = 0; h < hits; ++h) {
          const double x = loops[std::size_t(h) * 32 + c].value[t].real() - expected[t].real();
          sum += x;
          squares += x * x;
        }
        const double mean = sum / hits, variance = (squares / hits - mean * mean) / (hits - 1);
        EXPECT_LT(std::abs(mean), 5 * std::sqrt(variance) + 1e-7 * scale) << loops[c].channel << " at t = " << t;
        if (variance > 1e-12) chi2 += mean * mean / variance, ++n;
      }
    }
    EXPECT_GT(n, 60);
    EXPECT_LT(chi2 / n, 2) << int(kind);
    EXPECT_GT(chi2 / n, 0.3) << int(kind);
  }
}

TEST_F(QuarkLoops, DilutionAndHoppingExpansionLeaveLessNoise) {
  const auto spread = [&](const LoopParameters& parameters) {
    const auto loops = quark_loops<double>(BiCgStab{.tolerance = 1e-8}, M_, lattice_, parameters, {{0, 0, 0}});
    double squares = 0;
    for (const Correlator& c : loops) {
      if (c.channel == "pion") squares += std::norm(c.value[1] - exact(15, {0, 0, 0})[1]);
    }
    return std::sqrt(squares / parameters.hits);
  };
  const double plain = spread({.hits = 24});
  EXPECT_LT(spread({.hits = 24, .dilution = {.time = 4, .spin = true}}), 0.8 * plain);
  EXPECT_LT(spread({.hits = 24, .hopping = {.order = 2, .diagonal = 4 + mass}}), 0.9 * plain);
}

/// Eigenvectors of g5 M, and no eigenvalue below them: H^2 lifted by them has none.
TEST_F(QuarkLoops, ModesAreTheLowestEigenvectors) {
  constexpr int n = 12;
  const SpinorField<double> of_m(lattice_, "M x");
  const Operator<SpinorField<double>> H = [&](const SpinorField<double>& in, const SpinorField<double>& out) {
    M_.apply(in, of_m);
    out = Gamma::five() * of_m;
  };
  const auto found = lowest_eigenvectors<double>(H, lattice_, {.n = n, .tolerance = 1e-9});
  ASSERT_EQ(found.vectors.n_components(), n);
  const auto gram = gram_matrix(found.vectors, found.vectors);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_LT(std::abs(gram[std::size_t(i * n + j)] - double(i == j)), 1e-12);
  const SpinorField<double> hv(lattice_, "H v");
  bool positive = false, negative = false;
  for (int i = 0; i < n; ++i) {
    const double lambda = found.values[std::size_t(i)];
    H.apply(found.vectors.column(i), hv);
    axpy(-lambda, found.vectors.column(i), hv);
    EXPECT_LT(std::sqrt(norm2(hv)), 1e-8);
    EXPECT_NEAR(std::sqrt(norm2(hv)), found.residuals[std::size_t(i)], 1e-13);
    EXPECT_GE(std::abs(lambda), std::abs(found.values[std::size_t(std::max(i - 1, 0))]));
    (lambda > 0 ? positive : negative) = true;
  }
  EXPECT_TRUE(positive && negative);
  const SpinorField<double> h2(lattice_, "H H x");
  const Operator<SpinorField<double>> lifted = [&](const SpinorField<double>& in, const SpinorField<double>& out) {
    H.apply(in, h2);
    H.apply(h2, out);
    auto overlaps = gram_matrix(found.vectors, in);
    for (auto& z : overlaps) z *= 20.0;
    rotate_add(found.vectors, std::span<const std::complex<double>>(overlaps), out);
  };
  const double last = found.values.back() * found.values.back();
  EXPECT_GT(spectral_bounds(lifted, h2, {.steps = 150}).low, 0.99 * last);
  EXPECT_THROW(lowest_eigenvectors<double>(H, lattice_, {.n = 0}), InputError);
  EXPECT_THROW(lowest_eigenvectors<double>(H, lattice_, {.n = 400}), InputError);
  EXPECT_FALSE(eigen_memory({.n = 400}).fits(lattice_.volume()));
  EXPECT_THROW(lowest_eigenvectors<double>(H, lattice_, {.n = 2000000000}), InputError) << "and no overflow";
  EXPECT_THROW(lowest_eigenvectors<double>(H, lattice_, {.n = 12, .basis = 14}), InputError);
  EXPECT_THROW(lowest_eigenvectors<double>(H, lattice_, {.n = 12, .tolerance = 1e-30, .max_restarts = 2}),
               ConvergenceError);
}

/// The pion's loop is a sum of 1 / lambda, most of which comes from low modes.
TEST_F(QuarkLoops, LowModesTakeTheirNoiseAway) {
  const auto gauge = reference::gauge_field(lattice_, reference::near_unit_links(lattice_.extent(), 51));
  const WilsonOperator<double> light(GaugeLinks<double>(gauge, BoundaryAngles::antiperiodic_in_time()), 0.02);
  const LoopModes<double> modes = loop_modes<double>(light, lattice_, {.n = 32, .tolerance = 1e-8});
  const auto spread = [&](const LoopModes<double>* with) {
    const int hits = 16;
    const auto loops =
        quark_loops<double>(BiCgStab{.tolerance = 1e-8}, light, lattice_, {.hits = hits}, {{0, 0, 0}}, with);
    double sum = 0, squares = 0;
    for (const Correlator& c : loops) {
      if (c.channel != "pion") continue;
      double all_times = 0;
      for (const auto& z : c.value) all_times += z.real();
      sum += all_times;
      squares += all_times * all_times;
    }
    return std::pair(sum / hits, std::sqrt((squares / hits - sum / hits * sum / hits) / (hits - 1)));
  };
  const auto plain = spread(nullptr), averaged = spread(&modes);
  EXPECT_LT(averaged.second, 0.6 * plain.second) << plain.second << " -> " << averaged.second;
  EXPECT_LT(std::abs(averaged.first - plain.first), 4 * std::hypot(plain.second, averaged.second));
}

TEST(DisconnectedProducts, AreThoseOfDifferentHitsLessTheVacuum) {
  const auto loop = [](const std::vector<Number>& value) {
    return Correlator{.kind = "loop", .channel = "pion", .value = value};
  };
  const std::vector<Correlator> a{loop({1, Number(2, 1)}), loop({3, 4})}, b{loop({5, 6}), loop({Number(0, 7), 8})};
  // P(t) = mean over t0 and pairs of a(t0 + t) b(t0)
  const auto row = disconnected_product(a, b);
  const Number first[2] = {(Number(0, 7) + Number(2, 1) * 8.0) / 2.0, (Number(2, 1) * Number(0, 7) + 8.0) / 2.0};
  const Number second[2] = {(3.0 * 5.0 + 4.0 * 6.0) / 2.0, (4.0 * 5.0 + 3.0 * 6.0) / 2.0};
  ASSERT_EQ(row.size(), 8u);
  for (std::size_t t = 0; t < 2; ++t) {
    const Number expected = 0.5 * (first[t] + second[t]);
    EXPECT_NEAR(row[2 * t], expected.real(), 1e-14);
    EXPECT_NEAR(row[2 * t + 1], expected.imag(), 1e-14);
  }
  EXPECT_NEAR(row[4], 2.5, 1e-14);
  EXPECT_NEAR(row[5], 0.25, 1e-14);
  EXPECT_NEAR(row[6], 4.75, 1e-14);
  EXPECT_NEAR(row[7], 1.75, 1e-14);
  EXPECT_NEAR(vacuum_subtracted(row)[1], row[2] - (2.5 * 4.75 - 0.25 * 1.75), 1e-14);
  EXPECT_EQ(disconnected_product({a[0]}, {b[0]}, false).size(), 8u);
  EXPECT_THROW(disconnected_product({a[0]}, {b[0]}), InputError);
  EXPECT_THROW(disconnected_product({}, b), InputError);
  EXPECT_THROW(disconnected_product(a, {loop({1})}), InputError);
  EXPECT_THROW(vacuum_subtracted({1, 2, 3}), InputError);
}

TEST(DisconnectedProducts, HitsAreToldApartByTheirLabels) {
  const auto loops = [](const std::vector<int>& hits, double first) {
    std::vector<Correlator> all;
    for (const int hit : hits)
      all.push_back({.kind = "loop",
                     .channel = "pion",
                     .labels = {{"hit", std::int64_t(hit)}},
                     .value = {Number(first + hit, 1), Number(2 * hit, first)}});
    return all;
  };
  const auto expect_same = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << i;
  };
  expect_same(disconnected_product(loops({0, 1, 2}, 3), loops({0, 1, 2}, 5)),
              disconnected_product(loops({2, 0, 1}, 3), loops({1, 2, 0}, 5)));
  // Of hits 7 and 8 with 8 and 9 one pair is left out, and of different hits none.
  const auto some = disconnected_product(loops({7, 8}, 3), loops({8, 9}, 5)),
             pairs = disconnected_product(loops({7}, 3), loops({8, 9}, 5), false),
             last = disconnected_product(loops({8}, 3), loops({9}, 5), false);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(some[i], (2 * pairs[i] + last[i]) / 3, 1e-12) << i;
  expect_same(disconnected_product(loops({0}, 3), loops({1}, 5)),
              disconnected_product(loops({0}, 3), loops({1}, 5), false));
  EXPECT_THROW(disconnected_product(loops({1}, 3), loops({1}, 5)), InputError);
  EXPECT_THROW(disconnected_product(loops({1, 1}, 3), loops({1, 2}, 5)), InputError);
  auto unlabelled = loops({0, 1}, 3);
  unlabelled[1].labels.clear();
  EXPECT_THROW(disconnected_product(unlabelled, loops({0, 1}, 5)), InputError);
}

/// Loops with a vacuum value and a particle of known mass on top of it.
TEST(DisconnectedProducts, VacuumOfManyConfigurationsIsSubtracted) {
  constexpr std::size_t n = 8;
  Samples rows;
  SiteRandom random(5, 0, 0);
  const auto normal = [&] { return random.normal_pair().first; };
  for (int configuration = 0; configuration < 400; ++configuration) {
    const double amplitude = normal();
    std::vector<Correlator> hits;
    for (int hit = 0; hit < 2; ++hit) {
      Correlator c{.kind = "loop", .channel = "pion"};
      for (std::size_t t = 0; t < n; ++t) c.value.emplace_back(10 + amplitude + 0.1 * normal(), 0.2 * normal());
      hits.push_back(c);
    }
    rows.push_back(disconnected_product(hits, hits));
  }
  const auto result = jackknife(rows, vacuum_subtracted);
  ASSERT_EQ(result.size(), n);
  for (const Estimate& e : result) {
    EXPECT_NEAR(e.mean, 1, 4 * e.error) << "the variance of the amplitude, and nothing of the vacuum's 100";
    EXPECT_LT(e.error, 0.2);
  }
}

TEST_F(QuarkLoops, WhatDoesNotExistIsRefused) {
  const auto refused = [&](const LoopParameters& parameters) {
    EXPECT_THROW(quark_loops<double>(solver(), M_, lattice_, parameters, momenta_), InputError);
  };
  refused({.hits = 0});
  refused({.dilution = {.time = 3}});
  refused({.dilution = {.space = 4}});
  refused({.dilution = {.time = 2, .space = 2, .parity = true}});
  const LoopDilution points{.time = 32, .space = 32, .spin = true, .color = true};
  EXPECT_EQ(points.n_parts(), std::int64_t(12) << 20);
  EXPECT_EQ((LoopDilution{.time = 256, .space = 256}.n_parts()), std::int64_t(1) << 32);
  EXPECT_THROW(
      quark_loops<double>(solver(), M_, Lattice(lattice_.comm(), {32, 32, 32, 32}), {.dilution = points}, momenta_),
      InputError);
  refused({.hopping = {.order = 3}});
  refused({.hopping = {.order = -1}});
  const LoopModes<double> modes{SpinorField<double>(lattice_, "modes", 2), {1}};
  EXPECT_THROW(quark_loops<double>(solver(), M_, lattice_, {}, momenta_, &modes), InputError);
}

}  // namespace loops
}  // namespace
}  // namespace kov
