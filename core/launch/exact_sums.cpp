// SPDX-License-Identifier: MIT
#include "kov/core/launch/exact_sums.hpp"

#include "kov/core/base/memory.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>
#include <limits>

namespace kov::detail {

/// Parts of an array that are added by one thread each.  On a GPU neighbouring threads read neighbouring numbers, and
/// few parts are left for the host to add.
struct ArrayParts {
  const double* values;
  std::size_t n;
  int n_parts;

  ArrayParts(const double* values, std::size_t n)
      : values(values),
        n(n),
        n_parts(int(unified_memory ? (n + 4095) / 4096 : std::min<std::size_t>((n + 15) / 16, 4096))) {}

  /// f(number) for those of item `array * n_parts + part`.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int item, const F& f) const {
    const int array = item / n_parts, part = item % n_parts;
    const double* const from = values + std::size_t(array) * n;
    if constexpr (unified_memory) {
      const std::size_t end = n * std::size_t(part + 1) / std::size_t(n_parts);
      for (std::size_t i = n * std::size_t(part) / std::size_t(n_parts); i < end; ++i) f(from[i]);
    } else {
      for (std::size_t i = std::size_t(part); i < n; i += std::size_t(n_parts)) f(from[i]);
    }
  }
};

/// Of each item; NaN and infinity are infinite.
struct LargestOfParts {
  ArrayParts parts;
  double* largest;

  KOKKOS_FUNCTION void operator()(int item) const {
    double most = 0;
    parts(item, [&most](double v) {
      const double size = v < 0 ? -v : v;
      if (!(size <= most))
        most = size <= Kokkos::Experimental::finite_max_v<double> ? size : Kokkos::Experimental::infinity_v<double>;
    });
    largest[item] = most;
  }
};

struct ExactSumsOfParts {
  ArrayParts parts;
  const ExactScale* scale;  // of each array
  ExactTerm* sums;

  KOKKOS_FUNCTION void operator()(int item) const {
    const ExactScale of_array = scale[item / parts.n_parts];
    ExactTerm sum{0, 0};
    if (of_array.is_used)
      parts(item, [&](double v) {
        const ExactTerm term = of_array.term(v);
        sum.whole += term.whole;
        sum.rest += term.rest;
      });
    sums[item] = sum;
  }
};

std::vector<double> largest_sizes(const double* values, int n_arrays, std::size_t n, const Exec& exec) {
  std::vector<double> result(std::size_t(n_arrays), 0.0);
  if (n == 0) return result;
  const ArrayParts parts(values, n);
  const Buffer<double> largest("largest numbers", std::size_t(n_arrays) * std::size_t(parts.n_parts), exec);
  for_each_item("largest_numbers", n_arrays * parts.n_parts, LargestOfParts{parts, largest.data()}, exec);
  const std::vector<double> of_parts = largest.to_host(exec);
  for (std::size_t item = 0; item < of_parts.size(); ++item) {
    double& most = result[item / std::size_t(parts.n_parts)];
    most = std::max(most, of_parts[item]);
  }
  return result;
}

std::vector<double> exact_sums(const Comm& comm, const double* values, int n_arrays, std::size_t n,
                               std::int64_t n_global, std::vector<double> largest, const Exec& exec) {
  comm.max(largest);
  std::vector<ExactScale> scales;
  for (const double most : largest)
    scales.push_back(std::isfinite(most) && most > 0 ? ExactScale::of(most, n_global) : ExactScale{});
  std::vector<std::int64_t> sums(2 * std::size_t(n_arrays), 0);
  if (n > 0) {
    const ArrayParts parts(values, n);
    const Buffer<ExactScale> scales_there("scales of sums", std::span<const ExactScale>(scales), exec);
    const Buffer<ExactTerm> there("exact sums", std::size_t(n_arrays) * std::size_t(parts.n_parts), exec);
    for_each_item("exact_sums", n_arrays * parts.n_parts, ExactSumsOfParts{parts, scales_there.data(), there.data()},
                  exec);
    const std::vector<ExactTerm> of_parts = there.to_host(exec);
    for (std::size_t item = 0; item < of_parts.size(); ++item) {
      std::int64_t* const sum = sums.data() + 2 * (item / std::size_t(parts.n_parts));
      sum[0] += of_parts[item].whole;
      sum[1] += of_parts[item].rest;
    }
  }
  comm.sum(sums);
  std::vector<double> result;
  for (std::size_t k = 0; k < largest.size(); ++k)
    result.push_back(std::isinf(largest[k]) ? std::nan("")
                     : largest[k] == 0      ? 0
                                            : scales[k].sum({sums[2 * k], sums[2 * k + 1]}));
  return result;
}

}  // namespace kov::detail
