// SPDX-License-Identifier: MIT
//
// Vector algebra by column against plain arrays, and against the same functions of single columns: their bits, columns
// that are finished, more columns than one kernel takes, fields whose lanes are sites and whose lanes are columns.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/core/vectors/vector_tolerance.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/lattices.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::GlobalArray;
using reference::Number;

/// A field of columns, and its columns as fields of their own.
template <class F>
struct Columns;

template <template <class> class SiteT, class T>
struct Columns<Field<SiteT, T>> {
  using F = Field<SiteT, T>;
  static F make(const Lattice& lattice, const char* name, int n, Subset subset) { return F(lattice, name, n, subset); }
  static void set(const F& x, int k, const F& column) { copy(column, x.column(k)); }
  static F get(const F& x, int k) { return x.column(k).clone("column"); }
  static F single(const F& x, int k) { return get(x, k); }
  static int n(const F& x) { return x.n_components(); }
};

template <template <class> class SiteT, class T, int W>
struct Columns<Field<SiteT, T, ColumnLanes<W>>> {
  using F = Field<SiteT, T, ColumnLanes<W>>;
  static F make(const Lattice& lattice, const char* name, int n, Subset subset) { return F(lattice, name, n, subset); }
  static void set(const F& x, int k, const Field<SiteT, T>& column) { copy_components(column, 0, x, k, 1); }
  static Field<SiteT, T> get(const F& x, int k) {
    Field<SiteT, T> column(x.lattice(), "column", 1, x.subset());
    copy_components(x, k, column, 0, 1);
    return column;
  }
  /// A field of column k alone.
  static F single(const F& x, int k) {
    F one(x.lattice(), "single", 1, x.subset());
    copy_components(x, k, one, 0, 1);
    return one;
  }
  static int n(const F& x) { return x.n_components(); }
};

template <class F>
struct SiteOf;
template <template <class> class SiteT, class T>
struct SiteOf<Field<SiteT, T>> {
  using Single = Field<SiteT, T>;
  static constexpr int n_complex = SiteT<T>::n_complex;
};
template <template <class> class SiteT, class T, int W>
struct SiteOf<Field<SiteT, T, ColumnLanes<W>>> {
  using Single = Field<SiteT, T>;
  static constexpr int n_complex = SiteT<T>::n_complex;
};

using Arrays = std::vector<GlobalArray>;

/// n columns of different random numbers.
Arrays random_columns(const Coord& extent, int n_complex, int n, int seed) {
  Arrays arrays;
  for (int k = 0; k < n; ++k)
    arrays.push_back(reference::random_array(extent, n_complex, std::uint64_t(100 * seed + k)));
  return arrays;
}

template <class F>
F loaded(const Lattice& lattice, const char* name, const Arrays& arrays, Subset subset) {
  const F x = Columns<F>::make(lattice, name, int(arrays.size()), subset);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const typename SiteOf<F>::Single column(lattice, "column", 1, subset);
    load(column, arrays[k]);
    Columns<F>::set(x, int(k), column);
  }
  return x;
}

std::complex<long double> product(const GlobalArray& x, const GlobalArray& y, Subset subset) {
  std::complex<long double> sum = 0;
  reference::for_each_coordinate(x.extent, [&](const Coord& at) {
    if (subset != Subset::all && (parity(at) == 1) != (subset == Subset::odd)) return;
    for (int k = 0; k < x.n; ++k)
      sum += std::complex<long double>(std::conj(x.at(at)[k])) * std::complex<long double>(y.at(at)[k]);
  });
  return sum;
}

void add(GlobalArray& out, Number c, const GlobalArray& x) {
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] += c * x.data[i];
}

