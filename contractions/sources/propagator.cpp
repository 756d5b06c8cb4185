// SPDX-License-Identifier: MIT
#include "kov/contractions/sources/propagator.hpp"

#include "kov/contractions/sources/propagator_check.hpp"

namespace kov {

template <class T>
int SolvedPropagator<T>::iterations() const {
  int sum = 0;
  for (const SolveReport& r : reports) sum += r.iterations;
  return sum;
}

template <class T>
double SolvedPropagator<T>::seconds() const {
  double sum = 0;
  for (const SolveReport& r : reports) sum += r.seconds;
  return sum;
}

template <class T>
double SolvedPropagator<T>::worst_residual() const {
  double worst = 0;
  for (const SolveReport& r : reports) worst = r.residual <= worst ? worst : r.residual;  // a NaN is the worst
  return worst;
}

template <class T>
SolvedPropagator<T> solve_propagator(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                     const AnyOperator<SpinorField<T>>& M, const Propagator<T>& source,
                                     const ColumnCallback& progress) {
  detail::require_propagator(source, source.lattice());
  SolvedPropagator<T> result{Propagator<T>(source.lattice(), "propagator", 12), {}};
  for (int k = 0; k < 12; ++k) {
    result.reports.push_back(solver(M, source.column(k), result.propagator.column(k)));
    if (progress) progress(k + 1, result.reports.back());
  }
  return result;
}

template struct SolvedPropagator<float>;
template struct SolvedPropagator<double>;
template SolvedPropagator<float> solve_propagator(const Solver<SpinorField<float>>&,
                                                  const Operator<SpinorField<float>>&, const Propagator<float>&,
                                                  const ColumnCallback&);
template SolvedPropagator<double> solve_propagator(const Solver<SpinorField<double>>&,
                                                   const Operator<SpinorField<double>>&, const Propagator<double>&,
                                                   const ColumnCallback&);

}  // namespace kov
