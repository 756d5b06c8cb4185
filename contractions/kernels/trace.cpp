// SPDX-License-Identifier: MIT
#include "kov/contractions/kernels/trace.hpp"

#include "kov/contractions/kernels/cuda/trace_shapes.hpp"
#include "kov/contractions/kernels/product_problem.hpp"
#include "kov/contractions/kernels/trace_parts.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/tuned_candidate.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace kov {

namespace {

/// The first is of hosts, the last n_tensor_tilings of GPUs that have tensor cores; all have those between.
constexpr TraceTiling trace_tilings_of_all[] = {
    TraceTiling::packs,       TraceTiling::of4,         TraceTiling::of8,     TraceTiling::of12,
    TraceTiling::of16,        TraceTiling::of18,        TraceTiling::of24,    TraceTiling::of32,
    TraceTiling::of33,        TraceTiling::of48,        TraceTiling::of64,    TraceTiling::of65,
    TraceTiling::of33_square, TraceTiling::of65_square, TraceTiling::tensor8, TraceTiling::tensor16,
    TraceTiling::tensor32,    TraceTiling::tensor48,    TraceTiling::tensor64};
constexpr std::size_t n_tensor_tilings = 5;

}  // namespace

namespace detail {

int trace_splits(std::int64_t length, int n_pairs, int teams) {
  // As many teams as run at a time on a GPU of 132 multiprocessors, or a few less: one more takes as long as a second
  // team on each of them.  Each has enough to do.
  constexpr int multiprocessors = 128, shortest = 256;
  const std::int64_t most = std::max<std::int64_t>(1, length / shortest), pairs = std::max(n_pairs, 1);
  return int(std::clamp<std::int64_t>((multiprocessors * teams + pairs - 1) / pairs, 1, most));
}

/// Adds the parts of each result, in their order; 8 or 16 bytes for each of them.
template <class Part>
struct AddTraceParts {
  const Part* parts;
  TraceSums sums;
  int n_results, n_splits;

