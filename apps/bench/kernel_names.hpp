// SPDX-License-Identifier: MIT
//
// Which kernels a piece of work launches.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace kov::app {

/// The names under which f launches kernels.  Takes the place of the callbacks of a profiler meanwhile.
std::set<std::string> kernels_of(const std::function<void()>& f);

}  // namespace kov::app
