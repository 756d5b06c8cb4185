// SPDX-License-Identifier: MIT
//
// Vector algebra by column: many vectors in one field, each with its own coefficients.
#include "apps/bench/bench_rows.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/column_sums.hpp"

namespace kov::app {

template <class T>
void add_column_rows(BenchRows<T>& rows) {
  constexpr int n = 8;
  const double V = n * rows.sites;
  const SpinorField<T> x(rows.lattice, "columns x", n), y(rows.lattice, "columns y", n),
      z(rows.lattice, "columns z", n);
  fill_for_bench(x, 3);
  fill_for_bench(y, 4);
  const std::vector<double> a(n, 1e-3), b(n, 0.999);
  rows.add("scale by column, 8 spinors", V, 48, 24, [=] { scale(b, z); });
  rows.add("axpy by column, 8 spinors", V, 72, 48, [=] { axpy(a, x, z); });
  rows.add("axpbypz by column, 8 spinors", V, 96, 96, [=] { axpbypz(a, x, a, y, z); });
  rows.add("xpay by column, 8 spinors", V, 72, 48, [=] { xpay(x, b, z); });
  rows.add("xpaypbz by column, 8 spinors", V, 96, 96, [=] { xpaypbz(x, a, y, b, z); });
  rows.add("axpy and norm2 by column, 8 spinors", V, 72, 96, [=] { axpy_norm2(a, x, z); });
  rows.add("norm2 by column, 8 spinors", V, 24, 48, [=] { norm2_by_column(x); });
  rows.add("inner product by column, 8 spinors", V, 48, 96, [=] { inner_product_by_column(x, y); });
  rows.add("inner product, norm2 by column, 8 spinors", V, 48, 144, [=] { inner_product_norm2_by_column(x, y); });
  // For every number of a column, n products.
  rows.add("Gram matrix of 8 and 8 spinors", V, 48, 96 * n, [=] { gram_matrix(x, y); });
  const std::vector<std::complex<double>> r(n * n, {0.1, 0.05});
  rows.add("rotation of 8 spinors", V, 48, 96 * n, [=] { rotate(x, r, z); });
}

template void add_column_rows(BenchRows<float>&);
template void add_column_rows(BenchRows<double>&);

}  // namespace kov::app
