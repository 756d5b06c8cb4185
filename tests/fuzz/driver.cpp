// SPDX-License-Identifier: MIT
//
// fuzz_NAME [EXECUTIONS [FIRST [SECONDS]]]: reads inputs number FIRST, FIRST + 1, ... and says every SECONDS how far it
// is.  An input that does anything but end in a kov::Error, crashes or takes ten seconds is a failure: it is written to
// fuzz_NAME.NUMBER.failure, and in the end the program returns 1.
//
// fuzz_NAME FILE reads one such file, in this process, for a debugger.
//
// A child process reads, so that another one goes on after a crash.  Crashes and endless loops of the HDF5 library are
// counted and are no failures: those where one of its functions is on the stack, unless the input must be refused
// before the library sees it.  What it breaks in the heap may show later, elsewhere: a failure of a target that reads
// HDF5 wants a look with FILE.
#include "kov/core/base/error.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "tests/fuzz/changes.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>
#include <utility>

namespace kov::fuzz {

namespace {

constexpr int most_failures = 16, most_reports = 5;
/// Of the inputs of a target, how many may end within the library; one in 400 does.
constexpr double most_in_library = 0.01;
constexpr std::chrono::milliseconds tick(100), limit(10000);
/// Of processor time, hundreds of times what the library takes for an input of ours: it is in an endless loop.
constexpr double seconds_in_library = 0.4;
/// A child reads at most so many, and what the library leaks is gone with it.
constexpr std::uint64_t inputs_a_child = 50000;

/// In memory that parent and child have in common.
struct State {
  /// The number of the input that is read.
  std::atomic<std::uint64_t> input{0};
  /// The child ends within the library.
  std::atomic<bool> in_library{false};
  /// The input must be refused.
  std::atomic<bool> must_be_refused{false};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

State alone;
State* state = &alone;

/// The frames of a handler, then that of the signal, then where it happened.
struct Where {
  bool past_signal = false;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* data) {
  auto& where = *static_cast<Where*>(data);
  int is_signal = 0;
  const auto address = reinterpret_cast<void*>(_Unwind_GetIPInfo(context, &is_signal));
  where.past_signal = where.past_signal || is_signal;
  Dl_info info{};
  if (!where.past_signal || !address || !::dladdr(address, &info) || !info.dli_fname) return _URC_NO_REASON;
  for (const char* passed_through : {"libc.so", "libc-", "libasan", "libubsan", "libpthread", "ld-linux", "linux-vdso"})
    if (std::strstr(info.dli_fname, passed_through)) return _URC_NO_REASON;
  state->in_library = std::strstr(info.dli_fname, "libhdf5") != nullptr;
  return _URC_END_OF_STACK;
}

/// Whether a signal came while the library worked, which is noted.  For handlers.
bool in_library() {
  Where where;
  _Unwind_Backtrace(look_at_frame, &where);
  return state->in_library;
}

void on_signal(int signal) {
  in_library();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_tick(int signal) {
  static std::uint64_t seen = ~std::uint64_t(0);
  static int ticks = 0;
  static std::clock_t start = 0;
  if (std::exchange(seen, state->input.load()) != state->input) {
    ticks = 0;
    start = std::clock();
    return;
  }
  const bool long_enough = double(std::clock() - start) >= seconds_in_library * CLOCKS_PER_SEC;
  if (++ticks >= limit / tick || (long_enough && in_library())) on_signal(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

void tick_every(std::chrono::milliseconds time) {
  const timeval each{time.count() / 1000, time.count() % 1000 * 1000};
  const itimerval timer{each, each};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Whether all went as it should.
bool execute(const std::string& input) {
  must_be_refused(false);
  try {
    read(input);
    if (!state->must_be_refused) return true;
    std::fprintf(stderr, "what must be refused was read\n");
  } catch (const Error&) {
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is not a kov::Error: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "something that is not a std::exception was thrown\n");
  }
  return false;
}

/// What the child does.
[[noreturn]] void read_inputs(const std::vector<std::string>& all, std::uint64_t end) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  static char stack[1 << 16];  // for handlers when a recursion has used up the other one
  const stack_t alternate{stack, 0, sizeof stack};
  ::sigaltstack(&alternate, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal, on_signal, SA_ONSTACK);
  handle(SIGALRM, on_tick, SA_ONSTACK | SA_RESTART);
  tick_every(tick);
  for (; state->input < end; ++state->input)
    if (!execute(changed_input(all, state->input))) std::_Exit(1);
  std::_Exit(0);
}

class Parent {
 public:
  Parent(std::string name, std::uint64_t first, std::uint64_t executions)
      : name_(std::move(name)), first_(first), end_(first + executions), all_(seeds()) {
    for (const std::string& seed : all_) read(seed);  // must not throw
    void* const memory = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    state = new (memory) State;
    state->input = first;
  }

  int run(int report_every) {
    handle(
        SIGALRM, [](int) {}, 0);  // interrupts waitpid()
    tick_every(std::chrono::seconds(report_every));
    while (state->input < end_ && failures_ < most_failures) run_child();
    tick_every({});
    std::printf("%s: %llu executions, %.0f a second, %d ended within HDF5, %d failures\n", name_.c_str(), done(),
                rate(), in_library_, failures_);
    const bool too_often = in_library_ > 20 + most_in_library * double(done());
    if (too_often)
      std::fprintf(stderr, "%s: more inputs end within HDF5 than its own defects explain\n", name_.c_str());
    return failures_ > 0 || too_often;
  }

 private:
  unsigned long long done() const { return state->input - first_; }
  double rate() const {
    return double(done()) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void run_child() {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process for the inputs");
    if (child == 0) {
      // A sanitizer's reports on the library would fill disks; inputs that fail are kept.
      if (in_library_ >= most_reports) ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
      read_inputs(all_, std::min(state->input + inputs_a_child, end_));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) != child) {
      if (errno != EINTR) throw std::runtime_error(std::string("waiting for a child failed: ") + std::strerror(errno));
      std::fprintf(stderr, "%s: %llu of %llu, %.0f a second, %d failures, %.0f minutes left\n", name_.c_str(), done(),
                   static_cast<unsigned long long>(end_ - first_), rate(), failures_,
                   double(end_ - state->input) / rate() / 60);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    record(status);
    ++state->input;
  }

  void record(int status) {
    const unsigned long long number = state->input;
    const std::string how = !WIFSIGNALED(status)          ? "failed"
                            : WTERMSIG(status) == SIGALRM ? "took too long"
                                                          : std::string("ended by ") + ::strsignal(WTERMSIG(status));
    if (state->in_library.exchange(false) && !state->must_be_refused) {
      if (++in_library_ <= most_reports)
        std::fprintf(stderr, "%s: input %llu %s within HDF5\n", name_.c_str(), number, how.c_str());
      return;
    }
    ++failures_;
    const std::string file = name_ + "." + std::to_string(number) + ".failure";
    std::ofstream(file, std::ios::binary) << changed_input(all_, number);
    std::fprintf(stderr, "%s: input %llu %s and was kept in %s\n", name_.c_str(), number, how.c_str(), file.c_str());
  }

  std::string name_;
  std::uint64_t first_, end_;
  std::vector<std::string> all_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int in_library_ = 0, failures_ = 0;
};

}  // namespace

void must_be_refused(bool yes) { state->must_be_refused = yes; }

}  // namespace kov::fuzz

int main(int argc, char** argv) {
  // A child has none of its parent's threads.
  ::setenv("KOKKOS_NUM_THREADS", "1", 1);
  const kov::Runtime runtime(argc, argv);
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  if (argc == 2 && std::filesystem::is_regular_file(argv[1])) {
    std::ifstream file(argv[1], std::ios::binary);
    return !kov::fuzz::execute(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  return kov::fuzz::Parent(name, number(2, 0), number(1, 2000)).run(int(number(3, 0)));
}