  KOKKOS_FUNCTION void operator()(int i) const {
    const int pair = i / n_results, result = i % n_results;
    Complex<double>& to = sums.data[std::int64_t((sums.first + pair) % sums.modulus) * n_results + result];
    Complex<double> sum = sums.add ? to : Complex<double>{0, 0};
    for (int split = 0; split < n_splits; ++split)
      sum += converted<Complex<double>>(parts[(std::int64_t(pair) * n_splits + split) * n_results + result]);
    to = sum;
  }
};

/// Traces of parts of the inner index, [pair][split][i][j]; in the type of the data where a BLAS made them.
struct PartsOfTraces {
  Complex<double>* data;
  int n_splits;
  bool as_data;
};

template <class Z>
PartsOfTraces trace_parts_by_blas(const TraceProblem<Z>& p, TraceWorkspace& workspace, const TraceOptions& options,
                                  const Exec& exec) {
  require(options.blas.exists(),
          "traces by a BLAS were asked for and there is none: give one, or choose another tiling");
  // Sums of some thousands of terms at most, as in other tilings.
  constexpr std::int64_t longest = 4096;
  const int n_splits =
      std::max({1, options.n_splits, int(std::is_same_v<Z, Complex<float>> ? (p.length + longest - 1) / longest : 1),
                trace_splits(p.length, p.n_pairs, trace_teams_unless_stated)});
  const std::int64_t n_results = std::int64_t(p.n_left) * p.n_right, part = p.length / n_splits;
  Z* const to =
      reinterpret_cast<Z*>(workspace.reserve(std::size_t(n_results) * std::size_t(p.n_pairs) * std::size_t(n_splits)));
  const auto multiply_parts = [&](int pair, int first, int n, std::int64_t length, int n_pairs) {
    const bool of_pairs = n_pairs > 1;
    BlasProduct<Z> product;
    product.m = p.n_left;
    product.n = p.n_right;
    product.k = int(length);
    product.a = {p.left + pair * p.left_stride + first * part, p.length, of_pairs ? p.left_stride : part};
    product.b = {p.right + pair * p.right_stride + first * part, p.length, of_pairs ? p.right_stride : part};
    product.c = {to + (std::int64_t(pair) * n_splits + first) * n_results, p.n_right,
                 of_pairs ? n_splits * n_results : n_results};
    product.batch = of_pairs ? n_pairs : n;
    product.transposed = true;
    options.blas.multiply(product, exec);
  };
  // The last part takes what the others leave.  Few launches: either the parts of a pair or a part of all pairs.
  const int equal = n_splits - 1;
  if (p.n_pairs > equal)
    for (int split = 0; split < n_splits; ++split)
      multiply_parts(0, split, 1, split < equal ? part : p.length - equal * part, p.n_pairs);
  else
    for (int pair = 0; pair < p.n_pairs; ++pair) {
      multiply_parts(pair, 0, equal, part, 1);
      multiply_parts(pair, equal, 1, p.length - equal * part, 1);
    }
  return {reinterpret_cast<Complex<double>*>(to), n_splits, true};
}

template <class Z>
PartsOfTraces launch_trace_parts(TraceTiling tiling, const TraceProblem<Z>& problem, TraceWorkspace& workspace,
                                 const TraceOptions& options, const Exec& exec) {
  const bool wide = options.wide_sums && std::is_same_v<Z, Complex<float>>;
  if (tiling == TraceTiling::vendor) {
    require(!wide, "a BLAS sums floats in float, and sums in double were asked for: choose one of them");
    return trace_parts_by_blas(problem, workspace, options, exec);
  }
  int n_splits = options.n_splits;
  if (tiling == TraceTiling::packs) {
    const std::int64_t part = wide ? pack_part_length<Complex<float>, true>() : pack_part_length<Z, false>();
    n_splits = int(std::max<std::int64_t>(1, (problem.length + part - 1) / part));
  } else if (n_splits <= 0) {
    const int teams = wide ? trace_teams<Complex<float>, true>(tiling) : trace_teams<Z, false>(tiling);
    n_splits = trace_splits(problem.length, problem.n_pairs, teams);
  }
  const std::size_t n_parts =
      std::size_t(problem.n_left) * std::size_t(problem.n_right) * std::size_t(problem.n_pairs) * std::size_t(n_splits);
  const TraceParts<Z> parts{problem, workspace.reserve(n_parts), n_splits};
  if constexpr (std::is_same_v<Z, Complex<float>>) {
    if (wide)
      launch_traces_of<Z, true>(parts, tiling, exec);
    else
      launch_traces_of<Z, false>(parts, tiling, exec);
  } else {
    launch_traces_of<Z, false>(parts, tiling, exec);
  }
  return {parts.data, n_splits, false};
}

/// What the fastest tiling of traces depends on.
struct TunedTraces {
  int n_left, n_right;
  std::int64_t length;
  int n_pairs;  // that are timed
  bool wide;
  int n_splits;       // as the options say
  std::size_t bytes;  // of a real number
  std::string blas;

