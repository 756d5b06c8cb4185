// SPDX-License-Identifier: MIT
//
// Elementals of baryons against sums over coordinates, and their correlators against determinants of propagators.
#include "kov/contractions/distillation/baryon_elementals.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/random.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

namespace kov {
namespace test_distilled_baryons {

using reference::GlobalArray;
using Number = std::complex<double>;
using Numbers = std::vector<Number>;

template <class T>
void check_elementals(const Lattice& lattice) {
  constexpr int n = 5;
  const auto vectors = reference::random_field<ColorVector, T>(lattice, n, 6);
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, -1, 2}};
  const BaryonElementals found = baryon_elementals(vectors, momenta, {.columns = 2});
  const GlobalArray v = reference::gather(vectors);
  const Coord& e = lattice.extent();
  const int cube = n * n * n;
  for (std::size_t p = 0; p < momenta.size(); ++p) {
    Numbers sums(static_cast<std::size_t>(e[3] * cube));
    std::vector<double> scale(static_cast<std::size_t>(e[3]));
    reference::for_each_coordinate(e, [&](const Coord& x) {
      double angle = 0;
      for (std::size_t mu = 0; mu < 3; ++mu) angle -= 2 * std::numbers::pi * momenta[p][mu] * x[mu] / e[mu];
      const Number phase = std::polar(1.0, angle);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < n; ++k) {
            Number sum = 0;
            for (int a = 0; a < 3; ++a) {
              const int b = (a + 1) % 3, c = (a + 2) % 3;
              const Number* w = v.at(x);
              sum += w[3 * i + a] * (w[3 * j + b] * w[3 * k + c] - w[3 * j + c] * w[3 * k + b]);
            }
            sums[std::size_t(x[3] * cube + (i * n + j) * n + k)] += phase * sum;
            scale[std::size_t(x[3])] = std::max(scale[std::size_t(x[3])], std::abs(sum));
          }
    });
    for (int t = 0; t < found.matrices.n_slices; ++t) {
      const int time = found.matrices.first + t;
      for (int i = 0; i < cube; ++i)
        EXPECT_LE(std::abs(found.matrices.at(t, int(p))[i] - sums[std::size_t(time * cube + i)]),
                  20 * test::eps<T> * scale[std::size_t(time)] * std::sqrt(double(e[0] * e[1] * e[2])));
    }
  }
}

class BaryonElementalLattices : public test::OnLattices {};

TEST_P(BaryonElementalLattices, HaveElementalsThatAreSumsOverCoordinates) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_elementals<double>(lattice);
  check_elementals<float>(lattice);
}

INSTANTIATE_TEST_SUITE_P(All, BaryonElementalLattices, ::testing::ValuesIn(test::small_lattice_cases(260)),
                         test::case_name);

template <class T>
void check_groups() {
  const Lattice lattice(Comm::world(), {8, 8, 16, 4});  // in several chunks
  constexpr int n = 7;
  const auto vectors = reference::random_field<ColorVector, T>(lattice, n, 6);
  const std::vector<Momentum> momenta{{0, 0, 0}, {1, -1, 2}};
  for (const int columns : {1, 2, 16}) {
    std::vector<int> progress;
    const auto at_progress = [&](int done, int of) {
      EXPECT_EQ(of, n - 2);
      progress.push_back(done);
    };
    const BaryonElementalOptions options{.columns = columns, .progress = at_progress};
    const BaryonElementals expected = baryon_elementals(vectors, momenta, options);
    EXPECT_EQ(progress, (std::vector<int>{1, 2, 3, 4, 5})) << columns;
    for (const int at_once : {1, 2, 3, 6, 7}) {
      progress.clear();
      const VectorGroups<T> groups(lattice, n, at_once, [&](int first, const Field<ColorVector, T>& some) {
        EXPECT_LE(some.n_components(), std::max(at_once, columns));
        copy_components(vectors, first, some, 0, some.n_components());
      });
      for (int turn = 0; turn < 2; ++turn)  // from the first group, and from the one at hand
        EXPECT_EQ(baryon_elementals(groups, momenta, options).matrices.values, expected.matrices.values)
            << columns << " " << at_once;
      EXPECT_EQ(progress, (std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5})) << columns << " " << at_once;
    }
  }
}

TEST(BaryonElementalGroups, HaveTheSameBits) {
  check_groups<double>();
  check_groups<float>();
}

constexpr int n_times = 3, n_momenta = 2;