template <class F>
bool same_bits(const F& a, const F& b) {
  const std::vector<double> x = export_sites(a), y = export_sites(b);
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

template <class C>
C coefficient(int k, int seed) {
  if constexpr (std::is_same_v<C, double>)
    return 0.25 * (k % 5) - 0.7 + seed;
  else
    return {0.25 * (k % 5) - 0.7 + seed, 0.5 - 0.125 * (k % 7)};
}
template <class C>
std::vector<C> coefficients(int n, int seed) {
  std::vector<C> c;
  for (int k = 0; k < n; ++k) c.push_back(coefficient<C>(k, seed));
  return c;
}

/// Every update against plain arrays, and bit for bit against itself on single columns, with and without finished ones.
template <class F, class C>
void check_updates(const Lattice& lattice, int n, Subset subset) {
  using T = typename F::Real;
  using Column = Columns<F>;
  const int n_complex = SiteOf<F>::n_complex;
  const Arrays a = random_columns(lattice.extent(), n_complex, n, 1),
               b = random_columns(lattice.extent(), n_complex, n, 2),
               c = random_columns(lattice.extent(), n_complex, n, 3);
  const F x = loaded<F>(lattice, "x", a, subset), y = loaded<F>(lattice, "y", b, subset);
  const std::vector<C> p = coefficients<C>(n, 0), q = coefficients<C>(n, 1);
  ColumnMask some(n);
  for (int k = 0; k < n; k += 3) some.finish(k);
  for (const ColumnMask& finished : {ColumnMask(), some}) {
    const auto run = [&](const char* what, const auto& by_column, const auto& of_one, const auto& expected) {
      const F z = loaded<F>(lattice, "z", c, subset), before = loaded<F>(lattice, "before", c, subset);
      const ByColumn<double> norms = by_column(z);
      for (int k = 0; k < n; ++k) {
        const auto result = Column::get(z, k), old = Column::get(before, k);
        if (finished.is_finished(k)) {
          EXPECT_TRUE(same_bits(result, old)) << what << " wrote finished column " << k;
          if (norms.size() > 0) {
            EXPECT_EQ(norms[std::size_t(k)], 0) << what;
          }
          continue;
        }
        const std::size_t i = std::size_t(k);
        const GlobalArray e = expected(i);
        EXPECT_LE(max_difference(result, e), test::vector_tolerance<T>(reference::max_abs(e)))
            << what << ", column " << k;
        if (norms.size() > 0) {
          EXPECT_NEAR(norms[i], double(product(e, e, subset).real()),
                      test::vector_tolerance<T>(2.0 * double(e.data.size())))
              << what;
        }
#if !defined(KOKKOS_ENABLE_CUDA)
        const F x1 = Column::single(x, k), y1 = Column::single(y, k), z1 = Column::single(before, k);
        const double norm = of_one(x1, y1, z1, i);
        EXPECT_TRUE(same_bits(result, Column::get(z1, 0))) << what << " of single column " << k << " has other bits";
        if (norms.size() > 0) {
          EXPECT_EQ(norms[i], norm) << what << " of single column " << k;
        }
#else
        (void)of_one;
#endif
      }
    };
    using None = ByColumn<double>;
    run(
        "copy", [&](const F& z) { return copy(x, z, finished), None(); },
        [&](const F& x1, const F&, const F& z, std::size_t) { return copy(x1, z), 0.0; },
        [&](std::size_t k) { return a[k]; });
    run(
        "scale", [&](const F& z) { return scale(p, z, finished), None(); },
        [&](const F&, const F&, const F& z, std::size_t k) { return scale(p[k], z), 0.0; },
        [&](std::size_t k) {
          GlobalArray e(lattice.extent(), n_complex);
          add(e, p[k], c[k]);
          return e;
        });
    run(
        "axpy", [&](const F& z) { return axpy(p, x, z, finished), None(); },
        [&](const F& x1, const F&, const F& z, std::size_t k) { return axpy(p[k], x1, z), 0.0; },
        [&](std::size_t k) {
          GlobalArray e = c[k];
          add(e, p[k], a[k]);
          return e;
        });
    run(
        "axpy_norm2", [&](const F& z) { return axpy_norm2(p, x, z, finished); },
        [&](const F& x1, const F&, const F& z, std::size_t k) { return axpy_norm2(p[k], x1, z); },
        [&](std::size_t k) {
          GlobalArray e = c[k];
          add(e, p[k], a[k]);
          return e;
        });
    run(
        "xpay", [&](const F& z) { return xpay(x, p, z, finished), None(); },
        [&](const F& x1, const F&, const F& z, std::size_t k) { return xpay(x1, p[k], z), 0.0; },
        [&](std::size_t k) {
          GlobalArray e = a[k];
          add(e, p[k], c[k]);
          return e;
        });
    run(
        "axpbypz", [&](const F& z) { return axpbypz(p, x, q, y, z, finished), None(); },
        [&](const F& x1, const F& y1, const F& z, std::size_t k) { return axpbypz(p[k], x1, q[k], y1, z), 0.0; },
        [&](std::size_t k) {
          GlobalArray e = c[k];
          add(e, p[k], a[k]);
          add(e, q[k], b[k]);
          return e;
        });
    run(
        "xpaypbz", [&](const F& z) { return xpaypbz(x, p, y, q, z, finished), None(); },
        [&](const F& x1, const F& y1, const F& z, std::size_t k) { return xpaypbz(x1, p[k], y1, q[k], z), 0.0; },
        [&](std::size_t k) {
          GlobalArray e = a[k];
          add(e, p[k], b[k]);
          add(e, q[k], c[k]);
          return e;
        });
  }
}

template <class F>
void check_sums(const Lattice& lattice, int n, Subset subset) {
  using T = typename F::Real;
  using Column = Columns<F>;
  const Arrays a = random_columns(lattice.extent(), SiteOf<F>::n_complex, n, 1),
               b = random_columns(lattice.extent(), SiteOf<F>::n_complex, n, 2);
  const F x = loaded<F>(lattice, "x", a, subset), y = loaded<F>(lattice, "y", b, subset);
  const double numbers = double(a[0].data.size());
  ColumnMask some(n);
  for (int k = 1; k < n; k += 2) some.finish(k);
  EXPECT_EQ(some.n_unfinished(), n - n / 2);
  for (const ColumnMask& finished : {ColumnMask(), some}) {
    const auto norms = norm2_by_column(x, finished);
    const auto products = inner_product_by_column(x, y, finished);
    const auto both = inner_product_norm2_by_column(x, y, finished);
    ASSERT_EQ(int(norms.size()), n);
    ASSERT_EQ(int(products.size()), n);
    for (int k = 0; k < n; ++k) {
      const auto i = std::size_t(k);
      if (finished.is_finished(k)) {
        EXPECT_EQ(norms[i], 0);
        EXPECT_EQ(products[i], Number(0));
        continue;
      }
      EXPECT_NEAR(norms[i], double(product(a[i], a[i], subset).real()), test::vector_tolerance<T>(2 * numbers));
      EXPECT_LE(std::abs(products[i] - Number(product(a[i], b[i], subset))),
                test::vector_tolerance<T>(2 * std::sqrt(numbers) + 1));
      constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
      EXPECT_LE(std::abs(both.inner_product[i] - products[i]), rounding * 4 * numbers);
      EXPECT_NEAR(both.norm2[i], norms[i], rounding * norms[i]);
#if !defined(KOKKOS_ENABLE_CUDA)
      const F x1 = Column::single(x, k), y1 = Column::single(y, k);
      if (lattice.comm().size() == 1) {
        EXPECT_EQ(norms[i], norm2(x1)) << "column " << k;
        EXPECT_EQ(products[i], inner_product(x1, y1)) << "column " << k;
        EXPECT_EQ(both.inner_product[i], inner_product_norm2(x1, y1).first) << "column " << k;
      }
#endif
    }
    for (int again = 0; again < 5; ++again) EXPECT_EQ(norm2_by_column(x, finished), norms) << "other bits";
  }
  // All columns as one vector.
  double all = 0;
  for (const double norm : norm2_by_column(x)) all += norm;
  EXPECT_NEAR(norm2(x), all, test::vector_tolerance<double>(all));
}

template <class F>
void check_matrices(const Lattice& lattice, int m, int n, Subset subset) {
  using T = typename F::Real;
  const int n_complex = SiteOf<F>::n_complex;
  const Arrays a = random_columns(lattice.extent(), n_complex, m, 1),
               b = random_columns(lattice.extent(), n_complex, n, 2);
  const F x = loaded<F>(lattice, "x", a, subset), y = loaded<F>(lattice, "y", b, subset);
  const auto gram = gram_matrix(x, y);
  const double numbers = double(a[0].data.size());
  ASSERT_EQ(int(gram.size()), m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_LE(std::abs(gram[std::size_t(i * n + j)] - Number(product(a[std::size_t(i)], b[std::size_t(j)], subset))),
                test::vector_tolerance<T>(2 * std::sqrt(numbers) + 1))
          << i << ", " << j;
  EXPECT_EQ(gram_matrix(x, y), gram) << "the same again has other bits";

  std::vector<Number> r;
  for (int k = 0; k < m * n; ++k) r.push_back(coefficient<Number>(k, k % 2));
  for (const bool adds : {false, true}) {
    const F z = loaded<F>(lattice, "z", b, subset);
    if (adds)
      rotate_add(x, r, z);
    else
      rotate(x, r, z);
    for (int i = 0; i < n; ++i) {
      GlobalArray expected(lattice.extent(), n_complex);
      if (adds) expected = b[std::size_t(i)];
      for (int j = 0; j < m; ++j) add(expected, r[std::size_t(j * n + i)], a[std::size_t(j)]);
      EXPECT_LE(max_difference(Columns<F>::get(z, i), expected),
                test::vector_tolerance<T>(reference::max_abs(expected)))
          << "column " << i << " of a rotation";
    }
  }
}

class ColumnAlgebra : public test::OnLattices {};

TEST_P(ColumnAlgebra, UpdatesEqualPlainArraysAndSingleColumns) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_updates<SpinorField<double>, double>(lattice, 3, Subset::all);
  check_updates<SpinorField<float>, Number>(lattice, 2, Subset::odd);
  check_updates<Field<ColorVector, double>, Number>(lattice, 5, Subset::even);
  check_updates<Field<Scalar, float>, double>(lattice, 4, Subset::all);
  check_updates<Field<Spinor, double, ColumnLanes<4>>, Number>(lattice, 6, Subset::all);
  check_updates<Field<ColorVector, float, ColumnLanes<8>>, double>(lattice, 11, Subset::odd);
  check_updates<Field<AdjointVector, double, ColumnLanes<8>>, double>(lattice, 3, Subset::all);
  check_updates<Field<AdjointVector, float, ColumnLanes<4>>, Number>(lattice, 6, Subset::even);
}

TEST_P(ColumnAlgebra, SumsEqualPlainArraysAndSingleColumns) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_sums<SpinorField<double>>(lattice, 3, Subset::all);
  check_sums<SpinorField<float>>(lattice, 2, Subset::odd);
  check_sums<Field<AdjointVector, double>>(lattice, 9, Subset::even);
  check_sums<Field<Spinor, float, ColumnLanes<16>>>(lattice, 3, Subset::all);
  check_sums<Field<ColorVector, double, ColumnLanes<8>>>(lattice, 11, Subset::even);
  check_sums<Field<AdjointVector, double, ColumnLanes<4>>>(lattice, 6, Subset::all);
  check_sums<Field<AdjointVector, float, ColumnLanes<16>>>(lattice, 3, Subset::odd);
}

