// SPDX-License-Identifier: MIT
//
// Distillation with as many vectors as a time slice has numbers is no approximation: its correlators are those of point
// sources, summed over the sites of the source's slice.
#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/contractions/distillation/baryon_elementals.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"
#include "kov/contractions/distillation/elementals.hpp"
#include "kov/contractions/distillation/multi_meson.hpp"
#include "kov/contractions/distillation/perambulators.hpp"
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/contraction.hpp"
#include "tests/reference/near_unit_links.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <numbers>

namespace kov {
namespace test_complete_distillation {

using reference::GlobalArray;
using reference::HostNumbers;
using Number = std::complex<double>;

constexpr Coord extent{2, 2, 2, 8};
constexpr int n_vectors = 24, n_times = 8, t0 = 3;
constexpr std::size_t N = 4 * n_vectors;
const std::vector<Momentum> momenta{{0, 0, 0}, {1, 0, 0}, {0, 1, 1}};

/// Any orthonormal basis of each slice: unit vectors, rotated by a Fourier matrix with phases that depend on time.
Field<ColorVector, double> complete_basis(const Lattice& lattice) {
  GlobalArray units(extent, 3 * n_vectors);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    const int site = x[0] + 2 * (x[1] + 2 * x[2]);
    for (int a = 0; a < 3; ++a) units.at(x)[3 * (3 * site + a) + a] = 1;
  });
  const Field<ColorVector, double> vectors(lattice, "complete basis", n_vectors);
  reference::load(vectors, units);
  SliceMatrices rotation(lattice, 1, n_vectors, n_vectors);
  for (int t = 0; t < rotation.n_slices; ++t)
    for (int i = 0; i < n_vectors; ++i)
      for (int j = 0; j < n_vectors; ++j)
        rotation.at(t)[i * n_vectors + j] =
            std::polar(1 / std::sqrt(double(n_vectors)),
                       2 * std::numbers::pi * i * j / n_vectors + 0.3 * i * (rotation.first + t));
  rotate_by_slice(vectors, rotation, vectors);
  return vectors.alias();
}

/// Both ways to the same quark, from all of one time slice.
struct Everything {
  Lattice lattice{Comm::world(), extent};
  GaugeLinks<double> links{reference::gauge_field(lattice, reference::near_unit_links(extent, 8)),
                           BoundaryAngles::antiperiodic_in_time()};
  WilsonOperator<double> M{links, 0.4};
  Field<ColorVector, double> vectors = complete_basis(lattice);
  Perambulators tau = perambulators(vectors, BiCgStab{.tolerance = 1e-13}, M, t0, {.columns = 24});
  std::vector<Propagator<double>> points;

  Everything() {
    for (int site = 0; site < 8; ++site)
      points.push_back(solve_propagator(BiCgStab{.tolerance = 1e-13}, M,
                                        point_source<double>(lattice, {site & 1, site >> 1 & 1, site >> 2, t0}))
                           .propagator.alias());
  }

  /// What contractions read; elementals: those of mesons, or of baryons.
  DistilledQuarks<double> readers(const SliceMatrices& elementals) const {
    std::vector<std::vector<Number>> slices, taus;
    for (int t = 0; t < n_times; ++t) {
      slices.push_back(slice_on_all_ranks(lattice, elementals, t));
      taus.push_back(slice_on_all_ranks(lattice, tau.matrices, t));
    }
    const auto copy = [](const Number* from, std::span<Complex<double>> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = {from[i].real(), from[i].imag()};
    };
    return {.n_vectors = n_vectors,
            .n_times = n_times,
            .elemental =
                [=](int t, int e, std::span<Complex<double>> to) {
                  copy(slices[std::size_t(t)].data() + std::size_t(e) * to.size(), to);
                },
            .perambulator =
                [=](const std::string&, int sink, int source, std::span<Complex<double>> to) {
                  EXPECT_EQ(source, t0);
                  copy(taus[std::size_t(sink)].data(), to);
                },
            .same_as = {{"d", "u"}}};
  }

