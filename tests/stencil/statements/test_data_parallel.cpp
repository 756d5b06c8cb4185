// SPDX-License-Identifier: MIT
//
// Whole-lattice statements against naive loops and against what must hold exactly.
#include "docs_data_parallel_example.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/support/launches.hpp"
#include "tests/support/parts_kernel.hpp"
#include "tests/support/slow_copy.hpp"
#include "tests/support/statements.hpp"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kov {
namespace {

using namespace test::statements;
using test::launches;

constexpr std::array<int, 2> kSteps{1, -1};

/// phi / |phi|^2, as a user's function.
struct Inverse {
  template <class R>
  KOKKOS_FUNCTION Complex<R> operator()(const Complex<R>& phi) const {
    const R factor = R(1) / norm2(phi);
    return factor * conj(phi);
  }
};

class DataParallel : public test::OnLattices {};

/// b c + d(x + distance mu), matrix times n_spins vectors a site.
GlobalArray multiply_and_shift(const GlobalArray& b, const GlobalArray& c, const GlobalArray& d, int mu, int distance) {
  GlobalArray out(c.extent, c.n);
  for_each_coordinate(c.extent, [&](const Coord& at) {
    for (int i = 0; i < c.n; i += 3)
      for (int row = 0; row < 3; ++row) {
        Number sum = d.at(shifted(at, mu, distance))[i + row];
        for (int k = 0; k < 3; ++k) sum += b.at(at)[3 * row + k] * c.at(at)[i + k];
        out.at(at)[i + row] = sum;
      }
  });
  return out;
}

template <template <class> class SiteT, class T>
void check_statement(const Lattice& lattice, int n_components) {
  const auto B = random_field<ColorMatrix, T>(lattice, 1, 1);
  const auto C = random_field<SiteT, T>(lattice, n_components, 2), D = random_field<SiteT, T>(lattice, n_components, 3);
  const Field<SiteT, T> A = C.like("A");
  const double tolerance = 100 * double(std::numeric_limits<T>::epsilon());
  for (int mu = 0; mu < 4; ++mu)
    for (const int distance : {1, -1, 2}) {
      A = B * C + shift(D, mu, distance);
      const GlobalArray expected = multiply_and_shift(gather(B), gather(C), gather(D), mu, distance);
      EXPECT_LT(max_difference(A, expected), tolerance) << mu << ' ' << distance;
      zero(A);
      for (const Subset parity : {Subset::even, Subset::odd}) A.half(parity) = B * C + shift(D, mu, distance);
      EXPECT_LT(max_difference(A, expected), tolerance) << "parities, " << mu << ' ' << distance;
    }
}

TEST_P(DataParallel, OneStatementIsTheNaiveLoop) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_statement<ColorVector, double>(lattice, 1);
  check_statement<Spinor, float>(lattice, 1);
  check_statement<Spinor, double>(lattice, 3);
}

TEST_P(DataParallel, ShiftsWrapAddUpAndReachFieldsOfExpressions) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto D = random_field<Scalar, double>(lattice, 1, 4);
  const Field<Scalar, double> A = D.like("A"), B = D.like("B");
  for (int mu = 0; mu < 4; ++mu) {
    A = shift(shift(D, mu, 1), mu, -1);
    EXPECT_EQ(max_difference(A, gather(D)), 0);
    A = shift(D, mu, lattice.extent()[std::size_t(mu)] + 1);
    B = shift(D, mu, 1);
    EXPECT_EQ(max_difference(A, gather(B)), 0);
    const int nu = (mu + 1) % 4;
    A = shift(shift(D, mu, 1), nu, -1);  // a diagonal leg
    const Field<Scalar, double> C = D.like("C");
    C = shift(B, nu, -1);
    EXPECT_EQ(max_difference(A, gather(C)), 0);
    A = shift(2.0 * D - adj(D), mu, 1);
    C = 2.0 * shift(D, mu, 1) - conj(shift(D, mu, 1));
    EXPECT_EQ(max_difference(A, gather(C)), 0);
  }
}

