// SPDX-License-Identifier: MIT
#include "apps/bench/bench_dslash.hpp"

#include "apps/bench/bench_rows.hpp"
#include "apps/bench/roof.hpp"
#include "apps/files/memory_pools.hpp"
#include "apps/program/tuner_report.hpp"
#include "apps/settings/format.hpp"
#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/core/base/error.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/temporal_gauge.hpp"
#include "kov/stencil/operator_work.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kov::app {

namespace {

constexpr double hop_flops = 1320, wilson_flops = 1320 + 48, clover_flops = 504;

/// "sites", or "columns x 8".
template <class Lanes>
std::string lanes_name() {
  return Lanes::holds_columns ? "columns x " + std::to_string(Lanes::columns) : "sites";
}

/// What all rows of a lattice share.  copy: its rate out of cache in GB/s; memory: the bytes that fields may take.
struct DslashTable {
  const Session& session;
  Lattice lattice;
  double sites, seconds, copy, memory;

  void head() const {
    session.say();
    session.say(format("%-12s %-24s %-6s %5s %7s %-12s %12s %10s %9s %7s %7s", "lattice", "operator", "spinor", "links",
                       "columns", "in lanes", "us a column", "Gflop/s", "GB/s", "%triad", "%copy"));
  }
  /// Whether fields of this many bytes a site fit; says so if not.
  bool fits(double bytes_per_site, const std::string& spinor, int link_reals, int n) const {
    const double needed = sites * bytes_per_site + most_triad_bytes;
    if (needed <= memory) return true;
    session.say(format("%-12s %-24s %-6s %5d %7d   left out: needs %.0f GiB", to_string(lattice.extent()).c_str(), "",
                       spinor.c_str(), link_reals, n, needed / double(1 << 30)));
    return false;
  }
  /// A row for n columns: sites_of_call and the numbers of a site are those of one column.
  void row(const std::string& name, const std::string& spinor, int link_reals, int n, const std::string& lanes,
           double sites_of_call, double bytes, double flops, const std::function<void()>& run) const {
    const double all_bytes = sites_of_call * n * bytes;
    const Triad triad(std::size_t(all_bytes), false);
    const Pair s = median_seconds_in_turns(
        run, [&] { triad.run(); }, seconds);
    const double rate = all_bytes / s.first * 1e-9, roof = triad.bytes() / s.second * 1e-9;
    session.say(format("%-12s %-24s %-6s %5d %7d %-12s %12.2f %10.1f %9.1f %7.0f %7.0f",
                       to_string(lattice.extent()).c_str(), name.c_str(), spinor.c_str(), link_reals, n, lanes.c_str(),
                       s.first * 1e6 / n, sites_of_call * n * flops / s.first * 1e-9, rate, 100 * rate / roof,
                       100 * rate / copy));
  }
};

/// Rows of one storage of spinors and links and one number of columns.
template <class LinkStorage, class Storage, class Lanes>
void add_rows(const DslashTable& table, const GaugeLinks<LinkStorage>& links, const std::string& spinor, int n) {
  using F = SpinorField<Storage, Lanes>;
  constexpr int link_reals = Codec<ColorMatrix, LinkStorage>::shape.n_stored;
  constexpr bool in_lanes = Lanes::holds_columns;
  const double V = table.sites, spinors = 2 * kov::detail::bytes_of_site<Spinor, Storage>,
               link = kov::detail::bytes_of_site<ColorMatrix, LinkStorage>;
  // On CPUs, what the form of the links adds to them and to the gauge field.
  if (!table.fits(n * spinors + (has_packs ? 20 : 8) * link, spinor, link_reals, n)) return;
  const F in(table.lattice, "in", n), out(table.lattice, "out", n);
  fill_for_bench(in, 3);
  const LinkForms forms{.doubled = !in_lanes, .columns = in_lanes};
  const WilsonOperator<LinkStorage> M(links, 0.1, forms);
  // From one parity to the other no site shares its links; on the full lattice each link is read once for two sites,
  // where it is not stored for each of them.
  const double shared = has_packs ? 8 : 4;
  table.row("hop, even from odd", spinor, link_reals, n, lanes_name<Lanes>(), V / 2, spinors + 8 * link / n, hop_flops,
            [&] { M.hop().apply(in.odd(), out.even()); });
  table.row("Wilson", spinor, link_reals, n, lanes_name<Lanes>(), V, spinors + shared * link / n, wilson_flops,
            [&] { M.apply(in, out); });
}

/// The hop in temporal gauge, where a quarter of the links is not read, and in the non-relativistic basis, for storages
/// that have it: in the given gauge and in temporal gauge.
template <class LinkStorage, class Storage, class T>
void add_transformed_rows(const DslashTable& table, const GaugeLinks<LinkStorage>& links, const GaugeField<T>& temporal,
                          const std::string& spinor) {
  using F = SpinorField<Storage>;
  constexpr int link_reals = Codec<ColorMatrix, LinkStorage>::shape.n_stored;
  const double spinors = 2 * kov::detail::bytes_of_site<Spinor, Storage>,
               link = kov::detail::bytes_of_site<ColorMatrix, LinkStorage>;
  if (!table.fits(spinors + (has_packs ? 40 : 16) * link, spinor, link_reals, 1)) return;
  const F in(table.lattice, "in"), out(table.lattice, "out");
  fill_for_bench(in, 3);
  const GaugeLinks<LinkStorage> unit(temporal, TemporalGauge<T>::factors({}));
  const auto row = [&](const std::string& name, const GaugeLinks<LinkStorage>& of, SpinBasis basis) {
    const Hop<LinkStorage> hop = Hop<LinkStorage>(of, {.doubled = true}).with_basis(basis);
    table.row(name, spinor, link_reals, 1, lanes_name<SiteLanes>(), table.sites / 2,
              spinors + 8 * of.part_read() * link, hop_flops, [&] { hop.apply(in.odd(), out.even()); });
  };
  row("hop, temporal gauge", unit, SpinBasis::chiral);
  if constexpr (hops_nonrelativistic<LinkStorage, F>) {
    row("hop, non-relativistic", links, SpinBasis::nonrelativistic);
    row("hop, temporal, non-rel.", unit, SpinBasis::nonrelativistic);
  }
}

/// The rows of add_rows() with a clover term, for spinors in double and single precision.  Clover terms take spinors in
/// 16 bits too, which have no rows here.
template <class LinkStorage, class Storage, class Lanes>
void add_clover_rows(const DslashTable& table, const GaugeField<Storage>& gauge, const GaugeLinks<LinkStorage>& links,
                     const std::string& spinor, int n) {
  using F = SpinorField<Storage, Lanes>;
  constexpr int link_reals = Codec<ColorMatrix, LinkStorage>::shape.n_stored;
  constexpr bool in_lanes = Lanes::holds_columns;
  const double V = table.sites, spinors = 2 * kov::detail::bytes_of_site<Spinor, Storage>,
               link = kov::detail::bytes_of_site<ColorMatrix, LinkStorage>, blocks = 72 * sizeof(Storage);
  // Making the term takes the field strength, 6 matrices a site.
  if (!table.fits(n * spinors + (has_packs ? 20 : 8) * link + (has_packs ? 4 : 2) * blocks + 108 * sizeof(Storage),
                  spinor, link_reals, n))
    return;
  const F in(table.lattice, "in", n), out(table.lattice, "out", n);
  fill_for_bench(in, 3);
  const LinkForms forms{.doubled = !in_lanes, .columns = in_lanes};
  const CloverTerm<Storage> clover(gauge, {.mass = 0.1}, forms);
  const WilsonCloverOperator<LinkStorage> M(links, clover, forms);
  // In one pass or in two, each inverse with a spinor more to write and to read.
  constexpr bool fused = hops_times_blocks<LinkStorage, F>();
  const double product_bytes = (fused ? 1 : 2) * spinors + (8 * link + blocks) / n;
  table.row("A^-1 hop, even from odd", spinor, link_reals, n, lanes_name<Lanes>(), V / 2, product_bytes,
            hop_flops + clover_flops, [&] {
              if constexpr (fused) {
                hop_times_blocks(M.hop(), *clover.template inverse_view<F>(), 0, 1, in.odd(), out.even(), out.even());
              } else {
                M.hop().apply(in.odd(), out.even());
                clover.apply_inverse(out.even(), in.even());
              }
            });
  const SchurComplement<LinkStorage, CloverTerm<Storage>, F> M_e(M, n, SchurForm::symmetric);
  table.row("symmetric even-odd clover", spinor, link_reals, n, lanes_name<Lanes>(), V / 2,
            2 * product_bytes + (fused ? 0.5 : 1.5) * spinors, 2 * (hop_flops + clover_flops) + 48,
            [&] { M_e.apply(in.even(), out.even()); });
  table.row("Wilson-clover", spinor, link_reals, n, lanes_name<Lanes>(), V,
            2 * spinors + spinors / 2 + ((has_packs ? 8 : 4) * link + blocks) / n, wilson_flops + clover_flops,
            [&] { M.apply(in, out); });
}

/// Calls f(lanes, n) for every number of columns, with sites in lanes and with columns in lanes, as wide as the columns
/// fill them.
template <class T, class F>
void for_each_number_of_columns(const F& f) {
  constexpr int widest = sizeof(T) == 4 ? 16 : 8;
  for (const int n : {1, 4, 8, 12, 16, 32}) f(SiteLanes(), n);
  for (const int n : {4, 12}) f(ColumnLanes<4>(), n);
  f(ColumnLanes<8>(), 8);
  for (const int n : {16, 32}) f(ColumnLanes<widest>(), n);
}

/// Rows of spinors in T.
template <class T>
void add_rows_in(const DslashTable& table) {
  const BenchRows<T> rows(table.lattice);
  const std::string spinor = sizeof(T) == 8 ? "double" : "float";
  const GaugeLinks<Links12<T>> of_12(rows.gauge);
  const GaugeLinks<Links8<T>> of_8(rows.gauge);
  for_each_number_of_columns<T>([&](auto lanes, int n) {
    using Lanes = decltype(lanes);
    add_rows<T, T, Lanes>(table, rows.links, spinor, n);
    add_rows<Links12<T>, T, Lanes>(table, of_12, spinor, n);
    if constexpr (!Lanes::holds_columns) add_rows<Links8<T>, T, Lanes>(table, of_8, spinor, n);
  });
  const GaugeField<T> temporal = in_temporal_gauge(rows.gauge).links;
  add_transformed_rows<T, T>(table, rows.links, temporal, spinor);
  add_transformed_rows<Links12<T>, T>(table, of_12, temporal, spinor);
  add_clover_rows<T, T, SiteLanes>(table, rows.gauge, rows.links, spinor, 1);
  add_clover_rows<Links12<T>, T, SiteLanes>(table, rows.gauge, of_12, spinor, 1);
  add_clover_rows<Links12<T>, T, SiteLanes>(table, rows.gauge, of_12, spinor, 8);
  add_clover_rows<Links12<T>, T, ColumnLanes<8>>(table, rows.gauge, of_12, spinor, 8);
}

/// Rows of spinors and links in 16 bits, and of spinors in 8 bits; columns are components.
void add_rows_in_16_bits(const DslashTable& table) {
  const BenchRows<float> rows(table.lattice);
  const GaugeLinks<Fixed16> of_18(rows.gauge);
  const GaugeLinks<Links12<Fixed16>> of_12(rows.gauge);
  const GaugeLinks<Links8<Fixed16>> of_8(rows.gauge);
  for (const int n : {1, 4, 8, 12, 16, 32}) {
    add_rows<Fixed16, Fixed16, SiteLanes>(table, of_18, "16-bit", n);
    add_rows<Links12<Fixed16>, Fixed16, SiteLanes>(table, of_12, "16-bit", n);
    add_rows<Links8<Fixed16>, Fixed16, SiteLanes>(table, of_8, "16-bit", n);
    add_rows<Links12<Fixed16>, Fixed8, SiteLanes>(table, of_12, "8-bit", n);
  }
  add_transformed_rows<Links12<Fixed16>, Fixed16>(table, of_12, in_temporal_gauge(rows.gauge).links, "16-bit");
}

/// Of the memory there is, what fields may take.
double usable_memory() {
  double bytes = std::numeric_limits<double>::infinity();
  for (const MemoryPool& pool : memory_pools()) bytes = std::min(bytes, pool.bytes);
  return 0.85 * bytes;
}

}  // namespace

std::vector<Coord> dslash_lattices() {
  return {{8, 8, 8, 16}, {16, 16, 16, 16}, {24, 24, 24, 48}, {32, 32, 32, 32}, {48, 48, 48, 48}};
}

void bench_dslash(const Session& session, const std::vector<Coord>& lattices, double seconds) {
  const double copy = measure_copy_bandwidth(), memory = usable_memory();
  session.say(format("copy out of cache: %.1f GB/s", copy));
  session.say(
      "links: reals of one in memory; Gflop/s: effective, 1320 flops for a hop, 48 for a mass, 504 for a clover term;");
  session.say(
      "GB/s: bytes that must move when neighbours come from cache and columns share their links; %triad: of a triad of "
      "that footprint, in turns.");
  for (const Coord& extent : lattices) {
    const Lattice lattice(session.comm, extent);
    const DslashTable table{session, lattice, double(lattice.geometry().local_volume()), seconds, copy, memory};
    table.head();
    if (!table.fits(8 * 72 * sizeof(double), "", 18, 1)) continue;
    add_rows_in<double>(table);
    add_rows_in<float>(table);
    add_rows_in_16_bits(table);
    report_tuned(session, lattice, ReportTo::standard_output);
  }
}

}  // namespace kov::app
