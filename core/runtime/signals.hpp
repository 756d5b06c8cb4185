// SPDX-License-Identifier: MIT
//
// Clean ends on signals: Ctrl-C, kill, a batch system at its time limit.
#pragma once

#include <string>

namespace kov {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2 (with the last two batch systems announce their
/// time limit) remove the temporary files of this process and end it with code 128 + the signal's number; rank 0 says
/// so on standard error, after the program's name.  SIGXFSZ is ignored, so that writing a file that grows too large
/// fails with an error.  Signals that are already ignored (nohup, a shell's background job) or have a handler of the
/// user are left as they are.
void end_cleanly_on_signals(const std::string& name);

namespace detail {
/// From now on signals end the program without a message: the error has been printed, and the launcher sends signals to
/// the other ranks because of it.
void end_silently_on_signals();
}  // namespace detail

}  // namespace kov
