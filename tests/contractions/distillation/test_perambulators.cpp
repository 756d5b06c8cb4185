// SPDX-License-Identifier: MIT
//
// Perambulators: gamma5-hermiticity, columns in lanes, noise, and the numbers of other codes.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/distillation/laplacian_eigenvectors.hpp"
#include "kov/contractions/distillation/perambulators.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/gamma.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/support/oracles.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace test_perambulators {

using Number = std::complex<double>;
using SpinArray = std::array<std::array<Number, 4>, 4>;

SpinArray product(const SpinArray& a, const SpinArray& b) {
  SpinArray c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[i][k] += a[i][j] * b[j][k];
  return c;
}

SpinArray dagger(const SpinArray& a) {
  SpinArray c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) c[i][j] = std::conj(a[j][i]);
  return c;
}

SpinArray ours(int mu) {
  SpinArray c{};
  const Gamma gamma = Gamma::direction(mu);
  const Number phases[] = {1, {0, 1}, -1, {0, -1}};
  for (std::size_t i = 0; i < 4; ++i) c[i][std::size_t(gamma.column[i])] = phases[gamma.phase[i]];
  return c;
}

/// The matrices of tmLQCD in the directions x, y, z, t, as the oracle quotes them.
SpinArray theirs(int mu) {
  const Number i(0, 1);
  switch (mu) {
    case 0:
      return {{{0, 0, 0, -i}, {0, 0, -i, 0}, {0, i, 0, 0}, {i, 0, 0, 0}}};
    case 1:
      return {{{0, 0, 0, -1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}}};
    case 2:
      return {{{0, 0, -i, 0}, {0, 0, 0, i}, {i, 0, 0, 0}, {0, -i, 0, 0}}};
    default:
      return {{{0, 0, -1, 0}, {0, 0, 0, -1}, {-1, 0, 0, 0}, {0, -1, 0, 0}}};
  }
}

/// The unitary S with S theirs(mu) = ours(mu) S: a sum over the group that the matrices generate, of any matrix.
SpinArray to_our_spins() {
  SpinArray any{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      any[i][j] = {std::cos(3.0 * double(i) + double(j)), std::sin(1.0 + double(i * j))};
  SpinArray sum{};
  for (int element = 0; element < 16; ++element) {
    SpinArray left{}, right{};
    for (std::size_t i = 0; i < 4; ++i) left[i][i] = right[i][i] = 1;
    for (int mu = 0; mu < 4; ++mu)
      if (element >> mu & 1) {
        left = product(left, ours(mu));
        right = product(right, theirs(mu));
      }
    const SpinArray term = product(product(left, any), dagger(right));
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) sum[i][j] += term[i][j];
  }
  double norm = 0;
  for (const auto& row : sum)
    for (const Number& z : row) norm += std::norm(z);
  for (auto& row : sum)
    for (Number& z : row) z *= 2 / std::sqrt(norm);
  return sum;
}

