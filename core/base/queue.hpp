// SPDX-License-Identifier: MIT
//
// Work on instances of the execution space: one beside another, one after another, and copies between host and device
// on one of them.  On hosts kernels and copies are over when their call returns, and an instance is like another.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace kov {

/// Where kernels run.  Work on one instance is done in the order in which it is launched; on a GPU that of two
/// instances may run side by side.
using Exec = Kokkos::DefaultExecutionSpace;

/// Whether kernels of this space run by threads of the host.
template <class Space>
inline constexpr bool is_host_v =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

namespace detail {

/// Whether kernels go on while the host does something else.
inline constexpr bool kernels_are_asynchronous =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

/// On a GPU an instance of its own, whose work runs beside that of any other; elsewhere exec itself.
Exec instance_beside(const Exec& exec);

/// What is launched on `later` from now on begins after what was launched on `earlier` before.  The host does not wait.
void order_after(const Exec& later, const Exec& earlier);

/// Zeroed memory of the host that copies of a GPU run to and from beside kernels (page-locked); kernels reach it too.
/// Throws InputError, with the name, when there is not enough.
std::shared_ptr<std::byte> allocate_pinned(const std::string& name, std::size_t bytes);

/// Asynchronous copies on exec; the host's memory is from allocate_pinned(), as other memory makes them wait.
void copy_to_host(const Exec& exec, void* pinned, const void* device, std::size_t bytes);
void copy_to_device(const Exec& exec, void* device, const void* pinned, std::size_t bytes);

}  // namespace detail

}  // namespace kov
