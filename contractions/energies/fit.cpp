// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/fit.hpp"

#include "kov/algebra/eigen/hermitian_matrix.hpp"
#include "kov/contractions/energies/p_value.hpp"
#include "kov/core/base/error.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace kov {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

constexpr int most_parameters = 4;
using TimeVector = Eigen::Matrix<double, Eigen::Dynamic, 1>;
using Matrix = Eigen::MatrixXd;
/// Rows of times, columns of parameters.
using Slopes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, Eigen::Dynamic, most_parameters>;
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_parameters, most_parameters>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_parameters, 1>;

/// The states as a function of B_0, E_0 and, of two, B_1 and log(E_1 - E_0): B_n = A_n e^{-E_n first}, so that numbers
/// are of one size, and energies stay in order.
class States {
 public:
  States(int first, int last, const FitOptions& options)
      : first_(first),
        n_(last - first + 1),
        n_states_(options.n_states),
        n_times_(options.n_times),
        sign_(options.form == FitForm::exponential ? 0
              : options.form == FitForm::cosh      ? 1
                                                   : -1) {}

  int n_parameters() const { return 2 * n_states_; }
  double energy(const SmallVector& p, int n) const { return n == 0 ? p(1) : p(1) + std::exp(p(3)); }

  /// The basis function of energy E at every time, and its derivative with respect to E.
  void term(double energy, Eigen::Ref<TimeVector> value, Eigen::Ref<TimeVector> slope) const {
    const double q = std::exp(-energy), back_q = std::exp(energy);
    const double back_times = n_times_ - 2.0 * first_;
    double forward = 1, backward = sign_ == 0 ? 0 : sign_ * std::exp(-energy * back_times);
    for (int i = 0; i < n_; ++i) {
      value(i) = forward + backward;
      slope(i) = -i * forward - (sign_ == 0 ? 0 : (back_times - i) * backward);
      forward *= q;
      backward *= back_q;
    }
  }

  /// The slopes of the sum of the states.  The sum itself is p(0) times column 0 and, of two, p(2) times column 2.
  void evaluate(const SmallVector& p, Slopes& slopes) const {
    for (int s = 0; s < n_states_; ++s) {
      term(energy(p, s), slopes.col(2 * s), slopes.col(2 * s + 1));
      slopes.col(2 * s + 1) *= p(2 * s);
      if (s == 1) {
        slopes.col(1) += slopes.col(3);
        slopes.col(3) *= std::exp(p(3));
      }
    }
  }

  /// The same sum with energies that are not negative and in order: a cosh or sinh of E is one of -E, too, and a fit
  /// may step over to it.
  SmallVector mirrored(const SmallVector& p) const {
    std::array<double, 2> e{}, b{};
    bool any = false;
    for (int n = 0; n < n_states_; ++n) {
      const double found = energy(p, n);
      const bool mirror = sign_ != 0 && found < 0;
      e[std::size_t(n)] = mirror ? -found : found;
      b[std::size_t(n)] = mirror ? p(2 * n) * sign_ * std::exp(-found * (n_times_ - 2.0 * first_)) : p(2 * n);
      any = any || mirror;
    }
    if (!any) return p;
    const std::size_t lower = n_states_ == 2 && e[1] < e[0] ? 1 : 0;
    SmallVector result(p.size());
    result(0) = b[lower];
    result(1) = e[lower];
    if (n_states_ == 2) {
      result(2) = b[1 - lower];
      result(3) = std::log(e[1 - lower] - e[lower]);
    }
    return result;
  }

  /// A_n of B_n.
  double amplitude(const SmallVector& p, int n) const { return p(2 * n) * std::exp(energy(p, n) * first_); }
  int n() const { return n_; }
  int n_states() const { return n_states_; }

 private:
  int first_, n_, n_states_, n_times_, sign_;
};