/// Every type of site can be shifted and added up.
template <template <class> class SiteT, class T>
void check_type(const Lattice& lattice) {
  const auto D = random_field<SiteT, T>(lattice, 2, 20);
  const Field<SiteT, T> A = D.like("A");
  GlobalArray expected = gather(D);
  const GlobalArray d = expected;
  for_each_coordinate(d.extent, [&](const Coord& at) {
    for (int i = 0; i < d.n; ++i)
      expected.at(at)[i] = 2.0 * d.at(at)[i] - d.at(shifted(shifted(at, 0, 1), 3, -1))[i] / 4.0;
  });
  A = 2 * D - shift(shift(D, x, +1), t, -1) / 4;
  EXPECT_LE(max_difference(A, expected), 8 * double(std::numeric_limits<T>::epsilon())) << SiteT<T>::n_complex;
  A += -A;
  EXPECT_EQ(norm2(A), 0);
}

TEST_P(DataParallel, EveryTypeOfSiteCanBeShifted) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_type<Scalar, float>(lattice);
  check_type<Scalar, double>(lattice);
  check_type<ColorVector, float>(lattice);
  check_type<AdjointVector, float>(lattice);
  check_type<AdjointVector, double>(lattice);
  check_type<ColorMatrix, float>(lattice);
  check_type<HalfSpinor, float>(lattice);
  check_type<HalfSpinor, double>(lattice);
  check_type<SpinMatrix, float>(lattice);
  check_type<SpinMatrix, double>(lattice);
}

TEST_P(DataParallel, AssigningAFieldToItsOwnShiftIsRight) {
  const Lattice lattice = GetParam().make(Comm::world());
  for (int mu = 0; mu < 4; ++mu)
    for (const int step : kSteps) {
      const auto D = random_field<ColorVector, double>(lattice, 2, 5);
      const Field<ColorVector, double> A = D.clone("A"), expected = D.like("expected");
      expected = shift(D, mu, step);
      A = shift(A, mu, step);
      EXPECT_EQ(max_difference(A, gather(expected)), 0);
      A += shift(A, mu, -step);
      expected = shift(D, mu, step) + D;
      EXPECT_EQ(max_difference(A, gather(expected)), 0);
      A -= D;
      expected = shift(D, mu, step) + D - D;
      EXPECT_EQ(max_difference(A, gather(expected)), 0);
      A = A.column(1) - 0 * A;  // every component reads column 1, which is written before the last component reads it
      GlobalArray columns(lattice.extent(), 6);
      const GlobalArray last = gather(expected);
      for_each_coordinate(lattice.extent(), [&](const Coord& at) {
        for (int i = 0; i < 6; ++i) columns.at(at)[i] = last.at(at)[3 + i % 3];
      });
      EXPECT_EQ(max_difference(A, columns), 0);
    }
}

TEST_P(DataParallel, SumsAreThoseOfNaiveLoops) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto a = random_field<Spinor, double>(lattice, 2, 9), b = random_field<Spinor, double>(lattice, 2, 10);
  const GlobalArray A = gather(a), B = gather(b);
  const double tolerance = 1e3 * std::numeric_limits<double>::epsilon() * double(lattice.volume());
  for (int mu = 0; mu < 4; ++mu) {
    std::vector<Number> slices(std::size_t(lattice.extent()[std::size_t(mu)]));
    Number total = 0;
    for_each_coordinate(lattice.extent(), [&](const Coord& at) {
      for (int i = 0; i < A.n; ++i) {
        const Number term = std::conj(A.at(at)[i]) * B.at(shifted(at, mu, -1))[i];
        total += term;
        slices[std::size_t(at[std::size_t(mu)])] += term;
      }
    });
    const auto product = dot(a, shift(b, mu, -1));
    EXPECT_LT(std::abs(sum(product) - total), tolerance);
    EXPECT_LT(std::abs(inner_product(a, shift(b, mu, -1)) - total), tolerance);
    for (const SumMode mode : {SumMode::chunked, SumMode::exact}) {
      const auto ours = slice_sum(product, mu, mode);
      ASSERT_EQ(ours.size(), slices.size());
      for (std::size_t s = 0; s < slices.size(); ++s) EXPECT_LT(std::abs(ours[s] - slices[s]), tolerance) << s;
    }
    EXPECT_NEAR(norm2(2.0 * shift(a, mu, 1)) / norm2(a), 4, 64 * std::numeric_limits<double>::epsilon());
  }
  EXPECT_LT(std::abs(sum(dot(a.even(), b)) + sum(dot(a.odd(), b)) - inner_product(a, b)), tolerance);
}

