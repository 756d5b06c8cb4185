// SPDX-License-Identifier: MIT
//
// The Schwarz procedure: it is that of naive loops, its blocks are the naive operator's without the links between them,
// it solves where it may, and it saves GCR most of its iterations.
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/algebra/solve_run.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
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

double difference(const GlobalArray& a, const GlobalArray& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) most = max_or_nan(most, std::abs(a.data[i] - b.data[i]));
  return most;
}

int colour_of_block(const Coord& x, const Coord& block) {
  int colour = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) colour += x[mu] / block[mu];
  return colour % 2;
}

/// (4 + mass - 1/2 H) in, of one column.
GlobalArray wilson_naively(const GlobalArray& u, double mass, const GlobalArray& in) {
  GlobalArray out = reference::wilson_hop(u, in, angles);
  for (std::size_t i = 0; i < in.data.size(); ++i) out.data[i] = (4 + mass) * in.data[i] - 0.5 * out.data[i];
  return out;
}

/// Minimal residual steps from 0 in each block by itself; cut: the links within blocks.
GlobalArray solve_blocks_naively(const GlobalArray& cut, double mass, const Coord& block, GlobalArray r, int steps) {
  Coord counts;
  for (std::size_t mu = 0; mu < 4; ++mu) counts[mu] = r.extent[mu] / block[mu];
  GlobalArray z(r.extent, 12);
  for (int k = 0; k < steps; ++k) {
    const GlobalArray q = wilson_naively(cut, mass, r);
    std::vector<std::complex<double>> qr(std::size_t(volume(counts))), qq(qr.size());
    const auto for_each = [&](const auto& f) {
      reference::for_each_coordinate(r.extent, [&](const Coord& x) {
        Coord of_block;
        for (std::size_t mu = 0; mu < 4; ++mu) of_block[mu] = x[mu] / block[mu];
        const std::size_t b = std::size_t(lexicographic(of_block, counts));
        for (int i = 0; i < 12; ++i) f(b, q.at(x)[i], r.at(x)[i], z.at(x)[i]);
      });
    };
    for_each([&](std::size_t b, const auto& qi, const auto& ri, const auto&) {
      qr[b] += std::conj(qi) * ri;
      qq[b] += std::norm(qi);
    });
    for_each([&](std::size_t b, const auto& qi, auto& ri, auto& zi) {
      if (qq[b] == 0.0) return;
      zi += qr[b] / qq[b] * ri;
      ri -= qr[b] / qq[b] * qi;
    });
  }
  return z;
}

/// The procedure in one column.
GlobalArray schwarz_naively(const GlobalArray& u, double mass, const GlobalArray& b, const SchwarzParameters& p) {
  const GlobalArray cut = cut_naively(u, p.block);
  GlobalArray x(b.extent, 12);
  for (int cycle = 0; cycle < p.cycles; ++cycle)
    for (int colour = 0; colour < (p.form == SchwarzForm::additive ? 1 : 2); ++colour) {
      GlobalArray r = wilson_naively(u, mass, x);
      reference::for_each_coordinate(b.extent, [&](const Coord& at) {
        const bool is_in = p.form == SchwarzForm::additive || colour_of_block(at, p.block) == colour;
        for (int i = 0; i < 12; ++i) r.at(at)[i] = is_in ? b.at(at)[i] - r.at(at)[i] : 0.0;
      });
      const GlobalArray z = solve_blocks_naively(cut, mass, p.block, r, p.steps);
      for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] += z.data[i];
    }
  return x;
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

/// Half the lattice in x and y, a quarter in t, which may be divided among four ranks.
Coord parts(const Coord& extent) { return {extent[0] / 2, extent[1] / 2, extent[2], extent[3] / 4}; }

TEST_P(SchwarzOnLattices, HaveBlocksWithoutTheLinksBetweenThem) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const Coord block = parts(problem.u.extent);
  const GlobalArray expected = wilson_naively(cut_naively(problem.u, block), 0.1, gather(problem.b));
  const auto check = [&]<class Storage>(Storage, const std::vector<BlockColour>& colours) {
    zero(problem.x);
    for (const BlockColour colour : colours) {
      const SchwarzBlocks blocks(problem.b.lattice(), block, colour);
      if (blocks.empty()) continue;
      const WilsonOperator<Storage> M(GaugeLinks<Storage>(blocks.links(problem.gauge), antiperiodic), 0.1);
      const F in(blocks.lattice(), "in"), out = in.like("out");
      blocks.gather(problem.b, in);
      EXPECT_EQ(export_sites(in), export_sites(blocks.part_of(problem.b)));
      M.apply(in, out);
      blocks.add(out, problem.x);
    }
    EXPECT_LT(max_difference(problem.x, expected), 40 * eps<double> * reference::max_abs(expected));
  };
  check(double(), {BlockColour::black, BlockColour::white});
  check(Links12<double>(), {BlockColour::all});
}

