// SPDX-License-Identifier: MIT
//
// Vector: the field in it does what is asked of the vector, and types that do not fit are refused.
#include "kov/algebra/vector.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/slow_copy.hpp"

#include <gtest/gtest.h>

namespace vectors {
namespace {

using namespace kov;

struct Vectors : testing::Test {
  Vectors() : lattice(Comm::world(), {4, 4, 4, 6}), x(lattice, "x", 3), y(lattice, "y", 3) {
    load(x, reference::random_array(lattice.extent(), 36, 1));
    load(y, reference::random_array(lattice.extent(), 36, 2));
  }
  Lattice lattice;
  SpinorField<double> x, y;
};

TEST_F(Vectors, AreHandlesToFields) {
  const Vector v(x), copy_of_v = v;
  EXPECT_EQ(&v.as<SpinorField<double>>().lattice(), &x.lattice());
  EXPECT_EQ(copy_of_v.as<SpinorField<double>>().data(), x.data());
  EXPECT_EQ(v.n_components(), 3);
  EXPECT_EQ(v.name(), "x");
  EXPECT_EQ(v.even().subset(), Subset::even);
  EXPECT_EQ(v.even().as<SpinorField<double>>().data(), x.even().data());
  const Vector other = v.like("other");
  EXPECT_EQ(norm2_by_column(other), ByColumn<double>::repeated(3, 0));
  EXPECT_NE(other.as<SpinorField<double>>().data(), x.data());
}

TEST_F(Vectors, DoWhatTheirFieldsDo) {
  const SpinorField<double> z = y.clone("z");
  ColumnMask second(3);
  second.finish(1);
  const ByColumn<std::complex<double>> c = inner_product_by_column(x, y);
  EXPECT_EQ(inner_product_by_column(Vector(x), Vector(y)), c);
  axpy(c, x, z, second);
  axpy(c, Vector(x), Vector(y), second);
  EXPECT_EQ(export_sites(y), export_sites(z));
  EXPECT_EQ(axpy_norm2(c, Vector(x), Vector(y), second), axpy_norm2(c, x, z, second));
  EXPECT_EQ(export_sites(y), export_sites(z));
  const std::vector<std::complex<double>> gram = gram_matrix(Vector(x), Vector(y));
  EXPECT_EQ(gram, gram_matrix(x, y));
  rotate(Vector(x), gram, Vector(y));
  kov::rotate(x, gram, z);
  EXPECT_EQ(export_sites(y), export_sites(z));
  rotate_add(Vector(x), gram, Vector(y));
  kov::rotate_add(x, gram, z);
  EXPECT_EQ(export_sites(y), export_sites(z));
}

TEST_F(Vectors, AreOrderedOnTheInstanceThatIsGiven) {
  const ByColumn<double> a(std::vector<double>{0.5, -1, 2});
  const ByColumn<std::complex<double>> c = inner_product_by_column(x, y);
  const std::vector<std::complex<double>> matrix = gram_matrix(x, y);
  const ColumnMask none(3);
  // Everything is computed from the copy.
  const auto results = [&](const Exec& exec) {
    const SpinorField<double> of_x = x.like("copy");
    const Vector v(of_x), w(y.clone("w")), z = v.like("z"), p = v.like("p"), r = v.like("r");
    const Vector low(SpinorField<float>(lattice, "low", 3));
    Kokkos::fence("fields are ready");
    test::slow_copy(x, of_x, exec);
    copy(v, z, {}, exec);
    convert(v, low, exec);
    scale(a, z, {}, exec);
    axpy(a, v, z, {}, exec);
    axpy(c, v, z, {}, exec);
    xpay(v, a, p, {}, exec);
    xpay(z, c, p, {}, exec);
    xpaypbz(v, c, p, c, z, {}, exec);
    rotate(z, matrix, r, exec);
    rotate_add(v, matrix, r, exec);
    cg_step(a, z, a, v, p, none, exec);
    cg_update(a, v, z, a, r, p, none, exec);
    bicgstab_update(c, c, v, c, p, z, r, w, none, exec);
    const CgSums of_cg = cg_sums(v, z, r, none, exec);
    const BiCgStabSums of_bicgstab = bicgstab_sums(v, w, z, p, r, none, exec);
    const auto numbers = std::tuple(norm2_by_column(w, {}, exec), inner_product_by_column(v, z, {}, exec),
                                    axpy_norm2(a, v, z, {}, exec), gram_matrix(z, w, exec), of_cg.qq, of_bicgstab.tr);
    exec.fence("results");
    return std::pair(numbers,
                     std::pair(export_sites(w.as<SpinorField<double>>()), export_sites(low.as<SpinorField<float>>())));
  };
  EXPECT_TRUE(results(detail::instance_beside(Exec())) == results(Exec()));
}

TEST_F(Vectors, APlainNumberCountsForEachColumn) {
  const SpinorField<double> z = y.clone("z");
  xpay(x, -0.5, z);
  xpay(Vector(x), -0.5, Vector(y));
  EXPECT_EQ(export_sites(y), export_sites(z));
}

TEST_F(Vectors, AreConvertedBetweenPrecisionsAndLanes) {
  const SpinorField<float, ColumnLanes<4>> narrow(lattice, "narrow", 3), same = narrow.like("same");
  convert(Vector(x), Vector(narrow));
  convert(x, same);
  EXPECT_EQ(export_sites(narrow), export_sites(same));
  convert(Vector(narrow), Vector(y));
  axpy(-1.0, x, y);
  EXPECT_LT(std::sqrt(norm2(y) / norm2(x)), 1e-7);
  const Field<ColorVector, double> wrong(lattice, "colour vectors", 3);
  EXPECT_THROW(convert(Vector(x), Vector(wrong)), InputError);
  EXPECT_THROW(convert(Vector(x), Vector(y.column(0))), InputError);
}

TEST_F(Vectors, OfAnotherTypeAreRefused) {
  const SpinorField<float> single(lattice, "single", 3);
  EXPECT_THROW(axpy(1.0, Vector(single), Vector(x)), InputError);
  EXPECT_THROW((Vector(x).as<SpinorField<float>>()), InputError);
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 3));
  const auto M = on_vectors(Operator<SpinorField<double>>(WilsonOperator<double>(GaugeLinks<double>(gauge), 0.1)));
  EXPECT_NO_THROW(M.apply(Vector(x), Vector(y)));
  EXPECT_THROW(M.apply(Vector(single), Vector(single.like("out"))), InputError);
}

TEST_F(Vectors, In16BitsHaveNoMatrices) {
  const SpinorField<Fixed16> stored(lattice, "stored", 2), other = stored.like("other");
  EXPECT_THROW(gram_matrix(Vector(stored), Vector(other)), InputError);
  const std::vector<std::complex<double>> matrix(4);
  EXPECT_THROW(rotate(Vector(stored), matrix, Vector(other)), InputError);
  EXPECT_THROW(rotate_add(Vector(stored), matrix, Vector(other)), InputError);
  EXPECT_GT(Vector(stored).rounding(), Vector(x).rounding());
}

}  // namespace
}  // namespace vectors
