// SPDX-License-Identifier: MIT
#include "kov/core/runtime/runtime.hpp"

#include "kov/core/base/exit_code.hpp"
#include "kov/core/base/standard_output.hpp"
#include "kov/core/comm/comm_runtime.hpp"
#include "kov/core/comm/launcher.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/runtime/kokkos_settings.hpp"
#include "kov/core/runtime/signals.hpp"
#include "kov/core/site/pack.hpp"

#include <Kokkos_Core.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <new>
#include <thread>
#include <typeinfo>

namespace kov {

namespace {

using detail::Ending;

std::string readable_type(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return name ? name.get() : type.name();
}

/// The printed message of an exception, and how it counts among the endings of all ranks.
Ending ending_of(const std::exception_ptr& error) {
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    Ending ending{.kind = Ending::Kind::own, .code = int(exit_code(e)), .text = e.what()};
    if (dynamic_cast<const std::bad_alloc*>(&e))
      ending.text = sentence("memory ran out (" + ending.text + "): use more processes, or hosts with more memory");
    else if (dynamic_cast<const detail::AgreedError*>(&e))
      ending.kind = Ending::Kind::agreed;
    else if (dynamic_cast<const RankError*>(&e))
      ending.kind = Ending::Kind::interrupted;
    else if (dynamic_cast<const detail::LateMessage*>(&e))
      ending.kind = Ending::Kind::missed;
    else if (dynamic_cast<const TimeoutError*>(&e))
      ending.kind = Ending::Kind::late;
    else if (!dynamic_cast<const Error*>(&e))
      ending.text += " (" + readable_type(typeid(e)) + ")";
    return ending;
  } catch (...) {
    return {.kind = Ending::Kind::own,
            .code = int(ExitCode::internal),
            .text = "an exception that is not a std::exception was thrown"};
  }
}

std::string name_of(int argc, char* const* argv) {
  const std::string path = argc > 0 && argv && argv[0] ? argv[0] : "";
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() ? "error" : name;
}

void print_error(const std::string& text) {
  detail::flush_standard_output();
  std::fputs((text + "\n").c_str(), stderr);
  std::fflush(stderr);
}

/// Ends the process after a time limit, so that a library that waits for something after an error cannot block the end;
/// without memory for a thread, it does nothing.
class Watchdog {
 public:
  explicit Watchdog(int code) {
    try {
      thread_ = std::thread([this, code] { watch(code); });
    } catch (const std::exception&) {
    }
  }
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(int code) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(10), [this] { return over_; })) {
      detail::flush_standard_output();
      std::_Exit(code);
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

struct Runtime::Parts {
  std::string name;
  detail::CommRuntime comm;
  bool owns_kokkos = false;
  const std::thread::id thread = std::this_thread::get_id();
  const int exceptions = std::uncaught_exceptions();
  std::terminate_handler before = nullptr;
  Parts* outer = nullptr;
  bool has_ended = false, is_complete = false;
  /// An exception leaves the scope of this rank's Runtime, and that of another rank was the first.
  bool another_explains = false;
  int code = 0;

  /// The innermost Runtime that exists.
  static Parts* current;

  /// From here on a rank can report an error to the others.
  Parts(int& argc, char**& argv) : name(name_of(argc, argv)), comm(argc, argv) {
    outer = current;
    current = this;
    before = std::set_terminate(on_terminate);
  }

  void start_kokkos(int& argc, char**& argv) {
    // These throw where the environment is wrong.
    (void)wants_mpi();
    (void)Comm::default_timeout();
    if (Kokkos::is_initialized()) return;
    detail::require_kokkos_settings(argc, argv);
    Kokkos::initialize(argc, argv);
    owns_kokkos = true;
  }

  ~Parts() {
    if (!has_ended) end();
    std::set_terminate(before);
    current = outer;
    finalize();
  }

  /// At the end of the object's scope: well, or with the exception that is on its way.
  void end() {
    if (std::uncaught_exceptions() == exceptions) {
      end(nullptr);
      return;
    }
    has_ended = true;
    code = int(ExitCode::internal);
    const detail::Verdict verdict =
        comm.end({.kind = Ending::Kind::own, .code = code, .text = "an exception ended it"});
    is_complete = verdict.complete;
    another_explains = !verdict.mine;
    detail::let_exit_give_up();
    if (another_explains) detail::end_silently_on_signals();
  }

  /// Waits for all ranks, prints the error if this rank has to print it, and returns the exit code.  Where a rank does
  /// not come, ends all processes.
  int end(const std::exception_ptr& error) {
    has_ended = true;
    Ending ending = ending_of(error);
    const detail::Verdict verdict = comm.end(ending);
    code = verdict.code;
    if (!error) ending.text = verdict.of_another;
    if (!verdict.complete && code == 0) {
      code = int(ExitCode::communication);
      ending.text = sentence("this rank has ended, but not all others have within", Comm::default_timeout(),
                             "seconds: a process is stopped, or does something else");
    }
    if (code != 0) {
      detail::end_silently_on_signals();
      detail::let_exit_give_up();
      if (verdict.mine) print_error(name + ": " + rank_of(verdict) + ending.text);
    }
    if (!verdict.complete) {
      remove_temporary_files();
      comm.cut_off(code);
    }
    is_complete = true;
    return code;
  }

  static std::string rank_of(const detail::Verdict& verdict) {
    const Comm world = Comm::world();
    return verdict.mine_alone && world.size() > 1 ? sentence("rank", world.rank()) + ": " : "";
  }

  void finalize() {
    std::unique_ptr<Watchdog> watchdog;
    if (code != 0) watchdog = std::make_unique<Watchdog>(code);
    if (owns_kokkos) Kokkos::finalize();
    if (is_complete) comm.finalize();
    // The launcher ends all ranks when the first one exits: let that be the one whose main() can say why.
    watchdog.reset();
    if (another_explains) std::this_thread::sleep_for(std::chrono::seconds(2));
  }

  [[noreturn]] static void on_terminate() {
    while (current->outer) current = current->outer;
    Parts& runtime = *current;
    std::set_terminate(std::abort);
    const std::exception_ptr error = std::current_exception();
    if (!error) {
      if (runtime.before) runtime.before();
      std::abort();
    }
    remove_temporary_files();
    if (std::this_thread::get_id() != runtime.thread || runtime.has_ended) {  // MPI is for the other thread
      const Ending ending = ending_of(error);
      print_error(runtime.name + ": " + ending.text);
      std::_Exit(ending.code);
    }
    const int code = runtime.end(error);
    {
      const Watchdog watchdog(code);
      runtime.comm.finalize();
    }
    detail::flush_standard_output();
    std::_Exit(code);
  }
};

Runtime::Parts* Runtime::Parts::current = nullptr;

Runtime::Runtime(int& argc, char**& argv) : parts_(std::make_unique<Parts>(argc, argv)) {
  parts_->start_kokkos(argc, argv);
}
Runtime::Runtime() {
  int argc = 0;
  char** argv = nullptr;
  parts_ = std::make_unique<Parts>(argc, argv);
  parts_->start_kokkos(argc, argv);
}
Runtime::~Runtime() = default;

int Runtime::threads() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

std::string Runtime::description() {
  std::string text = Kokkos::DefaultExecutionSpace::name();
#if defined(KOKKOS_ENABLE_CUDA)
  text += std::string(", ") + Kokkos::Cuda().cuda_device_prop().name;
#endif
  return sentence(text + ",", threads(), "host threads,", default_lanes, "lanes,", detail::CommRuntime::description());
}

int run(int& argc, char**& argv, const std::function<void(const Comm&)>& f) {
  return detail::run(
      argc, argv, [] {}, f);
}

int detail::run(int& argc, char**& argv, const std::function<void()>& prepare,
                const std::function<void(const Comm&)>& f) {
  const std::string name = name_of(argc, argv);
  end_cleanly_on_signals(name);
  try {
    Runtime::Parts runtime(argc, argv);
    std::exception_ptr error;
    try {
      prepare();
      runtime.start_kokkos(argc, argv);
      f(Comm::world());
    } catch (...) {
      error = std::current_exception();
    }
    return runtime.end(error);
  } catch (...) {  // no messages to the others are possible
    const Ending ending = ending_of(std::current_exception());
    // Rank 0 most likely has the same error.  Where it does, it says so, and the launcher ends the others meanwhile.
    if (Launcher::of_environment().rank != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    print_error(name + ": " + ending.text);
    detail::let_exit_give_up();
    return ending.code;
  }
}

}  // namespace kov
