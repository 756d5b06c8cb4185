// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/gevp.hpp"

#include "kov/algebra/eigen/hermitian_matrix.hpp"
#include "kov/core/base/error.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace kov {

namespace {

using ComplexMatrix = Eigen::MatrixXcd;
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// The Hermitian part of C(t).
ComplexMatrix hermitian_part(const CorrelatorMatrix& matrix, std::size_t row, int t) {
  const int n = matrix.n_operators();
  ComplexMatrix c(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) c(i, j) = 0.5 * (matrix.at(row, t, i, j) + std::conj(matrix.at(row, t, j, i)));
  return c;
}

/// The rows of a Hermitian matrix.
std::vector<std::complex<double>> rows_of(const ComplexMatrix& m) {
  std::vector<std::complex<double>> rows;
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) rows.push_back(0.5 * (m(i, j) + std::conj(m(j, i))));
  return rows;
}

/// Eigenvalues in falling order, and vectors in columns with v^+ C(t0) v = 1.
struct Solution {
  Eigen::VectorXd values;
  ComplexMatrix vectors;
};

/// Eigenvalues of a matrix of n operators with a unit diagonal that are 0 up to rounding.
double rounding_of(Eigen::Index n) { return 16 * double(n) * std::numeric_limits<double>::epsilon(); }

/// scale C(t0) scale, which has a unit diagonal, in factors.
struct Reference {
  Eigen::VectorXd scale;
  Eigen::LLT<ComplexMatrix> factor;
};

/// None unless C(t0) is positive beyond rounding.
std::optional<Reference> factorised(const ComplexMatrix& metric) {
  if (!metric.allFinite() || !(metric.diagonal().real().minCoeff() > 0)) return std::nullopt;
  const Eigen::VectorXd scale = metric.diagonal().real().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<ComplexMatrix> factor(scale.asDiagonal() * metric * scale.asDiagonal());
  if (factor.info() != Eigen::Success ||
      factor.matrixLLT().diagonal().real().cwiseAbs2().minCoeff() < rounding_of(metric.rows()))
    return std::nullopt;
  return Reference{scale, factor};
}

std::optional<Solution> solve_gevp(const ComplexMatrix& c, const ComplexMatrix& metric) {
  const std::optional<Reference> reference = factorised(metric);
  if (!c.allFinite() || !reference) return std::nullopt;
  const auto& [scale, factor] = *reference;
  ComplexMatrix reduced = scale.asDiagonal() * c * scale.asDiagonal();
  factor.matrixL().solveInPlace(reduced);
  reduced = reduced.adjoint().eval();
  factor.matrixL().solveInPlace(reduced);
  if (!reduced.allFinite()) return std::nullopt;
  const int n_states = int(c.rows());
  const detail::HermitianSystem eigen = detail::hermitian_system(rows_of(reduced), n_states, "operators");
  Solution solution{Eigen::VectorXd(n_states), ComplexMatrix(n_states, n_states)};
  for (int n = 0; n < n_states; ++n) {
    const int from = n_states - 1 - n;
    solution.values(n) = eigen.values[std::size_t(from)];
    for (int i = 0; i < n_states; ++i) solution.vectors(i, n) = eigen.vector(i, from);
  }
  factor.matrixU().solveInPlace(solution.vectors);
  solution.vectors = scale.asDiagonal() * solution.vectors;
  for (Eigen::Index n = 0; n < c.cols(); ++n) {
    Eigen::Index largest = 0;
    solution.vectors.col(n).cwiseAbs().maxCoeff(&largest);
    const std::complex<double> z = solution.vectors(largest, n);
    solution.vectors.col(n) *= std::conj(z) / std::abs(z);
  }
  return solution;
}

/// |v_n^+ M w_m| of normalised vectors.
Eigen::MatrixXd overlaps(const ComplexMatrix& v, const ComplexMatrix& w, const ComplexMatrix& metric) {
  Eigen::MatrixXd all = (v.adjoint() * metric * w).cwiseAbs();
  for (Eigen::Index n = 0; n < v.cols(); ++n) {
    all.row(n) /= std::sqrt(std::abs((v.col(n).adjoint() * metric * v.col(n))(0)));
    all.col(n) /= std::sqrt(std::abs((w.col(n).adjoint() * metric * w.col(n))(0)));
  }
  return all;
}

