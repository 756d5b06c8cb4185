// SPDX-License-Identifier: MIT
//
// The even-odd forms of a Dirac operator on columns in lanes are those of each column alone, and solve the full system;
// those with a clover term are the same in one pass and in two.
#include "kov/algebra/preconditioning/schur_complement.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/gauge_links.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/tune_file.hpp"
#include "tests/support/tuned_calls.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {
namespace schur {

using reference::gather, reference::GlobalArray;

constexpr int n_columns = 5;  // no multiple of a width

/// Calls work(even-odd form, source, guess, out) with fields of these lanes, and returns `out`, column by column.
template <class T, class Lanes, class Work>
std::vector<GlobalArray> results(const WilsonOperator<T>& M, int first, int n, const Work& work) {
  using F = SpinorField<T, Lanes>;
  const Lattice& lattice = M.lattice();
  const F b(lattice, "source", n), x(lattice, "guess", n), out(lattice, "out", n);
  const SpinorField<T> column(lattice, "column");
  for (int k = 0; k < n; ++k) {
    load(column, reference::random_array(lattice.extent(), 12, 70 + std::uint64_t(first + k)));
    copy_components(column, 0, b, k, 1);
    load(column, reference::random_array(lattice.extent(), 12, 80 + std::uint64_t(first + k)));
    copy_components(column, 0, x, k, 1);
    copy_components(column, 0, out, k, 1);
  }
  work(SchurComplement<T, MassTerm, F>(M, n), b, x, out);
  std::vector<GlobalArray> all;
  for (int k = 0; k < n; ++k) {
    copy_components(out, k, column, 0, 1);
    all.push_back(gather(column));
  }
  return all;
}

/// The columns together against each of them as the only component of a field: the same bits on CPUs.
template <class T, int W, class Work>
void check(const WilsonOperator<T>& M, const char* what, const Work& work) {
  const auto together = results<T, ColumnLanes<W>>(M, 0, n_columns, work);
  for (int k = 0; k < n_columns; ++k) {
    const GlobalArray alone = results<T, SiteLanes>(M, k, 1, work).front(), &is = together[std::size_t(k)];
    double worst = 0;
    for (std::size_t i = 0; i < is.data.size(); ++i) worst = max_or_nan(worst, std::abs(is.data[i] - alone.data[i]));
    const double tolerance = has_packs ? 0 : 40 * std::numeric_limits<T>::epsilon() * reference::max_abs(alone);
    EXPECT_LE(worst, tolerance) << what << ", column " << k;
  }
}

template <class T, int W>
void check_forms(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 71);
  const GaugeLinks<T> links(reference::gauge_field<T>(lattice, u), BoundaryAngles{test::kAngles});
  const WilsonOperator<T> M(links, 0.1);
  check<T, W>(M, "M_e",
              [](const auto& S, const auto& b, const auto&, const auto& out) { S.apply(b.even(), out.even()); });
  check<T, W>(M, "adjoint of M_e", [](const auto& S, const auto& b, const auto&, const auto& out) {
    S.apply_adjoint(b.even(), out.even());
  });
  check<T, W>(M, "reduced source",
              [](const auto& S, const auto& b, const auto&, const auto& out) { S.reduce_source(b, out.even()); });
  check<T, W>(M, "completed solution", [](const auto& S, const auto& b, const auto& x, const auto& out) {
    copy(x, out);
    S.complete(b, out);
  });
}

class SchurColumns : public test::OnLattices {};

TEST_P(SchurColumns, AreThoseOfEachColumnAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_forms<double, 4>(lattice);
  check_forms<double, 8>(lattice);
  check_forms<float, 4>(lattice);
  check_forms<float, 8>(lattice);
  check_forms<float, 16>(lattice);
}

/// Made for five columns, on some of them: the same bits.
template <class Lanes>
void check_fewer_columns(const Lattice& lattice, int first, int n) {
  using F = SpinorField<double, Lanes>;
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 73);
  const WilsonOperator<double> M(
      GaugeLinks<double>(reference::gauge_field<double>(lattice, u), BoundaryAngles{test::kAngles}), 0.1);
  const SchurComplement<double, MassTerm, F> S(M, n_columns);
  const F in(lattice, "in", n_columns), out = in.like("out");
  load(in, reference::random_array(lattice.extent(), 12 * n_columns, 74));
  S.apply(in.even(), out.even());
  const F fewer(lattice, "fewer", n), all(lattice, "of all", n);
  copy_components(out, first, all, 0, n);
  S.apply(in.components(first, n).even(), fewer.even());
  EXPECT_EQ(max_difference(fewer.even(), gather(all.even())), 0) << n << " columns from " << first;
}

