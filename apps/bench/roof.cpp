// SPDX-License-Identifier: MIT
#include "apps/bench/roof.hpp"

#include "kov/core/base/memory.hpp"
#include "kov/core/site/pack.hpp"

#include <algorithm>
#include <vector>

namespace kov::app {

namespace {

double seconds_of(const std::function<void()>& f, int calls) {
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < calls; ++i) f();
  Kokkos::fence();
  return timer.seconds() / calls;
}

/// Calls that take about a twentieth of the time, so that a sample is long beside the clock and the fence.
int calls_for(const std::function<void()>& f, double min_seconds) {
  seconds_of(f, 1);
  return std::max(1, int(min_seconds / 20 / std::max(seconds_of(f, 1), 1e-9)));
}

struct TriadArrays {
  Buffer<double> a, b, c;
};

struct TriadKernel {
  double *a, *b, *c;
  bool streaming;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
#if defined(KOKKOS_ENABLE_CUDA)
    a[i] = b[i] + 3.0 * c[i];
#else
    using P = Pack<double, 8>;
    const P r = P::load(b + 8 * i) + P(3.0) * P::load(c + 8 * i);
    if (streaming)
      r.stream(a + 8 * i);
    else
      r.store(a + 8 * i);
#endif
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <class T>
using Fma = T;
inline constexpr int fma_lanes = 1;
#else
template <class T>
using Fma = Pack<T, int(detail::register_bytes / sizeof(T))>;
#endif

template <class T>
struct FmaKernel {
  static constexpr int n = 10, rounds = 20000;
  T* out;
  KOKKOS_FUNCTION void operator()(int i) const {
    Fma<T> a[n];
    for (int k = 0; k < n; ++k) a[k] = Fma<T>(T(k) + T(i));
    const Fma<T> b(T(0.999)), c(T(1e-3));
    for (int r = 0; r < rounds; ++r)
      for (int k = 0; k < n; ++k) a[k] = a[k] * b + c;
    for (int k = 1; k < n; ++k) a[0] += a[k];
#if defined(KOKKOS_ENABLE_CUDA)
    out[i] = a[0];
#else
    out[i] = a[0].lane(0);
#endif
  }
};

template <class T>
double fma_peak() {
#if defined(KOKKOS_ENABLE_CUDA)
  const int n = 1 << 18, width = 1;
#else
  const int n = 16 * Kokkos::DefaultExecutionSpace().concurrency(), width = detail::register_bytes / int(sizeof(T));
#endif
  const Buffer<T> out("fma", std::size_t(n));
  const FmaKernel<T> kernel{out.data()};
  const double s = median_seconds([&] { Kokkos::parallel_for("fma_peak", Kokkos::RangePolicy<>(0, n), kernel); }, 0.2);
  return 2.0 * FmaKernel<T>::n * FmaKernel<T>::rounds * width * n / s * 1e-9;
}

}  // namespace

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double median_seconds(const std::function<void()>& f, double min_seconds) {
  const int calls = calls_for(f, min_seconds);
  std::vector<double> samples;
  for (double total = 0; samples.size() < 5 || total < min_seconds;) {
    samples.push_back(seconds_of(f, calls));
    total += samples.back() * calls;
  }
  return median(samples);
}

Pair median_seconds_in_turns(const std::function<void()>& first, const std::function<void()>& second,
                             double min_seconds) {
  const int calls[2] = {calls_for(first, min_seconds), calls_for(second, min_seconds)};
  std::vector<double> samples[2];
  for (double total = 0; samples[0].size() < 7 || total < 2 * min_seconds;) {
    samples[0].push_back(seconds_of(first, calls[0]));
    samples[1].push_back(seconds_of(second, calls[1]));
    total += samples[0].back() * calls[0] + samples[1].back() * calls[1];
  }
  return {median(samples[0]), median(samples[1])};
}

Triad::Triad(std::size_t bytes, bool streaming)
    : n_(std::max<std::size_t>(std::min(bytes, std::size_t(most_triad_bytes)) / 24 / 8, 1) * 8), streaming_(streaming) {
  auto arrays = std::make_shared<TriadArrays>();
  arrays->a = Buffer<double>("triad a", n_);
  arrays->b = Buffer<double>("triad b", n_);
  arrays->c = Buffer<double>("triad c", n_);
  arrays_ = arrays;
}

void Triad::run() const {
  const auto& arrays = *static_cast<const TriadArrays*>(arrays_.get());
  Kokkos::parallel_for("triad", Kokkos::RangePolicy<Kokkos::IndexType<std::size_t>>(0, has_packs ? n_ / 8 : n_),
                       TriadKernel{arrays.a.data(), arrays.b.data(), arrays.c.data(), streaming_});
}

double measure_fma_peak(bool single) { return single ? fma_peak<float>() : fma_peak<double>(); }

double measure_copy_bandwidth() {
  const std::size_t bytes = std::size_t(1) << (has_packs ? 28 : 30);
  const Buffer<double> from("copy from", bytes / 8), to("copy to", bytes / 8);
  const double s = median_seconds([&] { kov::detail::copy_on_device(to.data(), from.data(), bytes); }, 0.2);
  return 2.0 * double(bytes) / s * 1e-9;
}

}  // namespace kov::app