/// Random antisymmetric elementals, and perambulators of three quarks.
struct RandomBaryons {
  int n;
  Numbers b, tau[2];
  explicit RandomBaryons(int n) : n(n), b(std::size_t(n_times * n_momenta * n * n * n)) {
    SiteRandom random(11, 3, 0);
    const auto draw = [&] {
      return Number(double(float(2 * random.uniform() - 1)), double(float(2 * random.uniform() - 1)));
    };
    for (int m = 0; m < n_times * n_momenta; ++m)
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
          for (int k = j + 1; k < n; ++k) {
            const Number z = draw();
            const int of[3] = {i, j, k};
            for (int first = 0; first < 3; ++first)
              for (const int sign : {1, -1}) {
                const int second = (first + 3 + sign) % 3, third = (first + 3 - sign) % 3;
                b[std::size_t(((m * n + of[first]) * n + of[second]) * n + of[third])] = double(sign) * z;
              }
          }
    for (Numbers& t : tau)
      for (int i = 0; i < n_times * n_times * 16 * n * n; ++i) t.push_back(draw());
  }
  const Number* elemental(int t, int p) const { return b.data() + std::size_t((t * n_momenta + p) * n * n * n); }
  static std::size_t number(const std::string& quark) { return quark == "s" ? 1 : 0; }
  /// U^+ tau U, of spins in the Dirac-Pauli basis.
  Number propagator(const std::string& quark, int sink, int source, int s, int i, int r, int j) const {
    const SpinMatrix<double> u = dirac_pauli_rotation();
    Number sum = 0;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 4; ++c)
        sum += u(a, s).re * u(c, r).re *
               tau[number(quark)][std::size_t(((sink * n_times + source) * 4 * n + a * n + i) * 4 * n + c * n + j)];
    return sum;
  }
  template <class T>
  DistilledQuarks<T> readers() const {
    const auto copy = [](const Number* from, std::span<Complex<T>> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = {T(from[i].real()), T(from[i].imag())};
    };
    return {.n_vectors = n,
            .n_times = n_times,
            .elemental = [=, this](int t, int p, std::span<Complex<T>> to) { copy(elemental(t, p), to); },
            .perambulator =
                [=, this](const std::string& quark, int sink, int source, std::span<Complex<T>> to) {
                  EXPECT_NE(quark, "d");
                  copy(tau[number(quark)].data() + std::size_t(sink * n_times + source) * to.size(), to);
                },
            .same_as = {{"d", "u"}}};
  }
};

/// <O_sink O_source^+> with <q_1 q_2 q_3 qbar_3' qbar_2' qbar_1'> the determinant of the propagators.
Number expected_baryon(const RandomBaryons& q, const BaryonCorrelation& c, int p, int t, int t0) {
  const int n = q.n;
  Number sum = 0;
  for (const BaryonTerm& a : c.sink.terms)
    for (const BaryonTerm& b : c.source.terms) {
      // s[k][l][i][j]: quark k of the sink with eigenvector i from quark l of the source with j.
      Numbers s(std::size_t(9 * n * n));
      const auto at = [&](int k, int l, int i, int j) -> Number& {
        return s[std::size_t(((k * 3 + l) * n + i) * n + j)];
      };
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
          if (c.sink.quarks[k] == c.source.quarks[l])
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < n; ++j)
                at(int(k), int(l), i, j) = q.propagator(c.sink.quarks[k], t, t0, a.spin[k], i, b.spin[l], j);
      for (int i = 0; i < n * n * n; ++i)
        for (int j = 0; j < n * n * n; ++j) {
          const Number z = q.elemental(t, p)[i] * std::conj(q.elemental(t0, p)[j]);
          if (z == 0.0) continue;
          const int of_sink[3] = {i / n / n, i / n % n, i % n}, of_source[3] = {j / n / n, j / n % n, j % n};
          const auto m = [&](int k, int l) { return at(k, l, of_sink[k], of_source[l]); };
          const Number determinant = m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
                                     m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
                                     m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
          sum += a.coefficient * std::conj(b.coefficient) * z * determinant;
        }
    }
  return sum;
}

std::vector<BaryonCorrelation> some_correlations() {
  std::vector<BaryonCorrelation> list;
  const auto add = [&](const BaryonOperator& sink, const BaryonOperator& source) {
    list.push_back({sink.name + "-" + source.name, sink, source});
  };
  for (const char* name : {"proton", "proton_np", "delta_pp", "sigma_p", "lambda_z"})
    for (const BaryonOperator& op : baryon_operators(name)) add(op, op);
  add(baryon_operators("sigma_z")[0], baryon_operators("lambda_z")[0]);
  add(baryon_operators("delta_p")[1], baryon_operators("proton")[0]);
  return list;
}