  /// Of correlators from each point: their sum, by delta, of correlator number k.
  std::vector<Number> sum_over_points(const std::function<std::vector<Correlator>(const Propagator<double>&)>& of,
                                      std::size_t k) const {
    std::vector<Number> sum(n_times);
    for (const Propagator<double>& s : points) {
      const Correlator c = of(s)[k];
      for (std::size_t t = 0; t < n_times; ++t) sum[t] += c.value[t];
    }
    return sum;
  }
};

class CompleteDistillation : public testing::Test {
 protected:
  static void SetUpTestSuite() { all_ = std::make_unique<Everything>(); }
  static void TearDownTestSuite() { all_.reset(); }
  static const Everything& everything() { return *all_; }

 private:
  inline static std::unique_ptr<Everything> all_;
};

Momentum minus(const Momentum& p) { return {-p[0], -p[1], -p[2]}; }

TEST_F(CompleteDistillation, HasTheMesonsOfPointSources) {
  const Everything& all = everything();
  std::vector<ElementalLabel> labels;
  for (const Momentum& p : momenta) labels.push_back({spatial_operator("1"), p});
  const Elementals phi = elementals(all.links, all.vectors, labels);
  const auto readers = all.readers(phi.matrices);
  const Gamma g4 = Gamma::direction(3);
  for (int number = 0; number < 16; number += 3) {
    const Gamma gamma = Gamma::number(number);
    const double sign = g4 * gamma.adjoint() * g4 == gamma ? -1 : 1;  // of the loop, and of g4 Gamma^+ g4
    for (std::size_t p = 0; p < momenta.size(); ++p) {
      const auto found = multi_meson_correlators({isovector_meson({int(p), gamma})}, readers, {.sources = {t0}});
      const auto expected = all.sum_over_points(
          [&](const Propagator<double>& s) {
            return mesons(s, s, {{number, number}}, {minus(momenta[p])});
          },
          0);
      double largest = 0;
      for (const Number& z : expected) largest = std::max(largest, std::abs(z));
      for (std::size_t t = 0; t < n_times; ++t)
        EXPECT_LE(std::abs(found[t] - sign * expected[t]), 1e-10 * largest) << number << " " << t;
      EXPECT_GT(largest, 1e-3);
    }
  }
}

TEST_F(CompleteDistillation, HasTheBaryonsOfPointSources) {
  const Everything& all = everything();
  const BaryonElementals b = baryon_elementals(all.vectors, momenta);
  std::vector<BaryonCorrelation> correlations;
  std::vector<BaryonOperator> operators;
  for (const char* name : {"proton", "delta_pp", "proton_np", "delta_p"})
    for (const BaryonOperator& op : baryon_operators(name)) {
      operators.push_back(op);
      correlations.push_back({op.name, op, op});
    }
  const auto found = distilled_baryons(correlations, int(momenta.size()), all.readers(b.matrices), {.sources = {t0}});
  std::vector<Momentum> opposite;
  for (const Momentum& p : momenta) opposite.push_back(minus(p));
  std::vector<std::vector<Correlator>> of_points;
  for (const Propagator<double>& s : all.points)
    of_points.push_back(baryons<double>({{"u", s}, {"d", s}}, operators, opposite));
  for (std::size_t c = 0; c < correlations.size(); ++c)
    for (std::size_t p = 0; p < momenta.size(); ++p) {
      std::vector<Number> expected(n_times);
      double largest = 0;
      for (std::size_t t = 0; t < n_times; ++t) {
        for (const auto& correlators : of_points) expected[t] += correlators[c * momenta.size() + p].value[t];
        largest = std::max(largest, std::abs(expected[t]));
      }
      EXPECT_GT(largest, 1e-4);
      for (std::size_t t = 0; t < n_times; ++t)
        EXPECT_LE(std::abs(found[(p * n_times + t) * correlations.size() + c] - expected[t]), 1e-9 * largest)
            << correlations[c].name << " " << t;
    }
}

