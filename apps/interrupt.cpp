// SPDX-License-Identifier: MIT
#include "apps/interrupt.hpp"

#include "apps/launch.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <csignal>
#include <cstddef>
#include <string_view>
#include <unistd.h>

namespace kov::app {

namespace {

bool speaks = true;
bool on_terminal = false;

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

/// Only what may be called in a signal handler.
void end(int number) {
  remove_temporary_files();
  if (speaks) {
    say(on_terminal ? "\r\033[K" : "");  // a line of progress may stand there
    say(number == SIGINT ? "kovariant: interrupted; " : "kovariant: ended by a signal; ");
    say("what was finished stays, and nothing half-done\n");
  }
  ::_exit(128 + number);
}

}  // namespace

void end_cleanly_on_signals() {
  speaks = announced_rank() == 0;
  on_terminal = ::isatty(STDERR_FILENO) == 1;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace kov::app
