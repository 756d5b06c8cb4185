// SPDX-License-Identifier: MIT
#include "kov/core/vectors/reduce.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/launch/exact_sums.hpp"

#include <limits>

namespace kov::detail {

double exact_sum(const Comm& comm, std::span<const double> values, std::int64_t n_global) {
  struct Share {
    double largest = 0;
    bool finite = true;
    std::array<std::int64_t, 2> sums{};
  };
  // All threads: maxima and sums of integers are the same in any order.
  std::vector<Share> shares(n_host_threads());
  const auto for_each_value = [&](const auto& work) {
    constexpr std::size_t piece = 1 << 14;
    on_host_threads("exact_sum", std::int64_t((values.size() + piece - 1) / piece), [&](std::int64_t i, int thread) {
      const std::size_t first = std::size_t(i) * piece;
      Share share = shares[std::size_t(thread)];
      for (const double v : values.subspan(first, std::min(piece, values.size() - first))) work(share, v);
      shares[std::size_t(thread)] = share;
    });
  };
  for_each_value([](Share& share, double v) {
    const double size = std::abs(v);
    share.largest = size > share.largest ? size : share.largest;
    share.finite &= size <= std::numeric_limits<double>::max();
  });
  std::array<double, 2> most{};
  for (const Share& share : shares) {
    most[0] = std::max(most[0], share.largest);
    if (!share.finite) most[1] = 1;
  }
  comm.max(most);
  if (most[1] > 0) return std::nan("");
  if (most[0] == 0) return 0;
  const ExactScale scale = ExactScale::of(most[0], n_global);
  for_each_value([=](Share& share, double v) {
    const ExactTerm term = scale.term(v);
    share.sums[0] += term.whole;
    share.sums[1] += term.rest;
  });
  std::array<std::int64_t, 2> sums{};
  for (const Share& share : shares)
    for (std::size_t i = 0; i < 2; ++i) sums[i] += share.sums[i];
  comm.sum(sums);
  return scale.sum({sums[0], sums[1]});
}

}  // namespace kov::detail
