// SPDX-License-Identifier: MIT
//
// Quark propagators: S = M^-1 source for 12 source columns, solved into the memory that contractions read, with the
// labels that say where they come from.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/field/spin_color_view.hpp"
#include "kov/stencil/boundary_angles.hpp"

#include <map>
#include <string>
#include <vector>

namespace kov {

/// Where a propagator comes from.
struct PropagatorLabels {
  /// The kind of its source: "point", "wall", "momentum", "grid", "sequential" or a name of one's own.
  std::string source = {};
  /// The global coordinate from which correlators count times and the phases of momenta.
  Coord origin{0, 0, 0, 0};
  /// The boundary angles of the links on which it was solved.
  BoundaryAngles boundary = BoundaryAngles::antiperiodic_in_time();
  /// Further labels of its correlators: {"kappa", 0.15}, {"sink_smearing", "wuppertal"}.
  std::map<std::string, LabelValue> others = {};
};

/// S(x), a 12 x 12 matrix in spin and colour at every site, and so is its source.  No factors of kappa.  A handle to
/// its memory, as fields are: alias() is another one to the same.
template <class T>
class Propagator {
 public:
  using Real = T;
  /// S(x) is a SpinColorMatrix, S.read(x) reads it block by block.
  using View = SpinColorView<typename SpinorField<T>::View>;

  /// Zero at every site.
  Propagator(const Lattice& lattice, const std::string& name, PropagatorLabels labels = {});
  /// columns: component 3 * source_spin + source_colour is a spinor in sink spin and colour; the memory is shared.
  /// Throws InputError unless there are 12 on all sites.
  explicit Propagator(const SpinorField<T>& columns, PropagatorLabels labels = {});

  explicit Propagator(const Propagator&) = default;
  Propagator(Propagator&&) = default;
  /// Lets a function return a const local.
  Propagator(const Propagator&& other) : Propagator(other) {}
  Propagator& operator=(Propagator&&) & = default;

  /// Another handle to the same memory, with the same labels.
  Propagator alias() const { return Propagator(*this); }
  /// A new propagator, zero, with the same labels.
  Propagator like(const std::string& name) const { return Propagator(lattice(), name, labels); }
  /// The same for kernels on exec alone: to work in.
  Propagator like(const std::string& name, const Exec& exec) const {
    return Propagator(columns_.like(name, exec), labels);
  }

  const Lattice& lattice() const { return columns_.lattice(); }
  const std::string& name() const { return columns_.name(); }
  /// The field of its 12 columns, for operators that take fields; and one of them.
  const SpinorField<T>& columns() const { return columns_; }
  SpinorField<T> column(int k) const { return columns_.column(k); }
  View view() const { return View(columns_.view()); }

  PropagatorLabels labels;

 private:
  SpinorField<T> columns_;
};

/// A new propagator whose columns are smeared by smear.apply(in, out); any operator on fields of spinors will do.
/// Ordered on exec.
template <class T, class Smearing>
Propagator<T> smeared(const Propagator<T>& s, const Smearing& smear, const Exec& exec = {}) {
  Propagator<T> out = s.like("smeared " + s.name());
  Operator<SpinorField<T>>(smear).apply(s.columns(), out.columns(), exec);
  return out;
}

/// Called on every rank after each column, with the columns done so far out of 12.
using ColumnCallback = std::function<void(int columns_done, const SolveReport& column)>;

/// What solve_propagator() returns.
template <class T>
struct SolvedPropagator {
  /// S, with the labels of its source.
  Propagator<T> propagator;
  /// The report of each column.
  std::vector<SolveReport> reports;

  /// Iterations and seconds of all columns together.
  int iterations() const;
  double seconds() const;
  /// The largest |source - M S| / |source| of the columns.
  double worst_residual() const;
};

/// S with M S = source, column by column.  solver: any LinearSolver, which throws or reports as it was told to; M: any
/// LinearOperator on SpinorField<T>.  Collective.
///
/// solve_propagator(BiCgStab{.tolerance = 1e-12}, WilsonOperator<double>(links, mass), point_source<double>(lattice,
/// origin))
template <class T>
SolvedPropagator<T> solve_propagator(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                     const AnyOperator<SpinorField<T>>& M, const Propagator<T>& source,
                                     const ColumnCallback& progress = {});

namespace detail {

/// The labels of contractions of two propagators: those that they share, and name_1 and name_2 for those that differ.
/// Throws InputError when they live on different lattices, start from different points or have different boundaries, or
/// when the point is outside the lattice.
template <class T>
PropagatorLabels labels_of_both(const Propagator<T>& first, const Propagator<T>& second);

}  // namespace detail

}  // namespace kov
