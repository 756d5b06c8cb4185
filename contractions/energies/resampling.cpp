// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/resampling.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/site/random.hpp"

#include <cmath>
#include <limits>

namespace kov {

namespace {

/// Keeps the draws of the bootstrap apart from those of noise and configurations of the same seed.
constexpr std::uint32_t bootstrap_stream = 0xB0075;

void require_samples(const Samples& samples) {
  require(samples.size() >= 2, "there are", samples.size(),
          "samples, but an error needs two; measure on more sources or configurations");
  for (const auto& row : samples)
    require(row.size() == samples.front().size(), "samples have", samples.front().size(), "and", row.size(),
            "times and cannot be averaged; take those of one lattice");
}

std::vector<double> sum_of(std::span<const std::vector<double>> samples) {
  std::vector<double> sum(samples.front().size());
  for (const auto& row : samples)
    for (std::size_t t = 0; t < row.size(); ++t) sum[t] += row[t];
  return sum;
}

}  // namespace

Resampled::Resampled(std::size_t width, std::size_t n_replicas, double spread, std::size_t n_samples)
    : width_(width),
      n_samples_(n_samples),
      spread_(spread),
      values_(std::max<std::size_t>(width, 1) * (n_replicas + 1)) {}

Estimate Resampled::estimate(std::size_t i) const {
  require(i < width_, "number", i, "was asked for, but there are", width_);
  const double n = double(n_replicas());
  double sum = 0, squares = 0;
  for (std::size_t k = 1; k < n_rows(); ++k) sum += row(k)[i];
  for (std::size_t k = 1; k < n_rows(); ++k) squares += (row(k)[i] - sum / n) * (row(k)[i] - sum / n);
  const double mean = row(0)[i];
  return {mean, std::isnan(mean) ? mean : std::sqrt(spread_ * squares)};
}

std::vector<Estimate> Resampled::estimates() const {
  std::vector<Estimate> all;
  for (std::size_t i = 0; i < width_; ++i) all.push_back(estimate(i));
  return all;
}

std::vector<double> Resampled::covariance(const std::vector<std::size_t>& which) const {
  const std::size_t n = which.size();
  std::vector<double> centre(n), matrix(n * n), off(n);
  for (std::size_t a = 0; a < n; ++a) {
    require(which[a] < width_, "number", which[a], "was asked for, but there are", width_);
    for (std::size_t k = 1; k < n_rows(); ++k) centre[a] += row(k)[which[a]];
    centre[a] /= double(n_replicas());
  }
  for (std::size_t k = 1; k < n_rows(); ++k) {
    for (std::size_t a = 0; a < n; ++a) off[a] = row(k)[which[a]] - centre[a];
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b <= a; ++b) matrix[a * n + b] += off[a] * off[b];
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) matrix[b * n + a] = matrix[a * n + b] *= spread_;
  return matrix;
}

Resampled Resampled::map(const Observable& f) const {
  const auto value = [&](std::size_t k) { return f(std::vector<double>(row(k).begin(), row(k).end())); };
  const std::vector<double> first = value(0);
  Resampled result(first.size(), n_replicas(), spread_, n_samples_);
  std::copy(first.begin(), first.end(), result.row(0).begin());
  for (std::size_t k = 1; k < n_rows(); ++k) {
    const std::vector<double> next = value(k);
    require(next.size() == first.size(), "an observable returned", first.size(), "and then", next.size(),
            "numbers, so its errors are not defined; let it return NaN where it has no value");
    std::copy(next.begin(), next.end(), result.row(k).begin());
  }
  return result;
}

Resampled Resampled::select(const std::vector<std::size_t>& which) const {
  Resampled result(which.size(), n_replicas(), spread_, n_samples_);
  for (const std::size_t i : which) require(i < width_, "number", i, "was asked for, but there are", width_);
  for (std::size_t k = 0; k < n_rows(); ++k)
    for (std::size_t a = 0; a < which.size(); ++a) result.row(k)[a] = row(k)[which[a]];
  return result;
}

Resampled side_by_side(const std::vector<Resampled>& parts) {
  require(!parts.empty(), "there is nothing to join; give at least one list of numbers");
  const Resampled& first = parts.front();
  std::size_t width = 0;
  for (const Resampled& part : parts) {
    require(part.n_replicas() == first.n_replicas() && part.spread() == first.spread() &&
                part.n_samples() == first.n_samples(),
            "lists of", first.n_replicas(), "and", part.n_replicas(), "replicas of", first.n_samples(), "and",
            part.n_samples(), "samples do not belong together; resample all alike");
    width += part.width();
  }
  Resampled result(width, first.n_replicas(), first.spread(), first.n_samples());
  for (std::size_t k = 0; k < result.n_rows(); ++k) {
    auto out = result.row(k).begin();
    for (const Resampled& part : parts) out = std::copy(part.row(k).begin(), part.row(k).end(), out);
  }
  return result;
}

Resampled Jackknife::operator()(const Samples& samples) const {
  if (bin != 1) return Jackknife{}(kov::bin(samples, bin));
  require_samples(samples);
  const double n = double(samples.size());
  const std::vector<double> sum = sum_of(samples);
  Resampled result(sum.size(), samples.size(), (n - 1) / n, samples.size());
  for (std::size_t t = 0; t < sum.size(); ++t) {
    result.row(0)[t] = sum[t] / n;
    for (std::size_t k = 0; k < samples.size(); ++k) result.row(k + 1)[t] = (sum[t] - samples[k][t]) / (n - 1);
  }
  return result;
}

Resampled Bootstrap::operator()(const Samples& samples) const {
  require(replicas >= 2, "a bootstrap of", replicas,
          "replicas was asked for, but an error needs two; take 500 or more");
  if (bin != 1) return Bootstrap{replicas, seed, 1}(kov::bin(samples, bin));
  require_samples(samples);
  const std::size_t n = samples.size();
  const std::vector<double> sum = sum_of(samples);
  Resampled result(sum.size(), std::size_t(replicas), double(n) / double(n - 1) / (replicas - 1), n);
  for (std::size_t t = 0; t < sum.size(); ++t) result.row(0)[t] = sum[t] / double(n);
  for (std::size_t k = 1; k < result.n_rows(); ++k) {
    SiteRandom random(seed, bootstrap_stream, k);
    const auto mean = result.row(k);
    for (std::size_t i = 0; i < n; ++i) {
      const auto drawn = std::min(std::size_t(random.uniform() * double(n)), n - 1);
      for (std::size_t t = 0; t < mean.size(); ++t) mean[t] += samples[drawn][t];
    }
    for (double& v : mean) v /= double(n);
  }
  return result;
}

std::vector<Estimate> jackknife(const Samples& samples, const Observable& f) {
  return estimates(Jackknife{}, samples, f);
}

std::vector<Estimate> average(const Samples& samples) { return Jackknife{}(samples).estimates(); }

Samples bin(const Samples& samples, int size) {
  require(size >= 1 && samples.size() >= std::size_t(size), "bins of", size, "were asked for, with", samples.size(),
          "samples; choose a size from 1 to the number of samples");
  if (size == 1) return samples;
  Samples bins;
  for (std::size_t first = 0; first + std::size_t(size) <= samples.size(); first += std::size_t(size)) {
    bins.push_back(sum_of(std::span(samples).subspan(first, std::size_t(size))));
    for (double& v : bins.back()) v /= size;
  }
  return bins;
}

}  // namespace kov
