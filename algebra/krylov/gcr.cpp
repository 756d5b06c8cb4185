// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/gcr.hpp"

#include "kov/algebra/solve_columns.hpp"
#include "kov/algebra/solve_run.hpp"

#include <vector>

namespace kov {

namespace {

/// Beginnings from the true residual, without progress, after which the limit of precision counts as reached.
constexpr int gcr_patience = 3;

/// A direction and what A makes of it, of norm 1.
struct Direction {
  Vector z, Az;
};

}  // namespace

/// Per iteration: one A and one preconditioner, and for each direction that is kept an inner product and two updates
/// with 2 reads and 1 write; half as many of them as there are directions, on average.
SolveReport Gcr::operator()(const Operator<Vector>& A, const Vector& b, const Vector& x) const {
  b.lattice().require_same("GCR", directions);
  require(directions > 0, "GCR with", directions, "directions cannot move: give it one or more, such as 16");
  SolveRun run(*this, b);
  const ByColumn<double> bb = norm2_by_column(b), goal = tolerance * tolerance * bb;
  if (run.solve_zeros(bb, b, x)) return run.finish(b, b);
  const double nothing = b.rounding();
  const Vector r = b.like("residual");
  std::vector<Direction> kept;
  for (;;) {
    ByColumn<double> rr = true_residual_by_column(A, b, x, r);
    if (run.over(sqrt(rr / bb), gcr_patience)) return run.finish(r, b);
    for (std::size_t k = 0; run.may_iterate(not_above(rr, goal)); k = (k + 1) % std::size_t(directions)) {
      if (k == kept.size()) kept.push_back({b.like("direction"), b.like("A direction")});
      const auto& [z, Az] = kept[k];
      if (preconditioner)
        preconditioner->apply(r, z);
      else
        copy(r, z);
      apply_to_columns(A, z, Az, run.stopped());
      const ByColumn<double> before = norm2_by_column(Az, run.stopped());
      for (std::size_t j = 0; j < k; ++j) {
        const auto overlap = inner_product_by_column(kept[j].Az, Az, run.stopped());
        axpy(-overlap, kept[j].Az, Az, run.stopped());
        axpy(-overlap, kept[j].z, z, run.stopped());
      }
      const ByColumn<double> norm = sqrt(norm2_by_column(Az, run.stopped()));
      if (k == 0)
        run.give_up(zeros(norm), "the operator makes 0 of the residual, or of what the preconditioner makes of it");
      // Columns whose directions are exhausted begin anew.
      if (!run.may_iterate(not_above(norm, nothing * sqrt(before)))) break;
      scale(1.0 / norm, Az, run.stopped());
      scale(1.0 / norm, z, run.stopped());
      const auto step = inner_product_by_column(Az, r, run.stopped());
      axpy(step, z, x, run.stopped());
      rr = axpy_norm2(-step, Az, r, run.stopped());
      run.step(sqrt(rr / bb));
    }
  }
}

}  // namespace kov
