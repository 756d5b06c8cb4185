// SPDX-License-Identifier: MIT
//
// The Schwarz alternating procedure: equations solved in blocks of the lattice, black ones and white ones in turn, as a
// preconditioner.
#pragma once

#include "kov/algebra/krylov/minimal_residual.hpp"
#include "kov/algebra/vector.hpp"
#include "kov/stencil/dirac/dirac_operator.hpp"

namespace kov {

/// The blocks, and how they are solved in.
struct SchwarzParameters {
  /// The extents of a block, in lattice units.  In each direction it is that of the lattice, or divides it an even
  /// number of times.
  Coord block{4, 4, 4, 4};
  /// How often black and white blocks are solved in.  Few are best near the critical mass, where the procedure by
  /// itself need not converge.
  int cycles = 2;
  /// Minimal residual steps in the blocks of a colour.
  int steps = 4;
  /// Their over-relaxation, between 0 and 2.
  double omega = 1;
};

/// The links of a gauge field with 0 in place of those between two blocks: what makes a Dirac operator one of all
/// blocks at once, each with Dirichlet boundaries.  No link goes between blocks in a direction in which the block is
/// the lattice.  Throws InputError for blocks that SchwarzParameters does not allow.
template <class S>
GaugeField<S> links_within_blocks(const GaugeField<S>& gauge, const Coord& block);

/// About M^-1: cycles of x = x + B (b - M x), first with B of all black blocks, then with that of the white ones, from
/// x = 0; B is a few minimal residual steps with M_blocks, which is M without its hops between blocks.  Blocks of one
/// colour touch none of the same colour.  M. Luescher, Comput. Phys. Commun. 156, 209 (2004), where the steps are those
/// of each block by itself, while here all blocks of a colour share their coefficients.
///
///     const Schwarz<float> sap(M_single, gauge, boundary, {.block = {4, 4, 4, 4}});
///     Gcr{.tolerance = 1e-12, .preconditioner = sap}(M, b, x);
///
/// It depends on what it is applied to, so only flexible solvers such as Gcr take it; every column is treated by
/// itself. T: the precision it works in, which need not be that of the fields it is applied to; these may have columns
/// in lanes too.  It saves directions of the outer solver, whose inner products and memory grow with their number.
/// Messages and half of the work are not avoided: M_blocks still exchanges faces between ranks, which it multiplies by
/// 0, and works on blocks of both colours though the field is 0 in those of one.  So a cycle costs 2 (steps + 1)
/// applications of M, and 2 steps sums over ranks.
///
/// Keeps seven fields and a copy of the links.  Copies share them: do not apply two at the same time.
template <class T>
class Schwarz {
 public:
  /// M_blocks: M without the hops between the blocks of the parameters, for instance with links_within_blocks().
  /// n_columns: of the fields it will be applied to.  Throws InputError for blocks that are not allowed, and unless
  /// there is a cycle, a step and 0 < omega < 2.
  Schwarz(const Lattice& lattice, const Operator<SpinorField<T>>& M, const Operator<SpinorField<T>>& M_blocks,
          const SchwarzParameters& parameters, int n_columns = 1);
  /// Of a Dirac operator with these links and factors: the boundary angles, or those of an anisotropy,
  /// anisotropy.factors(boundary).  The site term and the basis of spin are those of M.
  template <class Storage, class Term, class S>
  Schwarz(const DiracOperator<Storage, Term>& M, const GaugeField<S>& gauge, const LegFactors& factors,
          const SchwarzParameters& parameters, int n_columns = 1)
      : Schwarz(M.lattice(), M,
                DiracOperator<Storage, Term>(
                    Hop<Storage>(GaugeLinks<Storage>(links_within_blocks(gauge, parameters.block), factors))
                        .with_basis(M.hop().basis()),
                    M.site_term()),
                parameters, n_columns) {}

  template <class F>
  void apply(const F& in, const F& out, const Exec& exec = {}) const {
    apply(Vector(in), Vector(out), exec);
  }
  /// Ordered on exec, for which it waits in each step.  Throws InputError unless the fields have n_columns columns of
  /// spinors on all sites.
  void apply(const Vector& in, const Vector& out, const Exec& exec = {}) const;

 private:
  using F = SpinorField<T>;

  Operator<F> M_;
  SchwarzParameters parameters_;
  Field<Scalar, T> black_, white_;  // 1 in the blocks of that colour, elsewhere 0
  F r_, x_, source_, z_, Mz_;
  MinimalResidualSteps in_blocks_;
};

extern template class Schwarz<float>;
extern template class Schwarz<double>;

}  // namespace kov
