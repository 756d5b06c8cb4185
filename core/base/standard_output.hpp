// SPDX-License-Identifier: MIT
//
// What a program printed, before its process ends in a way that would lose it.
#pragma once

namespace kov::detail {

/// Writes what std::cout and stdio keep; gives up after two seconds, as a pipe that nobody reads takes nothing.  Until
/// somebody does read, other calls return at once then.  Where no thread can be started any more, it waits as long as
/// that takes.
void flush_standard_output() noexcept;

/// From now on exit() with a code other than 0 gives up in the same way.  It then ends the process without what was
/// registered with std::atexit before.
void let_exit_give_up();

}  // namespace kov::detail