TEST_P(ColumnAlgebra, GramMatricesAndRotationsEqualPlainArrays) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_matrices<SpinorField<double>>(lattice, 3, 5, Subset::all);
  check_matrices<Field<ColorVector, float>>(lattice, 9, 4, Subset::odd);
  check_matrices<Field<Spinor, float, ColumnLanes<4>>>(lattice, 3, 2, Subset::even);
  check_matrices<Field<ColorVector, double, ColumnLanes<8>>>(lattice, 9, 11, Subset::all);
}

/// Both memory orders, and extents that leave padding in lanes on several ranks; halos play no role here.
std::vector<test::LatticeCase> cases() {
  std::vector<test::LatticeCase> cases = test::small_lattice_cases(600);
  std::erase_if(cases, [](const test::LatticeCase& c) { return c.force_exchange; });
  cases.push_back({{6, 2, 2, 2}, {}, false});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Lattices, ColumnAlgebra, ::testing::ValuesIn(cases()), test::case_name);

TEST(ColumnAlgebraOfMany, TakesMoreColumnsThanOneKernel) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  check_updates<Field<ColorVector, double>, Number>(lattice, 35, Subset::all);
  check_updates<Field<ColorVector, float, ColumnLanes<16>>, double>(lattice, 35, Subset::all);
  check_sums<Field<ColorVector, float>>(lattice, 65, Subset::all);
  check_sums<Field<ColorVector, double, ColumnLanes<4>>>(lattice, 41, Subset::all);
  check_matrices<Field<ColorVector, double>>(lattice, 70, 62, Subset::all);
  check_matrices<Field<ColorVector, float, ColumnLanes<16>>>(lattice, 35, 34, Subset::all);
}