TEST_P(SchwarzOnLattices, AreTheProcedureOfNaiveLoops) {
  const SchwarzProblem problem(GetParam().make(Comm::world()), 2);
  scale(0.0, problem.b.column(1));
  const auto M = problem.wilson(-0.3);
  for (const SchwarzForm form : {SchwarzForm::multiplicative, SchwarzForm::additive}) {
    const SchwarzParameters parameters{.block = parts(problem.u.extent), .cycles = 2, .steps = 3, .form = form};
    Schwarz<double>(M, problem.gauge, antiperiodic, parameters, 2).apply(problem.b, problem.x);
    const GlobalArray expected =
        schwarz_naively(problem.u, -0.3, reference::part(gather(problem.b), 0, 12), parameters);
    const GlobalArray both = gather(problem.x);
    EXPECT_LT(difference(reference::part(both, 0, 12), expected), 200 * eps<double> * reference::max_abs(expected));
    EXPECT_EQ(reference::max_abs(reference::part(both, 12, 12)), 0) << "a source of zeros";
  }
}

TEST_P(SchwarzOnLattices, SolveInEveryBlock) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const auto check = [&](const auto& M) {
    SchwarzParameters parameters{
        .block = parts(problem.u.extent), .cycles = 1, .steps = 150, .form = SchwarzForm::additive};
    Schwarz<double>(M, problem.gauge, antiperiodic, parameters).apply(problem.b, problem.x);
    const GlobalArray all = gather(problem.x);
    parameters.sites = BlockSites::even;
    parameters.steps = 75;
    Schwarz<double>(M, problem.gauge, antiperiodic, parameters).apply(problem.b, problem.x);
    EXPECT_LT(max_difference(problem.x, all), 1e4 * eps<double> * reference::max_abs(all));
    return all;
  };
  const GlobalArray b = gather(problem.b);
  const GlobalArray in_blocks =
      wilson_naively(cut_naively(problem.u, parts(problem.u.extent)), 0.3, check(problem.wilson(0.3)));
  EXPECT_LT(difference(in_blocks, b), 1e4 * eps<double> * reference::max_abs(b));
  check(TwistedMassOperator<double>(GaugeLinks<double>(problem.gauge, antiperiodic), {.mass = 0.3, .mu = 0.2}));
  check(WilsonCloverOperator<double>(problem.gauge, antiperiodic, {.mass = 0.3, .c_sw = 1.2}));
  check(WilsonCloverOperator<double>(problem.gauge, antiperiodic, {.mass = 0.3, .c_sw = 1.2, .mu = 0.2}));
}

TEST_P(SchwarzOnLattices, SolveWhereABlockIsTheLattice) {
  const SchwarzProblem problem(GetParam().make(Comm::world()), 2);
  const auto M = problem.wilson(0.3);
  const SchwarzParameters parameters{.block = problem.u.extent, .cycles = 1, .steps = 200};
  if (Comm::world().size() > 1) {
    EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, parameters), InputError) << "a block on two ranks";
    return;
  }
  const Schwarz<double> sap(M, problem.gauge, antiperiodic, parameters);
  const Schwarz<double> of_two(M, problem.gauge, antiperiodic, parameters, 2);
  of_two.apply(problem.b, problem.x);
  EXPECT_LT(problem.residual(M), 1e-11);
  EXPECT_THROW(sap.apply(problem.b, problem.x), InputError) << "it is for one column";
  EXPECT_THROW(of_two.apply(problem.b.even(), problem.x.even()), InputError);
}

