// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/ratio.hpp"

#include "kov/core/base/error.hpp"

#include <cmath>

namespace kov {

namespace {

/// The numbers tau = skip, ..., T - skip of a ratio.
std::vector<std::size_t> inner_times(const Resampled& ratio, int skip) {
  const int t_sink = int(ratio.width()) - 1;
  require(skip >= 0 && 2 * skip <= t_sink, "no time is left of a ratio with its sink at", t_sink, "without", skip,
          "times at both ends: leave out fewer");
  std::vector<std::size_t> which;
  for (int tau = skip; tau <= t_sink - skip; ++tau) which.push_back(std::size_t(tau));
  return which;
}

/// As fits of correlators do.
constexpr double samples_for_covariance = 2;

}  // namespace

std::vector<double> three_point_ratio(std::span<const double> c3, std::span<const double> c2_sink,
                                      std::span<const double> c2_source, int t_sink) {
  const auto end = std::size_t(t_sink);
  require(t_sink >= 0 && c3.size() > end && c2_sink.size() > end && (c2_source.empty() || c2_source.size() > end),
          "a ratio takes times 0 to", t_sink, "of the sink, but a function has", c3.size(), "of the current,",
          c2_sink.size(), "and", c2_source.size(), "of the hadron");
  std::vector<double> ratio;
  for (std::size_t tau = 0; tau <= end; ++tau) {
    double r = c3[tau] / c2_sink[end];
    if (!c2_source.empty())
      r *= std::sqrt(c2_source[end - tau] / c2_sink[end - tau] * (c2_sink[tau] / c2_source[tau]) *
                     (c2_sink[end] / c2_source[end]));
    ratio.push_back(r);
  }
  return ratio;
}

LinearFit ratio_plateau(const Resampled& ratio, int skip) {
  const Resampled inner = ratio.select(inner_times(ratio, skip));
  return linear_fit(inner, {std::vector<double>(inner.width(), 1.0)}, samples_for_covariance);
}

LinearFit summed_ratios(const std::vector<Resampled>& ratios, int skip) {
  std::vector<Resampled> sums;
  std::vector<double> ones, times;
  for (const Resampled& ratio : ratios) {
    sums.push_back(ratio.select(inner_times(ratio, skip)).map([](const std::vector<double>& r) {
      double sum = 0;
      for (const double v : r) sum += v;
      return std::vector<double>{sum};
    }));
    ones.push_back(1);
    times.push_back(double(ratio.width() - 1));
  }
  require(sums.size() >= 2, "the summation method takes two or more times of the sink, but there are", sums.size(),
          "- measure at others, too");
  return linear_fit(side_by_side(sums), {ones, times}, samples_for_covariance);
}

}  // namespace kov