std::vector<Number> numbers_of(const std::filesystem::path& path) {
  const auto bytes = test::bytes_of(path);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

class PublishedPerambulators : public ::testing::TestWithParam<int> {};

TEST_P(PublishedPerambulators, AreOursInEveryEntry) {
  KOV_SKIP_WITHOUT_DATA("oracles/slaph_perambulators.json", "slaph/conf.1000",
                        "slaph/eigensystem/eigenvectors.1000.000",
                        "slaph/wilson_light/rnd_vec_00/randomvector.rndvecnb00.u.nbev0016.1000");
  const auto oracle = test::oracle("slaph_perambulators.json");
  const double kappa = oracle.at("parameters").at("wilson_light").at("kappa"),
               csw = oracle.at("parameters").at("wilson_light").at("csw");
  const int n = oracle.at("parameters").at("nev");
  const auto folder = test::data_folder() / "slaph";
  const std::string hit = "0" + std::to_string(GetParam());
  const auto of_hit = folder / "wilson_light" / ("rnd_vec_" + hit);
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto gauge = read_gauge<double>(lattice, folder / "conf.1000");

  // Their eigenvectors: [ev][x][y][z][colour].
  const Field<ColorVector, double> vectors(lattice, "published eigenvectors", n);
  reference::GlobalArray all(lattice.extent(), 3 * n);
  for (int t = 0; t < 4; ++t) {
    const auto numbers = numbers_of(folder / "eigensystem" / ("eigenvectors.1000.00" + std::to_string(t)));
    ASSERT_EQ(numbers.size(), std::size_t(n * 64 * 3));
    for (int v = 0; v < n; ++v)
      reference::for_each_coordinate({4, 4, 4, 1}, [&](Coord x) {
        const int place = ((v * 4 + x[0]) * 4 + x[1]) * 4 + x[2];
        x[3] = t;
        for (int a = 0; a < 3; ++a) all.at(x)[3 * v + a] = numbers[std::size_t(3 * place + a)];
      });
  }
  reference::load(vectors, all);

  // rho[t][ev][spin]; their sources are diluted in blocks of two times, in every second eigenvector and in spin.
  const auto rho = numbers_of(of_hit / ("randomvector.rndvecnb" + hit + ".u.nbev0016.1000"));
  ASSERT_EQ(rho.size(), std::size_t(4 * n * 4));
  const DilutionScheme scheme{.time = {IndexDilution::Kind::block, 2},
                              .spin = {IndexDilution::Kind::full},
                              .eigenvector = {IndexDilution::Kind::interlace, 2}};
  const SpinArray s = to_our_spins();
  const auto coefficient = [&](int source, int t, int v, int spin) -> Number {
    const int their_spin = source % 4, e = source / 4 % 2, block = source / 8;
    if (scheme.time.class_of(t, 4) != block || scheme.eigenvector.class_of(v, n) != e) return 0;
    return s[std::size_t(spin)][std::size_t(their_spin)] * rho[std::size_t((t * n + v) * 4 + their_spin)];
  };

  // The phase of the boundary is spread over all times.
  LegFactors factors;
  factors.direction[3] = std::polar(1.0, std::numbers::pi / 4);
  const CloverParameters parameters{.mass = mass_of_kappa(kappa), .c_sw = csw};
  const WilsonCloverOperator<double> M(GaugeLinks<double>(gauge, factors), CloverTerm<double>(gauge, parameters));
  const auto tau =
      perambulators(vectors, EvenOdd(M, BiCgStab{.tolerance = 1e-13, .max_iterations = 5000}, SchurForm::asymmetric, 8),
                    M, 16, coefficient, {.columns = 8});

  const auto published =
      numbers_of(of_hit / ("perambulator.rndvecnb" + hit +
                           ".u.TsoB0002.VsoI0002.DsoF4.TsiF0004.SsiF0064.DsiF4.CsiF3.smeared0.01000"));
  ASSERT_EQ(published.size(), std::size_t(4 * n * 4 * 16));
  double largest = 0, worst_entry = 0;
  int compared = 0;
  for (const Number& z : published) largest = std::max(largest, std::abs(z));
  for (int t = 0; t < 4; ++t) {
    const auto of_slice = slice_on_all_ranks(lattice, tau.matrices, t);
    for (int v = 0; v < n; ++v)
      for (std::size_t spin = 0; spin < 4; ++spin)
        for (std::size_t source = 0; source < 16; ++source, ++compared) {
          Number z = 0;
          for (std::size_t k = 0; k < 4; ++k)
            z += std::conj(s[k][spin]) * of_slice[(k * std::size_t(n) + std::size_t(v)) * 16 + source];
          const Number wanted = published[std::size_t((t * n + v) * 4 + int(spin)) * 16 + source];
          worst_entry = max_or_nan(worst_entry, std::abs(z - wanted));
        }
  }
  EXPECT_EQ(compared, 4096);
  EXPECT_LE(worst_entry, oracle.at("tolerance").at("rel").get<double>() * largest);
  RecordProperty("largest relative difference", ::testing::PrintToString(worst_entry / largest));
}

INSTANTIATE_TEST_SUITE_P(Hits, PublishedPerambulators, ::testing::Values(0, 1));

TEST(Perambulators, GiveThePublishedPionAndRho) {
  KOV_SKIP_WITHOUT_DATA("oracles/reference_lq_milc_l4448.json", "milc/lat.sample.l4448");
  const auto oracle = test::oracle("reference_lq_milc_l4448.json");
  const auto& values = oracle.at("values");
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto gauge = read_gauge<double>(lattice, test::data_folder() / "milc" / "lat.sample.l4448");
  const int n = oracle.at("parameters").at("nev"), source = oracle.at("parameters").at("source_xyzt").at(3);
  const auto V = laplacian_eigenvectors(GaugeLinks<double>(stout(gauge, {.rho = 0.1, .n = 2})), {.n = n});
  const WilsonCloverOperator<double> M(gauge, BoundaryAngles::antiperiodic_in_time(),
                                       {.mass = mass_of_kappa(oracle.at("parameters").at("kappa")),
                                        .c_sw = oracle.at("parameters").at("csw").get<double>()});
  const auto tau = perambulators(V.vectors, EvenOdd(M, BiCgStab{.tolerance = 1e-13}, SchurForm::asymmetric, 12), M,
                                 source, {.columns = 12});
  const int size = 4 * n;
  for (int t = 0; t < 8; ++t) {
    const auto matrix = slice_on_all_ranks(lattice, tau.matrices, t);
    double sum = 0;
    for (const Number& z : matrix) sum += std::norm(z);
    const double wanted = values.at("peramb_frobenius2_per_t").at(std::size_t(t));
    EXPECT_NEAR(sum, wanted, 1e-9 * wanted);
    // Tr (g5 tau g5)^+ Gamma tau Gamma, with Gamma a permutation with phases.
    const std::size_t after = std::size_t((t - source + 8) % 8);
    Number rho = 0, pion = 0;
    for (const int number : {15, 1, 2, 4}) {
      const Gamma gamma = Gamma::number(number);
      const Number phases[] = {1, {0, 1}, -1, {0, -1}};
      Number trace = 0;
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              // (Gamma tau Gamma)_{r c} = phase(r) tau_{column(r), c'} with Gamma_{c' c} = phase(c').
              const int row = gamma.column[std::size_t(r)];
              int column = 0;
              while (gamma.column[std::size_t(column)] != c) ++column;
              const Number z = phases[gamma.phase[std::size_t(r)]] * phases[gamma.phase[std::size_t(column)]] *
                               matrix[std::size_t((row * n + i) * size + column * n + j)];
              const double sign = (r < 2) == (c < 2) ? 1 : -1;
              trace += sign * std::conj(matrix[std::size_t((r * n + i) * size + c * n + j)]) * z;
            }
      (number == 15 ? pion : rho) += trace;
    }
    const double wanted_pion = values.at("distillation_pion_p0").at(after).at(0),
                 wanted_rho = values.at("distillation_rho_avg_p0").at(after).at(0);
    EXPECT_NEAR(pion.real(), wanted_pion, 1e-9 * wanted_pion) << t;
    EXPECT_NEAR(rho.real() / 3, wanted_rho, 1e-9 * wanted_rho) << t;
  }
}

