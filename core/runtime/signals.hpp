// SPDX-License-Identifier: MIT
//
// What happens when somebody wants a program to end: Ctrl-C, kill, a batch system at its time limit.
#pragma once

#include <string>

namespace kov {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2 (with the last two batch systems announce their
/// time limit) remove the temporary files of this process and end it with code 128 + the signal's number; rank 0 says
/// so on standard error, after the program's name.  SIGXFSZ is ignored, so that a file that grows too large is an error
/// of who writes it.  A signal that is ignored already (nohup, a shell's background job) or has a handler of the user's
/// is left alone.
void end_cleanly_on_signals(const std::string& name);

namespace detail {
/// From now on signals that end the program say nothing, as the reason was given: a launcher sends them when one rank
/// ended with an error.
void end_silently_on_signals();
}  // namespace detail

}  // namespace kov