/// The matrix W of chi^2 = |W (y - f)|^2, and what was done to the covariance.
struct Whitener {
  Matrix matrix;
  FitCovariance covariance;
  std::string problem = {};
  /// The same for multiply(): columns of `rows` numbers, a multiple of a vector's, zeros beyond the matrix.
  std::vector<double> padded = {};
  Eigen::Index rows = 0;
  bool is_lower = false;

  static constexpr Eigen::Index vector = 8;

  void pad(bool has_zeros_above) {
    const Eigen::Index n = matrix.rows();
    rows = (n + vector - 1) / vector * vector;
    is_lower = has_zeros_above;
    padded.assign(std::size_t(rows * n), 0.0);
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = 0; i < n; ++i) padded[std::size_t(j * rows + i)] = matrix(i, j);
  }

  /// W times one or two columns of times.  Written out: a matrix of so few rows is not worth the packing of a library's
  /// product.
  template <int n_columns>
  void multiply(const double* in, double* out) const {
    const Eigen::Index n = matrix.rows();
    for (Eigen::Index first = 0; first < n; first += vector) {
      double sum[n_columns][vector] = {};
      const Eigen::Index end = is_lower ? std::min(n, first + vector) : n;
      for (Eigen::Index j = 0; j < end; ++j) {
        const double* w = padded.data() + j * rows + first;
        for (int c = 0; c < n_columns; ++c)
          for (Eigen::Index i = 0; i < vector; ++i) sum[c][i] += w[i] * in[c * n + j];
      }
      for (int c = 0; c < n_columns; ++c) std::copy_n(sum[c], std::min(n - first, vector), out + c * n + first);
    }
  }
  /// Of the slopes of one state or two.
  void multiply(const Slopes& in, Slopes& out) const {
    for (Eigen::Index c = 0; c < in.cols(); c += 2) multiply<2>(in.data() + c * in.rows(), out.data() + c * in.rows());
  }
};

/// Memory of fits of this many times and parameters.
struct FitMemory {
  TimeVector white, residual, next_residual;
  Slopes slopes, jacobian, next_jacobian;

  FitMemory(int n, int n_parameters)
      : white(n),
        residual(n),
        next_residual(n),
        slopes(n, n_parameters),
        jacobian(n, n_parameters),
        next_jacobian(n, n_parameters) {}
};

struct Minimum {
  SmallVector p;
  double chi2;
  bool converged;
};

/// white: W y.
double chi2_at(const States& states, const Whitener& whitener, const TimeVector& white, const SmallVector& p,
               Slopes& slopes, TimeVector& residual, Slopes& jacobian) {
  states.evaluate(p, slopes);
  whitener.multiply(slopes, jacobian);
  residual = white - p(0) * jacobian.col(0);
  if (states.n_states() == 2) residual -= p(2) * jacobian.col(2);
  return residual.squaredNorm();
}

/// Levenberg and Marquardt's method from p on.
Minimum minimise(const States& states, const Whitener& whitener, const double* y, SmallVector p, double damping,
                 FitMemory& memory) {
  constexpr int most_steps = 200;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  auto& [white, residual, next_residual, slopes, jacobian, next_jacobian] = memory;
  whitener.multiply<1>(y, white.data());
  double chi2 = chi2_at(states, whitener, white, p, slopes, residual, jacobian);
  if (!std::isfinite(chi2)) return {p, chi2, false};
  for (int step = 0; step < most_steps; ++step) {
    SmallMatrix curvature = jacobian.transpose() * jacobian;
    const SmallVector gradient = jacobian.transpose() * residual;
    for (int a = 0; a < p.size(); ++a) curvature(a, a) *= 1 + damping;
    const SmallVector change = curvature.ldlt().solve(gradient);
    if (!change.allFinite()) return {p, chi2, false};
    const SmallVector next = p + change;
    const double next_chi2 = chi2_at(states, whitener, white, next, slopes, next_residual, next_jacobian);
    bool small = true;
    double gain = 0;  // that is expected
    for (int a = 0; a < p.size(); ++a) {
      small = small && std::abs(change(a)) <= 8 * epsilon * (std::abs(p(a)) + 1e-3);
      gain += change(a) * gradient(a);
    }
    if (next_chi2 <= chi2) {
      // Close to the minimum it is what rounding leaves of it.
      const bool flat = damping < 1e-2 && gain <= 1e-22 * chi2 + 1e-300;
      p = next;
      chi2 = next_chi2;
      residual.swap(next_residual);
      jacobian.swap(next_jacobian);
      damping *= 0.1;
      if (damping < 1e-9) damping = 0;
      if (small || flat) return {p, chi2, true};
    } else {
      if (small || std::abs(gain) <= 1e-14 * chi2) return {p, chi2, true};
      damping = std::max(1e-4, 10 * damping);
      if (damping > 1e12) return {p, chi2, false};
    }
  }
  return {p, chi2, false};
}