/// Smooth links and a heavy quark, so that solves are short.
struct Quark {
  explicit Quark(const Lattice& lattice)
      : gauge(reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 5))),
        vectors(laplacian_eigenvectors(GaugeLinks<double>(gauge), {.n = 4}).vectors.alias()),
        M(GaugeLinks<double>(gauge, BoundaryAngles::antiperiodic_in_time()), 0.3) {}
  GaugeField<double> gauge;
  Field<ColorVector, double> vectors;
  WilsonOperator<double> M;
};

TEST(Perambulators, AreHermitianWithGammaFive) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Quark quark(lattice);
  const BiCgStab solver{.tolerance = 1e-12};
  const auto to_2 = perambulators(quark.vectors, solver, quark.M, 0),
             to_0 = perambulators(quark.vectors, solver, quark.M, 2);
  const auto forward = slice_on_all_ranks(lattice, to_2.matrices, 2),
             backward = slice_on_all_ranks(lattice, to_0.matrices, 0);
  double largest = 0;
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      const double sign = (i < 8) == (j < 8) ? 1 : -1;
      EXPECT_LE(std::abs(forward[i * 16 + j] - sign * std::conj(backward[j * 16 + i])), 1e-11);
      largest = std::max(largest, std::abs(forward[i * 16 + j]));
    }
  EXPECT_GT(largest, 1e-3);
}

