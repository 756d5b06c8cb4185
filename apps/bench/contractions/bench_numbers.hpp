// SPDX-License-Identifier: MIT
//
// Numbers for benchmarks of dense kernels.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/site/complex.hpp"
#include "kov/core/site/random.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace kov::app {

/// "real float", "complex double", ...
template <class Z>
constexpr const char* number_name() {
  if (std::is_same_v<Z, float>) return "real float";
  if (std::is_same_v<Z, double>) return "real double";
  return std::is_same_v<Z, Complex<float>> ? "complex float" : "complex double";
}

/// n numbers in [-1, 1), the same again and again.  Z: float, double or complex numbers of them.
template <class Z>
Buffer<Z> bench_numbers(std::size_t n, std::uint32_t stream) {
  const Buffer<Z> numbers("numbers", n);
  std::vector<Z> values(std::min(n, std::size_t(1) << 18));
  SiteRandom random(11, stream, 0);
  const auto draw = [&] { return float(2 * random.uniform() - 1); };
  for (Z& z : values)
    if constexpr (std::is_arithmetic_v<Z>)
      z = draw();
    else
      z = {draw(), draw()};
  for (std::size_t first = 0; first < n; first += values.size())
    detail::copy_to_device(numbers.data() + first, values.data(), std::min(values.size(), n - first) * sizeof(Z));
  return numbers;
}

}  // namespace kov::app
