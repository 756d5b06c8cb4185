// SPDX-License-Identifier: MIT
//
// Whether an error is thrown on every rank.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/comm/comm.hpp"

#include <functional>
#include <span>

namespace kov {

/// Whether f throws an E on every rank.
template <class E = InputError>
bool throws_everywhere(const std::function<void()>& f) {
  std::int64_t thrown[1] = {0};
  try {
    f();
  } catch (const E&) {
    thrown[0] = 1;
  }
  const Comm comm = Comm::world();
  comm.sum(std::span<std::int64_t>(thrown));
  return thrown[0] == comm.size();
}

}  // namespace kov