/// With blocks solved exactly, the residual is 0 in the blocks of the colour that came last.
TEST_P(SchwarzOnLattices, LeaveNoResidualInTheBlocksSolvedLast) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const auto M = problem.wilson(0.3);
  const Coord block = parts(problem.u.extent);
  const Schwarz<double> sap(M, problem.gauge, antiperiodic, {.block = block, .cycles = 1, .steps = 200});
  sap.apply(problem.b, problem.x);
  const F r = problem.b.like("residual");
  const double rr = true_residual<F>(M, problem.b, problem.x, r);
  const GlobalArray residual = gather(r);
  double in_white = 0;
  reference::for_each_coordinate(problem.u.extent, [&](const Coord& x) {
    if (colour_of_block(x, block) == 1)
      for (int i = 0; i < 12; ++i) in_white += std::norm(residual.at(x)[i]);
  });
  EXPECT_LT(in_white, 1e-20 * norm2(problem.b));
  EXPECT_GT(rr, 1e-4 * norm2(problem.b)) << "the white blocks are the black ones' neighbours";
  EXPECT_LT(rr, norm2(problem.b));
}

TEST_P(SchwarzOnLattices, SaveGcrMostOfItsIterations) {
  const SchwarzProblem problem(GetParam().make(Comm::world()));
  const SchwarzParameters parameters{.block = parts(problem.u.extent)};
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
  const Schwarz<double> sap(problem.wilson(0.1), problem.gauge, antiperiodic, {.block = {2, 2, 4, 2}});
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
  const SchwarzParameters parameters{.block = {2, 2, 4, 2}};
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
                           antiperiodic, {.block = {2, 2, 4, 2}}, 3);
  const Gcr gcr{.tolerance = 1e-10, .preconditioner = sap};
  const SolveReport sites = gcr(M, problem.b, problem.x);
  const SpinorField<double, ColumnLanes<4>> b(lattice, "b", 3), x = b.like("x");
  convert(problem.b, b);
  const SolveReport columns = gcr(M, b, x);
  EXPECT_EQ(columns.column_iterations, sites.column_iterations);
  EXPECT_EQ(sites.column_iterations[1], 0);
  EXPECT_LT(columns.residual, 1e-10);
}

/// Blocks, with coefficients of their own, do not know of other ranks.
TEST(SchwarzProcedures, AreTheSameOnAnyDecomposition) {
  const Coord extent{4, 4, 4, 8};
  const auto iterations = [&](const SchwarzProblem& problem, const SchwarzParameters& parameters) {
    const Operator<F> M = problem.wilson(-0.3);
    Gcr gcr{.tolerance = 1e-10};
    gcr.preconditioner = Schwarz<double>(problem.wilson(-0.3), problem.gauge, antiperiodic, parameters);
    return gcr(M, problem.b, problem.x).iterations;
  };
  const SchwarzProblem together(Lattice(Comm::world(), extent)), alone(Lattice(Comm::self(), extent));
  for (const SchwarzForm form : {SchwarzForm::multiplicative, SchwarzForm::additive})
    for (const BlockSites sites : {BlockSites::all, BlockSites::even}) {
      const SchwarzParameters parameters{.block = {2, 4, 2, 2}, .form = form, .sites = sites};
      zero(together.x);
      zero(alone.x);
      EXPECT_EQ(iterations(together, parameters), iterations(alone, parameters));
      EXPECT_LT(max_difference(together.x, gather(alone.x)), 1e-8 * reference::max_abs(gather(alone.x)));
    }
}

TEST(SchwarzProcedures, ApplyTheOperatorOfTheLatticeOnceBetweenTurns) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 8}));
  const auto M = problem.wilson(0.1);
  for (const int cycles : {1, 2, 3})
    for (const SchwarzForm form : {SchwarzForm::multiplicative, SchwarzForm::additive}) {
      auto outside = std::make_shared<int>(0), inside = std::make_shared<int>(0);
      const Operator<F> counted = [&M, outside](const F& in, const F& out) {
        ++*outside;
        M.apply(in, out);
      };
      const auto in_blocks = [&](const SchwarzBlocks& blocks) -> Operator<F> {
        const WilsonOperator<double> of_blocks(GaugeLinks<double>(blocks.links(problem.gauge), antiperiodic), 0.1);
        return [of_blocks, inside](const F& in, const F& out) {
          *inside += int(volume(in.lattice().extent()));
          of_blocks.apply(in, out);
        };
      };
      const SchwarzParameters parameters{.block = {2, 2, 4, 2}, .cycles = cycles, .steps = 3, .form = form};
      Schwarz<double>(problem.b.lattice(), counted, in_blocks, parameters).apply(problem.b, problem.x);
      const int turns = form == SchwarzForm::additive ? cycles : 2 * cycles;
      EXPECT_EQ(*outside, turns - 1);
      std::int64_t sites = *inside;
      problem.b.lattice().comm().sum(std::span(&sites, 1));
      EXPECT_EQ(sites, 3 * cycles * problem.b.lattice().volume()) << "each site once a step";
      const GlobalArray by_hand = gather(problem.x);
      Schwarz<double>(M, problem.gauge, antiperiodic, parameters).apply(problem.b, problem.x);
      EXPECT_EQ(max_difference(problem.x, by_hand), 0);
    }
}

