// SPDX-License-Identifier: MIT
#include "apps/bench/scaling/scaling.hpp"

#include "apps/bench/scaling/scaling_plan.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/plot/plot.hpp"
#include "apps/settings/format.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace kov::app {

namespace {

using Overlap = ExchangeOptions::Overlap;

constexpr int n_solves = 6, most_iterations = 10000;
/// Of a plot, which are used again and again: so many series go by before the first colour comes back.
constexpr int n_colours = 6;
constexpr Coord default_lattice{16, 16, 16, 32};

/// How the lattice grows with the ranks: not at all, or as they do.
enum class Kind { strong, weak };

const char* name_of(Kind kind) { return kind == Kind::strong ? "strong" : "weak"; }

/// A row of the table; plain numbers, so that all ranks can be told.
struct Row {
  Kind kind;
  int n_ranks, precision;
  Overlap overlap;
  double iterations = 0, seconds = 0, gflops = 0, error = 0, efficiency = 0, residual = 0;
  bool converged = true;
};

/// 1, 2, 4, ... and n itself.
std::vector<int> rank_counts(int n) {
  std::vector<int> counts;
  for (int k = 1; k < n; k *= 2) counts.push_back(k);
  counts.push_back(n);
  return counts;
}

/// Processes in each direction such that extents of `local` times them are as equal as can be, t being cut first.
Coord weak_grid(const Coord& local, int n_ranks) {
  std::vector<int> primes;
  for (int left = n_ranks, prime = 2; left > 1; ++prime)
    for (; left % prime == 0; left /= prime) primes.push_back(prime);
  Coord grid{1, 1, 1, 1};
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime) {
    std::size_t best = 3;
    for (const std::size_t mu : {2u, 1u, 0u})
      if (local[mu] * grid[mu] < local[best] * grid[best]) best = mu;
    grid[best] *= *prime;
  }
  return grid;
}

std::string overlap_name(const Row& row) {
  return row.n_ranks == 1 ? "none" : row.overlap == Overlap::blocking ? "blocking" : "overlapped";
}

/// All rows, and what is said and written about them.
class ScalingTable {
 public:
  ScalingTable(const Session& session, const ScalingOptions& options) : session_(session), options_(options) {
    for (const ScalingPrecision& precision : scaling_precisions())
      memory_.push_back(scaling_memory(options.problem, precision));
  }

  /// Writes the table after every row.  Collective.
  void measure(Kind kind, int n_ranks) {
    const std::optional<Comm> group = session_.comm.first(n_ranks);
    const std::size_t n_before = rows_.size();
    if (group) measure(*group, kind);
    tell_all(n_before);
  }

  void head() {
    say(format("%s, mass %g, links near 1: %d solves for a point source by reliable updates of BiCGstab on even sites",
               options_.problem.action == "wilson" ? "Wilson" : "Wilson-clover", options_.problem.mass, n_solves));
    say(format("%-7s %5s  %-16s %-14s %-10s %10s %9s %10s %8s %6s %9s", "scaling", "ranks", "lattice", "precision",
               "halos", "iterations", "seconds", "Gflop/s", "error", "%", "residual"));
  }
  std::string file() const { return options_.output + ".txt"; }
  /// Collective over the ranks of a group.
  void write(const Comm& group) const { write_text_file(group, file(), text_); }

