// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/perambulators.hpp"

#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/vectors/field_ops.hpp"

#include <algorithm>
#include <vector>

namespace kov {

namespace {

/// The solutions of some sources, projected on vectors first_row, ...: rows (spin', n') of columns first, first + 1,
/// ...
void set_solved_columns(SliceMatrices& tau, int first, int count, int first_row, const SliceMatrices& overlaps) {
  const int n = tau.rows / 4, columns = overlaps.columns / 4;
  for (int t = 0; t < tau.n_slices; ++t)
    for (int spin = 0; spin < 4; ++spin)
      for (int i = 0; i < overlaps.rows; ++i)
        std::copy_n(overlaps.at(t) + std::ptrdiff_t(i) * overlaps.columns + spin * columns, count,
                    tau.at(t) + std::ptrdiff_t(spin * n + first_row + i) * tau.columns + first);
}

/// Sets sources to the combinations of vectors, group by group of those that a source has on any rank.
template <class T>
void set_sources(const VectorGroups<T>& vectors, const SliceMatrices& combinations, const SpinorField<T>& sources) {
  if (vectors.n_groups() == 1) return rotate_by_slice(vectors(0), combinations, sources);
  std::vector<double> is_used(std::size_t(vectors.n_groups()), 0);
  for (int t = 0; t < combinations.n_slices; ++t)
    for (int i = 0; i < combinations.rows; ++i)
      for (int c = 0; c < combinations.columns; ++c)
        if (combinations.at(t)[std::ptrdiff_t(i) * combinations.columns + c] != 0.0)
          is_used[std::size_t(i / vectors.at_once())] = 1;
  vectors.lattice().comm().max(is_used);
  zero(sources);
  for (int group = 0; group < vectors.n_groups(); ++group) {
    if (is_used[std::size_t(group)] == 0) continue;
    SliceMatrices rows(vectors.lattice(), 1, vectors.size(group), combinations.columns);
    for (int t = 0; t < rows.n_slices; ++t)
      std::copy_n(combinations.at(t) + std::ptrdiff_t(vectors.first(group)) * rows.columns,
                  std::ptrdiff_t(rows.rows) * rows.columns, rows.at(t));
    rotate_add_by_slice(vectors(group), rows, sources);
  }
}

}  // namespace

template <class Lanes, class T>
Perambulators perambulators(const VectorGroups<T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int n_sources,
                            const SourceCoefficient& coefficient, const PerambulatorOptions& options) {
  using F = SpinorField<T, Lanes>;
  const Lattice& lattice = vectors.lattice();
  lattice.require_same("perambulators", n_sources, options.columns, vectors.n());
  const int n = vectors.n(), columns = options.columns;
  require(n_sources >= 1 && columns >= 1, "perambulators of", n_sources, "sources were asked for,", columns,
          "columns at a time, so there is nothing to solve: give at least one source and one column");
  Perambulators result{SliceMatrices(lattice, 1, 4 * n, n_sources)};
  const std::size_t of_all = std::size_t(n) * 4 * std::size_t(columns);
  const SpinorField<T> spinors(lattice, "source of perambulators", columns);
  const F b(lattice, "source of perambulators", columns), x(lattice, "solution of perambulators", columns);
  for (int first = 0; first < n_sources; first += columns) {
    const int count = std::min(columns, n_sources - first);
    SliceMatrices sources(lattice, 1, n, 4 * columns);
    for (int t = 0; t < sources.n_slices; ++t)
      for (int i = 0; i < n; ++i)
        for (int spin = 0; spin < 4; ++spin)
          for (int c = 0; c < count; ++c)
            sources.at(t)[(i * 4 + spin) * columns + c] = coefficient(first + c, sources.first + t, i, spin);
    set_sources(vectors, sources, spinors);
    convert(spinors, b);
    zero(x);
    const SolveReport report = solve_some(solver, M, b, x, {first, count, n_sources});
    result.iterations += report.iterations;
    result.worst_residual = max_or_nan(result.worst_residual, report.residual);
    result.seconds += report.seconds;
    convert(x, spinors);
    for (int k = 0; k < vectors.n_groups(); ++k) {
      const int group = (vectors.at_hand() + (k > 0 ? 1 : 0)) % vectors.n_groups();
      set_solved_columns(result.matrices, first, count, vectors.first(group),
                         gram_by_slice(vectors(group), spinors, {{}}, {}, {}, of_all));
    }
    if (options.progress) options.progress(first + count, n_sources, report);
  }
  return result;
}

template <class Lanes, class T>
Perambulators perambulators(const VectorGroups<T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int time, const PerambulatorOptions& options) {
  require(time >= 0 && time < vectors.lattice().extent()[3], "perambulators from time", time,
          "were asked for; the lattice has times 0 to", vectors.lattice().extent()[3] - 1);
  const int n = vectors.n();
  return perambulators<Lanes>(vectors, solver, M, 4 * n, SourceCoefficient([=](int source, int t, int i, int spin) {
                                return std::complex<double>(t == time && source == spin * n + i ? 1 : 0);
                              }),
                              options);
}

template <class Lanes, class T>
Perambulators perambulators(const Field<ColorVector, T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int n_sources,
                            const SourceCoefficient& coefficient, const PerambulatorOptions& options) {
  return perambulators<Lanes>(VectorGroups<T>(vectors), solver, M, n_sources, coefficient, options);
}

template <class Lanes, class T>
Perambulators perambulators(const Field<ColorVector, T>& vectors,
                            const std::type_identity_t<Solver<SpinorField<T, Lanes>>>& solver,
                            const AnyOperator<SpinorField<T, Lanes>>& M, int time, const PerambulatorOptions& options) {
  return perambulators<Lanes>(VectorGroups<T>(vectors), solver, M, time, options);
}

#define KOV_INSTANTIATE(T, Lanes)                                                                                    \
  template Perambulators perambulators<Lanes>(const Field<ColorVector, T>&, const Solver<SpinorField<T, Lanes>>&,    \
                                              const Operator<SpinorField<T, Lanes>>&, int,                           \
                                              const PerambulatorOptions&);                                           \
  template Perambulators perambulators<Lanes>(const Field<ColorVector, T>&, const Solver<SpinorField<T, Lanes>>&,    \
                                              const Operator<SpinorField<T, Lanes>>&, int, const SourceCoefficient&, \
                                              const PerambulatorOptions&);                                           \
  template Perambulators perambulators<Lanes>(const VectorGroups<T>&, const Solver<SpinorField<T, Lanes>>&,          \
                                              const Operator<SpinorField<T, Lanes>>&, int,                           \
                                              const PerambulatorOptions&);                                           \
  template Perambulators perambulators<Lanes>(const VectorGroups<T>&, const Solver<SpinorField<T, Lanes>>&,          \
                                              const Operator<SpinorField<T, Lanes>>&, int, const SourceCoefficient&, \
                                              const PerambulatorOptions&)
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov
