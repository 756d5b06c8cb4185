// SPDX-License-Identifier: MIT
#include "kov/core/signals.hpp"

#include "kov/core/io/atomic_file.hpp"
#include "kov/core/launcher.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace kov {

namespace {

std::atomic<bool> speaks{true};
bool on_terminal = false;
std::array<char, 64> speaker{};

void say_at_once(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

/// Only what may be called in a signal handler.
void end_by_signal(int number) {
  remove_temporary_files();
  if (speaks) {
    say_at_once(on_terminal ? "\r\033[K" : "");  // a line of progress may stand there
    say_at_once(speaker.data());
    say_at_once(number == SIGINT ? "interrupted; " : "ended by a signal; ");
    say_at_once("what was finished stays, and nothing half-done\n");
  }
  ::_exit(128 + number);
}

}  // namespace

void end_cleanly_on_signals(const std::string& name) {
  speaks = Launcher::of_environment().rank == 0;
  on_terminal = ::isatty(STDERR_FILENO) == 1;
  const std::string first = name.substr(0, speaker.size() - 3) + ": ";
  speaker.fill('\0');
  std::copy(first.begin(), first.end(), speaker.begin());
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

void detail::end_silently_on_signals() { speaks = false; }

}  // namespace kov
