// SPDX-License-Identifier: MIT
//
// Writes out buffered output before a process ends in a way that would lose it.
#pragma once

namespace kov::detail {

/// Flushes std::cout and stdio.  Gives up after two seconds, because a pipe that nobody reads never drains; later calls
/// then return at once until somebody reads.  Where no thread can be started any more, it waits without a limit.
void flush_standard_output() noexcept;

/// From now on exit() with a code other than 0 gives up in the same way.  It then ends the process without calling the
/// functions that were registered with std::atexit before.
void let_exit_give_up();

}  // namespace kov::detail
