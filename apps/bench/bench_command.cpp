// SPDX-License-Identifier: MIT
#include "apps/bench/bench_command.hpp"

#include "apps/bench/bench_dslash.hpp"
#include "apps/bench/bench_halo.hpp"
#include "apps/bench/bench_propagator.hpp"
#include "apps/bench/bench_rows.hpp"
#include "apps/bench/bench_solvers.hpp"
#include "apps/bench/contractions/contraction_bench.hpp"
#include "apps/bench/contractions/paper000.hpp"
#include "apps/bench/kernel_names.hpp"
#include "apps/bench/roof.hpp"
#include "apps/bench/scaling/scaling.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/program/tuner_report.hpp"
#include "apps/settings/format.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace kov::app {

namespace {

struct BenchOptions {
  Coord small{8, 8, 8, 8};
  Coord large = has_packs ? Coord{16, 16, 16, 32} : Coord{32, 32, 32, 32};
  std::string only;
  double seconds = 0.3;

  bool wants(const std::string& kernel) const { return kernel.find(only) != std::string::npos; }
};

constexpr const char* halo_row = "halo";
constexpr const char* solver_table = "solver iterations";

/// Rows part by part, so that the fields of one part are gone before the next.
template <class T>
constexpr AddRows<T> parts[] = {add_operator_rows<T>, add_field_rows<T>, add_column_rows<T>,      add_smearing_rows<T>,
                                add_link_rows<T>,     add_gauge_rows<T>, add_contraction_rows<T>, add_solver_rows<T>};

/// Calls f with every row that is wanted.
template <class T, class F>
void for_each_row(const BenchOptions& options, BenchRows<T>& rows, const F& f) {
  for (const AddRows<T> add_rows : parts<T>) {
    rows.cases.clear();
    add_rows(rows);
    for (const BenchCase& c : rows.cases)
      if (options.wants(c.kernel)) f(c);
  }
  rows.cases.clear();
}

/// Everything on one lattice; each kernel is timed in turns with a triad of the same footprint.
template <class T>
void bench_lattice(const Session& session, const BenchOptions& options, const Lattice& lattice, double fma_peak) {
  BenchRows<T> rows(lattice);
  for_each_row(options, rows, [&](const BenchCase& c) {
    const double bytes = c.sites * c.bytes;
    const Triad triad(std::size_t(bytes / c.steps), false);
    const Pair s = median_seconds_in_turns(
        c.run, [&] { triad.run(); }, options.seconds);
    const double rate = bytes / s.first * 1e-9, roof = triad.bytes() / s.second * 1e-9,
                 flops = c.sites * c.flops / s.first * 1e-9;
    session.say(format("%-12s %-42s %-6s %9.0f %9.0f %10.3f %8.1f %8.1f %9.1f %7.0f %7.0f",
                       to_string(lattice.extent()).c_str(), c.kernel.c_str(), c.precision.c_str(), c.bytes, c.flops,
                       s.first * 1e3, rate, flops, roof, 100 * rate / roof, 100 * flops / fma_peak));
  });
}

/// Which kernels each row runs, on a small lattice.
void say_kernels(const Session& session, const BenchOptions& options) {
  require(session.comm.size() == 1, "the kernels of every row are named on one process: start one");
  const auto say = [&](const std::string& row, const std::function<void()>& run) {
    std::string line = row + ":";
    for (const std::string& kernel : kernels_of(run)) line += " '" + kernel + "'";
    session.say(line);
  };
  if (options.wants(halo_row)) say(halo_row, [&] { run_halo_kernels(session.comm, options.small); });
  BenchRows<double> rows(Lattice(session.comm, options.small));
  for_each_row(options, rows, [&](const BenchCase& c) { say(c.kernel, c.run); });
}

/// Throws InputError when no row is wanted.
void require_row(const Session& session, const BenchOptions& options) {
  if (options.wants(halo_row)) return;
  require(session.comm.size() == 1, "no row has", in_quotes(options.only),
          "in its name: on several processes there is the row", halo_row);
  if (options.wants(solver_table)) return;
  bool found = false;
  BenchRows<double> rows(Lattice(session.comm, options.small));
  for_each_row(options, rows, [&](const BenchCase&) { found = true; });
  require(found, "no row has", in_quotes(options.only), "in its name: kovariant bench --kernels names them");
}

void bench(const Session& session, const BenchOptions& options) {
  require_row(session, options);
  session.begin();
  if (options.wants(halo_row)) bench_halo(session, options.large, options.seconds);
  // Ranks would not agree on the number of calls.
  if (session.comm.size() > 1 || options.only == halo_row) return;
  const Lattice lattices[] = {Lattice(session.comm, options.small), Lattice(session.comm, options.large)};
  const double peak[2] = {measure_fma_peak(false), measure_fma_peak(true)};
  const Triad plain(std::size_t(1) << (has_packs ? 28 : 31), false),
      streaming(std::size_t(1) << (has_packs ? 28 : 31), true);
  const Pair roofs =
      median_seconds_in_turns([&] { plain.run(); }, [&] { streaming.run(); }, std::min(0.5, 2 * options.seconds));
  session.say(std::string("Kovariant ") + version() + ", " + Runtime::description());
  session.say(
      format("roofs out of cache: triad %.1f GB/s (with streaming stores %.1f), copy %.1f GB/s; FMA %.1f Gflop/s "
             "double, %.1f float",
             plain.bytes() / roofs.first * 1e-9, streaming.bytes() / roofs.second * 1e-9, measure_copy_bandwidth(),
             peak[0], peak[1]));
  session.say(
      "Bytes and flops are a site's, neighbours from cache; the triad beside each kernel has its footprint and takes "
      "turns with it.");
  session.say(format("%-12s %-42s %-6s %9s %9s %10s %8s %8s %9s %7s %7s", "lattice", "kernel", "real", "bytes", "flops",
                     "ms", "GB/s", "Gflop/s", "triad", "%triad", "%FMA"));
  warn_of_tune_file(session, lattices[0]);
  for (const Lattice& lattice : lattices) {
    bench_lattice<double>(session, options, lattice, peak[0]);
    bench_lattice<float>(session, options, lattice, peak[1]);
  }
  for (const Lattice& lattice : lattices) report_tuned(session, lattice, ReportTo::standard_output);
  if (!options.wants(solver_table)) return;
  session.say();
  session.say(format("%-12s %-44s %-6s %12s %12s %9s", "lattice", solver_table, "real", "ms", "ms operators", "%"));
  for (const Lattice& lattice : lattices) {
    bench_solvers<double>(session, lattice, options.seconds);
    bench_solvers<float>(session, lattice, options.seconds);
  }
}

/// The same again in a process with one thread: a running OpenMP cannot change its mind.
void bench_with_one_thread(const Session& session, const BenchOptions& options) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto extents = [](const Coord& x) { return to_string(x); };
  const std::string command = "OMP_NUM_THREADS=1 " + shell_word(own) + " bench --no-one-thread --small " +
                              extents(options.small) + " --large " + extents(options.large) + " --seconds " +
                              std::to_string(options.seconds) +
                              (options.only.empty() ? "" : " --only " + shell_word(options.only));
  session.say();
  std::fflush(stdout);
  require(std::system(command.c_str()) == 0,
          "the run with one thread failed: run OMP_NUM_THREADS=1 kovariant bench by hand to see why");
}

}  // namespace

