// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/trace.hpp"

#include "kov/contractions/kernels/cuda/trace_shapes.hpp"
#include "kov/contractions/kernels/product_problem.hpp"
#include "kov/contractions/kernels/trace_parts.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/items.hpp"

#include <algorithm>
#include <limits>

namespace kov {

namespace {

constexpr TraceTiling trace_tilings_of_all[] = {
    TraceTiling::of4,  TraceTiling::of8,         TraceTiling::of12,        TraceTiling::of16, TraceTiling::of18,
    TraceTiling::of24, TraceTiling::of32,        TraceTiling::of33,        TraceTiling::of48, TraceTiling::of64,
    TraceTiling::of65, TraceTiling::of33_square, TraceTiling::of65_square, TraceTiling::packs};

}  // namespace

namespace detail {

int trace_splits(std::int64_t length, int n_pairs) {
  // Four teams for each multiprocessor of a large GPU, and each has enough to do.
  constexpr int wanted = 512, shortest = 256;
  const std::int64_t most = std::max<std::int64_t>(1, length / shortest);
  return int(std::clamp<std::int64_t>((wanted + n_pairs - 1) / std::max(n_pairs, 1), 1, most));
}

/// Adds the parts of each result, in their order; 16 bytes for each of them.
struct AddTraceParts {
  const Complex<double>* parts;
  TraceSums sums;
  int n_results, n_splits;

  KOKKOS_FUNCTION void operator()(int i) const {
    const int pair = i / n_results, result = i % n_results;
    Complex<double>& to = sums.data[std::int64_t((sums.first + pair) % sums.modulus) * n_results + result];
    Complex<double> sum = sums.add ? to : Complex<double>{0, 0};
    for (int split = 0; split < n_splits; ++split)
      sum += parts[(std::int64_t(pair) * n_splits + split) * n_results + result];
    to = sum;
  }
};

}  // namespace detail

std::string name(TraceTiling tiling) {
  switch (tiling) {
    case TraceTiling::automatic:
      return "automatic";
    case TraceTiling::of4:
      return "4 x 4";
    case TraceTiling::of8:
      return "8 x 8";
    case TraceTiling::of12:
      return "12 x 12";
    case TraceTiling::of16:
      return "16 x 16";
    case TraceTiling::of18:
      return "18 x 18";
    case TraceTiling::of24:
      return "24 x 24";
    case TraceTiling::of32:
      return "32 x 32";
    case TraceTiling::of33:
      return "33 x 33";
    case TraceTiling::of48:
      return "48 x 48";
    case TraceTiling::of64:
      return "64 x 64";
    case TraceTiling::of65:
      return "65 x 65";
    case TraceTiling::of33_square:
      return "33 x 33 by 3 x 3";
    case TraceTiling::of65_square:
      return "65 x 65 by 5 x 5";
    case TraceTiling::packs:
      return "packs";
  }
  return "";
}

std::span<const TraceTiling> trace_tilings() {
  return std::span(trace_tilings_of_all).first(std::size(trace_tilings_of_all) - (has_packs ? 0 : 1));
}

Complex<double>* TraceWorkspace::reserve(std::size_t n) {
  if (memory_.size() < n) {
    Exec().fence("TraceWorkspace");  // kernels may still use the memory that goes
    memory_ = Buffer<Complex<double>>("parts of traces", n);
  }
  return memory_.data();
}

template <class Z>
void traces(const TraceProblem<Z>& problem, const TraceSums& sums, TraceWorkspace& workspace,
            const TraceOptions& options, const Exec& exec) {
  require(problem.n_left >= 0 && problem.n_right >= 0 && problem.length >= 0 && problem.n_pairs >= 0, "traces of",
          problem.n_pairs, "pairs of", problem.n_left, "and", problem.n_right, "vectors of", problem.length,
          "numbers: none of these may be negative");
  if (problem.n_pairs == 0 || problem.n_left == 0 || problem.n_right == 0) return;
  require(sums.modulus >= problem.n_pairs && sums.first >= 0, "traces of", problem.n_pairs, "pairs have", sums.modulus,
          "places, from number", sums.first, "on: give each pair its own");
  require(detail::is_aligned_number(problem.left) && detail::is_aligned_number(problem.right),
          "vectors begin at an address that is no multiple of", sizeof(Z),
          "bytes, the size of their numbers: views of buffers do");
  const std::int64_t n_results = std::int64_t(problem.n_left) * problem.n_right;
  require(n_results * problem.n_pairs <= std::numeric_limits<int>::max(), "one launch makes 2^31 traces at most, not",
          problem.n_pairs, "times", n_results, ": take fewer pairs");
  TraceTiling tiling = options.tiling;
  if (tiling == TraceTiling::automatic)
    tiling = has_packs ? TraceTiling::packs : detail::best_trace_tiling(problem.n_left, problem.n_right);
  const bool wide = options.wide_sums && std::is_same_v<Z, Complex<float>>;
  int n_splits = options.n_splits > 0 ? options.n_splits : detail::trace_splits(problem.length, problem.n_pairs);
  if (tiling == TraceTiling::packs) {
    const std::int64_t part =
        wide ? detail::pack_part_length<Complex<float>, true>() : detail::pack_part_length<Z, false>();
    n_splits = int(std::max<std::int64_t>(1, (problem.length + part - 1) / part));
  }
  const std::size_t n_parts = std::size_t(n_results) * std::size_t(problem.n_pairs) * std::size_t(n_splits);
  const detail::TraceParts<Z> parts{problem, workspace.reserve(n_parts), n_splits};
  if constexpr (std::is_same_v<Z, Complex<float>>) {
    if (wide)
      detail::launch_traces_of<Z, true>(parts, tiling, exec);
    else
      detail::launch_traces_of<Z, false>(parts, tiling, exec);
  } else {
    detail::launch_traces_of<Z, false>(parts, tiling, exec);
  }
  for_each_item("add_trace_parts", int(n_results * problem.n_pairs),
                detail::AddTraceParts{parts.data, sums, int(n_results), n_splits}, exec);
}

template void traces(const TraceProblem<Complex<float>>&, const TraceSums&, TraceWorkspace&, const TraceOptions&,
                     const Exec&);
template void traces(const TraceProblem<Complex<double>>&, const TraceSums&, TraceWorkspace&, const TraceOptions&,
                     const Exec&);

}  // namespace kov
