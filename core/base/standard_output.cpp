// SPDX-License-Identifier: MIT
#include "kov/core/base/standard_output.hpp"

#include <chrono>
#include <cstdio>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

namespace kov::detail {

void flush_standard_output() noexcept {
  try {
    const auto done = std::make_shared<std::promise<void>>();
    std::thread([done] {
      try {
        std::cout.flush();
      } catch (...) {  // a program may want that
      }
      std::fflush(stdout);
      std::fflush(nullptr);  // last: while it waits, nobody can open a stream
      done->set_value();
    }).detach();
    done->get_future().wait_for(std::chrono::seconds(2));
  } catch (...) {  // there are no threads any more
    std::fflush(stdout);
  }
}

}  // namespace kov::detail