/// lambda of FitOptions::shrinkage.
double best_shrinkage(const Matrix& correlation, std::size_t n_samples) {
  double noise = 0, signal = 0;
  for (Eigen::Index a = 0; a < correlation.rows(); ++a)
    for (Eigen::Index b = 0; b < a; ++b) {
      const double r2 = correlation(a, b) * correlation(a, b);
      noise += (1 - r2) * (1 - r2) / double(n_samples - 1);
      signal += r2;
    }
  // Of few samples the correlations are estimated near 1, whatever they are: of two always.
  const double least = 1 / double(n_samples - 1);
  return signal > 0 ? std::clamp(noise / signal, least, 1.0) : 1.0;
}

Whitener whitener_of(const Matrix& covariance, std::size_t n_samples, const FitOptions& options) {
  const Eigen::Index n = covariance.rows();
  FitCovariance kind = options.covariance;
  if (kind == FitCovariance::automatic)
    kind = n_samples > 2 * std::size_t(n) ? FitCovariance::full : FitCovariance::shrinkage;
  require(kind != FitCovariance::full || n_samples > std::size_t(n), "the covariance of", n, "times from", n_samples,
          "samples is singular; fit fewer times, or choose shrinkage, an SVD cut or diagonal");
  TimeVector scale(n);
  for (Eigen::Index a = 0; a < n; ++a) {
    if (!(covariance(a, a) > 0) || !std::isfinite(covariance(a, a)))
      return {{}, kind, "a time has no error, so that it cannot be weighted"};
    scale(a) = 1 / std::sqrt(covariance(a, a));
  }
  Matrix correlation = scale.asDiagonal() * covariance * scale.asDiagonal();
  if (kind == FitCovariance::diagonal) correlation.setIdentity();
  if (kind == FitCovariance::shrinkage) {
    const double lambda = options.shrinkage < 0 ? best_shrinkage(correlation, n_samples) : options.shrinkage;
    correlation = (1 - lambda) * correlation + lambda * Matrix::Identity(n, n);
  }
  if (kind == FitCovariance::svd) {
    if (!correlation.allFinite()) return {{}, kind, "the covariance has no eigenvalues"};
    std::vector<std::complex<double>> rows;
    for (Eigen::Index a = 0; a < n; ++a)
      for (Eigen::Index b = 0; b < n; ++b) rows.emplace_back(correlation(a, b));
    const detail::HermitianSystem eigen = detail::hermitian_system(rows, int(n), "times");
    const double least = options.svd_cut * eigen.values.back();
    Whitener result{Matrix(n, n), kind};  // vectors of a real matrix are real
    for (Eigen::Index k = 0; k < n; ++k) {
      const double weight = 1 / std::sqrt(std::max(least, eigen.values[std::size_t(k)]));
      for (Eigen::Index b = 0; b < n; ++b)
        result.matrix(k, b) = weight * eigen.vector(int(b), int(k)).real() * scale(b);
    }
    result.pad(false);
    return result;
  }
  const Eigen::LLT<Matrix> factor(correlation);
  if (factor.info() != Eigen::Success || factor.rcond() < 1e-14)
    return {{}, kind, "the covariance is singular: times do not fluctuate independently"};
  Matrix inverse = Matrix::Identity(n, n);
  factor.matrixL().solveInPlace(inverse);
  Whitener result{inverse * scale.asDiagonal(), kind};
  result.pad(true);
  return result;
}