TEST(Perambulators, AreTheSameWithColumnsInLanesAndInFloat) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Quark quark(lattice);
  const auto plain = perambulators(quark.vectors, BiCgStab{.tolerance = 1e-12}, quark.M, 1, {.columns = 5});
  const WilsonOperator<double> M(GaugeLinks<double>(quark.gauge, BoundaryAngles::antiperiodic_in_time()), 0.3,
                                 {.columns = true});
  const auto lanes = perambulators<ColumnLanes<8>>(
      quark.vectors, EvenOdd<double, ColumnLanes<8>>(M, BiCgStab{.tolerance = 1e-12}, SchurForm::asymmetric, 8), M, 1);
  const Field<ColorVector, float> vectors(lattice, "in float", 4);
  convert(quark.vectors, vectors);
  const WilsonOperator<float> M_float(GaugeLinks<float>(quark.gauge, BoundaryAngles::antiperiodic_in_time()), 0.3);
  const auto in_float = perambulators(vectors, BiCgStab{.tolerance = 1e-6}, M_float, 1);
  for (std::size_t i = 0; i < plain.matrices.values.size(); ++i) {
    EXPECT_LE(std::abs(plain.matrices.values[i] - lanes.matrices.values[i]), 1e-11);
    EXPECT_LE(std::abs(plain.matrices.values[i] - in_float.matrices.values[i]), 1e-5);
  }
}

TEST(Perambulators, OfAllSourcesOfDilutedNoiseAddUpToTheUndiluted) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Quark quark(lattice);
  const BiCgStab solver{.tolerance = 1e-12};
  const Noise noise{.kind = NoiseKind::z4, .seed = 7, .stream = 2};
  const DilutedNoise all({.time = {IndexDilution::Kind::none},
                          .spin = {IndexDilution::Kind::none},
                          .eigenvector = {IndexDilution::Kind::none}},
                         noise, 4, 4),
      diluted({.time = {IndexDilution::Kind::full},
               .spin = {IndexDilution::Kind::full},
               .eigenvector = {IndexDilution::Kind::interlace, 2}},
              noise, 4, 4);
  ASSERT_EQ(all.size(), 1);
  ASSERT_EQ(diluted.size(), 4 * 4 * 2);
  const auto one = perambulators(quark.vectors, solver, quark.M, all, {.columns = 1});
  const auto many = perambulators(quark.vectors, solver, quark.M, diluted);
  for (int t = 0; t < one.matrices.n_slices; ++t)
    for (int row = 0; row < 16; ++row) {
      Number sum = 0;
      for (int source = 0; source < 32; ++source) sum += many.matrices.at(t)[row * 32 + source];
      EXPECT_LE(std::abs(sum - one.matrices.at(t)[row]), 1e-10);
    }
  // With full dilution, tau rho^+ is the perambulator itself.
  const DilutedNoise full({.time = {IndexDilution::Kind::full},
                           .spin = {IndexDilution::Kind::full},
                           .eigenvector = {IndexDilution::Kind::full}},
                          noise, 4, 4);
  const auto noisy = perambulators(quark.vectors, solver, quark.M, full);
  const auto exact = perambulators(quark.vectors, solver, quark.M, 2);
  for (int slice = 0; slice < exact.matrices.n_slices; ++slice)
    for (int row = 0; row < 16; ++row)
      for (int spin = 0; spin < 4; ++spin)
        for (int n = 0; n < 4; ++n) {
          const int source = (2 * 4 + n) * 4 + spin;
          EXPECT_EQ(full.source_of(2, n, spin), source);
          EXPECT_EQ(diluted.source_of(2, n, spin), 2 * diluted.sources_of_a_time() + n % 2 * 4 + spin);
          const Number z = noisy.matrices.at(slice)[row * full.size() + source] * std::conj(full.noise(2, n, spin));
          EXPECT_LE(std::abs(z - exact.matrices.at(slice)[row * 16 + spin * 4 + n]), 1e-10);
        }
}

