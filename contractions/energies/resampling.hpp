// SPDX-License-Identifier: MIT
//
// Means, errors and covariances of whatever is computed from a mean: by the jackknife or by the bootstrap.  Both make a
// Resampled, and everything that is computed from one does not ask which of them it was.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kov {

/// sample[i][t]: one row for each source or configuration.
using Samples = std::vector<std::vector<double>>;

/// A mean and its error.
struct Estimate {
  double mean;
  /// One standard deviation of the mean.
  double error;
};

/// What is wanted of a mean correlator: any function of it.
using Observable = std::function<std::vector<double>(const std::vector<double>&)>;

/// Numbers of the mean of all samples, and the same numbers of replicas of that mean.
class Resampled {
 public:
  /// Zeros.  spread: error^2 = spread sum_k (f_k - mean of f_k)^2 over the replicas k; n_samples: independent samples
  /// behind them, bins where they were binned.
  Resampled(std::size_t width, std::size_t n_replicas, double spread, std::size_t n_samples);

  std::size_t width() const { return width_; }
  std::size_t n_replicas() const { return values_.size() / std::max<std::size_t>(width_, 1) - 1; }
  std::size_t n_samples() const { return n_samples_; }
  double spread() const { return spread_; }

  /// The numbers of the mean of all samples.
  std::span<const double> mean() const { return row(0); }
  std::span<const double> replica(std::size_t k) const { return row(k + 1); }
  /// Row 0 is the mean, row k + 1 replica k.
  std::span<const double> row(std::size_t k) const { return {values_.data() + k * width_, width_}; }
  std::span<double> row(std::size_t k) { return {values_.data() + k * width_, width_}; }
  std::size_t n_rows() const { return n_replicas() + 1; }

  /// Mean and error of number i.  The error is NaN where any of its values is.
  Estimate estimate(std::size_t i) const;
  std::vector<Estimate> estimates() const;
  /// Covariance of the means of these numbers, row after row; NaN where a value is.  Throws InputError for an index
  /// beyond the width.
  std::vector<double> covariance(const std::vector<std::size_t>& which) const;

  /// The same replicas of a function of these numbers.  Throws InputError when f returns lists of different lengths.
  Resampled map(const Observable& f) const;
  /// Some of the numbers, in this order.
  Resampled select(const std::vector<std::size_t>& which) const;

 private:
  std::size_t width_, n_samples_;
  double spread_;
  std::vector<double> values_;
};

/// The numbers of all of these beside one another.  Throws InputError unless all have the same replicas.
Resampled side_by_side(const std::vector<Resampled>& parts);

/// A way to make replicas of a mean of samples.
template <class R>
concept Resampling = requires(const R& resampling, const Samples& samples) {
  { resampling(samples) } -> std::same_as<Resampled>;
};

/// Replica k leaves out sample k: error^2 = (n - 1) / n sum_k (f_k - mean of f)^2.
struct Jackknife {
  /// This many neighbouring samples are averaged first, see bin().
  int bin = 1;
  /// Throws InputError with fewer than two bins or rows of unequal length.
  Resampled operator()(const Samples& samples) const;
};

/// Replica k is the mean of n samples drawn with replacement: error^2 = n / (n - 1) / (replicas - 1) sum_k (f_k - mean
/// of f)^2, in which the first factor makes the error of a mean the usual one.  What is drawn depends on seed, replica
/// and number of samples alone, so that correlators of one ensemble share replicas.
struct Bootstrap {
  /// Their number, and the seed of what is drawn.
  int replicas = 1000;
  std::uint64_t seed = 1;
  /// This many neighbouring samples are averaged first, and these blocks are drawn.
  int bin = 1;
  /// Throws InputError with fewer than two bins or replicas or rows of unequal length.
  Resampled operator()(const Samples& samples) const;
};

/// An observable of the mean of all samples with its errors.
template <Resampling R>
std::vector<Estimate> estimates(const R& resampling, const Samples& samples, const Observable& f) {
  return resampling(samples).map(f).estimates();
}

/// The observable of the mean of all samples, and its error from leaving out one sample after the other:
/// estimates(Jackknife{}, samples, f).  Samples must be independent: measure on separated configurations, or bin().
std::vector<Estimate> jackknife(const Samples& samples, const Observable& f);

/// jackknife() of the mean itself: sigma / sqrt(n).
std::vector<Estimate> average(const Samples& samples);

/// Means of `size` neighbouring samples each, which removes correlations among them; an incomplete last bin is left
/// out. Throws InputError when no bin is complete.
Samples bin(const Samples& samples, int size);

}  // namespace kov
