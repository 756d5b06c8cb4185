// SPDX-License-Identifier: MIT
//
// Products of matrices by the BLAS of the machine, OpenBLAS and its like on CPUs and cuBLAS on GPUs: loaded when a
// program asks for it, so that nothing is built or linked with it.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/site/complex.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace kov {

/// Matrices of a batch in memory of Kokkos::DefaultExecutionSpace: element (i, k) of number b is at
/// data[b * stride + i * row + k].
template <class Z>
struct BlasMatrices {
  Z* data = nullptr;
  std::int64_t row = 0, stride = 0;
};

/// c = sign a b, or c += sign a b, for `batch` matrices a of m x k and b of k x n numbers.
template <class Z>
struct BlasProduct {
  int m = 0, n = 0, k = 0;
  BlasMatrices<const Z> a, b;
  BlasMatrices<Z> c;
  int batch = 1;
  /// b is n x k, and its rows are multiplied, as in a trace.
  bool transposed = false;
  int sign = 1;
  bool adds = false;
};

/// A BLAS, or none.  Copies share it.
class Blas {
 public:
  /// None.
  Blas() = default;
  /// Loads a library: a file, or, empty, what is usual here: cuBLAS in builds for GPUs, OpenBLAS or the libblas.so.3 of
  /// the system in others.  None, with a problem(), when there is no such library or cuBLAS cannot start; of one that
  /// was named, throws InputError when it cannot be loaded or lacks products, and Error when it cannot start.  Its
  /// integers have 32 bits.
  static Blas load(const std::string& library = {});

  bool exists() const { return implementation_ != nullptr; }
  /// Why load() found none; empty where it found one.
  const std::string& problem() const { return problem_; }
  /// "cuBLAS", "OpenBLAS", "BLIS", "MKL", "BLAS" for others, or "no BLAS".
  std::string name() const;
  /// name(), the version where the library tells it, and the file that has its products, links followed: what a
  /// libblas.so.3 really is shows there.  "OpenBLAS (OpenBLAS 0.3.21 ...), /usr/lib/libopenblasp-r0.3.21.so"; "no
  /// BLAS".
  std::string description() const;

  /// Asynchronous on GPUs, on exec.  On CPUs the threads of exec share out the batch and the rows of its matrices, and
  /// an OpenBLAS runs on one thread in each of them; meanwhile nothing else may use an OpenBLAS of this process. Others
  /// run on as many as their settings say: MKL_NUM_THREADS and BLIS_NUM_THREADS should be 1.  Last bits may depend on
  /// the number of threads.  Not from two host threads at a time.  Z: float, double or complex numbers of them.  Throws
  /// InputError where there is no BLAS and for rows of 2^31 numbers or more, and Error when cuBLAS fails.
  template <class Z>
  void multiply(const BlasProduct<Z>& product, const Exec& exec = {}) const;

  /// z = conj(z) for n numbers that follow one another; asynchronous on GPUs.
  template <class R>
  void conjugate(Complex<R>* z, std::int64_t n, const Exec& exec = {}) const;

 private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation_;
  std::string problem_;
};

}  // namespace kov
