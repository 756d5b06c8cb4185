// SPDX-License-Identifier: MIT
#include "kov/core/launch/work.hpp"

namespace kov {

namespace {
thread_local Work done;
}

const Work& work_done() { return done; }

void detail::count_work(double flops, double bytes) {
  done.flops += flops;
  done.bytes += bytes;
}

}  // namespace kov
