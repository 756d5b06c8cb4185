// SPDX-License-Identifier: MIT
//
// SharedFaces: halos that ranks of one host write into each other's memory.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/comm/shared_memory.hpp"
#include "kov/stencil/halo/halo_plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// Memory for the halo of a rank, and the way into that of the ranks that read this one's faces.  Where two ranks
/// cannot reach each other's memory, their faces go in messages.
class SharedFaces {
 public:
  /// Of each face, the first byte for each parity.
  using Places = std::vector<std::array<std::byte*, 2>>;

  SharedFaces() = default;
  explicit SharedFaces(std::size_t bytes) : memory_(SharedMemory::make(bytes)) {}

  /// This rank's halo; nullptr where the system gives no such memory.
  std::byte* data() const { return memory_.data(); }

  /// landing: where each face of the plan is awaited in data().  Returns where this rank writes each face: in its
  /// reader's memory, or in `own` where that is out of reach.  Collective.
  Places connect(const Comm& comm, const HaloPlan& plan, const Places& landing, const Places& own);

  /// Whether this rank writes face f into its reader's memory, and whether the sender writes it into this one's.
  bool writes(std::size_t f) const { return f < writes_.size() && writes_[f]; }
  bool is_written(std::size_t f) const { return f < is_written_.size() && is_written_[f]; }
  int count() const { return int(std::count(writes_.begin(), writes_.end(), 1)); }
  /// The faces of all ranks, and how many of them are written into their reader's memory.
  std::size_t all() const { return all_; }
  std::size_t all_shared() const { return all_shared_; }

  /// Tells those who write into this halo that it is free, and waits for the same word of those this rank writes to.
  /// Collective; throws CommError, with the name of the face, when the word does not come in time.
  void await_readers(const Comm& comm, const HaloPlan& plan, double timeout_seconds,
                     const std::function<std::string(std::size_t)>& name_of);

 private:
  SharedMemory memory_;
  std::vector<SharedMemory> readers_;  // kept open
  std::vector<char> writes_, is_written_;
  std::size_t all_ = 0, all_shared_ = 0;
  std::vector<std::byte> tokens_;  // in and out for each face; what they say is that they come
};

}  // namespace kov::detail
