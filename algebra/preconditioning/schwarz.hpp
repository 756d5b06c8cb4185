// SPDX-License-Identifier: MIT
//
// The Schwarz procedure: equations solved in blocks of the lattice, black ones and white ones in turn or all at once,
// as a preconditioner.
#pragma once

#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/schwarz_blocks.hpp"
#include "kov/algebra/vector.hpp"
#include "kov/core/launch/function_ref.hpp"
#include "kov/stencil/dirac/dirac_operator.hpp"

#include <concepts>
#include <memory>
#include <optional>
#include <vector>

namespace kov {

/// Which blocks of a Schwarz procedure are solved in before the residual is computed anew.
enum class SchwarzForm {
  /// The black ones, then the white ones: the multiplicative form.
  multiplicative,
  /// All of them: the additive form, with half as many residuals in a cycle, each of which sends messages.  Needs more
  /// cycles.
  additive
};

/// Of which sites the equations in a block are solved.
enum class BlockSites {
  all,
  /// Those of one parity, after the others were eliminated: a step costs the same and does about the work of two.
  even
};

/// The blocks, and how they are solved in.
struct SchwarzParameters {
  /// The extents of a block, in lattice units: see SchwarzBlocks.
  Coord block{4, 4, 4, 4};
  /// How often black and white blocks are solved in.  Few are best near the critical mass, where the procedure by
  /// itself need not converge.
  int cycles = 2;
  /// Minimal residual steps in a block.
  int steps = 4;
  /// Their over-relaxation, between 0 and 2.
  double omega = 1;
  SchwarzForm form = SchwarzForm::multiplicative;
  BlockSites sites = BlockSites::all;
};

/// About M^-1: cycles of x = x + B (b - M x), first with B of all black blocks, then with that of the white ones, from
/// x = 0; B is a few minimal residual steps with M in each block, without hops to others.  Blocks of one colour touch
/// none of the same colour.  M. Luescher, Comput. Phys. Commun. 156, 209 (2004), hep-lat/0310048.
///
///     const Schwarz<float> sap(M_single, gauge, boundary, {.block = {4, 4, 4, 4}});
///     Gcr{.tolerance = 1e-12, .preconditioner = sap}(M, b, x);
///
/// It depends on what it is applied to, so only flexible solvers such as Gcr take it; every column is treated by
/// itself. T: the precision it works in, which need not be that of the fields it is applied to; these may have columns
/// in lanes too.  It saves directions of the outer solver, whose inner products and memory grow with their number.
///
/// A cycle takes `steps` applications of M to as many sites as the lattice has, in SchwarzBlocks, and two of M, one in
/// the additive form; the last one is left out.  Messages and sums over ranks: those of M, none in the blocks.
///
/// Keeps three fields, three more on the blocks that are solved in at once, and a copy of the links.  Copies share
/// them: do not apply two at the same time.
template <class T>
class Schwarz {
 public:
  using F = SpinorField<T>;

  /// M_of(blocks): M on the lattice of SchwarzBlocks, without hops between blocks, called for each colour of blocks
  /// that this rank has; takes all sites.  n_columns: of the fields it will be applied to.  Throws InputError for
  /// blocks that are not allowed, for BlockSites::even, and unless there is a cycle, a step and 0 < omega < 2.
  template <std::invocable<const SchwarzBlocks&> MakeOperator>
  Schwarz(const Lattice& lattice, const Operator<F>& M, const MakeOperator& M_of, const SchwarzParameters& parameters,
          int n_columns = 1)
      : Schwarz(lattice, M, parameters, n_columns, [&](const SchwarzBlocks& blocks) {
          return Equations{M_of(blocks), nullptr};
        }) {
    require(parameters.sites == BlockSites::all, "a Schwarz procedure for even sites was asked for with an operator of",
            "blocks on all sites: construct it from a Dirac operator and its links, or take BlockSites::all");
  }
  /// Of a Dirac operator with these links and factors: the boundary angles, or those of an anisotropy,
  /// anisotropy.factors(boundary).  The site term, one with on_part() if it has a lattice, and the basis of spin are
  /// those of M.
  template <class Storage, class Term, class S>
  Schwarz(const DiracOperator<Storage, Term>& M, const GaugeField<S>& gauge, const LegFactors& factors,
          const SchwarzParameters& parameters, int n_columns = 1)
      : Schwarz(M.lattice(), M, parameters, n_columns, [&](const SchwarzBlocks& blocks) {
          const GaugeLinks<Storage> links(blocks.links(gauge), factors);
          const DiracOperator<Storage, Term> in_blocks(Hop<Storage>(links).with_basis(M.hop().basis()),
                                                       term_in(blocks, M.site_term()));
          if (parameters.sites == BlockSites::all) return Equations{in_blocks, nullptr};
          const SchurComplement<Storage, Term, F> reduced(in_blocks, n_columns);
          return Equations{reduced,
                           std::make_shared<const detail::OddSitesOf<SchurComplement<Storage, Term, F>>>(reduced)};
        }) {}

  /// For reports of solvers: "Schwarz" or "additive Schwarz".
  std::string name() const { return parameters_.form == SchwarzForm::additive ? "additive Schwarz" : "Schwarz"; }
  template <class Field>
  void apply(const Field& in, const Field& out, const Exec& exec = {}) const {
    apply(Vector(in), Vector(out), exec);
  }
  /// Ordered on exec, for which it waits in each step.  Throws InputError unless the fields have n_columns columns of
  /// spinors on all sites.
  void apply(const Vector& in, const Vector& out, const Exec& exec = {}) const;

 private:
  /// In blocks, on all sites or, with odd, on even ones.
  struct Equations {
    Operator<F> M;
    std::shared_ptr<const detail::OddSites> odd;
  };
  /// The blocks that are solved in at once.  r, x and q are empty where this rank has none.
  struct Turn {
    SchwarzBlocks blocks;
    std::optional<Equations> equations = {};
    F r = {}, x = {}, q = {}, reduced = {};

    void solve(const SchwarzParameters& parameters, const F& residual, const F& solution, const Exec& exec) const;
  };

  Schwarz(const Lattice& lattice, const Operator<F>& M, const SchwarzParameters& parameters, int n_columns,
          FunctionRef<Equations(const SchwarzBlocks&)> equations_of);

  template <class Term>
  static Term term_in(const SchwarzBlocks& blocks, const Term& term) {
    if constexpr (requires { term.lattice(); })
      return term.on_part([&](const auto& field) { return blocks.part_of(field); });
    else
      return term;
  }

  Operator<F> M_;
  SchwarzParameters parameters_;
  F b_, r_, x_;
  std::shared_ptr<const std::vector<Turn>> turns_;
};

extern template class Schwarz<float>;
extern template class Schwarz<double>;

}  // namespace kov