template <class T>
void check_bits_of_sum(const Lattice& lattice) {
  const auto B = random_field<ColorMatrix, T>(lattice, 1, 1), C = random_field<ColorMatrix, T>(lattice, 1, 2);
  const Field<Scalar, T> traces(lattice, "traces");
  for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
    const auto on = [&](const auto& f) { return subset == Subset::all ? f.alias() : f.half(subset); };
    const auto product = trace(on(B) * shift(C, 0, 1));
    assign(product, on(traces));
    const auto expected = sum_sites<2>("sum", lattice, subset, test::PartsKernel<T>{traces.view()});
    EXPECT_EQ(sum(product), std::complex<double>(expected[0], expected[1])) << int(subset);
  }
}
TEST_P(DataParallel, SumsHaveTheBitsOfSumsOfSingleSites) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_bits_of_sum<double>(lattice);
  check_bits_of_sum<float>(lattice);
}

TEST_P(DataParallel, SumsAreTheSameOnAnInstanceOfTheCallers) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto a = random_field<Spinor, double>(lattice, 2, 9), b = random_field<Spinor, double>(lattice, 2, 10);
  const auto results = [&](SumMode mode, const Exec& exec) {
    const SpinorField<double> c = b.like("c");
    Kokkos::fence("fields are ready");
    test::slow_copy(b, c, exec);
    const auto product = dot(a, shift(c, directions::z, -1));
    auto sums = slice_sum(product * phase<double>(lattice, {1, 0, 1}), directions::t, mode, exec);
    sums.push_back(sum(product, mode, exec));
    sums.push_back(inner_product(a, 2.0 * c, mode, exec));
    sums.push_back(norm2(a + c, mode, exec));
    return sums;
  };
  for (const SumMode mode : {SumMode::chunked, SumMode::exact}) {
    const auto expected = results(mode, Exec());
    EXPECT_GT(std::abs(expected.back()), 0);
    EXPECT_EQ(results(mode, test::own_instance()), expected);
  }
}

TEST_P(DataParallel, SiteFunctionsAndNumbers) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto phi = random_field<Scalar, double>(lattice, 1, 11);
  const Field<Scalar, double> one = phi.like("one");
  transform(Inverse{}, phi, one);
  one = one * phi - 1;
  EXPECT_LT(norm2(one), 1e3 * double(lattice.volume()) * std::pow(std::numeric_limits<double>::epsilon(), 2));
  const auto psi = random_field<Spinor, double>(lattice, 1, 12);
  const Field<Spinor, double> chi = psi.like("chi");
  for (int n = 0; n < 16; ++n) {
    chi = Gamma::number(n) * (Gamma::number(n).adjoint() * psi) - psi;
    EXPECT_EQ(norm2(chi), 0) << n;
  }
  chi = std::complex<double>(0, 1) * psi;
  GlobalArray turned = gather(psi);
  for (Number& v : turned.data) v *= Number(0, 1);
  EXPECT_EQ(max_difference(chi, turned), 0);
  const double difference = sum(real(trace(outer_product(psi, psi)))) - norm2(psi);
  EXPECT_LT(std::abs(difference), 1e-12 * norm2(psi));
}