/// S(x, y) of one sink time, [x, spin, colour][y, spin, colour].
HostNumbers all_to_all(const std::vector<GlobalArray>& points, int t) {
  HostNumbers s(N * N);
  for (std::size_t x = 0; x < 8; ++x)
    for (std::size_t y = 0; y < 8; ++y)
      for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j)
          s[(12 * x + i) * N + 12 * y + j] = points[y].at({int(x & 1), int(x >> 1 & 1), int(x >> 2), t})[12 * j + i];
  return s;
}

/// Gamma e^{-i p.x} at each site.
HostNumbers vertex_matrix(const Gamma& gamma, const Momentum& p) {
  HostNumbers m(N * N);
  const Number powers[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (std::size_t x = 0; x < 8; ++x) {
    const double angle = -std::numbers::pi * double(p[0] * int(x & 1) + p[1] * int(x >> 1 & 1) + p[2] * int(x >> 2));
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t a = 0; a < 3; ++a)
        m[(12 * x + 3 * s + a) * N + 12 * x + 3 * std::size_t(gamma.column[s]) + a] =
            powers[gamma.phase[s]] * std::polar(1.0, angle);
  }
  return m;
}

TEST_F(CompleteDistillation, HasTheTwoPionsOfAllToAllPropagators) {
  const Everything& all = everything();
  std::vector<ElementalLabel> labels;
  for (const Momentum& p : momenta) labels.push_back({spatial_operator("1"), p});
  const Elementals phi = elementals(all.links, all.vectors, labels);
  const Gamma g5 = Gamma::five(), g4 = Gamma::direction(3);
  const auto found =
      multi_meson_correlators({two_pions(2, {1, g5}, {2, g4 * g5})}, all.readers(phi.matrices), {.sources = {t0}});
  const auto times = [](const HostNumbers& a, const HostNumbers& b) { return reference::product(a, b, N, N, N); };
  std::vector<GlobalArray> points;
  for (const Propagator<double>& s : all.points) points.push_back(reference::gather(s));
  const HostNumbers one = vertex_matrix(g5, momenta[1]), two = vertex_matrix(g4 * g5, momenta[2]),
                    five = vertex_matrix(g5, {0, 0, 0}), four = vertex_matrix(g4, {0, 0, 0});
  const auto source = [&](const HostNumbers& vertex) {
    return times(times(four, reference::adjoint(vertex, N)), four);
  };
  for (const int t : {3, 5, 0}) {
    const HostNumbers s = all_to_all(points, t), back = times(times(five, reference::adjoint(s, N)), five);
    // A quark line from each vertex of the sink to one of the source, and an antiquark line back.
    const HostNumbers to[2] = {times(one, s), times(two, s)},
                      from[2] = {times(source(one), back), times(source(two), back)};
    HostNumbers loops[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) loops[i][j] = times(to[i], from[j]);
    const auto trace = [](const HostNumbers& m) {
      Number sum = 0;
      for (std::size_t i = 0; i < N; ++i) sum += m[i * N + i];
      return sum;
    };
    const Number expected = trace(loops[0][0]) * trace(loops[1][1]) + trace(loops[0][1]) * trace(loops[1][0]) -
                            reference::trace_of_product(loops[0][0], loops[1][1], N) -
                            reference::trace_of_product(loops[0][1], loops[1][0], N);
    EXPECT_LE(std::abs(found[std::size_t((t - t0 + n_times) % n_times)] - expected), 1e-10 * std::abs(expected)) << t;
    EXPECT_GT(std::abs(reference::trace_of_product(loops[0][0], loops[1][1], N)), 1e-6 * std::abs(expected));
  }
}

}  // namespace test_complete_distillation
}  // namespace kov