template <class T>
void check_correlators(int n_vectors, const DistilledBaryonOptions& options) {
  const RandomBaryons q(n_vectors);
  const auto correlations = some_correlations();
  const auto found = distilled_baryons(correlations, n_momenta, q.readers<T>(), options);
  ASSERT_EQ(found.size(), n_momenta * n_times * correlations.size());
  Numbers expected(found.size());
  for (const int t0 : options.sources)
    for (int t = 0; t < n_times; ++t)
      for (int p = 0; p < n_momenta; ++p)
        for (std::size_t c = 0; c < correlations.size(); ++c)
          expected[(std::size_t(p * n_times + (t - t0 + n_times) % n_times)) * correlations.size() + c] +=
              (t < t0 ? std::polar(1.0, 3 * options.boundary.angle[3]) : 1.0) *
              expected_baryon(q, correlations[c], p, t, t0);
  double largest = 0;
  for (const Number& z : expected) largest = std::max(largest, std::abs(z));
  EXPECT_GT(largest, 1);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_LE(std::abs(found[k] - expected[k]), 100 * double(std::numeric_limits<T>::epsilon()) * largest)
        << correlations[k % correlations.size()].name;
}

TEST(DistilledBaryons, AreGaussianIntegrals) {
  check_correlators<double>(3, {.sources = {1, 2}});
  check_correlators<double>(3, {.sources = {1}, .boundary = {{0, 0, 0, 0.4}}, .workspace_bytes = 1});
  check_correlators<float>(3, {.sources = {2}, .boundary = BoundaryAngles::periodic()});
  check_correlators<double>(4, {.sources = {0}});
}

TEST(DistilledBaryons, SumOverAllSourcesUnlessToldWhich) {
  const RandomBaryons q(3);
  const auto correlations = some_correlations();
  const auto all = distilled_baryons(correlations, n_momenta, q.readers<double>());
  auto sum = distilled_baryons(correlations, n_momenta, q.readers<double>(), {.sources = {0}});
  for (const int t : {1, 2}) {
    const auto other = distilled_baryons(correlations, n_momenta, q.readers<double>(), {.sources = {t}});
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other[k];
  }
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_LE(std::abs(all[k] - sum[k]), 1e-14 * std::abs(all[0]));
}

TEST(DistilledBaryons, ChangeSignExactlyBeyondAnAntiperiodicBoundary) {
  const RandomBaryons q(3);
  const auto correlations = some_correlations();
  const auto of = [&](const BoundaryAngles& boundary) {
    return distilled_baryons(correlations, n_momenta, q.readers<double>(), {.sources = {2}, .boundary = boundary});
  };
  const auto minus = of(BoundaryAngles::antiperiodic_in_time()), plus = of(BoundaryAngles::periodic());
  for (std::size_t k = 0; k < plus.size(); ++k)
    EXPECT_EQ(minus[k], k / correlations.size() % n_times == 0 ? plus[k] : -plus[k]);
}

TEST(DistilledBaryons, ReadTheQuarkAtTheEndOfThoseThatAreTheSame) {
  const RandomBaryons q(3);
  auto readers = q.readers<double>();
  readers.same_as = {{"d", "s"}, {"s", "u"}};
  const auto of = [&](const char* name) {
    const BaryonOperator op = baryon_operators(name)[0];
    return distilled_baryons({{name, op, op}}, 1, readers, {.sources = {0}});
  };
  const auto proton = of("proton"), sigma = of("sigma_p");
  for (std::size_t k = 0; k < proton.size(); ++k)  // normalised as octet_operators() says
    EXPECT_LE(std::abs(sigma[k] - 4.0 / 3 * proton[k]), 1e-13 * std::abs(proton[0])) << k;
}

TEST(DistilledBaryons, RefuseNonsense) {
  const RandomBaryons q(3);
  const auto correlations = some_correlations();
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> vectors(lattice, "vectors", 3);
  EXPECT_THROW(baryon_elementals(vectors, {}), InputError);
  EXPECT_THROW(baryon_elementals(vectors, {{0, 0, 0}}, {.columns = 0}), InputError);
  EXPECT_THROW(distilled_baryons({}, 1, q.readers<double>()), InputError);
  EXPECT_THROW(distilled_baryons(correlations, 0, q.readers<double>()), InputError);
  EXPECT_THROW(distilled_baryons(correlations, 1, q.readers<double>(), {.sources = {-1}}), InputError);
  EXPECT_THROW(distilled_baryons(correlations, 1, q.readers<double>(), {.sources = {0, 0}}), InputError)
      << "a source that would count twice";
  EXPECT_THROW(distilled_baryons(correlations, 1, DistilledQuarks<double>{3, 3, {}, {}}), InputError);
  BaryonCorrelation other = correlations[0];
  other.source = baryon_operators("sigma_p")[0];
  EXPECT_THROW(distilled_baryons({other}, 1, q.readers<double>()), InputError) << "other quarks at the source";
  other = correlations[0];
  other.sink.terms[0].spin[1] = 4;
  EXPECT_THROW(distilled_baryons({other}, 1, q.readers<double>()), InputError);
}

}  // namespace test_distilled_baryons
}  // namespace kov