/// column[m]: the row that is assigned to column m so that the sum of squares is largest (Kuhn's Hungarian method with
/// potentials, O(n^3)).
std::vector<int> best_assignment(const Eigen::MatrixXd& overlap) {
  const int n = int(overlap.rows());
  std::vector<double> row_potential(std::size_t(n) + 1), column_potential(std::size_t(n) + 1);
  std::vector<int> of_column(std::size_t(n) + 1, 0), way(std::size_t(n) + 1, 0);  // counted from 1; 0: none
  const auto cost = [&](int i, int j) { return -overlap(i - 1, j - 1) * overlap(i - 1, j - 1); };
  for (int i = 1; i <= n; ++i) {
    of_column[0] = i;
    int j0 = 0;
    std::vector<double> least(std::size_t(n) + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> used(std::size_t(n) + 1, false);
    do {
      used[std::size_t(j0)] = true;
      const int i0 = of_column[std::size_t(j0)];
      double delta = std::numeric_limits<double>::infinity();
      int j1 = 0;
      for (int j = 1; j <= n; ++j) {
        if (used[std::size_t(j)]) continue;
        const double reduced = cost(i0, j) - row_potential[std::size_t(i0)] - column_potential[std::size_t(j)];
        if (reduced < least[std::size_t(j)]) {
          least[std::size_t(j)] = reduced;
          way[std::size_t(j)] = j0;
        }
        if (least[std::size_t(j)] < delta) {
          delta = least[std::size_t(j)];
          j1 = j;
        }
      }
      for (int j = 0; j <= n; ++j)
        if (used[std::size_t(j)]) {
          row_potential[std::size_t(of_column[std::size_t(j)])] += delta;
          column_potential[std::size_t(j)] -= delta;
        } else {
          least[std::size_t(j)] -= delta;
        }
      j0 = j1;
    } while (of_column[std::size_t(j0)] != 0);
    for (; j0 != 0; j0 = way[std::size_t(j0)])
      of_column[std::size_t(j0)] = of_column[std::size_t(way[std::size_t(j0)])];
  }
  std::vector<int> column;
  for (int j = 1; j <= n; ++j) column.push_back(of_column[std::size_t(j)] - 1);
  return column;
}

Solution permuted(const Solution& s, const std::vector<int>& order) {
  Solution result = s;
  for (std::size_t n = 0; n < order.size(); ++n) {
    result.values(Eigen::Index(n)) = s.values(order[n]);
    result.vectors.col(Eigen::Index(n)) = s.vectors.col(order[n]);
  }
  return result;
}

/// The states of s in the order of those of `like`; returns the smallest overlap of a pair.
double order_like(Solution& s, const ComplexMatrix& like, const ComplexMatrix& metric) {
  const Eigen::MatrixXd all = overlaps(s.vectors, like, metric);
  if (!all.allFinite()) return no_value;
  const std::vector<int> order = best_assignment(all);
  double least = 1;
  for (std::size_t n = 0; n < order.size(); ++n) least = std::min(least, all(order[n], Eigen::Index(n)));
  s = permuted(s, order);
  return least;
}

class GevpRun {
 public:
  GevpRun(const CorrelatorMatrix& matrix, const GevpOptions& options)
      : matrix_(matrix), options_(options), n_(matrix.n_operators()), n_times_(matrix.n_times()) {
    require(n_times_ >= 2, "a GEVP needs two times, but the matrix has", n_times_);
    const bool fixed = options.reference == GevpReference::fixed;
    require(!fixed || (options.t0 >= 0 && options.t0 + 1 < n_times_), "t0 is", options.t0, "- it must be from 0 to",
            n_times_ - 2, "so that there is a later time");
    t_vectors_ = options.t_vectors;
    if (t_vectors_ < 0) {
      t_vectors_ = 0;
      while (t_vectors_ < n_times_ && (t0_of(t_vectors_) < 0 || t_vectors_ <= t0_of(t_vectors_))) ++t_vectors_;
      return;  // where there is no time beyond t0 nothing is tracked
    }
    require(t_vectors_ < n_times_ && t0_of(t_vectors_) >= 0 && t0_of(t_vectors_) != t_vectors_,
            "the vectors to track by were asked for at time", t_vectors_,
            "- it must be a time of the matrix other than t0");
  }

  Gevp solve() {
    const std::size_t width = std::size_t(n_times_ * n_);
    const Resampled& all = matrix_.values();
    Gevp result{.n_states = n_,
                .t0 = {},
                .eigenvalues = Resampled(width, all.n_replicas(), all.spread(), all.n_samples()),
                .energies = Resampled(width, all.n_replicas(), all.spread(), all.n_samples()),
                .vectors = {},
                .overlap = std::vector<double>(std::size_t(n_times_), no_value)};
    for (int t = 0; t < n_times_; ++t) result.t0.push_back(t0_of(t));
    for (std::size_t row = 0; row < all.n_rows(); ++row) {
      metrics_.clear();
      for (int t = 0; t < n_times_; ++t) metrics_.push_back(hermitian_part(matrix_, row, t));
      std::vector<std::optional<Solution>> states = sorted_states();
      if (row == 0) {
        track(states, result.overlap);
        means_ = states;
        mean_metrics_ = metrics_;
      } else {
        for (int t = 0; t < n_times_; ++t)
          if (auto& s = states[std::size_t(t)]; s && means_[std::size_t(t)] && t0_of(t) != t)
            order_like(*s, means_[std::size_t(t)]->vectors, mean_metrics_[std::size_t(t0_of(t))]);
      }
      store(states, result, row);
    }
    for (const auto& s : means_) {
      result.vectors.emplace_back();
      for (int n = 0; s && n < n_; ++n)
        result.vectors.back().emplace_back(s->vectors.col(n).data(), s->vectors.col(n).data() + n_);
    }
    return result;
  }

 private:
  int t0_of(int t) const {
    if (options_.reference == GevpReference::fixed) return options_.t0;
    if (t == 0) return -1;
    return options_.reference == GevpReference::previous ? t - 1 : std::min(t - 1, (t + 1) / 2);
  }

  std::optional<Solution> solution(int t, int t0) const {
    if (t0 < 0) return std::nullopt;
    auto s = solve_gevp(metrics_[std::size_t(t)], metrics_[std::size_t(t0)]);
    if (s && t == t0) s->values.setOnes();
    if (s && t < t0) {  // there the ground state grows least
      std::vector<int> order(static_cast<std::size_t>(n_));
      std::iota(order.rbegin(), order.rend(), 0);
      s = permuted(*s, order);
    }
    return s;
  }

  std::vector<std::optional<Solution>> sorted_states() const {
    std::vector<std::optional<Solution>> states;
    for (int t = 0; t < n_times_; ++t) states.push_back(solution(t, t0_of(t)));
    return states;
  }

  /// Puts the states of every time in the order of the reference's.
  void track(std::vector<std::optional<Solution>>& states, std::vector<double>& overlap) const {
    if (options_.tracking == GevpTracking::sorted || t_vectors_ >= n_times_ || !states[std::size_t(t_vectors_)]) return;
    const ComplexMatrix origin = states[std::size_t(t_vectors_)]->vectors;
    for (const int step : {1, -1}) {
      ComplexMatrix like = origin;
      for (int t = t_vectors_ + step; t >= 0 && t < n_times_; t += step) {
        auto& s = states[std::size_t(t)];
        if (!s || t == t0_of(t)) continue;  // at t0 every vector is one
        overlap[std::size_t(t)] = order_like(*s, like, metrics_[std::size_t(t0_of(t))]);
        if (options_.tracking == GevpTracking::running) like = s->vectors;
      }
    }
  }

  void store(const std::vector<std::optional<Solution>>& states, Gevp& result, std::size_t row) const {
    for (int t = 0; t < n_times_; ++t) {
      const auto &here = states[std::size_t(t)], *next = t + 1 < n_times_ ? &states[std::size_t(t) + 1] : nullptr;
      const std::optional<Solution> before = next && *next ? with_reference_of_next(states, t) : std::nullopt;
      for (int n = 0; n < n_; ++n) {
        const auto at = std::size_t(t * n_ + n);
        result.eigenvalues.row(row)[at] = here ? here->values(n) : no_value;
        const double ratio = before ? before->values(n) / (*next)->values(n) : no_value;
        result.energies.row(row)[at] = ratio > 0 && std::isfinite(ratio) ? std::log(ratio) : no_value;
      }
    }
  }

  /// The states of t with the t0 of t + 1.
  std::optional<Solution> with_reference_of_next(const std::vector<std::optional<Solution>>& states, int t) const {
    const int t0 = t0_of(t + 1);
    if (t0 == t0_of(t)) return states[std::size_t(t)];
    std::optional<Solution> s = solution(t, t0);
    if (s && t != t0) order_like(*s, states[std::size_t(t) + 1]->vectors, metrics_[std::size_t(t0)]);
    return s;
  }

  const CorrelatorMatrix& matrix_;
  GevpOptions options_;
  int n_, n_times_, t_vectors_ = 0;
  /// C(t) of the present row, and of the means.
  std::vector<ComplexMatrix> metrics_, mean_metrics_;
  std::vector<std::optional<Solution>> means_;
};

double interlacing_violation_at(const ComplexMatrix& c, const ComplexMatrix& metric, std::vector<double> lambda) {
  for (const double number : lambda)
    if (!std::isfinite(number)) return 0;  // which is no positive eigenvalue either
  std::sort(lambda.begin(), lambda.end(), std::greater<>());
  const Eigen::Index n = c.rows();
  const double largest = std::max(std::abs(lambda.front()), std::abs(lambda.back()));
  const auto all = [&](Eigen::Index k) { return lambda[std::size_t(k)]; };
  double worst = 0;
  const auto above = [&](double low, double high) { worst = std::max(worst, (low - high) / largest); };
  for (Eigen::Index i = 0; i < n; ++i) {
    const double alone = c(i, i).real() / metric(i, i).real();
    above(alone, all(0));
    above(all(n - 1), alone);
    if (n < 3) continue;  // without one of two operators there is one
    std::vector<Eigen::Index> rest;
    for (Eigen::Index j = 0; j < n; ++j)
      if (j != i) rest.push_back(j);
    const auto fewer = solve_gevp(c(rest, rest), metric(rest, rest));
    if (!fewer) continue;
    for (Eigen::Index k = 0; k + 1 < n; ++k) {
      above(fewer->values(k), all(k));
      above(all(k + 1), fewer->values(k));
    }
  }
  return worst;
}

std::string list_of_times(const std::vector<int>& times) {
  std::string text;
  for (const int t : times) text += (text.empty() ? "" : ", ") + std::to_string(t);
  return text;
}

}  // namespace