/// Amplitudes that are best for given energies.
bool set_amplitudes(const States& states, const Matrix& whitener, const TimeVector& y, SmallVector& p) {
  Slopes basis(states.n(), states.n_states());
  TimeVector slope(states.n());
  for (int s = 0; s < states.n_states(); ++s) {
    TimeVector f(states.n());
    states.term(states.energy(p, s), f, slope);
    basis.col(s) = f;
  }
  const Slopes white = whitener * basis;
  const SmallVector amplitude = white.colPivHouseholderQr().solve(whitener * y);
  for (int s = 0; s < states.n_states(); ++s) p(2 * s) = amplitude(s);
  return amplitude.allFinite();
}

/// Where the fits begin: the decay over the second half of the range.
std::vector<SmallVector> starts(const States& states, const Matrix& whitener, const TimeVector& y) {
  std::vector<double> decays;
  for (Eigen::Index i = y.size() / 2; i + 1 < y.size(); ++i)
    if (const double r = y(i) / y(i + 1); r > 0 && std::isfinite(r)) decays.push_back(std::log(r));
  for (Eigen::Index i = 0; decays.empty() && i + 1 < y.size(); ++i)
    if (const double r = y(i) / y(i + 1); r > 0 && std::isfinite(r)) decays.push_back(std::log(r));
  std::vector<SmallVector> all;
  if (decays.empty()) return all;
  std::nth_element(decays.begin(), decays.begin() + std::ptrdiff_t(decays.size() / 2), decays.end());
  const double middle = decays[decays.size() / 2], least = std::max(std::abs(middle), 1e-3);
  const auto add = [&](double energy, double gap) {
    SmallVector p(states.n_parameters());
    p.setZero();
    p(1) = energy;
    if (states.n_states() == 2) p(3) = std::log(gap);
    if (set_amplitudes(states, whitener, y, p)) all.push_back(p);
  };
  if (states.n_states() == 1) {
    add(least, 0);
    if (const double r = y(0) / y(1); r > 1 && std::isfinite(r)) add(std::log(r), 0);
    return all;
  }
  for (const double share : {1.0, 0.7})
    for (const double gap : {0.3, 1.0, 2.5}) add(share * least, gap * std::max(least, 0.1));
  return all;
}

Fit without_fit(const Resampled& c, int first, int last, const FitOptions& options, FitCovariance covariance,
                const std::string& problem) {
  const std::size_t width = 2 * std::size_t(options.n_states);
  Fit fit{.first = first,
          .last = last,
          .n_states = options.n_states,
          .parameters = Resampled(width, c.n_replicas(), c.spread(), c.n_samples()),
          .curvature_errors = std::vector<double>(width, no_number),
          .chi2 = no_number,
          .dof = last - first + 1 - int(width),
          .p_value = no_number,
          .finite_p_value = no_number,
          .covariance = covariance,
          .problem = problem};
  for (std::size_t k = 0; k < fit.parameters.n_rows(); ++k)
    for (double& v : fit.parameters.row(k)) v = no_number;
  return fit;
}

