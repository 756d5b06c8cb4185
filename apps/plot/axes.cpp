// SPDX-License-Identifier: MIT
#include "apps/plot/axes.hpp"

#include "apps/plot/typeset.hpp"

#include <algorithm>
#include <cmath>

namespace kov::app {

namespace {

/// Multiples of step inside the range.
std::vector<double> multiples(const Range& range, double step) {
  std::vector<double> ticks;
  for (double k = std::ceil(range.begin / step - 1e-9); k * step <= range.end + 1e-9 * step; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

double round_step(double length, int n, double smallest) {
  const double raw = std::max(length / n, smallest), power = std::pow(10, std::floor(std::log10(raw)));
  const double share = raw / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

Ticks linear_ticks(const Range& range, int n, bool integer) {
  const double step = round_step(range.length(), n, integer ? 1 : 0);
  Ticks ticks{.major = multiples(range, step), .minor = {}, .labels = {}};
  const bool of_two = std::lround(step / std::pow(10, std::floor(std::log10(step) + 1e-9))) == 2;
  const double fine = step / (of_two ? 4 : 5);
  ticks.minor = multiples(range, integer ? std::max(1.0, std::round(fine)) : fine);
  const int decimals = std::max(0, int(std::ceil(-std::log10(step) - 1e-9)));
  for (const double value : ticks.major) ticks.labels.push_back(number_markup(value, decimals));
  return ticks;
}

/// Powers of ten, and their multiples where there are few of them.
Ticks logarithmic_ticks(const Range& range, int n) {
  Ticks ticks;
  const double step = std::max(1.0, round_step(range.length(), n, 1));
  const bool few = range.length() < 1.5;
  for (double power = std::floor(range.begin); power <= range.end; ++power)
    for (int k = 1; k < 10; ++k) {
      const double at = power + std::log10(k);
      if (at < range.begin - 1e-9 || at > range.end + 1e-9) continue;
      const bool labelled = k == 1 ? few || std::abs(std::remainder(power, step)) < 0.5 : few && (k == 2 || k == 5);
      if (labelled) {
        const std::string exponent = "10^{" + std::to_string(std::lround(power)) + "}";
        ticks.major.push_back(at);
        ticks.labels.push_back("$" + (k == 1 ? "" : std::to_string(k) + "×") + exponent + "$");
      } else if (step < 2 || k == 1) {
        ticks.minor.push_back(at);
      }
    }
  return ticks;
}

}  // namespace

void Range::include(double value) {
  begin = std::min(begin, value);
  end = std::max(end, value);
}

void Range::widen(double share) {
  double margin = length() * share;
  if (!(margin > 1e-12 * std::max(std::abs(begin), std::abs(end))))
    margin = begin == 0 ? 1 : std::max(std::abs(begin), std::abs(end)) * 0.1;
  begin -= margin;
  end += margin;
}

std::vector<double> round_ticks(double begin, double end, int n, double smallest_step) {
  return multiples({begin, end}, round_step(end - begin, n, smallest_step));
}

Ticks axis_ticks(const Range& range, int n, AxisKind kind) {
  return kind == AxisKind::logarithmic ? logarithmic_ticks(range, n)
                                       : linear_ticks(range, n, kind == AxisKind::integer);
}

}  // namespace kov::app
