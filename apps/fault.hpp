// SPDX-License-Identifier: MIT
//
// Faults for tests and drills: what a broken network or host does to one rank, at a place that can be chosen.
#pragma once

#include "kov/core/comm.hpp"

namespace kov::app {

/// Arms the fault that the environment variable KOV_FAULT names, as KIND:RANK:N; without it, nothing.
///   lost, stale, flipped: the next checked halo message of leg N from that rank
///   memory: the rank's kernel number N, counted from 1, finds no memory
///   kill, stop: before its kernel number N the rank gets SIGKILL or SIGSTOP
/// Throws InputError when it is anything else.
void arm_fault(const Comm& comm);

}  // namespace kov::app
