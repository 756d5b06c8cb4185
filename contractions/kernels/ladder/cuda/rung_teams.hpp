// SPDX-License-Identifier: MIT
//
// Private to ladder*.cpp: the teams of threads in which GPUs run the ladder.
#pragma once

#include "kov/core/launch/for_each_team.hpp"

namespace kov::detail {

enum class TileStorage;
enum class TilePrefetch;
template <class T, TileStorage storage, TilePrefetch prefetch, int fused, int repeats>
struct RungProduct;
template <class T, bool tree>
struct RungSingleTrace;
template <class T, bool prefetch>
struct RungTiledTrace;

/// Of a team.  One team on a multiprocessor is enough, so that registers are not limited.
inline constexpr int rung_threads = 256;

template <class T, TileStorage storage, TilePrefetch prefetch, int fused, int repeats>
struct TeamBounds<RungProduct<T, storage, prefetch, fused, repeats>> : StatedTeams<rung_threads, 1> {};
template <class T, bool tree>
struct TeamBounds<RungSingleTrace<T, tree>> : StatedTeams<rung_threads, 1> {};
template <class T, bool prefetch>
struct TeamBounds<RungTiledTrace<T, prefetch>> : StatedTeams<rung_threads, 1> {};

}  // namespace kov::detail