CorrelatorMatrix::CorrelatorMatrix(int n_operators, Resampled values) : n_(n_operators), values_(std::move(values)) {
  require(n_ >= 1 && values_.width() > 0 && values_.width() % std::size_t(2 * n_ * n_) == 0, "a matrix of", n_,
          "operators was given", values_.width(), "numbers; it takes [t][i][j][re, im]");
}

std::complex<double> CorrelatorMatrix::at(std::size_t row, int t, int i, int j) const {
  const double* z = values_.row(row).data() + 2 * ((t * n_ + i) * n_ + j);
  return {z[0], z[1]};
}

Samples CorrelatorMatrix::rows_of(const std::vector<std::vector<Samples>>& element) {
  const std::size_t n = element.size();
  require(n > 0 && element.front().size() == n && !element.front().front().empty(),
          "a matrix of correlators has no elements, or is not square; give it a row and a column for each operator");
  const std::size_t n_samples = element[0][0].size(), n_times = element[0][0][0].size();
  Samples rows(n_samples, std::vector<double>(2 * n * n * n_times));
  for (std::size_t i = 0; i < n; ++i) {
    require(element[i].size() == n, "a matrix of correlators has", n, "rows and a row of", element[i].size(),
            "elements; it must be square");
    for (std::size_t j = 0; j < n; ++j) {
      require(element[i][j].size() == n_samples, "elements of a matrix have", n_samples, "and", element[i][j].size(),
              "samples; take those of the same configurations");
      for (std::size_t k = 0; k < n_samples; ++k) {
        require(element[i][j][k].size() == n_times, "elements of a matrix have", n_times, "and",
                element[i][j][k].size(), "times; take those of one lattice");
        for (std::size_t t = 0; t < n_times; ++t) rows[k][2 * ((t * n + i) * n + j)] = element[i][j][k][t];
      }
    }
  }
  return rows;
}

