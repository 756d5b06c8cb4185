// SPDX-License-Identifier: MIT
#include "kov/core/launch/launch_shape.hpp"

#include "kov/core/lattice/layout.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <algorithm>

namespace kov {

namespace {

/// n items in runs, each of which goes to one thread.
struct ItemRuns {
  int n;
  LaunchShape shape;
  int n_threads;

  bool walks() const {
    const std::int64_t slices = std::int64_t(shape.order.n_groups) * shape.order.n_slices;
    return shape.slice_parts > 1 && shape.order.n_slices > 1 && n % slices == 0;
  }
  int n_runs() const {
    return walks() ? shape.order.n_groups * shape.order.n_slices * shape.slice_parts : shape.turns * n_threads;
  }
  /// Calls f(begin, end) with run k.
  template <class F>
  void run(int k, const F& f) const {
    if (!walks()) return f(share(n, k, n_runs()), share(n, k + 1, n_runs()));
    const int slices = shape.order.n_slices, parts = shape.slice_parts, length = n / (shape.order.n_groups * slices);
    const int t = k % slices, part = k / slices % parts, group = k / slices / parts;
    const int begin = (group * slices + t) * length;
    f(begin + share(length, part, parts), begin + share(length, part + 1, parts));
  }
  static int share(int n, int k, int of) { return int(std::int64_t(n) * k / of); }
};

struct RunsOfThread {
  detail::RunItems run;
  const void* work;
  ItemRuns runs;

  [[maybe_unused]] void operator()(int thread) const {
    const auto some = [&](int begin, int end) {
      if (begin < end) run(work, begin, end);
    };
    const int n = runs.n_runs(), n_threads = runs.n_threads;
    if (runs.walks())
      for (int k = ItemRuns::share(n, thread, n_threads); k < ItemRuns::share(n, thread + 1, n_threads); ++k)
        runs.run(k, some);
    else
      for (int k = thread; k < n; k += n_threads) runs.run(k, some);
  }
};

}  // namespace

SiteOrder SiteOrder::of(const Layout& layout) {
  if (layout.order() == Order::even_odd) return {1, layout.extent()[3]};
  // The first slice of the first tile ends where t changes; the second site of a pair may have another t.
  const int half = layout.n_outer() / 2, step = layout.pair_direction() >= 0 ? 2 : 1;
  const int n_slices = layout.outer_extent()[3] / (layout.pair_direction() == 3 ? 2 : 1);
  int slice = step;
  while (slice < half && layout.outer_coordinate(slice)[3] == layout.outer_coordinate(0)[3]) slice += step;
  if (half % (slice * n_slices) != 0) return {};
  return {half / (slice * n_slices), n_slices};
}

std::string LaunchShape::name() const {
  if (turns > 1) return std::to_string(turns) + "-turns";
  if (slice_parts > 1) return std::to_string(slice_parts) + "-parts";
  std::string text = halvings == 1 ? "half-blocks" : halvings == 2 ? "quarter-blocks" : "";
  if (walk > 0) text += (text.empty() ? "walk-" : "-walk-") + std::to_string(walk);
  return text.empty() ? "default" : text;
}

int LaunchShape::threads(int of_block) const {
  constexpr int warp = 32;
  return std::max(std::min(of_block, warp), (of_block >> halvings) / warp * warp);
}

std::span<const LaunchShape> launch_shapes() {
  static constexpr LaunchShape of_host[] = {{}, {.turns = 4}, {.turns = 32}, {.slice_parts = 2}, {.slice_parts = 8}};
  static constexpr LaunchShape of_gpu[] = {
      {}, {.halvings = 1}, {.halvings = 2}, {.walk = 1}, {.walk = 2}, {.halvings = 1, .walk = 1}, {.walk = 8}};
  if constexpr (is_host_v<Exec>)
    return of_host;
  else
    return of_gpu;
}

void detail::share_items(const std::string& name, int n, const LaunchShape& shape, RunItems run, const void* work,
                         const Exec& exec) {
  if (n <= 0) return;
  if (shape.turns == 1 && shape.slice_parts == 1) return share_items(name, n, run, work, exec);
  [&]<class E>(const E& host) {
    if constexpr (is_host_v<E>) {
      const int n_threads = host.concurrency();
      const KernelTimer timer;
      Kokkos::parallel_for(name, Kokkos::RangePolicy<E>(host, 0, n_threads),
                           RunsOfThread{run, work, {n, shape, n_threads}});
#if defined(KOKKOS_ENABLE_HPX)
      host.fence(name);
#endif
    }
  }(exec);
}

}  // namespace kov
