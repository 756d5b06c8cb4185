// SPDX-License-Identifier: MIT
//
// LaunchShape: how the items of a launch over sites are divided among threads, and in which order a thread visits its
// own.  Numbers of run time, of which a Tuner chooses; no bit of a result depends on them.
#pragma once

#include "kov/core/launch/for_each_item.hpp"

#include <span>
#include <string>

namespace kov {

class Layout;

/// How sites follow one another in memory: n_groups runs (tiles in space) of n_slices time slices each.
struct SiteOrder {
  int n_groups = 1, n_slices = 1;

  /// Of the outer sites of a layout, or of their pairs; one slice where its tiles differ.
  static SiteOrder of(const Layout& layout);
};

/// What is not 1 or 0 differs from the default.  Numbers for hosts are ignored on GPUs, and the other way round.
struct LaunchShape {
  /// On hosts: how many runs of consecutive items a thread takes, in turns with the other threads.
  int turns = 1;
  /// On hosts: in how many parts time slices are cut.  A thread walks with a part through the slices of a tile before
  /// it takes the next part.  Ignored where `order` does not divide the items.
  int slice_parts = 1;
  /// On GPUs: the threads of a block are halved this many times, down to a warp.
  int halvings = 0;
  /// On GPUs: how many time slices, or planes, a block walks through, at most all, and more where a launch could not
  /// have as many walks; 0: as walk_length() says.
  int walk = 0;
  /// Of the items that are launched, which slice_parts cuts.
  SiteOrder order = {};

  /// "default", "4-turns", "8-parts", "half-blocks", "walk-2"
  std::string name() const;
  /// Of a block that would have this many by default.
  int threads(int of_block) const;
};

/// Those that a tuner chooses from, the default first: 5 on hosts, 7 on GPUs.
std::span<const LaunchShape> launch_shapes();

namespace detail {
/// share_items() in a shape.
void share_items(const std::string& name, int n, const LaunchShape& shape, RunItems run, const void* work,
                 const Exec& exec);
}  // namespace detail

}  // namespace kov
