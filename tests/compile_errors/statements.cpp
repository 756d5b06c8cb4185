// SPDX-License-Identifier: MIT
//
// Statements about fields that must not compile.  compile_errors.py compiles this file once for each CASE and expects
// one error with the words named beside it; without CASE, and up to the case, everything compiles.
#if !defined(CASE) || CASE < 100
#include "kov/stencil/statements/data_parallel.hpp"
#else
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/field_ops.hpp"
#endif

namespace kov {

using Psi = SpinorField<double>;
using Psi32 = SpinorField<float>;

double by_value(Psi psi);

struct Holder {
  Psi psi;
};

void allowed(const Psi& b, Holder& h) {
  const Psi c(b), d{b};
  const auto e = b.alias(), f = b.clone("f");
  Psi r = b.alias();
  r = b.clone("r");
  r = d.even();
  const Holder copied(h), other = h;
  h = {.psi = c.alias()};
  std::vector<Psi> list;
  list.push_back(b);
  list.emplace_back(b);
  list = std::vector<Psi>(list);
  const auto kept = [b, copied] { return norm2(b) + norm2(copied.psi); };
  const std::function<double()> called = kept;
  by_value(b.alias());
  by_value(Psi(b));
}

#if !defined(CASE) || CASE < 100
void allowed(const Psi& b, const Psi32& f) {
  const Psi c = 2.0 * b + b;
  c = b - c;
  c += b;
  c -= 2 * b;
  c *= 0.5;
  c *= std::complex<double>(0, 1);
  c /= 3;
  c.even() = b + b;
  f *= 0.5;
  Psi mine = b.clone("mine");
  mine = b + b;
  mine = c.alias();
  assign(b + b, c);
}
#endif

void refused([[maybe_unused]] Psi a, [[maybe_unused]] const Psi& b, [[maybe_unused]] const Psi& c,
             [[maybe_unused]] const Psi32& f, [[maybe_unused]] const GaugeField<double>& U,
             [[maybe_unused]] const Field<AdjointVector, double>& phi,
             [[maybe_unused]] const Field<Spinor, double, ColumnLanes<1>>& column, [[maybe_unused]] Holder& h,
             [[maybe_unused]] const Holder& g) {
#if !defined(CASE)
#elif CASE == 1    // x.clone(name) for a copy of the data, x.alias() for another handle
  Psi r = b;
#elif CASE == 2    // x.clone(name) for a copy of the data, x.alias() for another handle
  auto r = a;
#elif CASE == 3    // x.clone(name) for a copy of the data, x.alias() for another handle
  by_value(b);
#elif CASE == 4    // x.clone(name) for a copy of the data, x.alias() for another handle
  const Holder r{b};
#elif CASE == 5    // convert(from, to) of kov/core/field/convert.hpp
  const Psi32 r = b;
#elif CASE == 6    // copy(x, y) of kov/core/vectors/field_ops.hpp to copy the data, y = x.alias()
  a = b;
#elif CASE == 7    // copy(x, y) of kov/core/vectors/field_ops.hpp to copy the data, y = x.alias()
  c = b;
#elif CASE == 8    // copy(x, y) of kov/core/vectors/field_ops.hpp to copy the data, y = x.alias()
  a.even() = b.even();
#elif CASE == 9    // copy(x, y) of kov/core/vectors/field_ops.hpp to copy the data, y = x.alias()
  h = g;
#elif CASE == 10   // convert(from, to) of kov/core/field/convert.hpp
  f = b;
#elif CASE == 11   // an expression has one precision: convert(from, to) of kov/core/field/convert.hpp
  a = b + 2.0 * f;
#elif CASE == 12   // an expression has one precision: convert(from, to) of kov/core/field/convert.hpp
  sum(dot(b, f));
#elif CASE == 13   // the expression has another precision than the field: convert(from, to)
  f = 2.0 * b;
#elif CASE == 14   // the expression has another precision than the field: convert(from, to)
  const Psi32 r = 2.0 * b;
#elif CASE == 15   // the expression has another site type than the field
  c = U * U;
#elif CASE == 16   // a colour matrix multiplies colour matrices, colour vectors and spinors
  phi = U * phi;
#elif CASE == 17   // fields are scaled in place by numbers alone
  a *= U;
#elif CASE == 18   // copy(from, to) of kov/core/vectors/field_ops.hpp copies a field
  assign(b, a);
#elif CASE == 19   // fields in the lattice's ordinary layout (SiteLanes)
  column += column;
#elif CASE == 20   // numbers go into fields of Scalar
  a = trace(U);
#elif CASE == 21   // these two have no product
  a = b * c;
#elif CASE == 22   // convert(from, to) of kov/core/field/convert.hpp
  Psi32 r = f.alias();
  r = b;
#elif CASE == 100  // #include "kov/stencil/statements/data_parallel.hpp"
  a = b + c;
#elif CASE == 101  // #include "kov/stencil/statements/data_parallel.hpp"
  c += b;
#elif CASE == 102  // #include "kov/stencil/statements/data_parallel.hpp"
  a *= 2.0;
#elif CASE == 103  // #include "kov/stencil/statements/data_parallel.hpp"
  const Psi y = 2.0 * (b - 0.5 * c) + U * b / 2.0;
#elif CASE == 104  // x.clone(name) for a copy of the data, x.alias() for another handle
  Psi r = b;
#elif CASE == 105  // ColumnMatrixField
  gram_matrix(phi, phi);
#else
#error "there is no such case"
#endif
}

}  // namespace kov
