// SPDX-License-Identifier: MIT
#include "kov/core/base/standard_output.hpp"

#include "kov/core/base/exit_code.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

namespace kov::detail {

namespace {

/// Whoever else wants to write waits for it, exit() too.
std::atomic<bool> is_writing{false};

void write_what_is_kept() {
  try {
    std::cout.flush();
  } catch (...) {  // a program may have asked for that with std::cout.exceptions()
  }
  std::fflush(stdout);
  std::fflush(nullptr);  // last: while it waits, nobody can open a stream
  is_writing = false;
}

void flush_and_leave(int code) {
  if (code == 0) return;
  flush_standard_output();
  if (is_writing) std::_Exit(code);
}

}  // namespace

void flush_standard_output() noexcept {
  if (is_writing.exchange(true)) return;
  try {
    const auto done = std::make_shared<std::promise<void>>();
    std::thread([done] {
      write_what_is_kept();
      done->set_value();
    }).detach();
    done->get_future().wait_for(std::chrono::seconds(2));
  } catch (...) {  // there are no threads any more
    write_what_is_kept();
  }
}

void let_exit_give_up() { [[maybe_unused]] static const bool once = (call_at_exit<flush_and_leave>(), true); }

}  // namespace kov::detail