Command bench_command() {
  return {
      "bench", "how close every kernel runs to this machine's measured roof",
      "Each kernel is timed in turns with a triad (a = b + s c) that moves as many bytes; %triad is the ratio of "
      "the two rates.",
      [](Arguments& arguments) -> Action {
        auto options = std::make_shared<BenchOptions>();
        auto table = std::make_shared<std::string>("kernels");
        auto lattice = std::make_shared<std::optional<Coord>>();
        auto problem = std::make_shared<PropagatorBench>();
        arguments.positional(
            "TABLE", *table,
            "kernels: every kernel; dslash: Wilson's hop and Dirac operators in every storage; solver: the 12 "
            "columns of a clover propagator, by every way to solve for them; delta: the parameter of reliable updates, "
            "one of these columns in all pairs of precisions; scaling: solves on 1, 2, 4, ... ranks, weak and strong; "
            "contractions: products and traces of distillation, by every kernel, beside a BLAS; paper000: correlator "
            "matrices "
            "of 64 operators on 128 time slices",
            false);
        arguments.option("--lattice", *lattice,
                         "of the tables dslash, instead of its five lattices, solver and delta, instead of --large, "
                         "and scaling");
        arguments.option("--mass", problem->mass, "of the quark in the tables solver, delta and scaling");
        auto scaling = std::make_shared<ScalingOptions>();
        scaling->declare(arguments);
        auto no_one_thread = std::make_shared<bool>(false), kernels = std::make_shared<bool>(false);
        arguments.option("--small", options->small, "a lattice that fits into the caches");
        arguments.option("--large", options->large, "a lattice that does not");
        arguments.option("--only", options->only, "rows whose name contains this text");
        arguments.option("--seconds", options->seconds, "time for each measurement");
        auto blas = std::make_shared<std::string>();
        auto n_rows = std::make_shared<int>(256);
        arguments.option("--rows", *n_rows, "of the matrices in the tables contractions and paper000, a multiple of 4");
        auto pairs = std::make_shared<int>(default_pairs);
        arguments.option(
            "--pairs", *pairs,
            "of times that the table paper000 contracts at least, of 128 x 128; it says how many these are");
        arguments.option("--blas", *blas,
                         "of the table contractions, a library to compare with instead of the usual one");
        auto every_c = std::make_shared<bool>(false);
        arguments.flag("--every-c", *every_c,
                       "of the table contractions, traces of every number of operators up to 65 and the whole problem "
                       "of every one up to 64, not of 16 and 10 of these");
        arguments.flag("--no-one-thread", *no_one_thread, "do not run everything again with one thread");
        arguments.flag("--kernels", *kernels, "name the kernels that each row runs, and time nothing");
        return [options, table, lattice, problem, scaling, no_one_thread, kernels, blas, n_rows, pairs,
                every_c](const Session& session) {
          const bool is_dslash = *table == "dslash", is_delta = *table == "delta", is_scaling = *table == "scaling",
                     is_solver = *table == "solver" || is_delta, is_kernels = *table == "kernels",
                     is_paper000 = *table == "paper000", is_contractions = *table == "contractions" || is_paper000;
          require(is_dslash || is_solver || is_scaling || is_kernels || is_contractions, "there is no table",
                  in_quotes(*table), "- choose kernels, dslash, solver, delta, scaling, contractions or paper000");
          session.require_used("--lattice", !is_kernels && !is_contractions,
                               "for the tables dslash, solver, delta and scaling");
          session.require_used("--mass", is_solver || is_scaling, "for the tables solver, delta and scaling");
          session.require_used("--seconds", is_dslash || is_kernels || (is_contractions && !is_paper000),
                               "for the tables kernels, dslash and contractions");
          for (const char* option : {"--small", "--large", "--kernels", "--no-one-thread"})
            session.require_used(option, is_kernels, "for the table kernels");
          session.require_used("--only", is_kernels || (is_contractions && !is_paper000),
                               "for the tables kernels and contractions");
          session.require_used("--rows", is_contractions, "for the tables contractions and paper000");
          session.require_used("--blas", is_contractions && !is_paper000, "for the table contractions");
          session.require_used("--every-c", is_contractions && !is_paper000, "for the table contractions");
          session.require_used("--pairs", is_paper000, "for the table paper000");
          session.require_used(
              "--output", *table == "solver" || (is_scaling && !scaling->plan) || (is_contractions && !is_paper000),
              "for the tables solver, contractions and scaling without --plan");
          scaling->require_used(session, is_scaling);
          require(options->seconds > 0, "--seconds is", options->seconds, "- it must be positive");
          require(!session.given.contains("--output") || names_files(scaling->output), "--output is",
                  in_quotes(scaling->output) + ",", "which names no file: give it a name, such as run1");
          if (is_contractions) {
            require(session.comm.size() == 1, "the table", *table, "is of one process: start one");
            require(*n_rows > 0 && *n_rows % 4 == 0, "--rows is", *n_rows, "- it must be positive and a multiple of 4");
            require(*pairs > 0 && *pairs <= 128 * 128, "--pairs is", *pairs, "- it must be in [1, 128 x 128]");
            if (!is_paper000) require_contraction_tables(session, options->only);
            const std::string picture = session.given.contains("--output") ? scaling->output : "";
            OutputFiles outputs;
            if (!picture.empty()) outputs.add(picture, contraction_picture_endings());
            outputs.require_usable(session);
            const std::vector<OutputLock> locks = outputs.lock(session);
            session.begin();
            const ContractionBench of_contractions{
                [&](const std::function<void()>& f) { return median_seconds(f, options->seconds); },
                std::max(options->seconds, 0.01),
                {[&] {
                   constexpr std::size_t bytes = std::size_t(1) << (has_packs ? 29 : 31);
                   const Triad triad(bytes, true);
                   return triad.bytes() / median_seconds([&] { triad.run(); }, options->seconds) * 1e-9;
                 },
                 measure_fma_peak},
                *blas,
                options->only,
                *n_rows,
                picture,
                *pairs,
                *every_c};
            return is_paper000 ? bench_paper000(session, of_contractions)
                               : bench_contractions(session, of_contractions);
          }
          if (is_scaling) {
            scaling->lattice = *lattice;
            if (session.given.contains("--mass")) scaling->problem.mass = problem->mass;
            return bench_scaling(session, *scaling);
          }
          if (is_solver) {
            problem->lattice = lattice->value_or(options->large);
            if (!is_delta) {
              problem->output = session.given.contains("--output") ? scaling->output : "";
              return bench_propagator(session, *problem);
            }
            session.begin();
            return bench_delta(session, *problem);
          }
          if (is_dslash) {
            require(session.comm.size() == 1, "the table dslash is of one process: start one");
            session.begin();
            return bench_dslash(session, *lattice ? std::vector<Coord>{**lattice} : dslash_lattices(),
                                options->seconds);
          }
          if (*kernels) return say_kernels(session, *options);
          bench(session, *options);
          if (!*no_one_thread && has_packs && session.comm.size() == 1 && Runtime::threads() > 1)
            bench_with_one_thread(session, *options);
        };
      }};
}

}  // namespace kov::app
