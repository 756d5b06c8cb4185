// SPDX-License-Identifier: MIT
//
// Carries out a plan of traces with the kernels of products and traces.
#pragma once

#include "kov/contractions/engine/contraction_plan.hpp"
#include "kov/contractions/kernels/trace.hpp"

#include <complex>
#include <map>
#include <span>

namespace kov {

/// The memory of a plan and its results.  T: float or double.
template <class T>
class ContractionRunner {
 public:
  using Real = T;
  /// Takes plan.workspace_numbers() complex numbers where kernels run, and what traces() works in.
  explicit ContractionRunner(ContractionPlan plan);

  const ContractionPlan& plan() const { return plan_; }

  /// Computes the traces of the first n_items items.  data[k]: matrix k, where kernels run, row by row; of spins 4 x 4,
  /// of vectors rows x columns, of both 4 rows x 4 columns (row spin * rows + n); the items of one that is not shared
  /// one after another without gaps.  Sums are in double where traces() has them so.  Asynchronous; the results are
  /// those of the last call.  Throws InputError for more items than the plan has, and without a pointer for each matrix
  /// that is used.
  void run(std::span<const Complex<T>* const> data, int n_items, const Exec& exec = {});

  /// [trace that was asked for][item].  Waits.
  std::vector<std::complex<double>> traces() const;

 private:
  ContractionPlan plan_;
  int n_items_ = 0;
  Buffer<Complex<T>> workspace_, units_;
  /// Where the unit matrix for this many rows of eigenvectors begins.
  std::map<int, std::size_t> unit_of_rows_;
  Buffer<Complex<double>> sums_;
  TraceWorkspace parts_;
};

extern template class ContractionRunner<float>;
extern template class ContractionRunner<double>;

}  // namespace kov