/// Near the critical mass, where GCR alone makes 1295 iterations.
TEST(SchwarzProcedures, NeedHalfTheStepsOnEvenSites) {
  const SchwarzProblem problem(Lattice(Comm::world(), {8, 8, 8, 8}));
  const auto M = problem.wilson(-0.6);
  const WilsonOperator<float> low(GaugeLinks<float>(problem.gauge, antiperiodic), -0.6);
  const auto iterations = [&](const BlockSites sites, int steps) {
    zero(problem.x);
    Gcr gcr{.tolerance = 1e-10};
    gcr.preconditioner = Schwarz<float>(low, problem.gauge, antiperiodic, {.steps = steps, .sites = sites});
    return gcr(M, problem.b, problem.x).iterations;
  };
  EXPECT_NEAR(iterations(BlockSites::all, 4), 68, 3);
  EXPECT_NEAR(iterations(BlockSites::even, 2), 63, 3);
}

/// Whose norms squared in a block a float has not.
TEST(SchwarzProcedures, InSinglePrecisionAreLinearInSmallAndLargeSources) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 8}));
  const SpinorField<float> b(problem.b.lattice(), "source"), x = b.like("solution"), scaled = b.like("scaled");
  convert(problem.b, b);
  const Schwarz<float> sap(WilsonOperator<float>(GaugeLinks<float>(problem.gauge, antiperiodic), 0.1), problem.gauge,
                           antiperiodic, {.block = {2, 2, 4, 2}});
  sap.apply(b, x);
  for (const double factor : {0x1p-80, 0x1p80}) {
    scale(factor, b);
    sap.apply(b, scaled);
    scale(1 / factor, b);
    scale(1 / factor, scaled);
    EXPECT_EQ(max_difference(scaled, gather(x)), 0) << factor;
  }
}

/// Ranks have an odd number of blocks each, so that a colour has one more on one rank than on the next.
TEST(SchwarzProcedures, RefuseTooManyBlocksOnEveryRank) {
  if (Comm::world().size() != 4) GTEST_SKIP() << "does not apply: two directions are divided among four ranks";
  const Lattice lattice(Comm::world(), {2 * 2 * 257, 2 * 2 * 255, 2, 2}, {.grid = Coord{2, 2, 1, 1}});
  for (const BlockColour colour : {BlockColour::black, BlockColour::white})
    EXPECT_THROW(SchwarzBlocks(lattice, {2, 2, 2, 2}, colour), InputError) << "rank " << Comm::world().rank();
}

TEST(SchwarzProcedures, RefuseBlocksThatDoNotFit) {
  const SchwarzProblem problem(Lattice(Comm::world(), {4, 4, 4, 12}));
  const auto M = problem.wilson(0.3);
  const Lattice& lattice = problem.b.lattice();
  for (const Coord& block : {Coord{4, 4, 4, 4}, {4, 4, 4, 5}, {4, 4, 8, 6}, {0, 4, 4, 6}, {4, -2, 4, 6}, {4, 1, 1, 6}})
    EXPECT_THROW(SchwarzBlocks(lattice, block, BlockColour::black), InputError);
  if (Comm::world().size() == 1) {
    EXPECT_NO_THROW(SchwarzBlocks(lattice, {4, 4, 4, 4}, BlockColour::all));
  }
  EXPECT_NO_THROW(SchwarzBlocks(lattice, {4, 2, 2, 3}, BlockColour::white));
  const Coord good{2, 2, 2, 3};
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .cycles = 0}), InputError);
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .steps = 0}), InputError);
  EXPECT_THROW(Schwarz<double>(M, problem.gauge, antiperiodic, {.block = good, .omega = 2}), InputError);
  const auto M_of = [&](const SchwarzBlocks&) { return Operator<F>(M); };
  EXPECT_THROW(Schwarz<double>(lattice, M, M_of, {.block = good, .sites = BlockSites::even}), InputError);
}

}  // namespace schwarz
}  // namespace
}  // namespace kov
