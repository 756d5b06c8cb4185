// SPDX-License-Identifier: MIT
//
// Memory for sums over sites while they run, kept from one to the next: allocating costs more than a small sum.
#pragma once

#include "kov/core/base/memory.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace kov::detail {

/// What one sum needs.  Each function gives memory that holds at least n objects, until it is called again.
class SumScratch {
 public:
  /// Partial sums, where kernels run.
  double* partial(std::size_t n) { return grown(partial_, n, "partial sums"); }
  /// Counters of finished blocks, where kernels run; zero before a sum, which leaves them zero.
  unsigned* counters(std::size_t n) { return grown(counters_, n, "counters of sums"); }
  /// Results: kernels write them, and the host reads them after a fence.
  double* results(std::size_t n);

 private:
  template <class T>
  static T* grown(Buffer<T>& buffer, std::size_t n, const char* name) {
    if (buffer.size() < n) buffer = Buffer<T>(name, enough(n));
    return buffer.data();
  }
  /// 1024 times a power of two.
  static std::size_t enough(std::size_t n);

  Buffer<double> partial_;
  Buffer<unsigned> counters_;
  Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> results_;
};

/// Lends scratch to one sum at a time.  Threads of the host may borrow at the same time.
class SumScratchPool {
 public:
  struct Return {
    SumScratchPool* pool;
    void operator()(SumScratch* scratch) const;
  };
  /// Goes back to the pool, which must be alive, when it is destroyed: after the sum's fence.
  using Loan = std::unique_ptr<SumScratch, Return>;
  Loan borrow();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<SumScratch>> idle_;
};

}  // namespace kov::detail