TEST(ColumnAlgebraOfFinished, NaNInFinishedColumnsDoesNotSpread) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto check = []<class F>(const F& x, const F& y) {
    const int n = Columns<F>::n(x);
    ColumnMask finished(n);
    finished.finish(1);
    std::vector<double> a(std::size_t(n), 0.5);
    a[1] = std::nan("");
    const std::vector<double> before = export_sites(Columns<F>::get(y, 1));
    scale(a, x, {});  // fills column 1 of x with NaN
    axpy(a, x, y, finished);
    EXPECT_EQ(export_sites(Columns<F>::get(y, 1)), before);
    const auto norms = norm2_by_column(x, finished);
    for (const double norm : norms) EXPECT_FALSE(std::isnan(norm));
    EXPECT_TRUE(std::isnan(norm2_by_column(x)[1]));
    copy(y, x, finished.complement());
    EXPECT_EQ(export_sites(Columns<F>::get(x, 1)), before) << "NaN is overwritten";
  };
  const Arrays a = random_columns(lattice.extent(), 3, 4, 1), b = random_columns(lattice.extent(), 3, 4, 2);
  using F = Field<ColorVector, double>;
  check(loaded<F>(lattice, "x", a, Subset::all), loaded<F>(lattice, "y", b, Subset::all));
  using B = Field<ColorVector, double, ColumnLanes<8>>;
  check(loaded<B>(lattice, "x", a, Subset::all), loaded<B>(lattice, "y", b, Subset::all));
}

