// SPDX-License-Identifier: MIT
//
// Plans of traces against a search through all orders, and what is computed by them against the definition.
#include "kov/contractions/engine/contraction_runner.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"

#include <functional>
#include <set>

namespace kov {
namespace {
namespace contraction_plans {

using reference::HostNumbers;
using test::on_device;
using test::random_numbers;
using enum MatrixSpace;

using Arc = std::vector<int>;

/// The products of a way to make an arc, as a set; f is called with each way.
void for_each_way(const Arc& arc, const std::set<Arc>& before, const std::function<void(const std::set<Arc>&)>& f) {
  if (arc.size() == 1) return f(before);
  std::set<Arc> with = before;
  with.insert(arc);
  for (std::size_t cut = 1; cut < arc.size(); ++cut)
    for_each_way({arc.begin(), arc.begin() + std::ptrdiff_t(cut)}, with, [&](const std::set<Arc>& left) {
      for_each_way({arc.begin() + std::ptrdiff_t(cut), arc.end()}, left, f);
    });
}

/// The least flops of all traces of matrices of spins and vectors, through every combination of ways.  A product is cut
/// where it costs least, of the factors that are made.
double least_flops(const std::vector<NamedMatrix>& matrices, const std::vector<MatrixTrace>& traces) {
  double least = 1e300;
  const auto cost_of = [&](const std::set<Arc>& made, double of_traces) {
    double sum = of_traces;
    for (const Arc& arc : made) {
      double best = 1e300;
      for (std::size_t cut = 1; cut < arc.size(); ++cut) {
        const Arc left(arc.begin(), arc.begin() + std::ptrdiff_t(cut)),
            right(arc.begin() + std::ptrdiff_t(cut), arc.end());
        if ((left.size() > 1 && !made.contains(left)) || (right.size() > 1 && !made.contains(right))) continue;
        best =
            std::min(best, 8.0 * 64 * matrices[std::size_t(arc.front())].rows *
                               matrices[std::size_t(right.front())].rows * matrices[std::size_t(arc.back())].columns);
      }
      sum += best;
    }
    least = std::min(least, sum);
  };
  const std::function<void(std::size_t, const std::set<Arc>&, double)> go =
      [&](std::size_t t, const std::set<Arc>& made, double of_traces) {
        if (t == traces.size()) return cost_of(made, of_traces);
        const int n = int(traces[t].size());
        for (int first = 0; first < n; ++first)
          for (int length = 1; length < n; ++length) {
            Arc left, right;
            for (int i = 0; i < n; ++i) (i < length ? left : right).push_back(traces[t][std::size_t((first + i) % n)]);
            const double trace =
                8.0 * 16 * matrices[std::size_t(left.front())].rows * matrices[std::size_t(left.back())].columns;
            for_each_way(left, made, [&](const std::set<Arc>& with_left) {
              for_each_way(right, with_left, [&](const std::set<Arc>& both) { go(t + 1, both, of_traces + trace); });
            });
          }
      };
  go(0, {}, 0);
  return least;
}

/// n matrices in a ring, with the extents between them.
std::vector<NamedMatrix> ring(const std::vector<int>& extents) {
  std::vector<NamedMatrix> matrices;
  for (std::size_t i = 0; i < extents.size(); ++i)
    matrices.push_back({"m" + std::to_string(i), both, extents[i], extents[(i + 1) % extents.size()], false});
  return matrices;
}

TEST(ContractionPlans, AreOptimalForOneTrace) {
  SiteRandom random(3, 1, 4);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> extents;
    for (int i = 0; i < 3 + round % 3; ++i) extents.push_back(1 + int(8 * random.uniform()));
    MatrixTrace trace;
    for (int i = 0; i < int(extents.size()); ++i) trace.push_back(i);
    const auto matrices = ring(extents);
    EXPECT_EQ(ContractionPlan(matrices, {trace}).flops(), least_flops(matrices, {trace})) << round;
  }
}

TEST(ContractionPlans, FindWhatTwoTracesShare) {
  // All square and of one size, so that only sharing matters.
  const std::vector<NamedMatrix> matrices(6, {"m", both, 3, 3, false});
  const double product = 8.0 * 64 * 27, trace = 8.0 * 16 * 9;
  const std::vector<std::pair<std::vector<MatrixTrace>, int>> cases{
      {{{0, 1, 2, 3}}, 2},
      {{{0, 1, 2, 3}, {0, 1, 4, 5}}, 3},                // 01 once
      {{{0, 1, 2, 3}, {2, 3, 0, 1}}, 2},                // the same trace
      {{{0, 1, 2, 3}, {0, 1, 3, 2}}, 3},                // 01, 23, 32
      {{{0, 1, 0, 1}}, 1},                              // 01 with itself
      {{{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}, 1},           // 01 thrice
      {{{0, 1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 5}}, 2},  // 123, in two steps; then traces with 0, 4 and 5
  };
  for (const auto& [traces, n_products] : cases) {
    const ContractionPlan plan(matrices, traces);
    EXPECT_EQ(plan.n_products(), n_products) << plan.text();
    EXPECT_EQ(plan.flops(), n_products * product + plan.n_computed_traces() * trace);
    const double twice = double(plan.n_traces() - plan.n_computed_traces()) * trace;
    EXPECT_EQ(plan.flops(), least_flops(matrices, traces) - twice) << plan.text();
    EXPECT_GE(plan.flops_apart(), plan.flops());
  }
}

TEST(ContractionPlans, OfTwoTracesAreHardlyWorseThanTheBestOfAllOrders) {
  SiteRandom random(3, 2, 4);
  int optimal = 0;
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> extents;
    for (int i = 0; i < 4; ++i) extents.push_back(1 + int(6 * random.uniform()));
    auto matrices = ring(extents);
    matrices.push_back({"other", both, extents[3], extents[0], false});
    const std::vector<MatrixTrace> traces{{0, 1, 2, 3}, {0, 1, 2, 4}};
    const double least = least_flops(matrices, traces), found = ContractionPlan(matrices, traces).flops();
    EXPECT_GE(found, least);
    EXPECT_LE(found, 1.2 * least);
    if (found == least) ++optimal;
  }
  EXPECT_GE(optimal, rounds - 2);
}

TEST(ContractionPlans, CountWhatAllItemsShareOnce) {
  std::vector<NamedMatrix> matrices(4, {"m", both, 3, 3, false});
  matrices[0].shared = matrices[1].shared = true;
  const ContractionPlan plan(matrices, {{0, 1, 2, 3}}, 5);
  EXPECT_EQ(plan.flops(), 8.0 * 64 * 27 * (1 + 5) + 5 * 8.0 * 16 * 9) << "01 once, 23 for each item";
  // Products [01] and [23] with a transpose: one is shared and one has 5 items.
  EXPECT_EQ(plan.workspace_numbers(), 144 * (1 + 5 + 1));
  EXPECT_NE(plan.description(16).find("1 traces of 4 matrices, 5 items: 2 products"), std::string::npos)
      << plan.description(16);
}

/// The matrix of N = 4 n_vectors rows that a matrix of any space stands for.
HostNumbers whole_matrix(const NamedMatrix& m, const Complex<double>* numbers, std::size_t rows, std::size_t columns) {
  HostNumbers whole(16 * rows * columns);
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t j = 0; j < columns; ++j) {
          std::complex<double>& z = whole[(s * rows + i) * 4 * columns + r * columns + j];
          if (m.space == spins)
            z = i == j ? test::host_number(numbers[4 * s + r]) : 0.0;
          else if (m.space == vectors)
            z = s == r ? test::host_number(numbers[i * columns + j]) : 0.0;
          else
            z = test::host_number(numbers[(s * rows + i) * 4 * columns + r * columns + j]);
        }
  return whole;
}

template <class T>
class ContractionRunners : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ContractionRunners, RealTypes);

