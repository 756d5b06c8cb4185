// SPDX-License-Identifier: MIT
//
// Smearing of quark fields: single ones, the twelve columns of a propagator, blocks.  Sites, bytes and flops are those
// of all steps, as if each went through memory.
#include "apps/bench/bench_rows.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"

namespace kov::app {

template <class T>
void add_smearing_rows(BenchRows<T>& rows) {
  const double V = rows.sites, all = rows.link_reals, links = all * 3 / 4, flops = 6 * 288 + 48;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias(), s(rows.lattice, "propagator", 12),
                       smeared = s.like("smeared propagator");
  const Field<ColorVector, T> u = rows.u.alias(), v = rows.v.alias();
  fill_for_bench(s, 4);
  const CovariantLaplacian<T> spatial(rows.links, Dimensions::space);
  rows.add("Laplacian in space, 12 columns", 12 * V, 48 + links / 12, flops, [=] { spatial.apply(s, smeared); });
  constexpr int n = 50;
  const WuppertalSmearing<T> wuppertal(rows.links, {.width = 4, .iterations = n});
  const auto smear_12 = [=] { wuppertal.apply(s, smeared); };
  rows.add("Wuppertal, 50 steps, 12 columns", 12 * V, 48 + links / 12, flops, smear_12, n);
  const auto smear_1 = [=] { wuppertal.apply(a, b); };
  rows.add("Wuppertal, 50 steps, spinor", V, 48 + links, flops, smear_1, n);
  const auto smear_vector = [=] { wuppertal.apply(u, v); };
  rows.add("Wuppertal, 50 steps, colour vector", V, 12 + links, 6 * 72 + 12, smear_vector, n);
  // One kernel an order; as many orders as steps above.
  const ProfileSmearing<T> chebyshev(rows.links, gaussian_profile(3), {.order = n}, {.columns = true});
  const auto series_12 = [=] { chebyshev.apply(s, smeared); };
  rows.add("Chebyshev, order 50, 12 columns", 12 * V, 96 + links / 12, flops + 96, series_12, n);
  const auto series_1 = [=] { chebyshev.apply(a, b); };
  rows.add("Chebyshev, order 50, spinor", V, 96 + links, flops + 96, series_1, n);
  const auto series_vector = [=] { chebyshev.apply(u, v); };
  rows.add("Chebyshev, order 50, colour vector", V, 24 + links, 6 * 72 + 36, series_vector, n);
  const Field<Spinor, T, ColumnLanes<8>> block(rows.lattice, "block", 8), result = block.like("smeared block");
  fill_for_bench(block, 3);
  const double block_links = (has_packs ? 144.0 : 72.0) * 3 / 4 / 8;
  const auto series_block = [=] { chebyshev.apply(block, result); };
  rows.add("Chebyshev, order 50, block of 8 columns", 8 * V, 96 + block_links, flops + 96, series_block, n);
  // In four dimensions step by step; and with any operator, whose application is a kernel of its own.
  constexpr int m = 10;
  const ProfileSmearing<T> in_spacetime(rows.links, gaussian_profile(2),
                                        {.order = m, .dimensions = Dimensions::spacetime});
  const auto series_4d = [=] { in_spacetime.apply(a, b); };
  rows.add("Chebyshev in 4-d, order 10, spinor", V, 96 + all, 8 * 288 + 144, series_4d, m);
  const auto A = momentum_squared<Spinor>(spatial);
  const ChebyshevSeries series = ChebyshevSeries::of_order(gaussian_profile(2), {0, 12}, m);
  const auto series_of_operator = [=] { apply_series(series, A, a, b); };
  rows.add("Chebyshev of an operator, order 10, spinor", V, 48 + links + 120, flops + 144, series_of_operator, m);
}

template void add_smearing_rows(BenchRows<float>&);
template void add_smearing_rows(BenchRows<double>&);

}  // namespace kov::app
