// SPDX-License-Identifier: MIT
//
// What happens when somebody wants the program to end: Ctrl-C, kill, a batch system at its time limit.
#pragma once

namespace kov::app {

/// From now on SIGINT, SIGTERM and SIGHUP remove the temporary files of this process and end it with code 128 + the
/// signal's number; rank 0 says so.  A signal that is ignored (nohup, a shell's background job) stays ignored.
void end_cleanly_on_signals();

}  // namespace kov::app