Gevp gevp(const CorrelatorMatrix& matrix, const GevpOptions& options) { return GevpRun(matrix, options).solve(); }

GevpChecks check_gevp(const CorrelatorMatrix& matrix, const Gevp& solution) {
  const int n = matrix.n_operators(), n_times = matrix.n_times();
  require(solution.n_states == n && int(solution.t0.size()) == n_times, "a solution of", solution.n_states,
          "states does not belong to a matrix of", n, "operators; give the one that was found for it");
  GevpChecks checks{.asymmetry = {},
                    .smallest_eigenvalue = {},
                    .not_positive = {},
                    .negative_eigenvalue = {},
                    .crossed = {},
                    .singular_t0 = {},
                    .not_positive_t0 = {},
                    .not_positive_t0_of_replicas = {},
                    .interlacing_violation = 0};
  const Resampled asymmetries = matrix.values().map([&](const std::vector<double>& c) {
    std::vector<double> all;
    for (int t = 0; t < n_times; ++t)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
          const double *a = c.data() + 2 * ((t * n + i) * n + j), *b = c.data() + 2 * ((t * n + j) * n + i);
          all.push_back(a[0] - b[0]);
          all.push_back(a[1] + b[1]);
        }
    return all;
  });
  Resampled smallest(std::size_t(n_times), matrix.values().n_replicas(), matrix.values().spread(),
                     matrix.values().n_samples());
  for (std::size_t row = 0; row < smallest.n_rows(); ++row)
    for (int t = 0; t < n_times; ++t) {
      const ComplexMatrix c = hermitian_part(matrix, row, t);
      double& least = smallest.row(row)[std::size_t(t)] = no_value;
      if (!c.allFinite() || !(c.diagonal().real().minCoeff() > 0)) continue;
      const Eigen::VectorXd scale = c.diagonal().real().cwiseSqrt().cwiseInverse();
      const ComplexMatrix scaled = scale.asDiagonal() * c * scale.asDiagonal();
      if (scaled.allFinite()) least = detail::hermitian_eigenvalues(rows_of(scaled), n, "operators").front();
    }
  checks.smallest_eigenvalue = smallest.estimates();
  const std::size_t pairs = std::size_t(n * (n + 1));
  for (int t = 0; t < n_times; ++t) {
    double worst = asymmetries.n_replicas() > 1 ? 0 : no_value;
    double size = 0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(matrix.at(0, t, i, i)));
    for (std::size_t k = 0; k < pairs; ++k) {
      const Estimate e = asymmetries.estimate(std::size_t(t) * pairs + k);
      const double error = std::max(e.error, 1e-12 * size);  // rounding is no asymmetry
      if (error > 0) worst = std::max(worst, std::abs(e.mean) / error);
    }
    checks.asymmetry.push_back(worst);
    if (!(checks.smallest_eigenvalue[std::size_t(t)].mean > 0)) checks.not_positive.push_back(t);
    const int t0 = solution.t0[std::size_t(t)];
    if (t0 < 0 || t <= t0) continue;
    const double* lambda = solution.eigenvalues.mean().data() + std::size_t(t * n);
    bool positive = true, ordered = true;
    for (int k = 0; k < n; ++k) {
      positive = positive && lambda[k] > 0;
      ordered = ordered && (k == 0 || lambda[k] < lambda[k - 1]);
    }
    if (!positive) checks.negative_eigenvalue.push_back(t);
    if (!ordered) checks.crossed.push_back(t);
    checks.interlacing_violation = std::max(
        checks.interlacing_violation,
        interlacing_violation_at(hermitian_part(matrix, 0, t), hermitian_part(matrix, 0, t0), {lambda, lambda + n}));
  }
  for (const int t0 : std::set<int>(solution.t0.begin(), solution.t0.end())) {
    if (t0 < 0) continue;
    const auto is_good = [&](std::size_t row) { return factorised(hermitian_part(matrix, row, t0)).has_value(); };
    std::size_t row = 0;
    while (row < smallest.n_rows() && is_good(row)) ++row;
    if (row == smallest.n_rows()) continue;
    const bool is_singular = smallest.mean()[std::size_t(t0)] > -rounding_of(n);
    (row > 0       ? checks.not_positive_t0_of_replicas
     : is_singular ? checks.singular_t0
                   : checks.not_positive_t0)
        .push_back(t0);
  }
  return checks;
}

