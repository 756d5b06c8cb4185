// SPDX-License-Identifier: MIT
#include "kov/core/launch/for_each_task.hpp"

#include "kov/core/launch/kernel_clock.hpp"

#include <atomic>
#include <exception>
#include <mutex>

namespace kov {

namespace {

/// Where a launch of tasks stands.
struct TaskQueue {
  int n;
  std::atomic<int> next{0};
  std::mutex mutex = {};
  std::exception_ptr failure = {};
};

/// What one thread does: the next free task, as long as there is one.
struct TasksOfThread {
  detail::RunTask run;
  const void* work;
  TaskQueue* queue;

  [[maybe_unused]] void operator()(int thread) const {
    try {
      for (int task = queue->next++; task < queue->n; task = queue->next++) run(work, task, thread);
    } catch (...) {
      queue->next = queue->n;
      const std::lock_guard lock(queue->mutex);
      if (!queue->failure) queue->failure = std::current_exception();
    }
  }
};

}  // namespace

int n_task_threads(const Exec& exec) { return exec.concurrency(); }

void detail::share_tasks(const std::string& name, int n, RunTask run, const void* work, const Exec& exec) {
  [&]<class E>(const E& host) {
    if constexpr (is_host_v<E>) {
      TaskQueue queue{.n = n};
      const KernelTimer timer;
      Kokkos::parallel_for(name, Kokkos::RangePolicy<E>(host, 0, host.concurrency()), TasksOfThread{run, work, &queue});
      host.fence(name);
      if (queue.failure) std::rethrow_exception(queue.failure);
    }
  }(exec);
}

}  // namespace kov
