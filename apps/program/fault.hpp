// SPDX-License-Identifier: MIT
//
// Faults for tests and drills: what a broken network or host does to one rank, at a place that can be chosen.
#pragma once

#include "kov/core/comm/comm.hpp"

namespace kov::app {

/// Arms the fault that the environment variable KOV_FAULT names, as KIND:RANK:N; without it, nothing.
///   lost, stale, flipped: the next checked halo message of leg N from that rank
///   memory: the rank's kernel number N, counted from 1, finds no memory
///   kill, stop: before its kernel number N the rank gets SIGKILL or SIGSTOP
/// Throws InputError when it is anything else, or names a rank that is not there.
void arm_fault(const Comm& comm);

/// Throws InputError on the rank that was to have the fault when it came to its end without: a drill that did nothing
/// must not look like one that was survived.
void require_fault_struck();

}  // namespace kov::app
