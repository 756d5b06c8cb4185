// SPDX-License-Identifier: MIT
//
// The Schwarz alternating procedure: its blocks are the naive operator's without the links between them, it solves
// where it may, and it saves GCR most of its iterations.
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/quark_transformation.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/near_unit_links.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/precision.hpp"
#include "tests/support/slow_copy.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kov {
namespace {
namespace schwarz {

using reference::gather, reference::GlobalArray;
using F = SpinorField<double>;
using test::eps;

constexpr std::array<double, 4> angles{0, 0, 0, 3.14159265358979323846};
const BoundaryAngles antiperiodic = BoundaryAngles::antiperiodic_in_time();

/// The links between blocks are 0, told from the blocks of their ends.
GlobalArray cut_naively(const GlobalArray& u, const Coord& block) {
  GlobalArray cut = u;
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const std::size_t i = std::size_t(mu);
      if (x[i] / block[i] != (x[i] + 1) % u.extent[i] / block[i]) std::fill_n(cut.at(x) + 9 * mu, 9, 0.0);
    }
  });
  return cut;
}

struct SchwarzProblem {
  GlobalArray u;
  GaugeField<double> gauge;
  F b, x;

  explicit SchwarzProblem(const Lattice& lattice, int n_columns = 1)
      : u(reference::near_unit_links(lattice.extent(), 31)),
        gauge(reference::gauge_field<double>(lattice, u)),
        b(lattice, "source", n_columns),
        x(b.like("solution")) {
    load(b, reference::random_array(lattice.extent(), 12 * n_columns, 32));
  }
  WilsonOperator<double> wilson(double mass) const { return {GaugeLinks<double>(gauge, antiperiodic), mass}; }
  double residual(const Operator<F>& M) const {
    return std::sqrt(true_residual<F>(M, b, x, b.like("residual")) / norm2(b));
  }
};

class SchwarzOnLattices : public test::OnLattices {};

const std::vector<test::LatticeCase> awkward{
    {{4, 6, 2, 8}, {}, false}, {{4, 6, 2, 8}, {}, true}, {{4, 4, 4, 8}, Order::even_odd, false}};

/// Half the lattice in the directions that divide so.
Coord halves(const Coord& extent) {
  Coord block;
  for (std::size_t mu = 0; mu < 4; ++mu) block[mu] = mu == 2 ? extent[mu] : extent[mu] / 2;
  return block;
}

TEST_P(SchwarzOnLattices, HaveBlocksWithoutTheLinksBetweenThem) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const Coord block = halves(problem.u.extent);
  const GaugeField<double> within = links_within_blocks(problem.gauge, block);
  const GlobalArray cut = cut_naively(problem.u, block);
  EXPECT_EQ(max_difference(within, cut), 0);
  const WilsonOperator<double> blocks(GaugeLinks<double>(within, antiperiodic), 0.1);
  const GlobalArray in = gather(problem.b);
  GlobalArray expected = reference::wilson_hop(cut, in, angles);
  for (std::size_t i = 0; i < in.data.size(); ++i) expected.data[i] = 4.1 * in.data[i] - 0.5 * expected.data[i];
  blocks.apply(problem.b, problem.x);
  EXPECT_LT(max_difference(problem.x, expected), 40 * eps<double> * reference::max_abs(expected));
  const WilsonOperator<Links12<double>> rows(GaugeLinks<Links12<double>>(within, antiperiodic), 0.1);
  rows.apply(problem.b, problem.x);
  EXPECT_LT(max_difference(problem.x, expected), 40 * eps<double> * reference::max_abs(expected));
}

TEST_P(SchwarzOnLattices, SolveWhereABlockIsTheLattice) {
  const SchwarzProblem problem(GetParam().make(Comm::world()), 2);
  const auto M = problem.wilson(0.3);
  const Schwarz<double> sap(M, problem.gauge, antiperiodic, {.block = problem.u.extent, .cycles = 1, .steps = 200});
  const Schwarz<double> of_two(M, problem.gauge, antiperiodic, {.block = problem.u.extent, .cycles = 1, .steps = 200},
                               2);
  of_two.apply(problem.b, problem.x);
  EXPECT_LT(problem.residual(M), 1e-11);
  EXPECT_THROW(sap.apply(problem.b, problem.x), InputError) << "it is for one column";
  EXPECT_THROW(of_two.apply(problem.b.even(), problem.x.even()), InputError);
}

/// With blocks solved exactly, the residual is 0 in the blocks of the colour that came last.
TEST_P(SchwarzOnLattices, LeaveNoResidualInTheBlocksSolvedLast) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const auto M = problem.wilson(0.3);
  const Coord block = halves(problem.u.extent);
  const Schwarz<double> sap(M, problem.gauge, antiperiodic, {.block = block, .cycles = 1, .steps = 200});
  sap.apply(problem.b, problem.x);
  const F r = problem.b.like("residual");
  const double rr = true_residual<F>(M, problem.b, problem.x, r);
  const GlobalArray residual = gather(r);
  double in_white = 0;
  reference::for_each_coordinate(problem.u.extent, [&](const Coord& x) {
    int colour = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) colour += x[mu] / block[mu];
    if (colour % 2 == 1)
      for (int i = 0; i < 12; ++i) in_white += std::norm(residual.at(x)[i]);
  });
  EXPECT_LT(in_white, 1e-20 * norm2(problem.b));
  EXPECT_GT(rr, 1e-4 * norm2(problem.b)) << "the white blocks are the black ones' neighbours";
  EXPECT_LT(rr, norm2(problem.b));
}

