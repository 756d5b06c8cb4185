// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/paper000.hpp"

#include "apps/bench/contractions/bench_numbers.hpp"
#include "apps/program/progress.hpp"
#include "apps/settings/format.hpp"
#include "kov/contractions/engine/stream.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace kov::app {

namespace {

constexpr int paper_times = 128, paper_operators = 64, paper_elementals = 4;

std::vector<FactorisedOperator> paper_factors() {
  std::vector<FactorisedOperator> operators;
  for (int i = 0; i < paper_operators; ++i) operators.push_back({i / 16, Gamma::number(i % 16)});
  return operators;
}

/// An engine and data of n_times time slices.
template <class Engine>
struct EngineRun {
  using Z = Complex<typename Engine::Real>;
  EngineRun(const Engine& engine, int n_times)
      : engine(engine),
        slices(bench_numbers<Z>(engine.slice_numbers() * std::size_t(n_times), 1)),
        taus(bench_numbers<Z>(engine.perambulator_numbers() * std::size_t(n_times) * std::size_t(n_times), 2)) {}
  /// From these sources (none: all) to all sinks.
  void run(const std::vector<int>& sources = {}) { add_correlators(engine, {slices.data(), taus.data()}, sources); }

  Engine engine;
  Buffer<Z> slices, taus;
};

/// What is measured: so many times that all pairs of them are what was asked for, or a few more.
int measured_times(const ContractionBench& bench) {
  return std::clamp(int(std::ceil(std::sqrt(double(bench.n_pairs)))), 1, paper_times);
}

/// Seconds of one (t, delta) pair, all of them contracted once, source by source, after those of one source that are
/// not counted.
template <class Engine>
double seconds_of_one_run(EngineRun<Engine>& of, Progress& progress, std::size_t task) {
  const int n_times = of.engine.n_times();
  double seconds = 0;
  for (int step = 0; step <= n_times; ++step) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    of.run({step == 0 ? 0 : step - 1});
    Kokkos::fence();
    if (step > 0) seconds += timer.seconds();
    progress.advance(task);
  }
  return seconds / n_times / n_times;
}

template <class T>
void bench_paper000_in(const Session& session, const ContractionBench& bench, Progress& progress,
                       const char* precision) {
  const double pairs = double(paper_times) * paper_times;
  const int n_times = measured_times(bench);
  const std::size_t task = std::is_same_v<T, float> ? 0 : 2;
  const double n = bench.n_rows, v = n / 4, c = paper_operators, e = paper_elementals;
  const auto row = [&](const char* engine, double seconds, double flops) {
    progress.hide();
    session.say(format("  %-12s %-8s %8d %12.4f %12.1f %12.3f", engine, precision, n_times * n_times, seconds * 1e3,
                       flops / seconds * 1e-9, seconds * pairs));
  };
  double dense_seconds = 0;
  {
    EngineRun<DenseEngine<T>> dense({paper_operators, bench.n_rows, n_times}, n_times);
    dense_seconds = seconds_of_one_run(dense, progress, task);
    row("dense", dense_seconds, 16 * c * n * n * n + 8 * c * c * n * n);
  }
  EngineRun<FactorisedEngine<T>> factorised({paper_factors(), paper_elementals, bench.n_rows / 4, n_times}, n_times);
  const double seconds = seconds_of_one_run(factorised, progress, task + 1);
  row("factorised", seconds, 256 * e * v * v * v + 2048 * e * e * v * v);
  session.say(format("  factorised is %.1f times as fast as dense", dense_seconds / seconds));
}

}  // namespace

void bench_whole_problem(const Session& session, const ContractionBench& bench) {
  session.say(format("whole problem of paper 000: N = %d, T = 128, dense, complex float; from pairs of a few times",
                     bench.n_rows));
  session.say(format("  %3s %12s %12s %12s %14s %12s", "c", "ms a pair", "Gflop/s", "s for T=128", "s on a C1060",
                     "ops/transfer"));
  constexpr int n_times = 4;
  const std::map<int, double> seconds_on_c1060{{1, 230},  {2, 235},  {15, 1301}, {16, 598},
                                               {17, 758}, {32, 967}, {64, 1701}};
  std::vector<int> numbers_of_operators{1, 2, 4, 8, 15, 16, 17, 32, 33, paper_operators};
  if (bench.every_c) {
    numbers_of_operators.resize(paper_operators);
    std::iota(numbers_of_operators.begin(), numbers_of_operators.end(), 1);
  }
  for (const int n_operators : numbers_of_operators) {
    EngineRun<DenseEngine<float>> of({n_operators, bench.n_rows, n_times}, n_times);
    const double seconds = bench.seconds([&] { of.run(); }) / n_times / n_times, n = bench.n_rows, c = n_operators;
    const double operations = 2 * c * n * n * n + c * c * n * n, transfers = (c + 1) * n * n;
    const auto paper = seconds_on_c1060.find(n_operators);
    session.say(format("  %3d %12.4f %12.1f %12.2f %14s %12.0f", n_operators, seconds * 1e3,
                       8 * operations / seconds * 1e-9, seconds * paper_times * paper_times,
                       paper != seconds_on_c1060.end() ? format("%.0f", paper->second).c_str() : "-",
                       operations / transfers));
  }
  session.say("  ops/transfer: complex products for each number that is read, (2 c N^3 + c^2 N^2) / ((c + 1) N^2)");
}

void bench_paper000(const Session& session, const ContractionBench& bench) {
  session.say(Runtime::description());
  const int n_times = measured_times(bench), n_steps = n_times + 1;
  session.say(
      format("paper 000: N = %d, c = 64 (16 gammas x 4 elementals), T = 128, all data in memory", bench.n_rows));
  if (n_times == paper_times)
    session.say(format("  all %d pairs of times are contracted", paper_times * paper_times));
  else
    session.say(format("  measured: %d pairs, those of %d times; T = 128 has %d, at the same time for each",
                       n_times * n_times, n_times, paper_times * paper_times));
  session.say(
      format("  %-12s %-8s %8s %12s %12s %12s", "engine", "real", "pairs", "ms a pair", "Gflop/s", "s for T=128"));
  // Guesses until each has been timed: factorised is 40 times as fast as dense, double half as fast as float.
  Progress progress({{"sources, dense, float", n_steps, 40},
                     {"sources, factorised, float", n_steps, 1},
                     {"sources, dense, double", n_steps, 80},
                     {"sources, factorised, double", n_steps, 2}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  bench_paper000_in<float>(session, bench, progress, "float");
  bench_paper000_in<double>(session, bench, progress, "double");
  session.say("  paper 000 on a Tesla C1060, N = 256, dense, float: 1701 s");
}

}  // namespace kov::app
