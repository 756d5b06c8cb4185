// SPDX-License-Identifier: MIT
#include "kov/contractions/sources/propagator.hpp"

#include "kov/contractions/sources/source_point.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <utility>

namespace kov {

template <class T>
Propagator<T>::Propagator(const Lattice& lattice, const std::string& name, PropagatorLabels labels)
    : labels(std::move(labels)), columns_(lattice, name, 12) {}

template <class T>
Propagator<T>::Propagator(const SpinorField<T>& columns, PropagatorLabels labels)
    : labels(std::move(labels)), columns_(columns.alias()) {
  require(columns.n_components() == 12 && columns.subset() == Subset::all, columns.name(),
          "is not a propagator: it has", columns.n_components(), "components on",
          columns.subset() == Subset::all ? "all sites;" : "one parity;", "12 on all sites are needed");
}

namespace detail {

template <class T>
PropagatorLabels labels_of_both(const Propagator<T>& first, const Propagator<T>& second) {
  const PropagatorLabels &a = first.labels, &b = second.labels;
  require(first.lattice() == second.lattice(), second.name(), "is on another lattice than", first.name(),
          "; make both propagators on one lattice");
  require(a.origin == b.origin, first.name(), "starts from", to_string(a.origin), "and", second.name(), "from",
          to_string(b.origin), ": contract propagators from one point, or set the origin in their labels");
  require(a.boundary == b.boundary, first.name(), "and", second.name(),
          "have different boundary angles in their labels: contract propagators of one boundary");
  require_on_lattice(a.origin, first.lattice());
  PropagatorLabels both = a;
  both.others.clear();
  for (const auto& [name, value] : a.others) {
    const auto found = b.others.find(name);
    const bool shared = found != b.others.end() && found->second == value;
    both.others[shared ? name : name + "_1"] = value;
  }
  for (const auto& [name, value] : b.others)
    if (!both.others.contains(name)) both.others[name + "_2"] = value;
  return both;
}

template PropagatorLabels labels_of_both(const Propagator<float>&, const Propagator<float>&);
template PropagatorLabels labels_of_both(const Propagator<double>&, const Propagator<double>&);

}  // namespace detail

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
  for (const SolveReport& r : reports) worst = max_or_nan(worst, r.residual);
  return worst;
}

template <class T>
SolvedPropagator<T> solve_propagator(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                     const AnyOperator<SpinorField<T>>& M, const Propagator<T>& source,
                                     const ColumnCallback& progress) {
  SolvedPropagator<T> result{source.like("propagator"), {}};
  for (int k = 0; k < 12; ++k) {
    result.reports.push_back(solver(M, source.column(k), result.propagator.column(k)));
    if (progress) progress(k + 1, result.reports.back());
  }
  return result;
}

template class Propagator<float>;
template class Propagator<double>;
template struct SolvedPropagator<float>;
template struct SolvedPropagator<double>;
template SolvedPropagator<float> solve_propagator(const Solver<SpinorField<float>>&,
                                                  const Operator<SpinorField<float>>&, const Propagator<float>&,
                                                  const ColumnCallback&);
template SolvedPropagator<double> solve_propagator(const Solver<SpinorField<double>>&,
                                                   const Operator<SpinorField<double>>&, const Propagator<double>&,
                                                   const ColumnCallback&);

}  // namespace kov