TEST_P(SchwarzOnLattices, SaveGcrMostOfItsIterations) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const SchwarzParameters parameters{.block = halves(problem.u.extent)};
  const auto check = [&](const auto& M, const auto& low) {
    const Gcr gcr{.tolerance = 1e-10};
    zero(problem.x);
    const int alone = gcr(M, problem.b, problem.x).iterations;
    zero(problem.x);
    Gcr with = gcr;
    with.preconditioner = Schwarz<double>(M, problem.gauge, antiperiodic, parameters);
    const SolveReport in_double = with(M, problem.b, problem.x);
    EXPECT_LT(in_double.iterations, 0.15 * alone);
    EXPECT_LT(problem.residual(M), 1e-10);
    zero(problem.x);
    with.preconditioner = Schwarz<float>(low, problem.gauge, antiperiodic, parameters);
    EXPECT_LE(with(M, problem.b, problem.x).iterations, in_double.iterations + 1) << "single precision is enough";
    EXPECT_LT(problem.residual(M), 1e-10);
  };
  check(problem.wilson(-0.5), WilsonOperator<float>(GaugeLinks<float>(problem.gauge, antiperiodic), -0.5));
  const CloverParameters action{.mass = -0.3, .c_sw = 1.2};
  check(WilsonCloverOperator<double>(problem.gauge, antiperiodic, action),
        WilsonCloverOperator<float>(problem.gauge, antiperiodic, action));
}

INSTANTIATE_TEST_SUITE_P(Lattices, SchwarzOnLattices, ::testing::ValuesIn(awkward), test::case_name);

TEST(SchwarzProcedures, AreOrderedOnTheInstanceThatIsGiven) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 8}));
  const Schwarz<double> sap(problem.wilson(0.1), problem.gauge, antiperiodic, {.block = {2, 2, 4, 4}});
  const auto result = [&](const Exec& exec) {
    const F in = problem.b.like("in"), out = problem.b.like("out");
    Kokkos::fence("fields are ready");
    test::slow_copy(problem.b, in, exec);
    sap.apply(in, out, exec);
    exec.fence("cycles");
    return gather(out);
  };
  const GlobalArray expected = result(Exec());
  EXPECT_GT(reference::max_abs(expected), 0);
  EXPECT_EQ(result(test::own_instance()).data, expected.data);
}

TEST(SchwarzProcedures, OfAnOperatorInTheNonrelativisticBasisAreInThatBasis) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 8}));
  const QuarkTransformation<double> to_basis(problem.b.lattice(), SpinBasis::nonrelativistic);
  const SchwarzParameters parameters{.block = {2, 2, 4, 4}};
  const auto check = [&](const auto& M) {
    Schwarz<double>(M, problem.gauge, antiperiodic, parameters).apply(problem.b, problem.x);
    const F b = problem.b.like("source there"), x = b.like("solution there");
    to_basis.apply(problem.b, b);
    Schwarz<double>(M.with_basis(SpinBasis::nonrelativistic), problem.gauge, antiperiodic, parameters).apply(b, x);
    to_basis.apply_adjoint(x, x);
    const GlobalArray expected = gather(problem.x);
    EXPECT_LT(max_difference(x, expected), 1e4 * eps<double> * reference::max_abs(expected));
  };
  check(problem.wilson(0.1));
  check(WilsonCloverOperator<double>(problem.gauge, antiperiodic, {.mass = 0.1, .c_sw = 1.2}));
}

TEST(SchwarzProcedures, AreForColumnsInLanesToo) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const SchwarzProblem problem(lattice, 3);
  scale(0.0, problem.b.column(1));
  const WilsonOperator<double> M(GaugeLinks<double>(problem.gauge, antiperiodic), -0.4, {.columns = true});
  const Schwarz<float> sap(WilsonOperator<float>(GaugeLinks<float>(problem.gauge, antiperiodic), -0.4), problem.gauge,
                           antiperiodic, {.block = {2, 2, 4, 4}}, 3);
  const Gcr gcr{.tolerance = 1e-10, .preconditioner = sap};
  const SolveReport sites = gcr(M, problem.b, problem.x);
  const SpinorField<double, ColumnLanes<4>> b(lattice, "b", 3), x = b.like("x");
  convert(problem.b, b);
  const SolveReport columns = gcr(M, b, x);
  EXPECT_EQ(columns.column_iterations, sites.column_iterations);
  EXPECT_EQ(sites.column_iterations[1], 0);
  EXPECT_LT(columns.residual, 1e-10);
}

TEST(SchwarzProcedures, RefuseBlocksThatDoNotFit) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 12}));
  const auto M = problem.wilson(0.3);
  for (const Coord& block : {Coord{4, 4, 4, 4}, {4, 4, 4, 5}, {4, 4, 8, 6}, {0, 4, 4, 6}, {4, -2, 4, 6}}) {
    EXPECT_THROW(links_within_blocks(problem.gauge, block), InputError);
    EXPECT_THROW(Schwarz<double>(problem.b.lattice(), M, M, {.block = block}), InputError);
  }
  EXPECT_NO_THROW(links_within_blocks(problem.gauge, {4, 2, 1, 6}));
  const Coord good{2, 4, 4, 6};
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .cycles = 0}), InputError);
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .steps = 0}), InputError);
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .omega = 2}), InputError);
}

}  // namespace schwarz
}  // namespace
}  // namespace kov
