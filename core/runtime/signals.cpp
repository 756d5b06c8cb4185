// SPDX-License-Identifier: MIT
#include "kov/core/runtime/signals.hpp"

#include "kov/core/comm/launcher.hpp"
#include "kov/core/io/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <unistd.h>

namespace kov {

namespace {

std::atomic<bool> speaks{true};

/// Made before signals come, and written in one piece: a launcher may kill this process within it.
class EndMessage {
 public:
  void set(const std::string& name, const std::string& what) {
    const std::string clear_line = ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";  // progress may stand there
    const std::string text =
        clear_line + name.substr(0, 64) + ": " + what + "; what was finished stays, and nothing half-done\n";
    size_ = std::min(text.size(), text_.size());
    std::copy_n(text.begin(), size_, text_.begin());
  }
  void say() const {
    if (::write(STDERR_FILENO, text_.data(), size_) < 0) return;  // stderr is closed
  }

 private:
  std::array<char, 256> text_{};
  std::size_t size_ = 0;
};
EndMessage interrupted, ended;

/// Only what may be called in a signal handler.
void end_by_signal(int number) {
  remove_temporary_files();
  if (speaks) (number == SIGINT ? interrupted : ended).say();
  ::_exit(128 + number);
}

}  // namespace

void end_cleanly_on_signals(const std::string& name) {
  speaks = Launcher::of_environment().rank == 0;
  interrupted.set(name, "interrupted");
  ended.set(name, "ended by a signal");
  const auto handles = [](int number) {
    struct sigaction before {};
    return sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL;
  };
  if (!handles(SIGXFSZ)) std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of the writer
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2}) {
    if (handles(number)) continue;
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

void detail::end_silently_on_signals() { speaks = false; }

}  // namespace kov
