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

namespace detail {

template <class T>
SolvedPropagator<T> solve_columns(
    const Propagator<T>& source, const ColumnCallback& progress,
    const std::function<SolveReport(const SpinorField<T>&, const SpinorField<T>&)>& solve) {
  require_propagator(source, source.lattice());
  SolvedPropagator<T> result{Propagator<T>(source.lattice(), "propagator", 12), {}};
  for (int k = 0; k < 12; ++k) {
    result.reports.push_back(solve(source.column(k), result.propagator.column(k)));
    if (progress) progress(k + 1, result.reports.back());
  }
  return result;
}

template SolvedPropagator<float> solve_columns(
    const Propagator<float>&, const ColumnCallback&,
    const std::function<SolveReport(const SpinorField<float>&, const SpinorField<float>&)>&);
template SolvedPropagator<double> solve_columns(
    const Propagator<double>&, const ColumnCallback&,
    const std::function<SolveReport(const SpinorField<double>&, const SpinorField<double>&)>&);

}  // namespace detail

template struct SolvedPropagator<float>;
template struct SolvedPropagator<double>;

}  // namespace kov