TEST_P(DataParallel, PeekAndPokeAreCollective) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto psi = random_field<ColorVector, double>(lattice, 2, 13);
  const GlobalArray a = gather(psi);
  const Coord at{1, 0, 3, 2}, outside{0, 0, 0, lattice.extent()[3]};
  const auto v = peek(psi, at, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Number(v(i).re, v(i).im), a.at(at)[3 + i]);
  poke(psi, at, ColorVector<double>{{{1, 2}, {3, 4}, {5, 6}}}, 1);
  EXPECT_EQ(peek(psi, at, 1)(2).im, 6);
  EXPECT_EQ(peek(psi, at, 0)(0).re, a.at(at)[0].real());
  EXPECT_EQ(peek(psi, {0, 0, 3, 2}, 1)(0).re, a.at({0, 0, 3, 2})[3].real());
  poke(psi.column(1), at, v);
  EXPECT_EQ(peek(psi, at, 1)(2).im, v(2).im);
  EXPECT_EQ(peek(psi.column(1), at)(2).im, v(2).im);
  EXPECT_THROW(peek(psi, outside), InputError);
  EXPECT_THROW(poke(psi, {-1, 0, 0, 0}, v), InputError);
  EXPECT_THROW(peek(psi, at, 2), InputError);
  EXPECT_THROW(peek(psi.odd(), at), InputError);
  try {
    peek(psi, outside);
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(to_string(lattice.extent())), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DataParallel, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

/// The sum of U_mu(x) psi(x + mu) on hot links, all decompositions of this many ranks.
TEST(DataParallelBits, AreThoseOfAnyDecomposition) {
  const Coord extent{8, 8, 8, 8};
  const int n = Comm::world().size();
  std::vector<double> first;
  for (const Coord& grid : {Coord{1, 1, 1, n}, {1, 1, n, 1}, {n, 1, 1, 1}})
    for (const bool forced : {false, true}) {
      const Lattice lattice(Comm::world(), extent, {.grid = grid, .force_exchange = forced});
      const auto U = reference::gauge_field(lattice, reference::random_su3(extent, 4, 14));
      const auto psi = random_field<ColorVector, double>(lattice, 1, 15);
      const auto e = dot(psi, U.column(1) * shift(psi, y, +1) + shift(adj(U.column(3)) * psi, t, -1));
      std::vector<double> bits{sum(e, SumMode::exact).real(), sum(e, SumMode::exact).imag()};
      for (const auto& s : slice_sum(e, z, SumMode::exact)) bits.insert(bits.end(), {s.real(), s.imag()});
      const Lattice one(Comm::self(), extent);
      const auto U1 = reference::gauge_field(one, reference::random_su3(extent, 4, 14));
      const auto psi1 = random_field<ColorVector, double>(one, 1, 15);
      const auto e1 = dot(psi1, U1.column(1) * shift(psi1, y, +1) + shift(adj(U1.column(3)) * psi1, t, -1));
      if (first.empty()) {
        first = {sum(e1, SumMode::exact).real(), sum(e1, SumMode::exact).imag()};
        for (const auto& s : slice_sum(e1, z, SumMode::exact)) first.insert(first.end(), {s.real(), s.imag()});
      }
      EXPECT_EQ(bits, first) << to_string(grid);
    }
}

using Names = std::vector<std::string>;

class DataParallelKernels : public ::testing::Test {
 protected:
  const Lattice lattice_{Comm::self(), {4, 4, 4, 8}};  // no halos
  const Field<ColorMatrix, double> B = random_field<ColorMatrix, double>(lattice_, 1, 1);
  const Field<ColorVector, double> C = random_field<ColorVector, double>(lattice_, 1, 2),
                                   D = random_field<ColorVector, double>(lattice_, 1, 3), A = C.like("A");
};

TEST_F(DataParallelKernels, AStatementIsOne) {
  EXPECT_EQ(launches([&] { A = B * C + shift(D, x, +1); }), Names{"assign"});
  EXPECT_EQ(launches([&] { A += adj(B) * shift(B * C, t, -1) - 2.0 * shift(shift(D, y, +1), z, -1); }),
            Names{"assign"});
}

TEST_F(DataParallelKernels, TwoStatementsAreTwo) {
  const Names two{"assign", "assign"};
  EXPECT_EQ(launches([&] {
              A = B * C;
              A += shift(D, x, +1);
            }),
            two);
}

TEST_F(DataParallelKernels, ATemporaryFieldIsSeen) {
  EXPECT_GT(launches([&] { A = shift(A, x, +1); }).size(), 1u);
}

TEST_F(DataParallelKernels, ASumIsOneWithoutATemporaryField) {
  EXPECT_EQ(launches([&] { sum(dot(A, B * C + shift(D, x, +1))); }), Names{"sum"});
  EXPECT_EQ(launches([&] { norm2(B * shift(D, t, -1)); }), Names{"sum"});
  const Names two{"assign", "sum"};
  EXPECT_EQ(launches([&] {
              A = B * C;
              sum(dot(A, D));
            }),
            two);
}

TEST(DataParallelDocs, ExampleComputesWhatItSays) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 16);
  const auto U = reference::gauge_field(lattice, u);
  const auto psi = random_field<Spinor, double>(lattice, 1, 17);
  const auto a = U.column(x);
  const Field<Spinor, double> out = psi.like("out");
  out = a * shift(psi, x, +1) - shift(adj(a) * psi, x, -1);
  const double known = plaquettes(U).plane(0, 1) + norm2(psi - out) + std::abs(slice_sum(dot(psi, out), t)[0]);
  EXPECT_NEAR(statements(U, psi), known, 1e3 * std::numeric_limits<double>::epsilon() * known);
}

