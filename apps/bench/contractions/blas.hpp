// SPDX-License-Identifier: MIT
//
// Products of matrices by the BLAS of the machine, to compare with: OpenBLAS on CPUs and cuBLAS on GPUs, loaded when
// the program runs, so that nothing is built with them.
#pragma once

#include "kov/contractions/kernels/matrices.hpp"

#include <memory>
#include <string>

namespace kov::app {

/// A BLAS, if the machine has one.
class Blas {
 public:
  /// library: a file to load; empty: those that are usual here.
  explicit Blas(const std::string& library = {});

  bool exists() const { return implementation_ != nullptr; }
  /// "cuBLAS", "OpenBLAS", or "no BLAS"
  std::string name() const;

  /// n products c = a b of row-major matrices (a: m x k, b: k x n), one after another in memory; asynchronous on GPUs,
  /// on the default instance.  transposed: b is n x k and its rows are multiplied, as in a trace.
  template <class Z>
  void multiply(int m, int n, int k, const Z* a, const Z* b, Z* c, int batch, bool transposed = false) const;

 private:
  struct Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace kov::app
