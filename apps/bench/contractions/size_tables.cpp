// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/size_tables.hpp"

#include "apps/bench/contractions/bench_numbers.hpp"
#include "apps/settings/format.hpp"
#include "kov/contractions/kernels/ladder/ladder.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kov::app {

namespace {

/// Those of the paper's table 2, and for its figures 64, 128 and 384.
constexpr int sizes[] = {31,   32,   33,   64,   128,  256,  257,  384,  512,  768,  1023, 1024,
                         1025, 1212, 1213, 1214, 1215, 1216, 1341, 1343, 1344, 2047, 2048, 2049};
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// Those that are measured: on a CPU, where they are no way to be fast, the paper's and the one that it asks for.
std::vector<ProductTiling> tile_sets() {
  if (has_packs) return {ProductTiling::small, ProductTiling::medium, ProductTiling::large};
  return {product_tilings().begin(), product_tilings().end()};
}

/// Gflop/s, over rising sizes, of a kernel that may be slow.
class LimitedRate {
 public:
  /// Not measured where a call takes longer than most_seconds by the rate so far.
  double operator()(double flops, double most_seconds, const std::function<double()>& measure) {
    if (rate_ > 0 && flops / rate_ * 1e-9 > most_seconds) return not_measured;
    return rate_ = measure();
  }

 private:
  double rate_ = 0;
};

/// A number of the product for every thread, all factors from memory.
template <class Z>
struct NaiveProduct {
  const Z *a, *b;
  Z* c;
  int n;

  KOKKOS_FUNCTION void operator()(int i) const {
    const Z* const row = a + std::int64_t(i / n) * n;
    const Z* const column = b + i % n;
    Z sum{};
    for (int k = 0; k < n; ++k) sum += row[k] * column[std::int64_t(k) * n];
    c[i] = sum;
  }
};

void say(const Session& session, const SizeRow& row, double percent_of_roof) {
  const auto text = [](const char* form, double value) {
    return std::isnan(value) ? std::string("-") : format(form, value);
  };
  std::string line = format("  %5d %10s %10.1f %10s %9s %9s %8.1f", row.n, text("%.1f", row.naive).c_str(),
                            row.automatic, text("%.1f", row.blas).c_str(), text("%.1f", row.over_naive()).c_str(),
                            text("%.2f", row.over_blas()).c_str(), percent_of_roof);
  for (const double rate : row.tile_sets) line += format(" %9s", text("%.1f", rate).c_str());
  session.say(line);
}

void say_resources(const Session& session, const std::string& what, const KernelResources& r) {
  session.say(format("  %-34s %9d %9d %8d %6d %9.0f %% %8.1f", what.c_str(), r.registers, r.spilled_bytes, r.threads,
                     r.teams, 100 * r.occupancy, double(r.tile_bytes) / 1024));
}

template <class T>
void say_resources_in(const Session& session, const std::string& precision) {
  for (int rung = 0; rung < n_product_rungs; ++rung)
    say_resources(session, precision + ", " + name(ProductRung(rung)), rung_resources<T>(ProductRung(rung)));
  for (const ProductTiling tiling : product_tilings())
    say_resources(session, precision + ", product " + name(tiling), product_resources<Complex<T>>(tiling));
  for (const TraceTiling tiling : trace_tilings())
    say_resources(session, precision + ", traces " + name(tiling), trace_resources<Complex<T>>(tiling));
}

}  // namespace

