// SPDX-License-Identifier: MIT
//
// Vector algebra, sums, whole-lattice statements, shifts, noise and copies.
#include "apps/bench/bench_rows.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/statements/data_parallel.hpp"

namespace kov::app {

namespace {

template <class T>
void add_vector_algebra(BenchRows<T>& rows) {
  const double V = rows.sites;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  rows.add("zero, spinor", V, 24, 0, [=] { zero(b); });
  rows.add("copy, spinor", V, 48, 0, [=] { copy(a, b); });
  rows.add("scale, spinor", V, 48, 24, [=] { scale(0.999, b); });
  rows.add("axpy, spinor", V, 72, 48, [=] { axpy(0.5, a, b); });
  rows.add("xpay, spinor", V, 72, 48, [=] { xpay(a, 0.5, b); });
  rows.add("axpy and norm2, spinor", V, 72, 96, [=] { axpy_norm2(1e-3, a, b); });
  rows.add("norm2, spinor", V, 24, 48, [=] { norm2(a); });
  rows.add("inner product, spinor", V, 48, 96, [=] { inner_product(a, b); });
  rows.add("inner product and norm2, spinor", V, 48, 144, [=] { inner_product_norm2(a, b); });
}

/// Every column of a matrix times a vector costs 22 flops a number: 66 for a colour vector, 264 for a spinor.
template <class T>
void add_statements(BenchRows<T>& rows) {
  const double V = rows.sites, doubles = 8.0 / sizeof(T);
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const Field<ColorMatrix, T> x = rows.gauge.column(0), y = rows.gauge.column(1);
  rows.add("statement, forward and backward hop", V, 66, 2 * 264 + 24,
           [=] { b = x * shift(a, 0, +1) - shift(adj(x) * a, 0, -1); });
  rows.add("sum of a statement, plaquette", V, 36, 2 * 198 + 36,
           [=] { sum(real(trace(x * shift(y, 0, +1) * adj(shift(x, 1, +1)) * adj(y)))); });
  // Two numbers a site are stored and read again.
  rows.add("slice sums of a statement, in t", V, 48 + 4 * doubles, 96, [=] { slice_sum(dot(a, b), 3); });
}

template <class T>
void add_shifts(BenchRows<T>& rows) {
  const double V = rows.sites;
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const GaugeLinks<T> links = rows.links;
  rows.add("shift, spinor", V, 48, 0, [=] { shift(a, 0, 1, b); });
  rows.add("covariant shift, spinor", V, 66, 264, [=] { covariant_shift(links, a, 0, 1, b); });
  rows.add("covariant derivative, spinor", V, 66, 2 * 264 + 48, [=] { covariant_derivative(links, a, 0, b); });
}

template <class T>
void add_copies(BenchRows<T>& rows) {
  using Other = std::conditional_t<sizeof(T) == 8, float, double>;
  const double V = rows.sites, doubles = 8.0 / sizeof(T), others = double(sizeof(Other)) / sizeof(T);
  const SpinorField<T> a = rows.a.alias(), b = rows.b.alias();
  const SpinorField<Other> converted(rows.lattice, "converted");
  const Field<Spinor, T, ColumnLanes<8>> block(rows.lattice, "block", 1);
  rows.add("conversion of precision, spinor", V, 24 + 24 * others, 0, [=] { convert(a, converted); });
  rows.add("copy into columns, spinor", V, 48, 0, [=] { copy_components(a, 0, block, 0, 1); });
  rows.add("lexicographic copy, spinor", V, 24 + 24 * doubles, 0, [=] { export_sites(a); });
  // Draws are not counted.
  rows.add("Gaussian noise, spinor", V, 24, 0, [=] { fill_noise(b, {.kind = NoiseKind::gaussian}); });
}

}  // namespace

template <class T>
void add_field_rows(BenchRows<T>& rows) {
  add_vector_algebra(rows);
  add_statements(rows);
  add_shifts(rows);
  add_copies(rows);
}

template void add_field_rows(BenchRows<float>&);
template void add_field_rows(BenchRows<double>&);

}  // namespace kov::app