  Plot picture(Kind kind) const {
    const bool strong = kind == Kind::strong;
    Plot plot{
        .title = strong ? "Strong scaling" : "Weak scaling",
        .x_label = "ranks",
        .y_label = "effective Gflop/s",
        .series = {},
        .caption = strong ? "lattice " + to_string(strong_lattice()) : "lattice of a rank " + to_string(options_.local),
        .integer_x = true,
        .with_zero = true};
    plot.caption += "; lines: halos overlapped with work, points: halos first; means of six solves";
    if (std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.kind == kind && !row.converged; }))
      plot.caption += "; without rows that did not converge";
    for (const Overlap overlap : {Overlap::overlapped, Overlap::blocking})
      for (int p = 0; p < n_colours; ++p) {
        const bool is_line = overlap == Overlap::overlapped;
        PlotSeries series{.name = {},
                          .x = {},
                          .y = {},
                          .error = {},
                          .style = is_line ? PlotSeries::Style::line : PlotSeries::Style::points};
        for (const Row& row : rows_)
          if (row.converged && row.kind == kind && row.precision == p && (row.overlap == overlap || row.n_ranks == 1)) {
            series.x.push_back(row.n_ranks);
            series.y.push_back(row.gflops);
            if (!is_line) series.error.push_back(row.error);
          }
        if (is_line && !series.x.empty()) series.name = scaling_precisions()[std::size_t(p)].name;
        plot.series.push_back(series);
      }
    return plot;
  }

 private:
  static int n_precisions() { return int(scaling_precisions().size()); }
  Coord strong_lattice() const { return options_.lattice.value_or(default_lattice); }
  Coord extent_of(Kind kind, int n_ranks) const {
    if (kind == Kind::strong) return strong_lattice();
    Coord extent = options_.local;
    const Coord grid = weak_grid(options_.local, n_ranks);
    for (std::size_t mu = 0; mu < 4; ++mu) extent[mu] *= grid[mu];
    return extent;
  }

  Coord grid_of(Kind kind, int n_ranks) const {
    return kind == Kind::strong ? Geometry::choose_grid(strong_lattice(), n_ranks) : weak_grid(options_.local, n_ranks);
  }

  /// On the ranks of a group.  Only a lattice that they cannot share is left out: all of them find that out.  Other
  /// errors end the run, because a rank without memory fails while the others wait for its messages.
  void measure(const Comm& group, Kind kind) {
    Coord grid{};
    try {
      grid = grid_of(kind, group.size());
      Geometry(extent_of(kind, group.size()), grid, group.rank(), group.size());
    } catch (const InputError& error) {
      return say(format("%-7s %5d  left out: ", name_of(kind), group.size()) + error.what());
    }
    for (const Overlap overlap : {Overlap::blocking, Overlap::overlapped})
      if (group.size() > 1 || overlap == Overlap::blocking) measure(group, kind, grid, overlap);
  }
  void measure(const Comm& group, Kind kind, const Coord& grid, Overlap overlap) {
    const Lattice lattice(group, extent_of(kind, group.size()), {.grid = grid, .exchange = {.overlap = overlap}});
    for (int p = 0; p < n_precisions(); ++p) {
      const ScalingPrecision& precision = scaling_precisions()[std::size_t(p)];
      const double bytes = memory_[std::size_t(p)].of_rank(lattice.extent(), lattice.geometry().grid());
      if (const std::string warning = memory_warning(group, bytes); !warning.empty()) {
        if (overlap == Overlap::blocking)
          say(format("%-7s %5d  %s left out: ", name_of(kind), group.size(), precision.name.c_str()) + warning);
        continue;
      }
      add(row_of(lattice, kind, overlap, p));
      write(group);
    }
  }

  Row row_of(const Lattice& lattice, Kind kind, Overlap overlap, int p) const {
    const ScalingPrecision& precision = scaling_precisions()[std::size_t(p)];
    const ScalingSolve solve = precision.make(lattice, options_.problem, precision);
    solve(0, most_iterations);  // checked exchanges and the tuner's trials are over then
    Row row{.kind = kind, .n_ranks = lattice.comm().size(), .precision = p, .overlap = overlap};
    double squares = 0;
    for (int k = 0; k < n_solves; ++k) {
      const SolveReport report = solve(k, most_iterations);
      const double gflops = report.flops / report.seconds * 1e-9;
      row.iterations += double(report.iterations) / n_solves;
      row.seconds += report.seconds / n_solves;
      row.gflops += gflops / n_solves;
      squares += gflops * gflops / n_solves;
      row.residual = max_or_nan(row.residual, report.residual);
      row.converged = row.converged && report.converged && std::isfinite(report.residual);
    }
    row.error = std::sqrt(std::max(0.0, squares - row.gflops * row.gflops) / (n_solves - 1));
    return row;
  }

  /// Rank 0 is in every group; the others need its rows, from this one on, for their pictures.
  void tell_all(std::size_t first) {
    std::int64_t n[1] = {std::int64_t(session_.comm.rank() == 0 ? rows_.size() : 0)};
    session_.comm.sum(std::span<std::int64_t>(n));
    rows_.resize(std::size_t(n[0]));
    session_.comm.broadcast(std::as_writable_bytes(std::span(rows_).subspan(first)));
  }

  /// Compares a row with the fewest ranks of its kind that converged.
  void add(Row row) {
    const auto first = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
      return r.converged && r.kind == row.kind && r.precision == row.precision &&
             (r.overlap == row.overlap || r.n_ranks == 1);
    });
    row.efficiency = first == rows_.end() ? 1 : row.gflops / row.n_ranks / (first->gflops / first->n_ranks);
    rows_.push_back(row);
    say(format("%-7s %5d  %-16s %-14s %-10s %10.1f %9.4f %10.3f %8.3f %6.0f %9.1e%s", name_of(row.kind), row.n_ranks,
               to_string(extent_of(row.kind, row.n_ranks)).c_str(),
               scaling_precisions()[std::size_t(row.precision)].name.c_str(), overlap_name(row).c_str(), row.iterations,
               row.seconds, row.gflops, row.error, 100 * row.efficiency, std::abs(row.residual),
               row.converged ? "" : "  not converged"));
  }
  void say(const std::string& line) {
    session_.say(line);
    text_ += line + "\n";
  }

  const Session& session_;
  const ScalingOptions& options_;
  std::vector<ScalingMemory> memory_;
  std::vector<Row> rows_;
  std::string text_;
};