template <class Z>
SizeTable bench_sizes(const Session& session, const ContractionBench& bench, const Blas& blas, Roofline& roofline) {
  constexpr bool is_real = std::is_arithmetic_v<Z>;
  constexpr bool single = std::is_same_v<Z, float> || std::is_same_v<Z, Complex<float>>;
  const std::vector<ProductTiling> tilings = tile_sets();
  SizeTable table{number_name<Z>(), blas.exists() ? blas.name() : "", {}, {}};
  session.say("products of two N x N matrices, " + table.numbers + ", Gflop/s");
  std::string head =
      format("  %5s %10s %10s %10s %9s %9s %8s", "N", "naive", "automatic", "BLAS", "x naive", "x BLAS", "% roof");
  for (const ProductTiling tiling : tilings) {
    table.tile_sets.push_back(name(tiling));
    head += format(" %9s", name(tiling).c_str());
  }
  session.say(head);
  LimitedRate rate_of_naive, rate_of_blas;
  std::vector<LimitedRate> rates_of_tilings(tilings.size());
  for (const int n : sizes) {
    if (n > 8 * bench.n_rows + 1) continue;
    const std::size_t matrix = std::size_t(n) * std::size_t(n);
    const Buffer<Z> a = bench_numbers<Z>(matrix, 1), b = bench_numbers<Z>(matrix, 2), c("c", matrix);
    const double flops = (is_real ? 2.0 : 8.0) * n * n * n;
    const auto rate_of = [&](const std::function<void()>& f) { return flops / bench.seconds(f) * 1e-9; };
    const auto rate = [&](ProductTiling tiling) {
      return rate_of([&] {
        multiply<Z>(shared_matrix<const Z>(a.data(), n, n), shared_matrix<const Z>(b.data(), n, n),
                    shared_matrix(c.data(), n, n), {}, {.tiling = tiling, .blas = blas});
      });
    };
    const double ours = rate(ProductTiling::automatic);
    // What is hardly slower than ours is compared with it at all sizes.
    const double most_seconds = std::max(bench.most_seconds, 2 * flops / ours * 1e-9);
    const auto naive = [&] {
      return rate_of([&] { for_each_item("naive_product", n * n, NaiveProduct<Z>{a.data(), b.data(), c.data(), n}); });
    };
    SizeRow row{n, rate_of_naive(flops, most_seconds, naive), ours, not_measured, {}};
    if (blas.exists()) row.blas = rate_of_blas(flops, most_seconds, [&] { return rate(ProductTiling::vendor); });
    for (std::size_t k = 0; k < tilings.size(); ++k)
      row.tile_sets.push_back(rates_of_tilings[k](flops, most_seconds, [&] { return rate(tilings[k]); }));
    const double intensity = flops / (3.0 * double(matrix) * sizeof(Z));
    say(session, row, 100 * ours / roofline.roof(intensity, single));
    roofline.add("products, " + table.numbers, intensity, ours);
    table.rows.push_back(std::move(row));
  }
  session.say(
      format("  roof: triad %.1f GB/s, fused multiplications %.0f Gflop/s: they meet at %.1f flops a byte, which a "
             "product has from N = %.0f on",
             roofline.bandwidth(), roofline.peak(single), roofline.peak(single) / roofline.bandwidth(),
             roofline.peak(single) / roofline.bandwidth() * 3 * sizeof(Z) / (is_real ? 2 : 8)));
  return table;
}

template SizeTable bench_sizes<float>(const Session&, const ContractionBench&, const Blas&, Roofline&);
template SizeTable bench_sizes<double>(const Session&, const ContractionBench&, const Blas&, Roofline&);
template SizeTable bench_sizes<Complex<float>>(const Session&, const ContractionBench&, const Blas&, Roofline&);
template SizeTable bench_sizes<Complex<double>>(const Session&, const ContractionBench&, const Blas&, Roofline&);

void bench_resources(const Session& session) {
  session.say("what the device tells of the kernels of complex products and traces");
  if (rung_resources<float>(ProductRung::naive).registers == 0) {
    session.say("  nothing: this is for GPUs");
    return;
  }
  session.say(format("  %-34s %9s %9s %8s %6s %11s %8s", "", "registers", "spilled B", "threads", "teams", "occupancy",
                     "tile KiB"));
  say_resources_in<float>(session, "float");
  say_resources_in<double>(session, "double");
}

}  // namespace kov::app
