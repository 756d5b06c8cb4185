// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/effective_mass.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kov {

namespace {

constexpr double no_mass = std::numeric_limits<double>::quiet_NaN();

/// m between low and high with f(m) = 0, f growing and continuous: Newton's steps from m on, and halves of the bracket
/// where these leave it.  f(m) returns the value and the slope.
template <class F>
double bracketed_root(double low, double high, double m, const F& f) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const auto [value, slope] = f(m);
    (value < 0 ? low : high) = m;
    double next = m - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == m || next == low || next == high || value == 0) break;
    m = next;
  }
  return m;
}

struct ValueAndSlope {
  double value, slope;
};

/// m with cosh(m u) / cosh(m (u - 1)) = ratio, u >= 1.  The left side lies between cosh m (u = 1) and e^m (u infinite),
/// which brackets m, and grows with m.
double solve_cosh(double ratio, double u) {
  if (!(ratio >= 1) || std::isinf(ratio)) return no_mass;
  const double wanted = std::log(ratio);
  if (u == 1) return std::acosh(ratio);
  // Far from the middle an exponential is nearer than the cosh of u = 1.
  const double high = std::acosh(ratio), start = wanted * (u - 1) > 1 ? wanted : high;
  return bracketed_root(wanted, high, start, [&](double m) {
    const double a = std::exp(-2 * m * u), b = std::exp(-2 * m * (u - 1));
    return ValueAndSlope{m + std::log1p((a - b) / (1 + b)) - wanted,
                         u * (1 - a) / (1 + a) - (u - 1) * (1 - b) / (1 + b)};
  });
}

/// m with sinh(m u) / sinh(m (u - 1)) = ratio, u > 1: the left side grows with m from u / (u - 1), and is above e^m.
double solve_sinh(double ratio, double u) {
  if (!(u > 1) || !(ratio * (u - 1) > u) || std::isinf(ratio)) return no_mass;
  const double wanted = std::log(ratio);
  return bracketed_root(0, wanted, wanted, [&](double m) {
    const double a = std::expm1(-2 * m * u), b = std::expm1(-2 * m * (u - 1));
    return ValueAndSlope{m + std::log(a / b) - wanted, u * (2 + a) / -a - (u - 1) * (2 + b) / -b};
  });
}

template <class Solve>
std::vector<double> mirrored_mass(const std::vector<double>& c, int n_times, const Solve& solve) {
  std::vector<double> m;
  for (std::size_t t = 0; t + 1 < c.size(); ++t) {
    const double here = std::abs(0.5 * n_times - double(t)), next = std::abs(0.5 * n_times - double(t) - 1);
    if (here == next)
      m.push_back(no_mass);  // the two times mirror each other
    else
      m.push_back(here > next ? solve(c[t] / c[t + 1], here) : solve(c[t + 1] / c[t], next));
  }
  return m;
}

}  // namespace

std::vector<double> fold(const std::vector<double>& c, int sign) {
  require(sign == 1 || sign == -1, "a correlator is folded with sign", sign, "but only +1 and -1 make sense");
  std::vector<double> folded;
  for (std::size_t t = 0; t <= c.size() / 2 && t < c.size(); ++t)
    folded.push_back(t == 0 ? c[0] : 0.5 * (c[t] + sign * c[c.size() - t]));
  return folded;
}

int reflection_sign(const std::vector<Estimate>& c) {
  double product = 0, squares = 0;
  for (std::size_t t = 1; 2 * t < c.size(); ++t) {
    const Estimate &a = c[t], &b = c[c.size() - t];
    const double tiny = std::numeric_limits<double>::epsilon() * (std::abs(a.mean) + std::abs(b.mean));
    const double variance = std::max(a.error * a.error + b.error * b.error, tiny * tiny);
    if (!(variance > 0) || !std::isfinite(a.mean) || !std::isfinite(b.mean)) continue;
    product += a.mean * b.mean / variance;
    squares += 0.5 * (a.mean * a.mean + b.mean * b.mean) / variance;
  }
  if (!(std::abs(product) >= 0.8 * squares) || squares == 0) return 0;
  return product > 0 ? 1 : -1;
}

std::vector<double> log_effective_mass(const std::vector<double>& c) {
  std::vector<double> m;
  for (std::size_t t = 0; t + 1 < c.size(); ++t) {
    const double ratio = c[t] / c[t + 1];
    m.push_back(ratio > 0 && !std::isinf(ratio) ? std::log(ratio) : no_mass);
  }
  return m;
}

std::vector<double> cosh_effective_mass(const std::vector<double>& c, int n_times) {
  return mirrored_mass(c, n_times, solve_cosh);
}

std::vector<double> sinh_effective_mass(const std::vector<double>& c, int n_times) {
  return mirrored_mass(c, n_times, solve_sinh);
}

std::vector<double> symmetric_effective_mass(const std::vector<double>& c) {
  std::vector<double> m(c.size(), no_mass);
  for (std::size_t t = 1; t + 1 < c.size(); ++t) {
    const double x = (c[t - 1] + c[t + 1]) / (2 * c[t]);
    if (x >= 1 && std::isfinite(x)) m[t] = std::acosh(x);
  }
  return m;
}

Resampled plateau(const Resampled& values, int first, int last) {
  require(first >= 0 && first <= last && last < int(values.width()), "a plateau from", first, "to", last,
          "was asked for, but the observable has times 0 to", int(values.width()) - 1);
  std::vector<double> weight(values.width(), 0.0);
  double total = 0;
  for (int t = first; t <= last; ++t) {
    const Estimate e = values.estimate(std::size_t(t));
    // An error of zero cannot be a weight; the smallest that counts is rounding.
    const double error = std::max(e.error, std::abs(e.mean) * std::numeric_limits<double>::epsilon());
    if (std::isnan(error) || error == 0) continue;
    weight[std::size_t(t)] = 1 / (error * error);
    total += weight[std::size_t(t)];
  }
  require(total > 0, "no time from", first, "to", last,
          "has a value with an error; choose another range or more statistics");
  Resampled result(1, values.n_replicas(), values.spread(), values.n_samples());
  for (std::size_t k = 0; k < values.n_rows(); ++k) {
    double sum = 0;
    for (std::size_t t = 0; t < values.width(); ++t)
      if (weight[t] > 0) sum += weight[t] * values.row(k)[t];
    result.row(k)[0] = sum / total;
  }
  return result;
}

Estimate plateau(const Samples& samples, const Observable& f, int first, int last) {
  return plateau(Jackknife{}(samples).map(f), first, last).estimate(0);
}

}  // namespace kov