std::string GevpChecks::text() const {
  std::string lines = not_positive.empty() ? "C(t) is positive at all times"
                                           : "C(t) is not positive at t = " + list_of_times(not_positive);
  lines += "\n";
  lines += positive() ? "all eigenvalues are positive"
                      : "an eigenvalue is negative, or there is none, at t = " + list_of_times(negative_eigenvalue);
  lines += "\n";
  lines +=
      ordered() ? "tracked eigenvalues keep their order" : "tracked eigenvalues cross at t = " + list_of_times(crossed);
  lines += "\n";
  lines += interlacing() ? "eigenvalues interlace with those of fewer operators"
                         : sentence("eigenvalues DO NOT interlace with those of fewer operators: they fail by",
                                    interlacing_violation);
  const auto add = [&lines](const std::vector<int>& times, const std::string& what, const std::string& remedy) {
    if (!times.empty()) lines += "\nC(t0) is " + what + " at t0 = " + list_of_times(times) + remedy;
  };
  add(singular_t0, "singular",
      ", so that times with this t0 have no eigenvalues: leave out an operator that is a combination of others");
  const std::string better = ": take an earlier t0, fewer operators or more configurations";
  add(not_positive_t0, "not positive", ", so that times with this t0 have no eigenvalues" + better);
  add(not_positive_t0_of_replicas, "not positive in a replica", ", so that times with this t0 have no errors" + better);
  return lines + "\n";
}

}  // namespace kov