OutputFiles outputs_of_scaling(const ScalingOptions& options) {
  OutputFiles outputs;
  std::vector<std::string> endings{".txt"};
  for (const Kind kind : {Kind::strong, Kind::weak})
    for (const std::string& ending : picture_endings()) endings.push_back(std::string("_") + name_of(kind) + ending);
  outputs.add(options.output, endings);
  return outputs;
}

}  // namespace

void ScalingOptions::declare(Arguments& arguments) {
  arguments.option("--local", local, "of the table scaling: the lattice of a rank in weak scaling");
  arguments.option("--action", problem.action, "of the quark in the table scaling", {"wilson", "clover"});
  arguments.flag("--plan", plan,
                 "of the table scaling: say how many ranks have the memory for --lattice, and time nothing");
  arguments.option("--columns", problem.columns, "that --plan counts, solved for at once");
  arguments.option("--memory", memory,
                   "of a rank in GiB for --plan; without it, a rank's part of the memory that this run has");
  arguments.option("--output", output,
                   "PREFIX of the files of the table scaling, of residuals in solver, of pictures in contractions");
}

void ScalingOptions::require_used(const Session& session, bool chosen) const {
  session.require_used("--plan", chosen, "for the table scaling");
  session.require_used("--action", chosen, "for the table scaling");
  session.require_used("--local", chosen && !plan, "for the table scaling without --plan");
  for (const char* option : {"--columns", "--memory"}) session.require_used(option, chosen && plan, "with --plan");
  require(problem.columns >= 1 && problem.columns <= 1024, "--columns is", problem.columns,
          "- give a number from 1 to 1024");
  require(memory > 0 || !session.given.contains("--memory"), "--memory is", memory, "- it must be positive");
}

void bench_scaling(const Session& session, const ScalingOptions& options) {
  const Coord lattice = options.lattice.value_or(default_lattice);
  if (options.plan) {
    const double memory = options.memory > 0 ? options.memory * double(1 << 30) : memory_of_rank(session.comm);
    session.begin();
    return plan_scaling(session, {lattice, options.problem, memory});
  }
  const OutputFiles outputs = outputs_of_scaling(options);
  outputs.require_usable(session);
  const std::vector<OutputLock> locks = outputs.lock(session);
  session.begin();
  ScalingTable table(session, options);
  table.head();
  for (const Kind kind : {Kind::strong, Kind::weak})
    for (const int n : rank_counts(session.comm.size())) table.measure(kind, n);
  WrittenFiles files(session);
  table.write(session.comm);
  files.add({table.file()});
  for (const Kind kind : {Kind::strong, Kind::weak})
    files.draw(options.output + "_" + name_of(kind), table.picture(kind));
  files.say();
}

}  // namespace kov::app