  TuneKey key() const {
    TuneKey key{.kernel = "traces"};
    return key.add("left", n_left)
        .add("right", n_right)
        .add("length", length)
        .add("pairs", n_pairs)
        .add("sums", wide ? "double" : "plain")
        .add("splits", n_splits)
        .add("bytes", bytes);
  }
  friend auto operator<=>(const TunedTraces&, const TunedTraces&) = default;
};

/// `part`: the problem with the pairs that are timed.
template <class Z>
TraceTiling fastest_trace_tiling(const TunedTraces& of, const TraceProblem<Z>& part, TraceWorkspace& workspace,
                                 const TraceOptions& options, const Exec& exec) {
  std::vector<TraceTiling> candidates{TraceTiling::packs};
  if constexpr (!has_packs) candidates.assign(trace_tilings().begin(), trace_tilings().end());
  if (options.blas.exists() && !of.wide) candidates.push_back(TraceTiling::vendor);
  if (candidates.size() == 1) return candidates.front();
  TuneKey key = of.key();
  key.choice = "tiling";
  for (const TraceTiling tiling : candidates) {
    std::string word = tiling == TraceTiling::vendor ? of.blas : name(tiling);
    std::erase(word, ' ');  // Tuner::report() takes words
    key.choice += ' ' + word;
  }
  const int fastest = tuned_candidate(
      *options.tuner, key, int(candidates.size()),
      [&](int i) { launch_trace_parts(candidates[std::size_t(i)], part, workspace, options, exec); },
      [&] { exec.fence("times of traces"); });
  return candidates[std::size_t(fastest)];
}

template <class Z>
TraceTiling tuned_trace_tiling(const TraceProblem<Z>& problem, TraceWorkspace& workspace, const TraceOptions& options,
                               const Exec& exec) {
  // So few pairs that the candidates are soon timed.
  constexpr double most_flops = has_packs ? 1e9 : 1e11;
  TraceProblem<Z> part = problem;
  part.n_pairs = std::clamp(
      int(most_flops / (8.0 * problem.n_left * problem.n_right * double(std::max<std::int64_t>(problem.length, 1)))), 1,
      problem.n_pairs);
  const TunedTraces of{problem.n_left,
                       problem.n_right,
                       problem.length,
                       part.n_pairs,
                       options.wide_sums && std::is_same_v<Z, Complex<float>>,
                       options.n_splits,
                       sizeof(MatrixReal<Z>),
                       options.blas.name()};
  return options.tuner->remember<TraceTiling>(of,
                                              [&] { return fastest_trace_tiling(of, part, workspace, options, exec); });
}

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
    case TraceTiling::tensor8:
      return "tensor 8";
    case TraceTiling::tensor16:
      return "tensor 16";
    case TraceTiling::tensor32:
      return "tensor 32";
    case TraceTiling::tensor48:
      return "tensor 48";
    case TraceTiling::tensor64:
      return "tensor 64";
    case TraceTiling::packs:
      return "packs";
    case TraceTiling::vendor:
      return "vendor";
  }
  return "";
}

std::span<const TraceTiling> trace_tilings() {
  const std::size_t first = has_packs ? 0 : 1, without = detail::has_tensor_cores() ? 0 : n_tensor_tilings;
  return std::span(trace_tilings_of_all).subspan(first, std::size(trace_tilings_of_all) - first - without);
}

Complex<double>* TraceWorkspace::reserve(std::size_t n) {
  if (memory_.size() < n) {
    Kokkos::fence("TraceWorkspace");  // kernels on any instance may still use the memory that goes
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
  const auto best_tiling = options.wide_sums || std::is_same_v<Z, Complex<double>>
                               ? detail::best_trace_tiling<Z, true>
                               : detail::best_trace_tiling<Z, false>;
  TraceTiling tiling = options.tiling;
  if (tiling == TraceTiling::automatic) {
    if (options.tuner)
      tiling = detail::tuned_trace_tiling(problem, workspace, options, exec);
    else
      tiling = has_packs ? TraceTiling::packs : best_tiling(problem.n_left, problem.n_right);
  }
  const detail::PartsOfTraces parts = detail::launch_trace_parts(tiling, problem, workspace, options, exec);
  const auto add_parts = [&](const auto* data) {
    for_each_item("add_trace_parts", int(n_results * problem.n_pairs),
                  detail::AddTraceParts<std::remove_const_t<std::remove_pointer_t<decltype(data)>>>{
                      data, sums, int(n_results), parts.n_splits},
                  exec);
  };
  if (parts.as_data)
    add_parts(reinterpret_cast<const Z*>(parts.data));
  else
    add_parts(static_cast<const Complex<double>*>(parts.data));
}

template <class Z>
KernelResources trace_resources(TraceTiling tiling) {
  KernelResources resources;
  if (tiling != TraceTiling::vendor && tiling != TraceTiling::packs)
    detail::launch_traces_of<Z, false>({{nullptr, nullptr, 1, 1, 1}, nullptr, 1}, tiling, Exec(), &resources);
  return resources;
}

template KernelResources trace_resources<Complex<float>>(TraceTiling);
template KernelResources trace_resources<Complex<double>>(TraceTiling);
template void traces(const TraceProblem<Complex<float>>&, const TraceSums&, TraceWorkspace&, const TraceOptions&,
                     const Exec&);
template void traces(const TraceProblem<Complex<double>>&, const TraceSums&, TraceWorkspace&, const TraceOptions&,
                     const Exec&);

}  // namespace kov