TEST(ColumnAlgebraInstances, OneOfTheCallersGivesTheSameNumbers) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const auto exec = Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1)[0];
  using F = Field<ColorVector, double>;
  const Arrays a = random_columns(lattice.extent(), 3, 3, 1), b = random_columns(lattice.extent(), 3, 3, 2);
  const F x = loaded<F>(lattice, "x", a, Subset::all), y = loaded<F>(lattice, "y", b, Subset::all),
          z = loaded<F>(lattice, "z", b, Subset::all);
  const std::vector<double> c = coefficients<double>(3, 1);
  const std::vector<Number> r = coefficients<Number>(9, 1);
  Kokkos::fence();
  axpy(c, x, y, {}, exec);
  rotate_add(x, r, y, exec);
  const auto norms = axpy_norm2(c, x, y, {}, exec);
  axpy(c, x, z);
  rotate_add(x, r, z);
  EXPECT_EQ(axpy_norm2(c, x, z), norms);
  EXPECT_EQ(norm2_by_column(y, {}, exec), norm2_by_column(z));
  EXPECT_EQ(gram_matrix(x, y, exec), gram_matrix(x, z));
}

TEST(ColumnAlgebraErrors, FieldsAndCoefficientsThatDoNotFitAreRefused) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const Field<ColorVector, double> x(lattice, "x", 3), y(lattice, "y", 3), wide(lattice, "wide", 4),
      even(lattice, "even", 3, Subset::even);
  const std::vector<double> a(3), b(4), none;
  EXPECT_THROW(axpy(b, x, y), InputError) << "coefficients";
  EXPECT_THROW(axpy(none, x, y), InputError) << "no coefficients";
  EXPECT_THROW(axpy(a, x, y, ColumnMask(2)), InputError) << "mask";
  EXPECT_THROW(axpy(a, x, even), InputError) << "fields";
  EXPECT_THROW(inner_product_by_column(x, wide), InputError);
  EXPECT_THROW(norm2_by_column(x, ColumnMask(4)), InputError);
  EXPECT_THROW(gram_matrix(x, even), InputError);
  const std::vector<Number> r(12);
  EXPECT_THROW(rotate(x, r, y), InputError) << "matrix";
  EXPECT_THROW(rotate(x, std::span(r).first(9), x), InputError) << "in place";
  rotate(x, r, wide);
  ColumnMask mask(3);
  EXPECT_THROW(mask.finish(3), InputError);
}

#if !defined(KOKKOS_ENABLE_CUDA)  // there, sums of many columns and of one are taken in another order
/// In 16 bits one column goes in pairs of outer sites, several in single ones.
TEST(ColumnAlgebraInSixteenBits, AColumnHasTheBitsOfOneAlone) {
  using F = SpinorField<Fixed16>;
  const Lattice lattice(Comm::world(), {6, 4, 4, 4});
  const Arrays xs = random_columns(lattice.extent(), 12, 2, 1), ys = random_columns(lattice.extent(), 12, 2, 2);
  const auto stored = [&](const Arrays& arrays) {
    const F field(lattice, "field", int(arrays.size()));
    convert(loaded<SpinorField<float>>(lattice, "float", arrays, Subset::all), field);
    return field;
  };
  const F x = stored(xs), y = stored(ys);
  const std::vector<double> c{0.3, -0.7};
  const auto norms = axpy_norm2(c, x, y);
  for (std::size_t k = 0; k < 2; ++k) {
    const F one_x = stored({xs[k]}), one_y = stored({ys[k]});
    EXPECT_EQ(norms[k], axpy_norm2(c[k], one_x, one_y));
    const SpinorField<double> of_two(lattice, "of two"), alone(lattice, "alone");
    convert(y.column(int(k)), of_two);
    convert(one_y, alone);
    EXPECT_TRUE(same_bits(of_two, alone));
  }
}
#endif

}  // namespace
}  // namespace kov
