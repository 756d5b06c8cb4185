// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/vacuum.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <complex>

namespace kov {

namespace {

/// Bins, with Re and Im of a b behind each row.
Samples with_products(const Samples& samples, int bin_size) {
  Samples rows = bin(samples, bin_size);
  for (auto& row : rows) {
    require(row.size() >= 4, "a row of", row.size(), "numbers does not end in the parts of two loops; append four");
    const double* v = row.data() + row.size() - 4;
    const std::complex<double> product = std::complex<double>(v[0], v[1]) * std::complex<double>(v[2], v[3]);
    row.insert(row.end(), {product.real(), product.imag()});
  }
  return rows;
}

using VacuumProduct = std::complex<double>;

/// <a_i b_i> - <a_i> <b_i> of all samples.
VacuumProduct covariance_of(const Resampled& means) {
  const double* v = means.mean().data() + means.width() - 6;
  return VacuumProduct(v[4], v[5]) - VacuumProduct(v[0], v[1]) * VacuumProduct(v[2], v[3]);
}

/// n_replica: samples in each replica; excess: what a replica has more on average than the mean.
Resampled without_pairs(const Resampled& means, std::size_t n_replica, const VacuumProduct& excess) {
  const std::size_t width = means.width() - 6;
  Resampled result(width + 2, means.n_replicas(), means.spread(), means.n_samples());
  for (std::size_t k = 0; k < means.n_rows(); ++k) {
    const auto row = means.row(k);
    const double* v = row.data() + width;
    const double n = double(k == 0 ? means.n_samples() : n_replica);
    const VacuumProduct a(v[0], v[1]), b(v[2], v[3]), both(v[4], v[5]);
    const VacuumProduct product = (n * a * b - both) / (n - 1) - (k == 0 ? 0.0 : excess);
    std::copy(row.begin(), row.begin() + std::ptrdiff_t(width), result.row(k).begin());
    result.row(k)[width] = product.real();
    result.row(k)[width + 1] = product.imag();
  }
  return result;
}

}  // namespace

Resampled with_vacuum(const Samples& samples, const Jackknife& resampling) {
  const Samples rows = with_products(samples, resampling.bin);
  require(rows.size() >= 3, "a vacuum is subtracted with errors of three samples (or bins) or more, but there are",
          rows.size(), "- analyse more configurations");
  return without_pairs(Jackknife{}(rows), rows.size() - 1, 0);
}

Resampled with_vacuum(const Samples& samples, const Bootstrap& resampling) {
  const Samples rows = with_products(samples, resampling.bin);
  const Resampled means = Bootstrap{resampling.replicas, resampling.seed}(rows);
  return without_pairs(means, rows.size(), covariance_of(means) / double(rows.size() - 1));
}

}  // namespace kov
