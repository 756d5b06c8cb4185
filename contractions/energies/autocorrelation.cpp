// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/autocorrelation.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kov {

namespace {

std::vector<std::size_t> chains_of(std::size_t n, const GammaMethod& method) {
  const std::vector<std::size_t> chains = method.chains.empty() ? std::vector{n} : method.chains;
  std::size_t sum = 0;
  for (const std::size_t length : chains) {
    require(length >= 4, "a chain of", length, "measurements is too short for its autocorrelation; it takes four");
    sum += length;
  }
  require(sum == n, "chains of", sum, "measurements in all were named, but there are", n, "- name all of them");
  require(method.s > 0, "the Gamma method was given S =", method.s, "- it must be positive, usually 1 to 2");
  return chains;
}

/// Gamma(t) of fluctuations about their mean.
double gamma_of(const std::vector<double>& off, const std::vector<std::size_t>& chains, std::size_t t) {
  double sum = 0;
  std::size_t begin = 0, pairs = 0;
  for (const std::size_t length : chains) {
    for (std::size_t i = begin; i + t < begin + length; ++i) sum += off[i] * off[i + t];
    pairs += length - t;
    begin += length;
  }
  return sum / double(pairs);
}

Autocorrelation analysed(double mean, const std::vector<double>& off, const GammaMethod& method) {
  const std::vector<std::size_t> chains = chains_of(off.size(), method);
  const double n = double(off.size());
  const auto longest = *std::min_element(chains.begin(), chains.end()) / 2;
  std::vector<double> gamma{gamma_of(off, chains, 0)};
  Autocorrelation result{mean, 0, 0, 0.5, 0, 0, true, {1}};
  if (!(gamma[0] > 0)) return result;  // a constant
  double sum = 0;                      // of rho(t), t > 0
  bool found = false;
  for (std::size_t t = 1; t <= longest && !found; ++t) {
    gamma.push_back(gamma_of(off, chains, t));
    sum += gamma[t] / gamma[0];
    const double tau = sum <= 0 ? std::numeric_limits<double>::epsilon() : method.s / std::log1p(1 / sum);
    result.window = int(t);
    found = std::exp(-double(t) / tau) < tau / std::sqrt(double(t) * n);
  }
  const double w = result.window;
  const double bias = gamma[0] * (1 + 2 * sum) / n;
  for (double& g : gamma) g += bias;
  sum = 0;
  for (std::size_t t = 1; t < gamma.size(); ++t) sum += gamma[t] / gamma[0];
  result.tau_int = 0.5 + sum;
  result.long_enough = found && result.is_measured() && n >= 50 * result.tau_int;
  result.error = std::sqrt(gamma[0] * 2 * (result.is_measured() ? result.tau_int : 0.5) / n);
  result.error_of_error = result.error * std::sqrt((w + 0.5) / n);
  result.tau_int_error = result.tau_int * 2 * std::sqrt(std::max(w - result.tau_int + 0.5, 0.0) / n);
  for (std::size_t t = gamma.size(); t <= std::min(2 * std::size_t(result.window), longest); ++t)
    gamma.push_back(gamma_of(off, chains, t) + bias);
  result.rho.clear();
  for (const double g : gamma) result.rho.push_back(g / gamma[0]);
  return result;
}

}  // namespace

Autocorrelation autocorrelation(const std::vector<double>& history, const GammaMethod& method) {
  chains_of(history.size(), method);
  double mean = 0;
  for (const double v : history) {
    require(std::isfinite(v), "a history has the number", v, "and so no autocorrelation; leave it out");
    mean += v;
  }
  mean /= double(history.size());
  std::vector<double> off = history;
  for (double& v : off) v -= mean;
  return analysed(mean, off, method);
}

Autocorrelation autocorrelation(const Samples& history, const std::function<double(const std::vector<double>&)>& f,
                                const GammaMethod& method) {
  chains_of(history.size(), method);
  const double n = double(history.size());
  std::vector<double> mean(history.front().size()), error(mean.size());
  for (const auto& row : history) {
    require(row.size() == mean.size(), "a history has rows of", mean.size(), "and", row.size(),
            "numbers; take those of one lattice");
    for (std::size_t a = 0; a < mean.size(); ++a) {
      require(std::isfinite(row[a]), "a history has the number", row[a], "and so no autocorrelation; leave it out");
      mean[a] += row[a] / n;
    }
  }
  for (const auto& row : history)
    for (std::size_t a = 0; a < mean.size(); ++a) error[a] += (row[a] - mean[a]) * (row[a] - mean[a]);
  std::vector<double> off(history.size());
  for (std::size_t a = 0; a < mean.size(); ++a) {
    const double step = std::sqrt(error[a]) / n;
    if (step == 0) continue;
    std::vector<double> up = mean, down = mean;
    up[a] += step;
    down[a] -= step;
    const double gradient = (f(up) - f(down)) / (2 * step);
    require(std::isfinite(gradient),
            "a function of means has no slope at their values, and so no error; take one that is smooth there");
    for (std::size_t i = 0; i < off.size(); ++i) off[i] += gradient * (history[i][a] - mean[a]);
  }
  return analysed(f(mean), off, method);
}

Autocorrelation autocorrelation(const Resampled& jackknife, std::size_t i, const GammaMethod& method) {
  const std::size_t n = jackknife.n_replicas();
  chains_of(n, method);
  require(i < jackknife.width(), "there is no number", i, "of", jackknife.width(), "to have an autocorrelation");
  require(n == jackknife.n_samples() && std::abs(jackknife.spread() - double(n - 1) / double(n)) < 1e-12,
          "replicas of a bootstrap do not know the history; give those of a jackknife without bins");
  std::vector<double> off;
  double mean = 0;
  for (std::size_t k = 0; k < n; ++k) {
    off.push_back(jackknife.replica(k)[i]);
    require(std::isfinite(off.back()), "a replica is", off.back(), "and so there is no autocorrelation");
    mean += off.back() / double(n);
  }
  for (double& v : off) v = -double(n - 1) * (v - mean);
  return analysed(jackknife.mean()[i], off, method);
}

}  // namespace kov
