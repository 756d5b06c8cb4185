// SPDX-License-Identifier: MIT
//
// Samples of correlators with a known spectrum, and noise of a known covariance.
#pragma once

#include "kov/contractions/energies/resampling.hpp"
#include "kov/core/site/random.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace kov::test {

/// sum_n amplitude_n (e^{-E_n t} + sign e^{-E_n (n_times - t)}), t = 0, ..., length - 1.
inline std::vector<double> spectrum(const std::vector<double>& energy, const std::vector<double>& amplitude, int length,
                                    int sign = 0, int n_times = 0) {
  std::vector<double> c(static_cast<std::size_t>(length));
  for (int t = 0; t < length; ++t)
    for (std::size_t n = 0; n < energy.size(); ++n)
      c[std::size_t(t)] += amplitude[n] * (std::exp(-energy[n] * t) + sign * std::exp(-energy[n] * (n_times - t)));
  return c;
}

/// Normal noise of variance 1: independent of all others but for that of a neighbour in t, with which it correlates as
/// rho^|t - t'|.
class Noise {
 public:
  Noise(std::uint64_t seed, std::uint32_t stream, double rho) : seed_(seed), stream_(stream), rho_(rho) {}

  std::vector<double> operator()(std::uint64_t sample, std::size_t length) const {
    SiteRandom random(seed_, stream_, sample);
    std::vector<double> noise(length);
    for (std::size_t t = 0; t < length; ++t) {
      const double fresh = random.normal_pair().first;
      noise[t] = t == 0 ? fresh : rho_ * noise[t - 1] + std::sqrt(1 - rho_ * rho_) * fresh;
    }
    return noise;
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  double rho_;
};

/// n samples of c (1 + relative noise).
inline Samples noisy(const std::vector<double>& c, int n, double relative, const Noise& noise) {
  Samples samples;
  for (int i = 0; i < n; ++i) {
    samples.push_back(c);
    const std::vector<double> z = noise(std::uint64_t(i), c.size());
    for (std::size_t t = 0; t < c.size(); ++t) samples.back()[t] *= 1 + relative * z[t];
  }
  return samples;
}

}  // namespace kov::test
