// SPDX-License-Identifier: MIT
//
// The GEVP on matrices of correlators whose energies are known.
#include "kov/contractions/energies/gevp.hpp"
#include "kov/core/base/error.hpp"
#include "tests/contractions/energies/synthetic.hpp"
#include "tests/support/precision.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>

namespace kov {
namespace {

using OverlapFactors = std::vector<std::vector<std::complex<double>>>;  // [state][operator]

/// C_ij(t) = sum_n Z_ni Z_nj^* e^{-E_n t} with replicas of it: energies times 1 + relative noise.
CorrelatorMatrix synthetic_matrix(const std::vector<double>& energy, const OverlapFactors& z, int n_times,
                                  double noise = 0, int n_replicas = 8) {
  const std::size_t n = z.front().size();
  Resampled values(2 * n * n * std::size_t(n_times), std::size_t(n_replicas), double(n_replicas - 1) / n_replicas,
                   std::size_t(n_replicas));
  for (std::size_t row = 0; row < values.n_rows(); ++row) {
    const std::vector<double> off = test::Noise(1, 2, 0)(row, energy.size());
    for (int t = 0; t < n_times; ++t)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          std::complex<double> sum = 0;
          for (std::size_t k = 0; k < energy.size(); ++k)
            sum += z[k][i] * std::conj(z[k][j]) * std::exp(-energy[k] * (1 + (row > 0) * noise * off[k]) * t);
          double* out = values.row(row).data() + 2 * ((std::size_t(t) * n + i) * n + j);
          out[0] = sum.real();
          out[1] = sum.imag();
        }
  }
  return CorrelatorMatrix(int(n), std::move(values));
}

const OverlapFactors three_states{
    {{1, 0}, {0.5, 0.2}, {0.3, -0.7}}, {{0.4, 0.1}, {-1, 0}, {0.2, 0}}, {{-0.3, 0}, {0.4, -0.4}, {0.9, 0}}};

TEST(Gevp, FindsAsManyEnergiesAsOperatorsExactly) {
  const std::vector<double> energy{0.3, 0.7, 1.1};
  for (const GevpReference reference : {GevpReference::fixed, GevpReference::previous, GevpReference::half})
    for (const GevpTracking tracking : {GevpTracking::sorted, GevpTracking::fixed, GevpTracking::running}) {
      const Gevp found = gevp(synthetic_matrix(energy, three_states, 12, 1e-3),
                              {.reference = reference, .t0 = 2, .tracking = tracking});
      ASSERT_EQ(found.n_states, 3);
      for (int t = 0; t + 1 < 12; ++t)
        for (std::size_t n = 0; n < 3; ++n) {
          const Estimate e = found.energies.estimate(std::size_t(t) * 3 + n);
          // The relative rounding of the smallest eigenvalue is that of the ratio of largest and smallest.
          EXPECT_NEAR(e.mean, energy[n], 1e3 * test::eps<double> * std::exp(0.8 * (t + 1)))
              << "reference " << int(reference) << ", tracking " << int(tracking) << ", t = " << t << ", n = " << n;
          EXPECT_GT(e.error, 0);
          EXPECT_LT(e.error, 0.01);
        }
    }
}

TEST(Gevp, EigenvaluesAndVectorsSolveTheEquation) {
  const CorrelatorMatrix matrix = synthetic_matrix({0.3, 0.7, 1.1}, three_states, 8);
  const Gevp found = gevp(matrix, {.t0 = 1});
  for (const int t : {0, 2, 5}) {
    for (std::size_t n = 0; n < 3; ++n) {
      const auto& v = found.vectors[std::size_t(t)][n];
      const double lambda = found.eigenvalues.mean()[std::size_t(t) * 3 + n];
      EXPECT_NEAR(lambda, std::exp(-(0.3 + 0.4 * double(n)) * (t - 1)), 1e-11);
      std::complex<double> norm = 0;
      for (int i = 0; i < 3; ++i) {
        std::complex<double> left = 0, right = 0;
        for (int j = 0; j < 3; ++j) {
          left += matrix.at(0, t, i, j) * v[std::size_t(j)];
          right += matrix.at(0, 1, i, j) * v[std::size_t(j)];
        }
        EXPECT_NEAR(std::abs(left - lambda * right), 0, 1e-12);
        norm += std::conj(v[std::size_t(i)]) * right;
      }
      EXPECT_NEAR(std::abs(norm - 1.0), 0, 1e-12);
    }
    if (t > 2) {
      EXPECT_NEAR(found.overlap[std::size_t(t)], 1, 1e-9);
    }
  }
}

TEST(Gevp, CorrectionsOfTheHalfReferenceFallWithTheFirstStateLeftOut) {
  // Two operators, four states: E_0 is wrong by O(exp(-(E_2 - E_0) t)) where t0 >= t / 2.
  const OverlapFactors z{{1, 0.5}, {0.6, -1}, {0.7, 0.8}, {0.5, -0.3}};
  const std::vector<double> energy{0.2, 0.5, 1.0, 1.6};
  const Gevp found = gevp(synthetic_matrix(energy, z, 20), {.reference = GevpReference::half});
  const auto off = [&](int t) { return std::abs(found.energies.mean()[std::size_t(t) * 2] - 0.2); };
  // Over six times the correction falls by exp(-0.8 * 6) = 0.0082, not by exp(-0.3 * 6) = 0.17.
  EXPECT_LT(off(16) / off(10), 0.02);
  EXPECT_LT(off(16), 1e-5);
}

TEST(Gevp, TracksStatesThroughACrossing) {
  // The vectors of two states whose eigenvalues change order, as where one runs backward in time: operators couple to
  // one state each.
  Resampled values(2 * 4 * 10, 5, 0.8, 5);
  for (std::size_t row = 0; row < values.n_rows(); ++row)
    for (int t = 0; t < 10; ++t) {
      double* c = values.row(row).data() + 8 * t;
      c[0] = std::exp(-0.3 * t);
      c[6] = std::exp(-0.8 * t) + 1e-4 * std::exp(0.9 * t);
    }
  const CorrelatorMatrix matrix(2, std::move(values));
  const Gevp tracked = gevp(matrix, {.t0 = 0, .tracking = GevpTracking::running}),
             sorted = gevp(matrix, {.t0 = 0, .tracking = GevpTracking::sorted});
  for (int t = 0; t + 1 < 10; ++t) {
    EXPECT_NEAR(tracked.energies.mean()[std::size_t(t) * 2], 0.3, 1e-12) << t;
    EXPECT_EQ(tracked.energies.estimate(std::size_t(t) * 2).error, 0) << "the same state in every replica";
  }
  EXPECT_GT(std::abs(sorted.energies.mean()[8 * 2] - 0.3), 0.1);
  const GevpChecks checks = check_gevp(matrix, tracked);
  EXPECT_FALSE(checks.ordered());
  EXPECT_TRUE(checks.positive() && checks.interlacing());
  EXPECT_NE(checks.text().find("cross at t = "), std::string::npos);
}

TEST(Gevp, TakesTheReferencesThatItIsAskedFor) {
  const std::vector<double> energy{0.3, 0.7, 1.1};
  const CorrelatorMatrix matrix = synthetic_matrix(energy, three_states, 7);
  const auto expect = [&](GevpReference reference, const std::vector<int>& t0) {
    const Gevp found = gevp(matrix, {.reference = reference, .t0 = 2});
    EXPECT_EQ(found.t0, t0);
    for (int t = 3; t < 7; ++t)
      for (std::size_t n = 0; n < 3; ++n)
        EXPECT_NEAR(found.eigenvalues.mean()[std::size_t(t) * 3 + n], std::exp(-energy[n] * (t - t0[std::size_t(t)])),
                    1e-9)
            << "t = " << t << ", n = " << n;
  };
  expect(GevpReference::fixed, {2, 2, 2, 2, 2, 2, 2});
  expect(GevpReference::previous, {-1, 0, 1, 2, 3, 4, 5});
  expect(GevpReference::half, {-1, 0, 1, 2, 2, 3, 3});
}

TEST(Gevp, VectorsThatTurnAreFollowedByRunningTrackingAlone) {
  // The vectors of two states turn by 14 degrees at each time; beyond 45 degrees those of the first time are nearer to
  // the other state.
  Resampled values(2 * 4 * 9, 3, 2.0 / 3, 3);
  for (std::size_t row = 0; row < values.n_rows(); ++row)
    for (int t = 0; t < 9; ++t) {
      const double angle = 14 * t * std::acos(-1.0) / 180, x = std::cos(angle), y = std::sin(angle);
      const double first = std::exp(-0.3 * t), second = std::exp(-0.8 * t);
      double* c = values.row(row).data() + 8 * t;
      c[0] = first * x * x + second * y * y;
      c[2] = c[4] = (first - second) * x * y;
      c[6] = first * y * y + second * x * x;
    }
  const CorrelatorMatrix matrix(2, std::move(values));
  const auto eigenvalue = [&](GevpTracking tracking, int t) {
    return gevp(matrix, {.t0 = 0, .tracking = tracking}).eigenvalues.mean()[std::size_t(t) * 2];
  };
  for (int t = 1; t < 9; ++t) {
    const bool has_changed = 14 * (t - 1) > 45;
    EXPECT_NEAR(eigenvalue(GevpTracking::sorted, t), std::exp(-0.3 * t), 1e-12) << "t = " << t;
    EXPECT_NEAR(eigenvalue(GevpTracking::running, t), std::exp(-0.3 * t), 1e-12) << "t = " << t;
    EXPECT_NEAR(eigenvalue(GevpTracking::fixed, t), std::exp((has_changed ? -0.8 : -0.3) * t), 1e-12) << "t = " << t;
  }
}

TEST(Gevp, ReplicasKeepTheStatesOfTheMeans) {
  // Two states so close that noise changes their order from replica to replica.
  const Gevp found = gevp(synthetic_matrix({0.5, 0.501}, {{1, 0.1}, {0.1, 1}}, 6, 0.02, 40), {.t0 = 1});
  const Estimate e = found.energies.estimate(2 * 2);
  EXPECT_NEAR(e.mean, 0.5, 1e-6);
  // Noise of 2 % in each of two independent energies; swapped states would mix to a smaller spread.
  double spread = 0;
  for (std::size_t k = 1; k <= 40; ++k) {
    const double off = 0.5 * 0.02 * test::Noise(1, 2, 0)(k, 2)[0];
    spread += off * off;
  }
  EXPECT_NEAR(e.error, std::sqrt(spread * 39 / 40), 0.15 * e.error);
}

TEST(Gevp, ElementsOfSamplesMakeTheMatrix) {
  const test::Noise noise(4, 4, 0.2);
  std::vector<std::vector<Samples>> element(2, std::vector<Samples>(2));
  const double z[2][2] = {{1, 0.4}, {-0.3, 1}};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      element[i][j] =
          test::noisy(test::spectrum({0.3, 0.9}, {z[0][i] * z[0][j], z[1][i] * z[1][j]}, 8), 100, 1e-4, noise);
  const CorrelatorMatrix matrix(Bootstrap{.replicas = 50}, element);
  EXPECT_EQ(matrix.n_times(), 8);
  const Gevp found = gevp(matrix, {.t0 = 1});
  for (std::size_t n = 0; n < 2; ++n) {
    const Estimate e = found.energies.estimate(2 * 2 + n);
    EXPECT_NEAR(e.mean, 0.3 + 0.6 * double(n), 5 * e.error);
    EXPECT_LT(e.error, 1e-2);
  }
  element[1].pop_back();
  EXPECT_THROW(CorrelatorMatrix(Jackknife{}, element), InputError);
  element[1].push_back(element[0][0]);
  element[1][1].pop_back();
  EXPECT_THROW(CorrelatorMatrix(Jackknife{}, element), InputError);
  EXPECT_THROW(CorrelatorMatrix(Jackknife{}, {}), InputError);
}

TEST(GevpChecks, AGoodMatrixPasses) {
  const CorrelatorMatrix matrix = synthetic_matrix(
      {0.3, 0.7, 1.1, 1.5}, {three_states[0], three_states[1], three_states[2], three_states[0]}, 8, 1e-3);
  const GevpChecks checks = check_gevp(matrix, gevp(matrix, {.t0 = 1}));
  EXPECT_TRUE(checks.positive() && checks.ordered() && checks.interlacing()) << checks.text();
  EXPECT_TRUE(checks.not_positive.empty());
  EXPECT_EQ(checks.text().find("t0"), std::string::npos) << "nothing is missing";
  EXPECT_LT(checks.interlacing_violation, 1e-12);
  EXPECT_LT(checks.asymmetry[3], 0.1);
  EXPECT_EQ(checks.smallest_eigenvalue.size(), 8u);
}

TEST(GevpChecks, AWrongSolutionDoesNotInterlace) {
  const CorrelatorMatrix matrix = synthetic_matrix(
      {0.3, 0.7, 1.1, 1.5}, {three_states[0], three_states[1], three_states[2], three_states[0]}, 8, 1e-3);
  Gevp solution = gevp(matrix, {.t0 = 1});
  const std::size_t middle = std::size_t(4 * solution.n_states) + 1;
  solution.eigenvalues.row(0)[middle] = 0.1 * solution.eigenvalues.mean()[middle + 1];
  EXPECT_FALSE(check_gevp(matrix, solution).interlacing());
}

TEST(GevpChecks, EigenvaluesInterlaceWithThoseOfEveryOperator) {
  const CorrelatorMatrix matrix = synthetic_matrix({0.3, 0.7, 1.1}, three_states, 8);
  const Gevp all = gevp(matrix, {.t0 = 1});
  for (int t = 2; t < 8; ++t)
    for (int i = 0; i < 3; ++i) {
      const double alone = matrix.at(0, t, i, i).real() / matrix.at(0, 1, i, i).real();
      EXPECT_LE(alone, all.eigenvalues.mean()[std::size_t(t) * 3] * (1 + 1e-13));
      EXPECT_GE(alone, all.eigenvalues.mean()[std::size_t(t) * 3 + 2] * (1 - 1e-13));
    }
}

TEST(GevpChecks, ABadMatrixIsReported) {
  Resampled values(2 * 4 * 6, 4, 0.75, 4);
  for (std::size_t row = 0; row < values.n_rows(); ++row)
    for (int t = 0; t < 6; ++t) {
      double* c = values.row(row).data() + 8 * t;
      c[0] = c[6] = std::exp(-0.5 * t);
      c[2] = 0.3 * c[0] * (t == 4 ? 5 : 1) + 0.01 * double(row % 2);  // at t = 4 the off-diagonal is too large
      c[4] = c[2] + 0.5;                                              // and it is not symmetric
      c[5] = 0.001 * double(row % 3);
    }
  const CorrelatorMatrix matrix(2, std::move(values));
  const GevpChecks checks = check_gevp(matrix, gevp(matrix, {.t0 = 0}));
  EXPECT_NE(std::count(checks.not_positive.begin(), checks.not_positive.end(), 4), 0);
  EXPECT_NE(std::count(checks.negative_eigenvalue.begin(), checks.negative_eigenvalue.end(), 4), 0);
  EXPECT_FALSE(checks.positive());
  EXPECT_GT(checks.asymmetry[2], 10);
  EXPECT_NE(checks.text().find("negative"), std::string::npos);
  EXPECT_THROW(check_gevp(synthetic_matrix({0.3}, {{1}}, 6), gevp(matrix, {.t0 = 0})), InputError);
}

TEST(Gevp, WithoutAPositiveReferenceThereAreNoStates) {
  // Two operators that are one.
  const Gevp degenerate = gevp(synthetic_matrix({0.3}, {{1, 2}}, 6), {.t0 = 1});
  for (std::size_t i = 0; i < 12; ++i) EXPECT_TRUE(std::isnan(degenerate.energies.mean()[i]));
  EXPECT_TRUE(degenerate.vectors[3].empty());
  EXPECT_FALSE(check_gevp(synthetic_matrix({0.3}, {{1, 2}}, 6), degenerate).positive());
  Resampled nan(2 * 1 * 4, 3, 1, 4);
  for (std::size_t row = 0; row < 4; ++row)
    for (double& v : nan.row(row)) v = NAN;
  const CorrelatorMatrix matrix(1, nan);
  EXPECT_TRUE(std::isnan(gevp(matrix, {.t0 = 0}).energies.mean()[0]));
  EXPECT_EQ(check_gevp(matrix, gevp(matrix, {.t0 = 0})).not_positive.size(), 4u);
}

/// Two operators with the correlation 0.5 at all times but one.
CorrelatorMatrix matrix_with(double correlation, int t_bad, std::size_t first_row) {
  Resampled values(2 * 4 * 6, 4, 0.75, 4);
  for (std::size_t row = 0; row < values.n_rows(); ++row)
    for (int t = 0; t < 6; ++t) {
      double* c = values.row(row).data() + 8 * t;
      c[0] = c[6] = std::exp(-0.5 * t);
      c[2] = c[4] = (t == t_bad && row >= first_row ? correlation : 0.5) * c[0];
    }
  return CorrelatorMatrix(2, std::move(values));
}

TEST(GevpChecks, SayWhyNumbersAreMissing) {
  using Times = std::vector<int>;
  const auto checks_of = [](const CorrelatorMatrix& matrix, GevpReference reference) {
    return check_gevp(matrix, gevp(matrix, {.reference = reference, .t0 = 2}));
  };
  const auto says = [](const GevpChecks& checks, const std::string& text) {
    return checks.text().find(text) != std::string::npos;
  };
  for (const GevpReference reference : {GevpReference::fixed, GevpReference::previous}) {
    const GevpChecks negative = checks_of(matrix_with(1.5, 2, 0), reference),
                     singular = checks_of(matrix_with(1, 2, 0), reference),
                     of_replicas = checks_of(matrix_with(1.5, 2, 1), reference);
    EXPECT_EQ(negative.not_positive_t0, Times{2});
    EXPECT_EQ(singular.singular_t0, Times{2});
    EXPECT_EQ(of_replicas.not_positive_t0_of_replicas, Times{2});
    EXPECT_TRUE(negative.singular_t0.empty() && singular.not_positive_t0.empty());
    EXPECT_TRUE(of_replicas.singular_t0.empty() && of_replicas.not_positive_t0.empty());
    EXPECT_TRUE(
        says(negative, "C(t0) is not positive at t0 = 2, so that times with this t0 have no eigenvalues: take"));
    EXPECT_TRUE(
        says(singular, "C(t0) is singular at t0 = 2, so that times with this t0 have no eigenvalues: leave out"));
    EXPECT_TRUE(
        says(of_replicas, "C(t0) is not positive in a replica at t0 = 2, so that times with this t0 have no errors"));
  }
  EXPECT_FALSE(says(checks_of(matrix_with(1.5, 3, 0), GevpReference::fixed), "t0")) << "3 is no reference";
}

TEST(Gevp, OneOperatorHasTheLogEffectiveMass) {
  const CorrelatorMatrix matrix = synthetic_matrix({0.3, 0.8}, {{1}, {0.7}}, 8);
  for (const GevpReference reference : {GevpReference::fixed, GevpReference::previous, GevpReference::half}) {
    const Gevp found = gevp(matrix, {.reference = reference, .t0 = 1});
    for (int t = 0; t + 1 < 8; ++t)
      EXPECT_NEAR(found.energies.mean()[std::size_t(t)],
                  std::log(matrix.at(0, t, 0, 0).real() / matrix.at(0, t + 1, 0, 0).real()), 1e-13);
  }
}

TEST(Gevp, RefusesReferencesOutsideOfTheMatrix) {
  const CorrelatorMatrix matrix = synthetic_matrix({0.3, 0.8}, {{1, 0.2}, {0.7, -1}}, 8);
  EXPECT_THROW(gevp(matrix, {.t0 = 7}), InputError);
  EXPECT_THROW(gevp(matrix, {.t0 = -1}), InputError);
  EXPECT_THROW(gevp(matrix, {.t0 = 1, .t_vectors = 1}), InputError);
  EXPECT_THROW(gevp(matrix, {.t0 = 1, .t_vectors = 8}), InputError);
  EXPECT_THROW(gevp(matrix, {.reference = GevpReference::half, .t_vectors = 0}), InputError);
  EXPECT_THROW(gevp(synthetic_matrix({0.3}, {{1}}, 1), {.t0 = 0}), InputError);
  EXPECT_THROW(CorrelatorMatrix(2, Resampled(6, 3, 1, 4)), InputError);
  EXPECT_THROW(CorrelatorMatrix(0, Resampled(6, 3, 1, 4)), InputError);
}

}  // namespace
}  // namespace kov
