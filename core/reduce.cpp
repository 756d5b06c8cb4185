// SPDX-License-Identifier: MIT
#include "kov/core/reduce.hpp"

namespace kov::detail {

const Buffer<double>& partial_sums(const Lattice& lattice, std::size_t n) {
  std::size_t capacity = 1024;
  while (capacity < n) capacity *= 2;
  return lattice.remember<Buffer<double>>(sentence("partial sums", capacity),
                                          [&] { return Buffer<double>("partial sums", capacity); });
}

double exact_sum(const Comm& comm, std::span<const double> values, std::int64_t n_global) {
  double largest = 0;
  bool finite = true;
  for (double v : values) {
    largest = std::max(largest, std::abs(v));
    finite = finite && std::isfinite(v);
  }
  std::array<double, 2> most{largest, finite ? 0.0 : 1.0};
  comm.max(most);
  if (most[1] > 0) return std::nan("");
  if (most[0] == 0) return 0;
  // Integers of 62 bits hold the sum of n_global values of the largest size; what rounding cuts off goes into a second
  // sum, 20 bits finer, so that the result is good to a rounding of double.
  int exponent = 0;
  std::frexp(most[0], &exponent);
  const int headroom = std::ilogb(double(n_global)) + 1;
  const int shift = 61 - headroom - exponent;
  std::array<std::int64_t, 2> sums{};
  constexpr int finer = 20;
  for (double v : values) {
    const double scaled = std::ldexp(v, shift), whole = std::nearbyint(scaled);
    sums[0] += std::int64_t(whole);
    sums[1] += std::int64_t(std::nearbyint(std::ldexp(scaled - whole, finer)));
  }
  comm.sum(sums);
  return std::ldexp(double(sums[0]), -shift) + std::ldexp(double(sums[1]), -shift - finer);
}

}  // namespace kov::detail
