// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/schwarz.hpp"

namespace kov {

namespace {

std::vector<BlockColour> colours_in_turn(const Lattice& lattice, const SchwarzParameters& parameters) {
  if (parameters.form == SchwarzForm::additive || parameters.block == lattice.extent()) return {BlockColour::all};
  return {BlockColour::black, BlockColour::white};
}

}  // namespace

template <class T>
Schwarz<T>::Schwarz(const Lattice& lattice, const Operator<F>& M, const SchwarzParameters& parameters, int n_columns,
                    FunctionRef<Equations(const SchwarzBlocks&)> equations_of)
    : M_(M),
      parameters_(parameters),
      b_(lattice, "source", n_columns),
      r_(b_.like("residual")),
      x_(b_.like("solution")) {
  lattice.require_same("a Schwarz procedure", parameters.cycles, parameters.steps, parameters.omega,
                       int(parameters.form), int(parameters.sites), n_columns);
  require(parameters.cycles > 0, parameters.cycles, "cycles are no preconditioner: ask for one or more");
  require(parameters.steps > 0, parameters.steps, "minimal residual steps are no preconditioner: ask for one or more");
  require(parameters.omega > 0 && parameters.omega < 2, "a minimal residual iteration with omega =", parameters.omega,
          "does not converge: choose a number between 0 and 2, such as 1");
  std::vector<Turn> turns;
  for (const BlockColour colour : colours_in_turn(lattice, parameters)) {
    Turn turn{SchwarzBlocks(lattice, parameters.block, colour)};
    if (!turn.blocks.empty()) {
      if (!turns.empty()) turn.blocks.share_lattice(turns[0].blocks);
      turn.equations = equations_of(turn.blocks);
      const bool shares =
          !turns.empty() && !turns[0].blocks.empty() && turns[0].blocks.lattice() == turn.blocks.lattice();
      const bool is_reduced = turn.equations->odd != nullptr;
      const Subset subset = is_reduced ? Subset::even : Subset::all;
      turn.r = shares ? turns[0].r.alias() : F(turn.blocks.lattice(), "residual in blocks", n_columns);
      turn.x = shares ? turns[0].x.alias() : turn.r.like("solution in blocks");
      turn.q = shares ? turns[0].q.alias() : F(turn.blocks.lattice(), "M residual in blocks", n_columns, subset);
      if (is_reduced) turn.reduced = shares ? turns[0].reduced.alias() : turn.q.like("reduced residual in blocks");
    }
    turns.push_back(std::move(turn));
  }
  turns_ = std::make_shared<const std::vector<Turn>>(std::move(turns));
}

/// Adds to the solution what the residual's equations in the blocks give.
template <class T>
void Schwarz<T>::Turn::solve(const SchwarzParameters& parameters, const F& residual, const F& solution,
                             const Exec& exec) const {
  if (blocks.empty()) return;
  const auto& [M, odd] = *equations;
  blocks.gather(residual, r, exec);
  if (odd) {
    odd->reduce_source(Vector(r), Vector(reduced), exec);
    blocks.minimal_residual(M, parameters.steps, parameters.omega, reduced, q, x.even(), exec);
    odd->complete(Vector(r), Vector(x), exec);
  } else {
    blocks.minimal_residual(M, parameters.steps, parameters.omega, r, q, x, exec);
  }
  blocks.add(x, solution, exec);
}

template <class T>
void Schwarz<T>::apply(const Vector& in, const Vector& out, const Exec& exec) const {
  require(in.n_components() == r_.n_components() && in.subset() == Subset::all, "a Schwarz procedure for",
          r_.n_components(), "columns on all sites was applied to", in.name(), "with", in.n_components(), "on",
          in.subset() == Subset::all ? "all" : "half of the",
          "sites: construct it with the number of columns, and give it full fields");
  convert(in, Vector(b_), exec);
  zero(x_, exec);
  bool is_first = true;
  for (int cycle = 0; cycle < parameters_.cycles; ++cycle)
    for (const Turn& turn : *turns_) {
      if (!is_first) {
        M_.apply(x_, r_, exec);
        xpay(b_, -1.0, r_, exec);
      }
      turn.solve(parameters_, is_first ? b_ : r_, x_, exec);
      is_first = false;
    }
  convert(Vector(x_), out, exec);
}

template class Schwarz<float>;
template class Schwarz<double>;

}  // namespace kov