TEST_P(SchurColumns, MayBeFewerThanItWasMadeFor) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_fewer_columns<SiteLanes>(lattice, 2, 1);
  check_fewer_columns<SiteLanes>(lattice, 1, 3);
  check_fewer_columns<ColumnLanes<4>>(lattice, 0, 4);
  check_fewer_columns<ColumnLanes<4>>(lattice, 4, 1);
}

/// Where complete() makes the odd sites of x: M x is b on odd sites, and on even sites M x - b is M_e x_e less the
/// reduced source.
TEST_P(SchurColumns, AreTheFullOperatorOnBothParities) {
  using F = SpinorField<double, ColumnLanes<8>>;
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 72);
  const GaugeLinks<double> links(reference::gauge_field<double>(lattice, u));
  const WilsonOperator<double> M(links, 0.1, {.columns = true});
  const SchurComplement<double, MassTerm, F> S(M, n_columns);
  const F b(lattice, "source", n_columns), x = b.like("solution"), Mx = b.like("M x"), reduced = b.like("reduced"),
                                           Sx = b.like("M_e x");
  const SpinorField<double> column(lattice, "column");
  for (int k = 0; k < n_columns; ++k) {
    load(column, reference::random_array(lattice.extent(), 12, 90 + std::uint64_t(k)));
    copy_components(column, 0, b, k, 1);
    load(column, reference::random_array(lattice.extent(), 12, 100 + std::uint64_t(k)));
    copy_components(column, 0, x, k, 1);
  }
  S.complete(b, x);
  M.apply(x, Mx);
  S.reduce_source(b, reduced.even());
  S.apply(x.even(), Sx.even());
  const GlobalArray all_b = gather(b), all_Mx = gather(Mx), all_reduced = gather(reduced), all_Sx = gather(Sx);
  const double tolerance = 100 * std::numeric_limits<double>::epsilon() * reference::max_abs(all_Mx);
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& y) {
    for (int i = 0; i < all_b.n; ++i) {
      const auto excess = all_Mx.at(y)[i] - all_b.at(y)[i];
      const auto right = parity(y) == 1 ? 0.0 : all_Sx.at(y)[i] - all_reduced.at(y)[i];
      ASSERT_LE(std::abs(excess - right), tolerance) << to_string(y);
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Lattices, SchurColumns, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

/// A clover term that does not say which blocks it multiplies by, so that hops do not.
template <class T>
struct TermApart {
  CloverTerm<T> term;

  TermApart with(const LinkForms& forms) const { return {term.with(forms)}; }
  template <class F>
  void apply(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    term.apply(in, out, adjoint, exec);
  }
  template <class F>
  void apply_inverse(const F& in, const F& out, bool adjoint, const Exec& exec) const {
    term.apply_inverse(in, out, adjoint, exec);
  }
};

/// On CPUs the same bits; GPUs round products and sums of the two kernels differently.
template <class F>
void expect_same(const F& one, const F& other, const char* what) {
  using T = typename F::Real;
  const double norm = norm2(other), difference = axpy_norm2(-1, other, one);
  ASSERT_GT(norm, 0) << what;
  EXPECT_LE(difference, has_packs ? 0 : 100 * norm * std::pow(std::numeric_limits<T>::epsilon(), 2)) << what;
}

/// hop_times_blocks() from and to all sites and those of one parity, against the hop, the inverse and sums.
template <class Storage, class T, class F>
void check_product(const Hop<Storage>& hop, const CloverTerm<T>& term, const F& in, const F& all) {
  const auto blocks = *term.template inverse_view<F>();
  const auto check = [&](const F& from, const F& to, bool adjoint) {
    const F hopped = to.like("hopped"), solved = to.like("solved"), expected = to.like("expected");
    copy(to, expected);
    hop.combine(0, 1, from, hopped, hopped, adjoint);
    term.apply_inverse(hopped, solved, adjoint);
    scale(0.5, expected);
    axpy(-0.25, solved, expected);
    hop_times_blocks(hop, blocks, 0.5, -0.25, from, to, to, adjoint);
    expect_same(to, expected, "0.5 psi - 0.25 B H phi");
  };
  for (const bool adjoint : {false, true}) {
    check(in, all, adjoint);
    check(in.even(), all.odd(), adjoint);
    check(in.odd(), all.even(), adjoint);
  }
}

template <class Storage>
void check_passes(const Lattice& lattice, const GaugeField<double>& gauge, double mu, int n) {
  using T = real_of_storage_t<ColorMatrix, Storage>;
  using F = SpinorField<T>;
  static_assert(hops_times_blocks<Storage, F>());
  const Hop<Storage> hop(GaugeLinks<Storage>(gauge, BoundaryAngles::antiperiodic_in_time()), {.doubled = true});
  const CloverTerm<T> term(gauge, {.mass = 0.1, .c_sw = 1.3, .mu = mu});
  EXPECT_EQ(term.template inverse_view<F>().has_value(), mu == 0);
  const F in(lattice, "in", n), one = in.like("one pass"), two = in.like("two passes");
  const SpinorField<T> column(lattice, "column");
  for (int k = 0; k < n; ++k) {
    load(column, reference::random_array(lattice.extent(), 12, 110 + std::uint64_t(k)));
    copy_components(column, 0, in, k, 1);
  }
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const SchurComplement<Storage, CloverTerm<T>, F> fused({hop, term}, n, form);
    const SchurComplement<Storage, TermApart<T>, F> apart({hop, {term}}, n, form);
    fused.apply(in.even(), one.even());
    apart.apply(in.even(), two.even());
    expect_same(one.even(), two.even(), "M_e");
    fused.apply_adjoint(in.even(), one.even());
    apart.apply_adjoint(in.even(), two.even());
    expect_same(one.even(), two.even(), "adjoint of M_e");
  }
  if (mu == 0) check_product(hop, term, in, two);
}

class SchurPasses : public test::OnLattices {};

TEST_P(SchurPasses, OneIsTheSameAsTwo) {
  const Lattice lattice = GetParam().make(Comm::world());
  const auto gauge = reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 73));
  check_passes<double>(lattice, gauge, 0, 2);
  check_passes<float>(lattice, gauge, 0, 1);
  check_passes<Links12<double>>(lattice, gauge, 0, 1);
  check_passes<Links12<float>>(lattice, gauge, 0, 2);
  check_passes<double>(lattice, gauge, 0.3, 1);
}
INSTANTIATE_TEST_SUITE_P(Lattices, SchurPasses, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

/// Whether all calls of m.apply() give the bits of the first, while the tuner tries overlaps and shapes of launches.
template <class T, class M>
bool same_bits(const M& m, int calls) {
  const SpinorField<T> in(m.lattice(), "in", 2), out(m.lattice(), "out", 2, Subset::even);
  load(in, reference::random_array(m.lattice().extent(), 24, 120));
  return test::same_bits_in_every_call(out, calls, [&] { m.apply(in.even(), out); });
}

TEST(TunedSchurComplements, HaveTheSameBitsInEveryCall) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const test::TuneFile here(folder / "tune.txt");
  const int calls = 2 + test::overlap_trials + test::shape_trials();
  for (const bool forced : {false, true}) {
    const Lattice lattice(comm, {4, 4, 4, 8}, {.force_exchange = forced});
    const auto gauge = reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 73));
    const auto check = [&]<class T>(T) {
      using F = SpinorField<T>;
      const GaugeLinks<T> links(gauge, BoundaryAngles::antiperiodic_in_time());
      const Hop<T> hop(links, {.doubled = true});
      const CloverTerm<T> term(gauge, {.mass = 0.1, .c_sw = 1.3});
      EXPECT_TRUE((same_bits<T>(SchurComplement<T, MassTerm, F>(WilsonOperator<T>(links, 0.1), 2), calls)));
      EXPECT_TRUE((same_bits<T>(SchurComplement<T, CloverTerm<T>, F>({hop, term}, 2, SchurForm::symmetric), calls)));
    };
    check(double{});
    check(float{});
    const auto chosen = lattice.tuner().report();
    const auto has = [&](const std::string& kernel) {
      return std::any_of(chosen.begin(), chosen.end(),
                         [&](const std::string& line) { return line.starts_with(kernel + ","); });
    };
    EXPECT_TRUE(has("wilson"));
    EXPECT_TRUE(has("wilson_times_blocks"));
  }
}

}  // namespace schur
}  // namespace
}  // namespace kov
