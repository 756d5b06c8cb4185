// SPDX-License-Identifier: MIT
//
// for_each_team: runs kernels by teams of threads that share scratch memory, for work that goes tile by tile.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kov {

namespace detail {
/// In bytes.  Up to this many bytes may be skipped to align the first tile.
inline constexpr std::size_t tile_alignment = 16;
/// What a tile of so many bytes takes.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t tile_size(std::size_t bytes) {
  return (bytes + tile_alignment - 1) / tile_alignment * tile_alignment;
}

/// The first address at or after p that is a multiple of `bytes`: for tiles that need more than that, which are so much
/// longer.
template <class T>
T* aligned_to(std::uintptr_t bytes, T* p) {
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(p) + bytes - 1) / bytes * bytes);
}
}  // namespace detail

/// How kernels are run by teams.
struct TeamShape {
  /// Of the whole launch.
  int n_teams = 0;
  /// Threads of a team on a GPU; on hosts a team is one thread.
  int threads = 128;
  /// The sum of a team's tiles, each rounded up to a multiple of 16 bytes.
  std::size_t tile_bytes = 0;
};

/// The team that a kernel runs in.  Every thread of a team calls the kernel once; all threads must call every tile()
/// and barrier(), in the same order.
template <class Member>
class Team {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit Team(const Member& member) : member_(member) {}

  /// The number of the team, and that of the thread in it.
  KOKKOS_FORCEINLINE_FUNCTION int index() const { return member_.league_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int thread() const { return member_.team_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int n_threads() const { return member_.team_size(); }

  /// n objects in memory that the team shares, uninitialised; the next call returns other memory.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* tile(int n) const {
    constexpr std::size_t alignment = detail::tile_alignment;
    static_assert(alignof(T) <= alignment, "tiles are aligned to 16 bytes");
    return static_cast<T*>(
        member_.team_scratch(0).get_shmem_aligned(detail::tile_size(std::size_t(n) * sizeof(T)), alignment));
  }
  /// Waits for all threads of the team; each of them then sees what the others wrote before.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member_.team_barrier(); }

  /// Calls f(i) for i in [0, n): thread k takes k, k + n_threads(), ...
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void share(int n, const F& f) const {
    for (int i = thread(); i < n; i += n_threads()) f(i);
  }

 private:
  const Member& member_;
};

namespace detail {
/// A property of policies, with which Kokkos passes kernels of 512 bytes and more as launch_blocks() does.
using InParameters = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

template <class Exec>
using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;

/// What a GPU needs to know of a kernel: it is run by teams of at most max_threads threads, with so few registers that
/// min_teams of them fit on a multiprocessor.
template <int max_threads, int min_teams>
struct StatedTeams {
  using type = Kokkos::LaunchBounds<max_threads, min_teams>;
};
/// A kernel that states this itself, by the shape of its tiles.
template <class Kernel>
concept StatesTeams = requires {
  Kernel::max_threads;
  Kernel::min_teams;
};
/// A specialisation derives from StatedTeams; it stands in the folder cuda/ beside the kernel.  Kernels of which
/// nothing is stated are compiled for 1024 threads, 64 registers each.
template <class Kernel>
struct TeamBounds {
  using type = Kokkos::LaunchBounds<>;
};
template <StatesTeams Kernel>
struct TeamBounds<Kernel> : StatedTeams<Kernel::max_threads, Kernel::min_teams> {};

/// A kernel with arrays that it indexes states that GPUs keep it in constant memory: as a parameter of the launch every
/// thread would copy it to its local memory.  Launches of such kernels wait for each other.
template <class Kernel>
concept InConstantMemory = requires {
  requires Kernel::in_constant_memory;
};

template <class Kernel, class Exec>
using TeamPolicyOf =
    std::conditional_t<InConstantMemory<Kernel>, Kokkos::TeamPolicy<Exec, typename TeamBounds<Kernel>::type>,
                       Kokkos::TeamPolicy<Exec, InParameters, typename TeamBounds<Kernel>::type>>;

template <class Kernel, class Exec>
struct TeamFunctor {
  Kernel kernel;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const { kernel(Team(member)); }
};
/// Scratch memory for the tiles of a team.  On hosts Kokkos reports the size of a first-level cache, which is advice,
/// not a limit; on GPUs its advice leaves out 8 KiB, of which a team takes a double for each thread and two more.
template <class Exec>
std::size_t most_tile_bytes_of([[maybe_unused]] const Exec& exec, [[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>)
    return exec.cuda_device_prop().sharedMemPerBlock - sizeof(double) * std::size_t(threads + 2) - tile_alignment;
#endif
  return std::size_t(1) << 30;
}

}  // namespace detail

/// Calls kernel(team) by every thread of shape.n_teams teams; asynchronous, ordered on exec.  Throws InputError if a
/// team's tiles do not fit into the scratch memory (1 GiB on hosts), or if a GPU cannot run the kernel with that many
/// threads.  A kernel may state `static constexpr int max_threads, min_teams`, for which its registers are then
/// limited, and `static constexpr bool in_constant_memory`.
template <class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_team(const std::string& name, const TeamShape& shape, const Kernel& kernel, const Exec& exec = {}) {
  if (shape.n_teams <= 0) return;
  constexpr bool on_host = is_host_v<Exec>;
  const detail::TeamFunctor<Kernel, Exec> functor{kernel};
  detail::TeamPolicyOf<Kernel, Exec> policy(exec, shape.n_teams, on_host ? 1 : shape.threads);
  const std::size_t most = detail::most_tile_bytes_of(exec, shape.threads);
  require(shape.tile_bytes <= most, "the tiles of a team of", name, "take", shape.tile_bytes, "bytes and there are",
          most, "on this device: make them smaller");
  policy.set_scratch_size(0, Kokkos::PerTeam(int(shape.tile_bytes + detail::tile_alignment)));
  if constexpr (!on_host) {
    const int most_threads = policy.team_size_max(functor, Kokkos::ParallelForTag());
    require(shape.threads >= 1 && shape.threads <= most_threads, "a team of", name, "was launched with", shape.threads,
            "threads, and this kernel can run with 1 to", most_threads, ": take fewer");
  }
  const detail::KernelTimer timer;
  Kokkos::parallel_for(name, policy, functor);
}

}  // namespace kov
