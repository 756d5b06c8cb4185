// SPDX-License-Identifier: MIT
#include "kov/algebra/gcr.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <cmath>
#include <vector>

namespace kov {

namespace {

/// Beginnings from the true residual, without progress, after which the limit of precision counts as reached.
constexpr int gcr_patience = 3;

/// A direction and what A makes of it, of norm 1.
template <class F>
struct Direction {
  F z, Az;
};

}  // namespace

/// Per iteration: one A and one preconditioner, and for each direction that is kept an inner product and two updates
/// with 2 reads and 1 write; half as many of them as there are directions, on average.
template <class F>
SolveReport Gcr<F>::operator()(const Operator<F>& A, const F& b, const F& x) const {
  require(directions > 0, "GCR with", directions, "directions cannot move: give it one or more, such as 16");
  SolveRun run(*this, b);
  const double bb = norm2(b), goal = tolerance * tolerance * bb;
  if (bb == 0) return run.finish_zero(b, x);
  const F r = b.like("residual");
  std::vector<Direction<F>> kept;
  for (;;) {
    double rr = true_residual(A, b, x, r);
    const double residual = std::sqrt(rr / bb);
    if (run.over(residual, residual, gcr_patience)) return run.finish(r, b);
    for (std::size_t k = 0; rr > goal && run.may_iterate(); k = (k + 1) % std::size_t(directions)) {
      if (k == kept.size()) kept.push_back({b.like("direction"), b.like("A direction")});
      const auto& [z, Az] = kept[k];
      if (preconditioner)
        preconditioner->apply(r, z);
      else
        copy(r, z);
      A.apply(z, Az);
      const double before = norm2(Az);
      for (std::size_t j = 0; j < k; ++j) {
        const std::complex<double> overlap = inner_product(kept[j].Az, Az);
        axpy(-overlap, kept[j].Az, Az);
        axpy(-overlap, kept[j].z, z);
      }
      const double norm = std::sqrt(norm2(Az));
      constexpr double nothing = std::numeric_limits<typename F::Real>::epsilon();
      if (!(norm > nothing * std::sqrt(before))) {
        if (norm == 0 && k == 0)
          run.give_up("the operator makes 0 of the residual, or of what the preconditioner makes of it");
        if (k == 0 || !std::isfinite(norm)) break;
        k = std::size_t(directions) - 1;  // the directions are exhausted: others, from the start
        continue;
      }
      scale(1 / norm, Az);
      scale(1 / norm, z);
      const std::complex<double> step = inner_product(Az, r);
      axpy(step, z, x);
      rr = axpy_norm2(-step, Az, r);
      run.step(std::sqrt(rr / bb));
    }
  }
}

template struct Gcr<Field<Spinor, float>>;
template struct Gcr<Field<Spinor, double>>;
template struct Gcr<Field<ColorVector, float>>;
template struct Gcr<Field<ColorVector, double>>;

}  // namespace kov