TEST(DataParallelErrors, NameTheFieldsThatDoNotFit) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}), other(Comm::world(), {4, 4, 4, 8});
  const Field<Spinor, double> A(lattice, "the result"), D(lattice, "the source"), E(other, "the stranger"),
      three(lattice, "the three", 3), two(lattice, "the two", 2);
  const auto says = [](const auto& statement, const std::string& a, const std::string& b) {
    try {
      statement();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(a), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(b), std::string::npos) << e.what();
    }
  };
  says([&] { A = D + E; }, "the stranger", "the result");
  says([&] { two = D + three; }, "the three", "the two");
  says([&] { sum(dot(D, E)); }, "the source", "the stranger");
  says([&] { sum(dot(two, three)); }, "the two", "the three");
  says([&] { A.even() = shift(D.even(), x, 1); }, "the source", "odd");
  says([&] { sum(dot(D.even(), D.odd())); }, "the source", "even");
  says([&] { A = shift(D, 4, 1); }, "4", "0 to 3");
  says([&] { slice_sum(dot(D, D), -1); }, "-1", "0 to 3");
}

/// What free functions and statements keep with a lattice does not keep the lattice.
TEST(Lattices, GoWithTheLastOfTheirFields) {
  const auto token = std::make_shared<int>(0);
  {
    const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
    lattice.remember<std::shared_ptr<int>>(0, [&] { return token; });
    const Field<Spinor, double> a(lattice, "a"), b(lattice, "b");
    const Field<Spinor, double, ColumnLanes<4>> c(lattice, "c"), d(lattice, "d");
    zero(a);
    zero(c);
    b = shift(a, x, 1);
    shift(a, 0, 1, b);
    shift(c, 0, 1, d);
    const GaugeField<double> gauge = reference::gauge_field<double>(lattice, reference::unit_gauge(lattice.extent()));
    EXPECT_NEAR(plaquettes(gauge).mean(), 1, 1e-12);
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace kov
