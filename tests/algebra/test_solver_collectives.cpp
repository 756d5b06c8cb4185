// SPDX-License-Identifier: MIT
//
// How many collective operations an iteration of a solver takes: those of MPI itself, of which test_solver_sums.cpp
// counts the kernels that make the numbers; and that a Schwarz procedure sends nothing from its blocks.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/conjugate_gradient.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/algebra/hot_wilson_problem.hpp"

#include <mpi.h>

namespace kov::test::solver_collectives {
namespace {

/// Messages of sums over ranks, which have a communicator of their own, and MPI's reductions.
struct Calls {
  MPI_Comm last = MPI_COMM_NULL, of_sums = MPI_COMM_NULL;
  int received = 0, of_any_kind = 0, reductions = 0;
} calls;

}  // namespace
}  // namespace kov::test::solver_collectives

/// Instead of MPI's, which the library would call.
extern "C" int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  using kov::test::solver_collectives::calls;
  calls.last = comm;
  calls.received += comm == calls.of_sums;
  ++calls.of_any_kind;
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}
extern "C" int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  ++kov::test::solver_collectives::calls.reductions;
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}

namespace kov::test::solver_collectives {
namespace {

using namespace hot_wilson;

TEST(SolverCollectives, AnIterationTakesOne) {
  const Comm comm = Comm::world();
  if (comm.size() < 2) GTEST_SKIP() << "does not apply: one rank has no messages; the case on two ranks has";
  std::array<double, 3> numbers{1, 2, 3};
  comm.sum(numbers);
  calls.of_sums = calls.last;
  const auto messages = [&](const auto& f) {
    calls.received = calls.reductions = 0;
    f();
    EXPECT_EQ(calls.reductions, 0) << "of other kinds";
    return calls.received;
  };
  const int of_a_sum = messages([&] { comm.sum(numbers); });
  ASSERT_GT(of_a_sum, 0);

  const Problem problem(small_lattice());
  const auto sums = [&](auto solver, const Operator<SpinorField<double>>& A) {
    solver.tolerance = 1e-30;
    solver.on_failure = OnFailure::report;
    const auto of_iterations = [&](int iterations) {
      solver.max_iterations = iterations;
      zero(problem.x);
      calls.received = 0;
      EXPECT_EQ(solver(A, problem.b, problem.x).iterations, iterations);
      return calls.received;
    };
    of_iterations(4);  // what is tuned, is now
    return (of_iterations(12) - of_iterations(4)) / double(of_a_sum);
  };
  const Operator<SpinorField<double>> M = problem.M(), square = problem.square();
  EXPECT_EQ(sums(ConjugateGradient{}, square), 8);
  EXPECT_EQ(sums(NormalConjugateGradient{}, M), 8);
  EXPECT_EQ(sums(NormalErrorConjugateGradient{}, M), 8);
  EXPECT_EQ(sums(BiCgStab{}, M), 8);
  EXPECT_EQ(sums(BiCgStab{}, problem.without_adjoint()), 16);
}

TEST(SolverCollectives, SchwarzTakesNoneAndHasTheMessagesOfAnOperatorBetweenTurns) {
  const Comm comm = Comm::world();
  if (comm.size() < 2) GTEST_SKIP() << "does not apply: one rank has no messages; the case on two ranks has";
  const ExchangeOptions in_messages{.overlap = ExchangeOptions::Overlap::blocking,
                                    .transport = ExchangeOptions::Transport::staged,
                                    .checked_exchanges = 0};
  const Lattice lattice(comm, {4, 4, 4, 8}, {.exchange = in_messages});
  const Problem problem(lattice);
  const auto messages = [&](const auto& f) {
    calls.of_any_kind = calls.reductions = 0;
    f();
    EXPECT_EQ(calls.reductions, 0);
    return calls.of_any_kind;
  };
  problem.wilson.apply(problem.b, problem.x);  // what ranks agree on at first, is known then
  const int of_M = messages([&] { problem.wilson.apply(problem.b, problem.x); });
  ASSERT_GT(of_M, 0);
  for (const BlockSites sites : {BlockSites::all, BlockSites::even}) {
    const Schwarz<double> sap(problem.wilson, problem.gauge, BoundaryAngles{kAngles},
                              {.block = {2, 4, 4, 4}, .cycles = 2, .steps = 3, .sites = sites});
    EXPECT_EQ(messages([&] { sap.apply(problem.b, problem.x); }), 3 * of_M) << "of four turns, the first has b";
  }
}

}  // namespace
}  // namespace kov::test::solver_collectives