/// Sources of one vector, and of noise that combines all with coefficients that round.
TEST(Perambulators, HaveTheSameBitsFromGroupsOfVectors) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Quark quark(lattice);
  const BiCgStab solver{.tolerance = 1e-6};
  const DilutedNoise noise({.time = {IndexDilution::Kind::none},
                            .spin = {IndexDilution::Kind::full},
                            .eigenvector = {IndexDilution::Kind::none}},
                           {.kind = NoiseKind::u1, .seed = 7, .stream = 2}, 4, 4);
  const SourceCoefficient of_noise = [&](int source, int t, int n, int spin) {
    return noise.coefficient(source, t, n, spin);
  };
  const PerambulatorOptions options{.columns = 3};
  const auto exact = perambulators(quark.vectors, solver, quark.M, 2, options),
             diluted = perambulators(quark.vectors, solver, quark.M, noise.size(), of_noise, options);
  for (const int at_once : {1, 2, 3, 4}) {
    int reads = 0;
    const VectorGroups<double> groups(lattice, 4, at_once, [&](int first, const Field<ColorVector, double>& some) {
      ++reads;
      copy_components(quark.vectors, first, some, 0, some.n_components());
    });
    EXPECT_EQ(perambulators(groups, solver, quark.M, 2, options).matrices.values, exact.matrices.values) << at_once;
    // 16 sources in 6 solves: all groups of the sinks, and at most as many of the sources, less what is at hand.
    EXPECT_LE(reads, at_once == 4 ? 1 : 6 * 2 * groups.n_groups());
    EXPECT_GE(reads, at_once == 4 ? 1 : 6 * (groups.n_groups() - 1));
    EXPECT_EQ(perambulators(groups, solver, quark.M, noise.size(), of_noise, options).matrices.values,
              diluted.matrices.values)
        << at_once;
  }
}

TEST(Perambulators, NameTheSourcesThatAreNotSolvedFor) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Quark quark(lattice);
  BiCgStab solver{.tolerance = 1e-12, .max_iterations = 1};
  // Others are 0, and solved by 0.
  const SourceCoefficient some = [](int source, int t, int n, int spin) {
    return Number(source == 4 || source == 7 ? 1.0 + t + n + spin : 0.0);
  };
  PerambulatorOptions options{.columns = 3};
  try {
    perambulators(quark.vectors, solver, quark.M, 8, some, options);
    FAIL() << "did not throw";
  } catch (const ConvergenceError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("not converged: column 4 of 8: the limit of 1 iterations"), std::string::npos) << message;
  }
  solver.on_failure = OnFailure::report;
  std::vector<std::string> reasons;
  options.progress = [&](int, int, const SolveReport& report) { reasons.push_back(report.reason); };
  perambulators(quark.vectors, solver, quark.M, 8, some, options);
  const std::string limit = " of 8: the limit of 1 iterations was reached";
  EXPECT_EQ(reasons, (std::vector<std::string>{"", "column 4" + limit, "column 7" + limit}));
}

TEST(Perambulators, RefuseTimesOutsideOfTheLattice) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> vectors(lattice, "vectors", 2);
  const WilsonOperator<double> M(
      GaugeLinks<double>(reference::gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1))), 0.3);
  EXPECT_THROW(perambulators(vectors, BiCgStab{}, M, 4), InputError);
  EXPECT_THROW(perambulators(vectors, BiCgStab{}, M, -1), InputError);
  EXPECT_THROW(perambulators(vectors, BiCgStab{}, M, 0, {.columns = 0}), InputError);
}

}  // namespace test_perambulators
}  // namespace kov