TYPED_TEST(ContractionRunners, GiveTheTracesOfTheirPlan) {
  using Z = Complex<TypeParam>;
  constexpr int n = 3, wide = 4, n_items = 3;
  const std::vector<NamedMatrix> matrices{{"tau", both, n, n, false},        {"back", both, n, n, true},
                                          {"gamma", spins, 0, 0, true},      {"phi", vectors, n, n, false},
                                          {"psi", vectors, n, n, true},      {"other", spins, 0, 0, false},
                                          {"to wide", both, n, wide, false}, {"from wide", vectors, wide, n, false}};
  const std::vector<MatrixTrace> traces{{0, 1},
                                        {2, 3, 0, 2, 4, 1},
                                        {3, 0, 2, 4, 1, 2},  // the one before, turned
                                        {3, 2, 0, 4, 5, 1, 3, 2, 0, 5, 4, 1},
                                        {2, 5, 0},
                                        {0},
                                        {3, 4, 1},
                                        {6, 7, 2, 0},
                                        {5, 6, 7},
                                        {2, 5, 3, 4, 6, 7, 5, 1, 2, 3, 0}};
  const ContractionPlan plan(matrices, traces, n_items);
  EXPECT_EQ(plan.n_traces(), 10);
  EXPECT_EQ(plan.n_computed_traces(), 9);
  EXPECT_LT(plan.flops(), plan.flops_apart());

  std::vector<HostNumbers> numbers;
  std::vector<Buffer<Z>> buffers;
  std::vector<const Z*> data;
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    sizes.push_back(std::size_t(plan.values()[k].size()));
    numbers.push_back(random_numbers<Z>(sizes[k] * (matrices[k].shared ? 1 : n_items), std::uint32_t(k)));
    buffers.push_back(on_device<Z>(numbers[k]));
    data.push_back(buffers.back().data());
  }
  ContractionRunner<TypeParam> runner(plan);
  for (const int items : {n_items, 2}) {
    runner.run(data, items);
    const auto found = runner.traces();
    ASSERT_EQ(found.size(), traces.size() * std::size_t(items));
    for (std::size_t t = 0; t < traces.size(); ++t)
      for (std::size_t item = 0; item < std::size_t(items); ++item) {
        HostNumbers product;
        std::size_t rows = 0, columns = 0;
        double size = 1;
        // Spins beside matrices of `wide` columns: extents are those of what is at the left.
        std::size_t now = 0;
        for (const int k : traces[t])
          if (matrices[std::size_t(k)].space != spins && now == 0) now = std::size_t(matrices[std::size_t(k)].rows);
        for (const int k : traces[t]) {
          const NamedMatrix& m = matrices[std::size_t(k)];
          const std::size_t first = m.shared ? 0 : item * sizes[std::size_t(k)];
          std::vector<Complex<double>> of_item;
          for (std::size_t i = 0; i < sizes[std::size_t(k)]; ++i)
            of_item.push_back(test::number_of<Complex<double>>(numbers[std::size_t(k)][first + i]));
          const std::size_t to = m.space == spins ? now : std::size_t(m.columns);
          const HostNumbers whole = whole_matrix(m, of_item.data(), now, to);
          product = rows == 0 ? whole : reference::product(product, whole, rows, columns, 4 * to);
          if (rows == 0) rows = 4 * now;
          columns = 4 * to;
          now = to;
          size *= double(m.space == vectors ? n : m.space == spins ? 4 : 4 * n);
        }
        std::complex<double> expected = 0;
        for (std::size_t i = 0; i < rows; ++i) expected += product[i * columns + i];
        EXPECT_LE(std::abs(found[t * std::size_t(items) + item] - expected),
                  8 * double(std::numeric_limits<TypeParam>::epsilon()) * size)
            << t << " " << item << "\n"
            << plan.text();
        EXPECT_GT(std::abs(expected), 1e-3) << t;
      }
  }
  EXPECT_THROW(runner.run(data, n_items + 1), InputError);
  data[4] = nullptr;
  EXPECT_THROW(runner.run(data, 1), InputError);
  data.pop_back();
  EXPECT_THROW(runner.run(data, 1), InputError);
}

TEST(ContractionPlans, RefuseNonsense) {
  const std::vector<NamedMatrix> matrices{{"tau", both, 3, 3, false},
                                          {"wide", both, 3, 4, false},
                                          {"gamma", spins, 0, 0, false},
                                          {"phi", vectors, 3, 3, false}};
  EXPECT_THROW(ContractionPlan(matrices, {{0, 1}}), InputError);
  EXPECT_THROW(ContractionPlan(matrices, {{4}}), InputError);
  EXPECT_THROW(ContractionPlan(matrices, {{}}), InputError);
  EXPECT_THROW(ContractionPlan(matrices, {{2, 3}}), InputError) << "tr gamma tr phi";
  EXPECT_THROW(ContractionPlan(matrices, {{0}}, 0), InputError);
  EXPECT_THROW(ContractionPlan({{"phi", vectors, 0, 3, false}}, {}), InputError);
  EXPECT_THROW(ContractionPlan({{"gamma", spins, 4, 4, false}}, {}), InputError);
}

}  // namespace contraction_plans
}  // namespace
}  // namespace kov
