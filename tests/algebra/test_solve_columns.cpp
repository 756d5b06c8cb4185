// SPDX-License-Identifier: MIT
//
// Operators and solvers on the columns that are left, as users call them: on fields and on vectors.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/solve_columns.hpp"
#include "tests/algebra/column_systems.hpp"

#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace kov {
namespace {
namespace columns_left {

using namespace column_systems;

constexpr int n_columns = 8;

ColumnMask finished(const std::vector<int>& columns) {
  ColumnMask mask(n_columns);
  for (const int k : columns) mask.finish(k);
  return mask;
}

/// M, or its adjoint, and how many columns it was applied to each time.
template <class F>
struct Counted {
  Operator<F> M;
  std::shared_ptr<std::vector<int>> lengths = std::make_shared<std::vector<int>>();

  void apply(const F& in, const F& out) const {
    lengths->push_back(in.n_components());
    M.apply(in, out);
  }
  void apply_adjoint(const F& in, const F& out) const {
    lengths->push_back(in.n_components());
    M.apply_adjoint(in, out);
  }
  std::vector<int> take() const { return std::exchange(*lengths, {}); }
};

template <class F>
struct Problem {
  const Lattice lattice = small_lattice();
  const Counted<F> A{wilson<typename F::Real>(lattice)};
  const F b{lattice, "b", n_columns}, x = b.like("x"), y = b.like("y"), memory = b.like("memory");

  Problem() {
    for (int k = 0; k < n_columns; ++k) {
      set_random(b, k, 40 + std::uint64_t(k), 1);
      set_random(x, k, 60 + std::uint64_t(k), 1);
    }
  }
  /// How many columns A must be applied to each time when these are finished, for packs of 1 and of 4.
  static std::vector<int> lengths(const std::vector<int>& in_ones, const std::vector<int>& in_fours) {
    return F::Lanes::columns == 1 ? in_ones : in_fours;
  }
};

template <class F>
struct OnColumnsLeft : testing::Test {};
using Fields = testing::Types<SpinorField<double>, SpinorField<double, ColumnLanes<4>>>;
TYPED_TEST_SUITE(OnColumnsLeft, Fields, );

TYPED_TEST(OnColumnsLeft, OperatorsAreAppliedToPacksThatHaveAny) {
  const Problem<TypeParam> p;
  const TypeParam expected = p.b.like("expected"), adjoint = p.b.like("adjoint");
  p.A.apply(p.b, expected);
  p.A.apply_adjoint(p.b, adjoint);
  p.A.take();
  const struct {
    std::vector<int> finished, in_ones, in_fours;
  } cases[] = {{{}, {8}, {8}},
               {{0, 1, 2, 3, 5, 6, 7}, {1}, {4}},
               {{0, 1, 2, 3, 4, 6}, {1, 1}, {4}},
               {{3, 4, 5, 6, 7}, {4}, {4}},
               {{7}, {8}, {8}},
               {{0, 1, 2, 3, 4, 5, 6, 7}, {}, {}}};
  for (const auto& c : cases) {
    const ColumnMask mask = finished(c.finished);
    const auto check = [&](const auto& apply, const TypeParam& all, const std::string& what) {
      zero(p.y);
      apply();
      EXPECT_EQ(p.A.take(), p.lengths(c.in_ones, c.in_fours)) << what;
      for (int k = 0; k < n_columns; ++k)
        if (!mask.is_finished(k)) expect_column(p.y, k, alone(all, k), what);
    };
    check([&] { apply_to_columns(p.A, p.b, p.y, mask); }, expected, "fields");
    check([&] { apply_adjoint_to_columns(p.A, p.b, p.y, mask); }, adjoint, "adjoint");
    check([&] { apply_to_columns(on_vectors<TypeParam>(p.A), Vector(p.b), Vector(p.y), mask); }, expected, "vectors");
  }
}

TYPED_TEST(OnColumnsLeft, ResidualsOfOthersStay) {
  const Problem<TypeParam> p;
  const TypeParam r = p.b.like("r");
  const ByColumn<double> all = true_residual_by_column<TypeParam>(p.A, p.b, p.x, r);
  zero(p.y);
  const ColumnMask mask = finished({0, 1, 2, 4, 5, 7});
  const ByColumn<double> some = true_residual_by_column<TypeParam>(p.A, p.b, p.x, p.y, mask, p.memory);
  for (int k = 0; k < n_columns; ++k) {
    const bool is_left = !mask.is_finished(k);
    EXPECT_NEAR(some[std::size_t(k)], is_left ? all[std::size_t(k)] : 0, same_bits ? 0 : 1e-12 * all[std::size_t(k)]);
    EXPECT_EQ(norm2(alone(p.y, k)) > 0, is_left) << k;
  }
}

TYPED_TEST(OnColumnsLeft, SolversSolveForThese) {
  const Problem<TypeParam> p;
  const ColumnMask mask = finished({1, 2, 3, 6});
  const TypeParam all = p.x.like("all"), before = p.x.like("before");
  copy(p.x, before);
  copy(p.x, all);
  const BiCgStab solver{.tolerance = 1e-10};
  solver(p.A, p.b, all);
  const SolveReport report = solve_columns(solver, p.A, p.b, p.x, mask);
  ASSERT_EQ(report.column_iterations.size(), std::size_t(n_columns));
  for (int k = 0; k < n_columns; ++k) {
    const bool is_left = !mask.is_finished(k);
    expect_column(p.x, k, alone(is_left ? all : before, k), "of a part");
    EXPECT_EQ(report.column_iterations[std::size_t(k)] > 0, is_left) << k;
    EXPECT_EQ(report.column_residuals[std::size_t(k)] > 0, is_left) << k;
  }
  const Solver<TypeParam> any = solver;
  copy(before, p.y);
  solve_columns(any, p.A, p.b, p.y, mask);
  axpy(-1, p.x, p.y);
  EXPECT_EQ(norm2(p.y), 0) << "behind the type of all solvers";
}

TYPED_TEST(OnColumnsLeft, MasksThatDoNotFitAreRefused) {
  const Problem<TypeParam> p;
  ColumnMask other(3);
  other.finish(1);
  EXPECT_THROW(apply_to_columns(p.A, p.b, p.y, other), InputError);
  EXPECT_THROW(apply_adjoint_to_columns(p.A, p.b, p.y, other), InputError);
  EXPECT_THROW(true_residual_by_column<TypeParam>(p.A, p.b, p.x, p.y, other, p.memory), InputError);
  EXPECT_THROW(solve_columns(BiCgStab{}, p.A, p.b, p.y, other), InputError);
  EXPECT_THROW(solve_columns(BiCgStab{}, p.A, p.b, p.y, ColumnMask(n_columns).complement()), InputError);
  EXPECT_TRUE(p.A.take().empty()) << "before anything is computed";
}

}  // namespace columns_left
}  // namespace
}  // namespace kov