void require_options(const Resampled& c, int first, int last, const FitOptions& options) {
  require(options.n_states == 1 || options.n_states == 2, "a fit of", options.n_states,
          "states was asked for, but there are fits of 1 and 2");
  require(first >= 0 && first <= last && last < int(c.width()), "a fit from", first, "to", last,
          "was asked for, but the correlator has times 0 to", int(c.width()) - 1);
  require(last - first + 1 > 2 * options.n_states, "a fit from", first, "to", last, "has", last - first + 1,
          "times for", 2 * options.n_states, "parameters; it needs more times than parameters");
  require(options.form == FitForm::exponential || options.n_times > 0,
          "a fit of a cosh or sinh needs the number of times of the lattice, n_times");
  require(options.shrinkage <= 1, "shrinkage is", options.shrinkage, "- it must be from 0 to 1, or negative");
  require(options.svd_cut > 0 && options.svd_cut <= 1, "the SVD cut is", options.svd_cut,
          "- it must be above 0 and at most 1");
}

/// Errors of p as States reports it, from the curvature of chi^2.
std::vector<double> errors_from_curvature(const States& states, const Whitener& whitener, const SmallVector& p,
                                          int first) {
  Slopes at_times(states.n(), p.size()), jacobian(states.n(), p.size());
  states.evaluate(p, at_times);
  whitener.multiply(at_times, jacobian);
  const SmallMatrix curvature = jacobian.transpose() * jacobian;
  const SmallMatrix inverse = curvature.ldlt().solve(SmallMatrix::Identity(p.size(), p.size()));
  // Rows of d(E_n, A_n) / dp.
  SmallMatrix slopes = SmallMatrix::Zero(p.size(), p.size());
  for (int s = 0; s < states.n_states(); ++s) {
    slopes(2 * s, 1) = 1;
    if (s == 1) slopes(2, 3) = std::exp(p(3));
    const double amplitude = states.amplitude(p, s);
    slopes.row(2 * s + 1) = first * amplitude * slopes.row(2 * s);
    slopes(2 * s + 1, 2 * s) += p(2 * s) == 0 ? std::exp(states.energy(p, s) * first) : amplitude / p(2 * s);
  }
  const SmallMatrix covariance = slopes * inverse * slopes.transpose();
  std::vector<double> errors;
  for (Eigen::Index a = 0; a < p.size(); ++a) errors.push_back(std::sqrt(covariance(a, a)));
  return errors;
}

/// A fit with the covariance of times `offset` and later, of which the fit has the last ones.
Fit fitted(const Resampled& c, const std::vector<double>& covariance, int covariance_first, int first, int last,
           const FitOptions& options) {
  require_options(c, first, last, options);
  const int n = last - first + 1, n_all = last - covariance_first + 1, skip = first - covariance_first;
  Matrix v(n, n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) v(a, b) = covariance[std::size_t((a + skip) * n_all + b + skip)];
  const Whitener whitener = whitener_of(v, c.n_samples(), options);
  if (!whitener.problem.empty()) return without_fit(c, first, last, options, whitener.covariance, whitener.problem);
  const States states(first, last, options);
  const auto values = [&](std::size_t k) { return Eigen::Map<const TimeVector>(c.row(k).data() + first, n); };
  const TimeVector y = values(0);
  if (!y.allFinite()) return without_fit(c, first, last, options, whitener.covariance, "a number is not finite");
  FitMemory memory(n, states.n_parameters());
  std::optional<Minimum> best;
  for (const SmallVector& start : starts(states, whitener.matrix, y)) {
    const Minimum found = minimise(states, whitener, y.data(), start, 1e-3, memory);
    if (found.converged && (!best || found.chi2 < best->chi2)) best = found;
  }
  if (!best)
    return without_fit(c, first, last, options, whitener.covariance, "it does not decay, or no minimum was found");
  best->p = states.mirrored(best->p);
  Fit fit = without_fit(c, first, last, options, whitener.covariance, "");
  const auto store = [&](std::size_t k, const SmallVector& p) {
    for (int s = 0; s < options.n_states; ++s) {
      fit.parameters.row(k)[2 * std::size_t(s)] = states.energy(p, s);
      fit.parameters.row(k)[2 * std::size_t(s) + 1] = states.amplitude(p, s);
    }
  };
  store(0, best->p);
  for (std::size_t k = 1; k < c.n_rows(); ++k) {
    const auto replica = values(k);
    if (!replica.allFinite()) continue;
    const Minimum found = minimise(states, whitener, replica.data(), best->p, 0, memory);
    if (found.converged) store(k, states.mirrored(found.p));
  }
  fit.curvature_errors = errors_from_curvature(states, whitener, best->p, first);
  fit.chi2 = best->chi2;
  fit.p_value = chi2_p_value(fit.chi2, fit.dof);
  fit.finite_p_value = hotelling_p_value(fit.chi2, fit.dof, int(c.n_samples()));
  return fit;
}

