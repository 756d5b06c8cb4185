// SPDX-License-Identifier: MIT
//
// Memory for sums over sites while they run, kept from one to the next: allocating costs more than a small sum.
#pragma once

#include "kov/core/base/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kov::detail {

/// What one sum needs.  Each function gives memory that holds at least n objects, until it is called again.
class SumScratch {
 public:
  /// Partial sums, where kernels run.
  double* partial(std::size_t n) { return grown(partial_, n, "partial sums"); }
  /// Counters of finished blocks, where kernels run; zero before a sum, which leaves them zero.
  unsigned* counters(std::size_t n) { return grown(counters_, n, "counters of sums"); }
  /// Memory of the host: kernels write results, and then the number of the sum, next_turn(), to tell the host.
  double* results(std::size_t n) { return grown_on_host(results_, n, "results of sums"); }
  std::uint64_t* done(std::size_t n) { return grown_on_host(done_, n, "finished sums"); }
  /// Unique and not zero.
  std::uint64_t next_turn() { return ++turn_; }

 private:
  template <class T>
  static T* grown(Buffer<T>& buffer, std::size_t n, const char* name) {
    if (buffer.size() < n) buffer = Buffer<T>(name, enough(n));
    return buffer.data();
  }
  /// 1024 times a power of two.
  static std::size_t enough(std::size_t n);

  template <class T>
  using HostView = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;
  template <class T>
  static T* grown_on_host(HostView<T>& view, std::size_t n, const char* name) {
    if (view.extent(0) < n) {
      view = HostView<T>(Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing), enough(n));
      std::fill_n(view.data(), view.extent(0), T(0));
    }
    return view.data();
  }

  Buffer<double> partial_;
  Buffer<unsigned> counters_;
  HostView<double> results_;
  HostView<std::uint64_t> done_;
  std::uint64_t turn_ = 0;
};

/// n reals where kernels run: partial() of the scratch or, for many, which it would keep, memory of their own.
class SumMemory {
 public:
  /// exec: of the kernels that use them.
  SumMemory(const std::string& name, SumScratch& scratch, std::size_t n, const Exec& exec) {
    constexpr std::size_t most_kept = std::size_t(1) << 20;
    if (n > most_kept) large_ = Buffer<double>(name, n, exec);
    data_ = n > most_kept ? large_.data() : scratch.partial(n);
  }
  double* data() const { return data_; }

 private:
  Buffer<double> large_;
  double* data_;
};

/// Lends scratch to one sum at a time.  Threads of the host may borrow at the same time.
class SumScratchPool {
 public:
  struct Return {
    SumScratchPool* pool;
    void operator()(SumScratch* scratch) const;
  };
  /// Goes back to the pool, which must be alive, when it is destroyed: when the sum's results are there.
  using Loan = std::unique_ptr<SumScratch, Return>;
  Loan borrow();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<SumScratch>> idle_;
};

}  // namespace kov::detail
