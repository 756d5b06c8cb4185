// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/statistics.hpp"

#include "kov/core/base/error.hpp"

#include <cmath>
#include <limits>

namespace kov {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const Samples& samples) {
  require(samples.size() >= 2, "there are", samples.size(),
          "samples, but an error needs two; measure on more sources or configurations");
  for (const auto& row : samples)
    require(row.size() == samples.front().size(), "samples have", samples.front().size(), "and", row.size(),
            "times and cannot be averaged; take those of one lattice");
}

std::vector<double> sum_of(const Samples& samples) {
  std::vector<double> sum(samples.front().size());
  for (const auto& row : samples)
    for (std::size_t t = 0; t < row.size(); ++t) sum[t] += row[t];
  return sum;
}

/// log cosh x without overflow.
double log_cosh(double x) {
  x = std::abs(x);
  return x + std::log1p(std::exp(-2 * x)) - std::log(2.0);
}

/// m with cosh(m u) / cosh(m (u - 1)) = ratio, u >= 1.  The left side lies between cosh m (u = 1) and e^m (u infinite),
/// which brackets m, and grows with m.
double solve_cosh(double ratio, double u) {
  if (!(ratio >= 1) || std::isinf(ratio)) return kNaN;
  double low = std::log(ratio), high = std::acosh(ratio);
  for (int i = 0; i < 200 && low < high; ++i) {
    const double m = 0.5 * (low + high);
    if (m == low || m == high) break;
    (log_cosh(m * u) - log_cosh(m * (u - 1)) < std::log(ratio) ? low : high) = m;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::vector<Estimate> jackknife(const Samples& samples, const Observable& f) {
  check(samples);
  const double n = double(samples.size());
  std::vector<double> mean = sum_of(samples);
  const std::vector<double> sum = mean;
  for (double& v : mean) v /= n;
  std::vector<Estimate> result;
  for (const double v : f(mean)) result.push_back({v, 0});
  Samples left_out;
  for (const auto& row : samples) {
    std::vector<double> rest = sum;
    for (std::size_t t = 0; t < rest.size(); ++t) rest[t] = (rest[t] - row[t]) / (n - 1);
    left_out.push_back(f(rest));
    require(left_out.back().size() == result.size(), "an observable returned", result.size(), "and then",
            left_out.back().size(), "numbers, so its errors are not defined; let it return NaN where it has no value");
  }
  std::vector<double> centre = sum_of(left_out);
  for (double& v : centre) v /= n;
  for (std::size_t k = 0; k < result.size(); ++k) {
    double spread = 0;
    for (const auto& row : left_out) spread += (row[k] - centre[k]) * (row[k] - centre[k]);
    result[k].error = std::isnan(result[k].mean) ? kNaN : std::sqrt(spread * (n - 1) / n);
  }
  return result;
}

std::vector<Estimate> average(const Samples& samples) {
  return jackknife(samples, [](const std::vector<double>& c) { return c; });
}

Samples bin(const Samples& samples, int size) {
  require(size >= 1 && samples.size() >= std::size_t(size), "bins of", size, "were asked for, with", samples.size(),
          "samples; choose a size from 1 to the number of samples");
  Samples bins;
  for (std::size_t first = 0; first + std::size_t(size) <= samples.size(); first += std::size_t(size)) {
    bins.push_back(sum_of({samples.begin() + std::ptrdiff_t(first), samples.begin() + std::ptrdiff_t(first) + size}));
    for (double& v : bins.back()) v /= size;
  }
  return bins;
}

Samples real_parts(const std::vector<Correlator>& correlators) {
  Samples samples;
  for (const Correlator& c : correlators) {
    samples.emplace_back();
    for (const auto& z : c.value) samples.back().push_back(z.real());
  }
  return samples;
}

std::vector<double> fold(const std::vector<double>& c, int sign) {
  require(sign == 1 || sign == -1, "a correlator is folded with sign", sign, "but only +1 and -1 make sense");
  std::vector<double> folded;
  for (std::size_t t = 0; t <= c.size() / 2 && t < c.size(); ++t)
    folded.push_back(t == 0 ? c[0] : 0.5 * (c[t] + sign * c[c.size() - t]));
  return folded;
}

std::vector<double> log_effective_mass(const std::vector<double>& c) {
  std::vector<double> m;
  for (std::size_t t = 0; t + 1 < c.size(); ++t) {
    const double ratio = c[t] / c[t + 1];
    m.push_back(ratio > 0 && !std::isinf(ratio) ? std::log(ratio) : kNaN);
  }
  return m;
}

std::vector<double> cosh_effective_mass(const std::vector<double>& c, int n_times) {
  std::vector<double> m;
  for (std::size_t t = 0; t + 1 < c.size(); ++t) {
    const double here = std::abs(0.5 * n_times - double(t)), next = std::abs(0.5 * n_times - double(t) - 1);
    if (here == next)
      m.push_back(kNaN);  // the two times mirror each other
    else
      m.push_back(here > next ? solve_cosh(c[t] / c[t + 1], here) : solve_cosh(c[t + 1] / c[t], next));
  }
  return m;
}

Estimate plateau(const Samples& samples, const Observable& f, int first, int last) {
  const std::vector<Estimate> all = jackknife(samples, f);
  require(first >= 0 && first <= last && last < int(all.size()), "a plateau from", first, "to", last,
          "was asked for, but the observable has times 0 to", int(all.size()) - 1);
  std::vector<double> weight(all.size(), 0.0);
  double total = 0;
  for (int t = first; t <= last; ++t) {
    const Estimate& e = all[std::size_t(t)];
    // An error of zero cannot be a weight; the smallest that counts is rounding.
    const double error = std::max(e.error, std::abs(e.mean) * std::numeric_limits<double>::epsilon());
    if (std::isnan(error) || error == 0) continue;
    weight[std::size_t(t)] = 1 / (error * error);
    total += weight[std::size_t(t)];
  }
  require(total > 0, "no time from", first, "to", last,
          "has a value with an error; choose another range or more statistics");
  return jackknife(samples, [&](const std::vector<double>& c) {
    const std::vector<double> values = f(c);
    double sum = 0;
    for (std::size_t t = 0; t < values.size(); ++t)
      if (weight[t] > 0) sum += weight[t] * values[t];
    return std::vector<double>{sum / total};
  })[0];
}

}  // namespace kov
