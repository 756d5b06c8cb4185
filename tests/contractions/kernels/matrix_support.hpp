// SPDX-License-Identifier: MIT
//
// Matrices of random numbers where kernels run, beside the same numbers on the host in double precision.
#pragma once

#include "kov/contractions/kernels/matrix_entries.hpp"
#include "kov/core/base/memory.hpp"
#include "kov/core/site/random.hpp"
#include "tests/reference/contraction.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov::test {

template <class Z>
Z number_of(std::complex<double> z) {
  using T = detail::MatrixReal<Z>;
  if constexpr (detail::is_complex_number<Z>)
    return {T(z.real()), T(z.imag())};
  else
    return Z(z.real());
}
template <class Z>
std::complex<double> host_number(const Z& z) {
  if constexpr (detail::is_complex_number<Z>)
    return {z.re, z.im};
  else
    return double(z);
}

/// Numbers in [-1, 1), with imaginary parts unless Z is real, that Z holds exactly.
template <class Z>
reference::HostNumbers random_numbers(std::size_t n, std::uint32_t stream) {
  reference::HostNumbers numbers(n);
  SiteRandom random(5, stream, 0);
  const auto draw = [&] { return double(float(2 * random.uniform() - 1)); };
  for (auto& z : numbers) {
    const double re = draw();
    z = {re, detail::is_complex_number<Z> ? draw() : 0.0};
  }
  return numbers;
}
template <class Z>
Buffer<Z> on_device(const reference::HostNumbers& numbers) {
  std::vector<Z> host;
  for (const auto& z : numbers) host.push_back(number_of<Z>(z));
  return Buffer<Z>("numbers", std::span<const Z>(host));
}
template <class Z>
reference::HostNumbers on_host(const Buffer<Z>& buffer) {
  reference::HostNumbers numbers;
  for (const Z& z : buffer.to_host()) numbers.push_back(host_number(z));
  return numbers;
}

/// n products of numbers in [-1, 1) were added in Real: the error grows like n at worst and like sqrt(n) mostly.
template <class Real>
double tolerance(std::size_t n) {
  return 8 * double(std::numeric_limits<Real>::epsilon()) * (1 + std::sqrt(double(n))) * (1 + std::sqrt(double(n)) / 4);
}

/// The largest distance; not a number where one is not.
inline double distance(const reference::HostNumbers& a, const reference::HostNumbers& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

}  // namespace kov::test
