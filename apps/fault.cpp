// SPDX-License-Identifier: MIT
#include "apps/fault.hpp"

#include "kov/stencil/halo_check.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace kov::app {

namespace {

std::string fault_kind;
int kernels_left = 0;

/// Kokkos calls it before every kernel.
void strike(const char*, std::uint32_t, std::uint64_t*) {
  if (--kernels_left != 0) return;
  if (fault_kind == "memory") throw std::bad_alloc();
  std::raise(fault_kind == "kill" ? SIGKILL : SIGSTOP);
}

}  // namespace

void arm_fault(const Comm& comm) {
  const char* const text = std::getenv("KOV_FAULT");
  if (!text || !*text) return;
  char kind[16] = "";
  int rank = -1, number = -1;
  const bool complete = std::sscanf(text, "%15[a-z]:%d:%d", kind, &rank, &number) == 3 && number >= 0;
  fault_kind = kind;
  using Kind = HaloFault::Kind;
  const bool message = fault_kind == "lost" || fault_kind == "stale" || fault_kind == "flipped",
             process = fault_kind == "memory" || fault_kind == "kill" || fault_kind == "stop";
  require(
      complete && (message || process), "the environment variable KOV_FAULT is", text,
      "where KIND:RANK:N is wanted, KIND one of lost, stale, flipped, memory, kill and stop: set it so, or unset it");
  if (rank != comm.rank()) return;
  if (message) {
    inject_halo_fault({fault_kind == "lost"    ? Kind::lost
                       : fault_kind == "stale" ? Kind::stale
                                               : Kind::flipped,
                       rank, number});
    return;
  }
  kernels_left = std::max(number, 1);
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(strike);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(strike);
}

}  // namespace kov::app
