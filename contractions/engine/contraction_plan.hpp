// SPDX-License-Identifier: MIT
//
// The order in which traces of many matrices are computed: which products are made, each of them once, and what they
// cost.  contraction_runner.hpp carries it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kov {

/// What the index of a matrix is: a spin, an eigenvector, or both, spin * N_v + eigenvector (spin slow).  A matrix of
/// spins is 1 in the space of the eigenvectors, one of eigenvectors is 1 in the space of spins.
enum class MatrixSpace { spins, vectors, both };

/// A matrix of which products are made.
struct NamedMatrix {
  /// "tau(t, 0)": of texts.
  std::string name;
  MatrixSpace space = MatrixSpace::both;
  /// Eigenvectors at the left and at the right; of matrices of spins both are 0.
  int rows = 0, columns = 0;
  /// Whether all items of a plan have the same matrix: those at the source of a correlator, for sinks as items.
  bool shared = false;
};

/// Tr[A B C ...] of the matrices with these numbers.
using MatrixTrace = std::vector<int>;

/// A value is a matrix that is given, of number < the number of matrices, or one that a step makes.
struct ContractionStep {
  /// What it makes.
  enum class Kind { product, transpose, trace };
  Kind kind;
  /// The values that are read; right: of products and traces.  A trace reads left and the transpose of what stands at
  /// its right, and right < 0 is the unit matrix.  A product with spins at its right reads their transpose.
  int left = -1, right = -1;
  /// The value that is made; of traces their number.
  int result = -1;
};

/// What a step reads or makes: its shape, and where it is kept.
struct ContractionValue {
  MatrixSpace space = MatrixSpace::both;
  int rows = 0, columns = 0;
  bool shared = false;
  /// Where its memory begins in the plan's, in numbers; items lie one after another.  Given matrices have none.
  std::int64_t offset = -1;

  /// Complex numbers of one item.
  std::int64_t size() const;
};

/// A plan for traces of n_items items, which differ in what the matrices are: products of two values in the order that
/// needs fewest flops, with products that several traces have made once.
///
/// A trace of n matrices is a cycle, cut into two arcs; each of the n (n - 1) arcs is a product of two shorter ones.
/// The cheapest cuts of one trace are found exactly (dynamic programming, n^3 steps), where a product that another
/// trace makes costs nothing.  Traces take turns until the cost of all stays, from two beginnings: every trace for
/// itself, and products that occur m times at an m-th of their cost.  The better end is taken.  It is optimal for
/// one trace without repetition; for many it is optimal in each trace while the others stay as they are.
class ContractionPlan {
 public:
  /// Throws InputError where neighbours in a trace do not fit, for unknown matrices, and for traces without a matrix
  /// of MatrixSpace::both: such a trace is one of spins times one of eigenvectors.
  ContractionPlan(std::vector<NamedMatrix> matrices, const std::vector<MatrixTrace>& traces, int n_items = 1);

  const std::vector<NamedMatrix>& matrices() const { return matrices_; }
  int n_items() const { return n_items_; }
  /// Traces that were asked for; those that are equal up to their cyclic order are computed once.
  int n_traces() const { return int(number_of_trace_.size()); }
  /// Which of the traces that are computed one that was asked for is.
  int computed_trace(int trace) const { return number_of_trace_[std::size_t(trace)]; }
  int n_computed_traces() const { return n_computed_; }

  const std::vector<ContractionStep>& steps() const { return steps_; }
  /// The given matrices first.
  const std::vector<ContractionValue>& values() const { return values_; }

  /// 8 flops for each complex multiplication with its addition, of all items; shared products once.
  double flops() const { return flops_; }
  /// The same if each trace were computed by itself in its cheapest order.
  double flops_apart() const { return flops_apart_; }
  /// Complex numbers of what steps make, at its largest, for all items.
  std::int64_t workspace_numbers() const { return workspace_; }
  int n_products() const;

  /// "3 traces of 9 matrices, 20 items: 12 products, 1.2e+09 flops (apart 2.0e+09), 14 MB"; bytes_of_number: of a
  /// complex number.
  std::string description(std::size_t bytes_of_number) const;
  /// A line for each step, with names: "[phi tau] = phi * tau".
  std::string text() const;

 private:
  std::vector<NamedMatrix> matrices_;
  int n_items_, n_computed_ = 0;
  std::vector<int> number_of_trace_;
  std::vector<ContractionStep> steps_;
  std::vector<ContractionValue> values_;
  std::vector<std::string> names_;
  double flops_ = 0, flops_apart_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace kov
