// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/contraction_bench.hpp"

#include "apps/bench/contractions/bench_numbers.hpp"
#include "apps/bench/contractions/paper000.hpp"
#include "apps/bench/contractions/size_plots.hpp"
#include "apps/bench/contractions/size_tables.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/settings/format.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/contractions/kernels/ladder/ladder.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "kov/contractions/kernels/trace.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <algorithm>
#include <numeric>

namespace kov::app {

namespace {

/// The largest number of operators that a team of this tiling covers.
int tiling_width(TraceTiling tiling) {
  constexpr int widths[] = {0, 4, 8, 12, 16, 18, 24, 32, 33, 48, 64, 65, 33, 65, 8, 16, 32, 48, 64, 0};
  return widths[int(tiling)];
}

/// A line of a table: Gflop/s, and percent of what the BLAS does.
void say_rate(const Session& session, const std::string& what, double flops, double seconds, double of_blas) {
  std::string line = format("  %-44s %10.4f ms %10.1f Gflop/s", what.c_str(), seconds * 1e3, flops / seconds * 1e-9);
  if (of_blas > 0) line += format(" %6.1f %% of BLAS", 100 * of_blas / seconds);
  session.say(line);
}

/// c = a b for matrices that follow one another; transposed: rows by rows.
template <class Z>
void multiply_by(const Blas& blas, int m, int n, int k, const Buffer<Z>& a, const Buffer<Z>& b, const Buffer<Z>& c,
                 int batch, bool transposed = false) {
  BlasProduct<Z> product{m,
                         n,
                         k,
                         {a.data(), k, std::int64_t(m) * k},
                         {b.data(), n, std::int64_t(n) * k},
                         {c.data(), n, std::int64_t(m) * n}};
  if (transposed) product.b.row = k;
  product.batch = batch;
  product.transposed = transposed;
  blas.multiply(product);
}

/// Products of a batch of matrices by every tiling.
template <class Z>
void bench_products(const Session& session, const ContractionBench& bench, const Blas& blas) {
  constexpr int batch = 64;
  const int n = bench.n_rows;
  const std::size_t matrix = std::size_t(n) * std::size_t(n);
  const Buffer<Z> a = bench_numbers<Z>(batch * matrix, 1), b = bench_numbers<Z>(batch * matrix, 2),
                  c("product", batch * matrix);
  const double flops = (std::is_arithmetic_v<Z> ? 2.0 : 8.0) * n * n * n * batch;
  session.say(format("products of %d x %d matrices, %d of them, %s", n, n, batch, number_name<Z>()));
  double of_blas = 0;
  if (blas.exists()) {
    of_blas = bench.seconds([&] { multiply_by(blas, n, n, n, a, b, c, batch); });
    say_rate(session, blas.name(), flops, of_blas, of_blas);
  }
  const auto run = [&](const std::string& what, const ProductOptions& options) {
    const double seconds = bench.seconds([&] {
      multiply<Z>(packed_matrices<const Z>(a.data(), n, n), packed_matrices<const Z>(b.data(), n, n),
                  packed_matrices(c.data(), n, n), {{batch, 1, 1, 1}}, options);
    });
    say_rate(session, what, flops, seconds, of_blas);
  };
  for (const ProductTiling tiling : product_tilings()) run("tiling " + name(tiling), {.tiling = tiling});
  run("automatic", {});
  if constexpr (std::is_same_v<Z, float> || std::is_same_v<Z, Complex<float>>)
    run("automatic, sums in double", {.wide_sums = true});
  if constexpr (!std::is_arithmetic_v<Z>) {
    run("automatic, gamma_5 and conjugate folded in", {.gamma5 = Gamma5Fold::signs, .conjugate = true});
    if (blas.exists())
      run(blas.name() + ", gamma_5 and conjugate",
          {.gamma5 = Gamma5Fold::signs, .conjugate = true, .tiling = ProductTiling::vendor, .blas = blas});
  }
}

/// Traces of c operators with c, their vectors as long as a matrix, 32 pairs.
template <class Z>
void bench_traces(const Session& session, const ContractionBench& bench, const Blas& blas, Roofline& roofline) {
  constexpr int n_pairs = 32, most = 65;
  const int length = bench.n_rows * bench.n_rows;
  const std::size_t numbers = std::size_t(n_pairs) * most * std::size_t(length);
  const Buffer<Z> a = bench_numbers<Z>(numbers, 1), b = bench_numbers<Z>(numbers, 2);
  const Buffer<Complex<double>> sums("traces", std::size_t(n_pairs) * most * most);
  const Buffer<Z> of_blas("traces of BLAS", std::size_t(n_pairs) * most * most);
  TraceWorkspace workspace;
  session.say(
      format("traces of c operators with c, vectors of %d numbers, %d pairs, %s", length, n_pairs, number_name<Z>()));
  session.say(format("  %3s %10s %10s %10s %12s %8s   %s", "c", "ms", "Gflop/s", "GB/s", "BLAS Gflop/s", "ratio",
                     "slower tilings, Gflop/s"));
  std::vector<int> numbers_of_operators{1, 2, 4, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65};
  if (bench.every_c) {
    numbers_of_operators.resize(most);
    std::iota(numbers_of_operators.begin(), numbers_of_operators.end(), 1);
  }
  for (const int c : numbers_of_operators) {
    const TraceProblem<Z> problem{
        a.data(), b.data(), c, c, length, n_pairs, std::int64_t(c) * length, std::int64_t(c) * length};
    const double flops = 8.0 * c * c * length * n_pairs, bytes = 2.0 * c * length * n_pairs * sizeof(Z);
    const auto seconds_of = [&](const TraceOptions& options) {
      return bench.seconds([&] { traces(problem, {sums.data(), 0, n_pairs}, workspace, options); });
    };
    const double seconds = seconds_of({});
    const double blas_seconds =
        blas.exists() ? bench.seconds([&] { multiply_by(blas, c, c, length, a, b, of_blas, n_pairs, true); }) : 0;
    std::string others;
    if constexpr (!has_packs)
      for (const TraceTiling tiling : trace_tilings()) {
        const int covered = tiling_width(tiling);
        if (covered >= c && covered <= 2 * c + 4)
          others += format(" %s: %.0f", name(tiling).c_str(), flops / seconds_of({.tiling = tiling}) * 1e-9);
      }
    roofline.add(std::string("traces, ") + number_name<Z>(), flops / bytes, flops / seconds * 1e-9);
    session.say(format("  %3d %10.4f %10.1f %10.1f %12.1f %8.2f  ", c, seconds * 1e3, flops / seconds * 1e-9,
                       bytes / seconds * 1e-9, blas_seconds > 0 ? flops / blas_seconds * 1e-9 : 0.0,
                       blas_seconds / seconds) +
                others);
  }
  const TraceProblem<Z> problem{
      a.data(), b.data(), 64, 64, length, n_pairs, std::int64_t(64) * length, std::int64_t(64) * length};
  if constexpr (std::is_same_v<Z, Complex<float>>)
    say_rate(session, "c = 64, sums in double", 8.0 * 64 * 64 * length * n_pairs, bench.seconds([&] {
      traces(problem, {sums.data(), 0, n_pairs}, workspace, {.wide_sums = true});
    }),
             0);
}

/// Paper 000, tables of chapter 4, with its count: 8 flops for each complex product, which is N^3 times.
template <class T>
void bench_ladder(const Session& session, const ContractionBench& bench, const Blas& blas) {
  using Z = Complex<T>;
  constexpr int n_left = has_packs ? 12 : 64;
  const int n = bench.n_rows;
  constexpr double on_c1060[n_product_rungs] = {34.09,  177.71, 217.33, 222.67, 224.17, 210.71, 240.65,
                                                256.29, 228.42, 257.91, 0,      240.21, 0,      269.22};
  const std::size_t matrix = std::size_t(n) * std::size_t(n);
  const Buffer<Z> a = bench_numbers<Z>(n_left * matrix, 1), b = bench_numbers<Z>(matrix, 2), c("c", n_left * matrix);
  const double flops = 8.0 * n * n * n * n_left;
  session.say(
      format("ladder of products: %d left factors of %d x %d by one right factor, %s", n_left, n, n, number_name<Z>()));
  session.say(format("  %-26s %14s %14s %20s", "", "a launch each", "one launch", "C1060 of paper 000"));
  // The paper's figures are of floats and of this size.
  const auto paper_text = [&](double paper) {
    return paper > 0 && n == 256 && std::is_same_v<T, float> ? format(" %20.1f", paper) : std::string();
  };
  const auto rate = [&](double seconds) {
    return seconds > 0 ? format("%.1f", flops / seconds * 1e-9) : std::string("-");
  };
  const auto row = [&](const std::string& what, double each, double one, double paper) {
    session.say(format("  %-26s %14s %14s", what.c_str(), rate(each).c_str(), rate(one).c_str()) + paper_text(paper));
  };
  for (int rung = 0; rung < n_product_rungs; ++rung) {
    const auto seconds = [&](bool batched) {
      return bench.seconds(
          [&] { multiply_on_rung(ProductRung(rung), a.data(), b.data(), c.data(), n, n_left, batched); });
    };
    row(name(ProductRung(rung)), seconds(false), seconds(true), on_c1060[rung]);
  }
  const auto tiles = [&](const std::string& what, ProductTiling tiling) {
    row(what, 0, bench.seconds([&] {
      multiply<Z>(packed_matrices<const Z>(a.data(), n, n), shared_matrix<const Z>(b.data(), n, n),
                  packed_matrices(c.data(), n, n), {{n_left, 1, 1, 1}}, {.tiling = tiling});
    }),
        0);
  };
  tiles("register tiles", has_packs ? ProductTiling::packs : ProductTiling::large);
  if (const auto all = product_tilings(); std::find(all.begin(), all.end(), ProductTiling::tensor) != all.end())
    tiles("tensor cores", ProductTiling::tensor);
  // The left factors are one matrix of n n_left rows.
  if (blas.exists())
    row(blas.name(), 0, bench.seconds([&] { multiply_by(blas, n * n_left, n, n, a, b, c, 1); }), 219.45);

  constexpr int operators = 64;
  constexpr double traces_on_c1060[n_trace_rungs] = {5.66, 0, 41.83, 154.01, 0};
  const Buffer<Z> left = bench_numbers<Z>(operators * matrix, 3), right = bench_numbers<Z>(operators * matrix, 4);
  const Buffer<Complex<double>> sums("traces", operators * operators);
  TraceWorkspace workspace;
  const double trace_flops = 8.0 * operators * operators * double(matrix);
  session.say(format("ladder of traces: 64 x 64 of %d x %d matrices, %s", n, n, number_name<Z>()));
  for (int rung = 0; rung < n_trace_rungs; ++rung) {
    const double seconds = bench.seconds([&] {
      traces_on_rung<T>(TraceRung(rung), {left.data(), right.data(), operators, operators, std::int64_t(matrix)},
                        sums.data(), workspace);
    });
    session.say(format("  %-26s %14s %14.1f", name(TraceRung(rung)).c_str(), "", trace_flops / seconds * 1e-9) +
                paper_text(traces_on_c1060[rung]));
  }
}

/// What the tables of a run share.
struct ContractionRun {
  const Session& session;
  const ContractionBench& bench;
  Blas blas;
  Roofline roofline;
  std::vector<SizeTable> sizes;
};

struct ContractionTable {
  std::string name;
  /// Those of --rows, --every-c, --blas and --seconds that change it.
  std::vector<std::string> options;
  std::function<void(ContractionRun&)> print;
};

template <class Z>
void add_sizes(ContractionRun& run) {
  run.sizes.push_back(bench_sizes<Z>(run.session, run.bench, run.blas, run.roofline));
}

/// In the order in which they are printed.
const std::vector<ContractionTable>& contraction_tables() {
  using ComplexFloat = Complex<float>;
  using ComplexDouble = Complex<double>;
  const std::vector<std::string> plain{"--rows", "--blas", "--seconds"},
      of_operators{"--rows", "--blas", "--seconds", "--every-c"};
  static const std::vector<ContractionTable> all{
      {"ladder, complex float", plain,
       [](ContractionRun& run) { bench_ladder<float>(run.session, run.bench, run.blas); }},
      {"ladder, complex double", plain,
       [](ContractionRun& run) { bench_ladder<double>(run.session, run.bench, run.blas); }},
      {"products, complex float", plain,
       [](ContractionRun& run) { bench_products<ComplexFloat>(run.session, run.bench, run.blas); }},
      {"products, complex double", plain,
       [](ContractionRun& run) { bench_products<ComplexDouble>(run.session, run.bench, run.blas); }},
      {"traces, complex float", of_operators,
       [](ContractionRun& run) { bench_traces<ComplexFloat>(run.session, run.bench, run.blas, run.roofline); }},
      {"traces, complex double", of_operators,
       [](ContractionRun& run) { bench_traces<ComplexDouble>(run.session, run.bench, run.blas, run.roofline); }},
      {"sizes, real float", plain, add_sizes<float>},
      {"sizes, real double", plain, add_sizes<double>},
      {"sizes, complex float", plain, add_sizes<ComplexFloat>},
      {"sizes, complex double", plain, add_sizes<ComplexDouble>},
      {"resources", {}, [](ContractionRun& run) { bench_resources(run.session); }},
      {"whole problem", {"--rows", "--seconds", "--every-c"}, [](ContractionRun& run) {
         bench_whole_problem(run.session, run.bench);
       }}};
  return all;
}

/// Those with this text in their names.
std::vector<ContractionTable> contraction_tables_with(const std::string& text) {
  std::vector<ContractionTable> found;
  for (const ContractionTable& table : contraction_tables())
    if (table.name.find(text) != std::string::npos) found.push_back(table);
  return found;
}

}  // namespace

void require_contraction_tables(const Session& session, const std::string& only) {
  const std::vector<ContractionTable> wanted = contraction_tables_with(only);
  std::vector<std::string> names;
  for (const ContractionTable& table : contraction_tables()) names.push_back(table.name);
  require(!wanted.empty(), "no table has", in_quotes(only), "in its name: there are", quoted_list(names));
  for (const char* option : {"--rows", "--every-c", "--blas", "--seconds"}) {
    const auto takes = [&](const ContractionTable& table) {
      return std::find(table.options.begin(), table.options.end(), option) != table.options.end();
    };
    std::vector<std::string> taking;
    for (const ContractionTable& table : contraction_tables())
      if (takes(table)) taking.push_back(table.name);
    session.require_used(option, std::any_of(wanted.begin(), wanted.end(), takes),
                         "by the tables " + quoted_list(taking));
  }
}

std::vector<std::string> contraction_picture_endings() {
  std::vector<std::string> endings = picture_endings();
  for (const char* numbers :
       {number_name<float>(), number_name<double>(), number_name<Complex<float>>(), number_name<Complex<double>>()})
    for (const SizeFigure figure : size_figures)
      for (const std::string& name : picture_names(size_figure_name(figure, numbers))) endings.push_back(name);
  return endings;
}

void bench_contractions(const Session& session, const ContractionBench& bench) {
  ContractionRun run{session, bench, Blas::load(bench.blas), Roofline(bench.roofs), {}};
  session.say(Runtime::description() + ", " + run.blas.description() +
              (run.blas.exists() ? "" : " (" + run.blas.problem() + ")"));
  for (const ContractionTable& table : contraction_tables_with(bench.only)) {
    table.print(run);
    session.say();
  }
  if (bench.picture.empty()) return;
  WrittenFiles files(session);
  if (run.roofline.empty())
    files.missing(bench.picture, "no product over its size and no trace was measured: --only leaves them out");
  else
    files.draw(bench.picture, run.roofline.plot(Runtime::description()));
  for (const SizeTable& of : run.sizes)
    for (const SizeFigure figure : size_figures)
      files.draw(bench.picture + size_figure_name(figure, of.numbers), size_plot(figure, of, Runtime::description()));
  std::vector<std::string> others = contraction_picture_endings();
  others.erase(others.begin(), others.begin() + std::ptrdiff_t(picture_endings().size()));  // of the roofline
  for (std::string& name : others) name = bench.picture + name;
  files.leave(others);
  files.say();
}

}  // namespace kov::app
