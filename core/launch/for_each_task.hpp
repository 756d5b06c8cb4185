// SPDX-License-Identifier: MIT
//
// for_each_task: pieces of work of a host's threads that take long, and not all equally long: chunks of a sum, whole
// time slices.
#pragma once

#include "kov/core/launch/for_each_item.hpp"

#include <string>

namespace kov {

namespace detail {
/// A task of a Work whose type is not known.
using RunTask = void (*)(const void* work, int task, int thread);

template <class Work>
void run_task(const void* work, int task, int thread) {
  (*static_cast<const Work*>(work))(task, thread);
}

/// Compiled once for all tasks.
void share_tasks(const std::string& name, int n, RunTask run, const void* work, const Exec& exec);
}  // namespace detail

/// The threads that for_each_task() has at most.
int n_task_threads(const Exec& exec = {});

/// Calls work(task, thread) for task in [0, n): each thread takes the next free task, and all is done when this
/// returns.  thread: 0 to n_task_threads(exec) - 1, an index for memory that each thread has of its own.  What a task
/// throws is thrown here, after the tasks that had begun.  For hosts: on GPUs work goes by sites or by teams.
template <class Work>
void for_each_task(const std::string& name, int n, const Work& work, const Exec& exec = {}) {
  static_assert(is_host_v<Exec> || sizeof(Work) == 0, "tasks are for the threads of hosts");
  if (n > 0) detail::share_tasks(name, n, &detail::run_task<Work>, &work, exec);
}

}  // namespace kov