std::vector<double> covariance_between(const Resampled& c, int first, int last) {
  std::vector<std::size_t> which;
  for (int t = first; t <= last; ++t) which.push_back(std::size_t(t));
  return c.covariance(which);
}

}  // namespace

Fit fit_correlator(const Resampled& c, int first, int last, const FitOptions& options) {
  require_options(c, first, last, options);
  return fitted(c, covariance_between(c, first, last), first, first, last, options);
}

std::vector<Fit> fit_ranges(const Resampled& c, int first_begin, int first_end, int last, const FitOptions& options,
                            int step) {
  require(first_begin <= first_end && step >= 1, "fits from", first_begin, "to", first_end,
          "were asked for, which is no range");
  require_options(c, first_begin, last, options);
  require_options(c, first_end, last, options);
  const std::vector<double> covariance = covariance_between(c, first_begin, last);
  std::vector<Fit> fits;
  for (int first = first_begin; first <= first_end; first += step)
    fits.push_back(fitted(c, covariance, first_begin, first, last, options));
  return fits;
}

Estimate ModelAverage::estimate() const {
  return {energy.mean()[0], std::sqrt(statistical * statistical + systematic * systematic)};
}

ModelAverage model_average(const std::vector<Fit>& fits) {
  int most = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto times = [](const Fit& fit) { return fit.last - fit.first + 1; };
  const auto usable = [](const Fit& fit) { return fit.good() && std::isfinite(fit.energy().error); };
  for (const Fit& fit : fits) most = std::max(most, times(fit));
  const auto criterion = [&](const Fit& fit) { return fit.chi2 + 2 * 2 * fit.n_states + 2 * (most - times(fit)); };
  for (const Fit& fit : fits)
    if (usable(fit)) least = std::min(least, criterion(fit));
  require(std::isfinite(least), "none of", fits.size(), "fits has an energy with an error, so there is no average;",
          "choose other ranges or another form");
  const Resampled& like = fits.front().parameters;
  ModelAverage result{Resampled(1, like.n_replicas(), like.spread(), like.n_samples()), 0, 0, {}, 0};
  double total = 0;
  for (const Fit& fit : fits) {
    result.weights.push_back(usable(fit) ? std::exp(-0.5 * (criterion(fit) - least)) : 0);
    total += result.weights.back();
  }
  double mean = 0, variance = 0;
  for (std::size_t m = 0; m < fits.size(); ++m) {
    const double w = result.weights[m] /= total;
    if (w > result.weights[result.best]) result.best = m;
    if (w == 0) continue;
    const Estimate e = fits[m].energy();
    mean += w * e.mean;
    variance += w * e.error * e.error;
    for (std::size_t k = 0; k < like.n_rows(); ++k) result.energy.row(k)[0] += w * fits[m].parameters.row(k)[0];
  }
  double spread = 0;
  for (std::size_t m = 0; m < fits.size(); ++m)
    if (result.weights[m] > 0) {
      const double off = fits[m].parameters.mean()[0] - mean;
      spread += result.weights[m] * off * off;
    }
  result.statistical = std::sqrt(variance);
  result.systematic = std::sqrt(spread);
  return result;
}

}  // namespace kov
