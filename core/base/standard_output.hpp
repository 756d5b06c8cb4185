// SPDX-License-Identifier: MIT
//
// What a program printed, before its process ends in a way that would lose it.
#pragma once

namespace kov::detail {

/// Writes what std::cout and stdio keep; gives up after two seconds, as a pipe that nobody reads takes nothing.
void flush_standard_output() noexcept;

}  // namespace kov::detail
