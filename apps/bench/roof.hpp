// SPDX-License-Identifier: MIT
//
// What this machine can do at best: the roofs that kernels are held against, measured beside them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace kov::app {

/// The middle of some values, which this sorts; 0 of none.
double median(std::vector<double>& values);

/// The median seconds of one call of f; calls it at least five times and for at least min_seconds.
double median_seconds(const std::function<void()>& f, double min_seconds);

/// Two functions timed in turns, so that both see the same noise.
struct Pair {
  double first, second;
};
/// The median seconds of one call of each, from at least seven turns, and at least min_seconds for each of them.
Pair median_seconds_in_turns(const std::function<void()>& first, const std::function<void()>& second,
                             double min_seconds);

/// Of a triad: far more than any cache holds, and memory beside the fields.
inline constexpr double most_triad_bytes = double(std::size_t(1) << 32);

/// a = b + s c over doubles, as STREAM counts it: 24 bytes an element, reads for ownership not counted.
class Triad {
 public:
  /// Three arrays of bytes / 3 each, most_triad_bytes at most in all; streaming: stores past the caches.
  Triad(std::size_t bytes, bool streaming);
  void run() const;
  double bytes() const { return 24.0 * double(n_); }

 private:
  std::size_t n_;
  bool streaming_;
  std::shared_ptr<void> arrays_;
};

/// Fused multiply-adds in registers, Gflop/s (two flops each), for double or float.
double measure_fma_peak(bool single);

/// A copy of one large array to another, both directions counted, GB/s: the usual roof of a GPU.
double measure_copy_bandwidth();

}  // namespace kov::app
