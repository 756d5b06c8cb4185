// SPDX-License-Identifier: MIT
#include "apps/program.hpp"

#include "apps/fault.hpp"
#include "kov/core/exit_code.hpp"
#include "kov/core/lattice.hpp"
#include "kov/core/launcher.hpp"
#include "kov/core/runtime.hpp"
#include "kov/core/signals.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <new>
#include <typeinfo>
#include <unistd.h>

namespace kov::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text = "kovariant";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

/// What is wrong with a number for Kokkos, which would abort with a backtrace on every rank; empty when nothing is.
std::string kokkos_problem(const std::vector<std::string>& arguments) {
  struct Number {
    std::string option, variable;
    int least, most;
  };
  const Number numbers[] = {{"--kokkos-num-threads", "KOKKOS_NUM_THREADS", 1, Runtime::most_threads},
                            {"--kokkos-device-id", "KOKKOS_DEVICE_ID", 0, std::numeric_limits<int>::max()}};
  for (const Number& number : numbers) {
    const auto problem = [&](const std::string& given, const std::string& name, const std::string& text) {
      int value = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool right = error == std::errc() && end == text.data() + text.size();
      return right && value >= number.least && value <= number.most
                 ? ""
                 : sentence(given, "is wrong: give", name + "=N", "with a whole number N from", number.least, "to",
                            number.most);
    };
    if (const char* const text = std::getenv(number.variable.c_str()))
      if (const std::string found = problem(number.variable + "=" + text, number.variable, text); !found.empty())
        return found;
    for (const std::string& argument : arguments) {
      if (argument != number.option && !argument.starts_with(number.option + "=")) continue;
      const std::string text = argument.substr(std::min(argument.size(), number.option.size() + 1));
      if (const std::string found = problem(argument, number.option, text); !found.empty()) return found;
    }
  }
  return "";
}

/// Files that are opened must not become what is closed of the standard streams; what is written there fails.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDONLY) != stream) return;
}

void run_action(const Parsed& parsed, const std::string& command_line, const Comm& comm) {
  comm.require_same("the command line", command_line, HaloOptions().timeout_seconds);
  Session session{.comm = comm,
                  .log = {},
                  .log_file = parsed.log_file,
                  .quiet = parsed.quiet,
                  .command_line = command_line,
                  .given = parsed.given};
  if (!parsed.log_file.empty())
    session.log = Log::to_file(comm, parsed.log_file, LogLevel::debug);
  else if (parsed.verbose)
    session.log = Log::to_terminal(comm, LogLevel::debug);
  session.log.info(command_line, "-", Runtime::description());
  arm_fault(comm);
  parsed.action(session);
  comm.agree([&] {
    require_fault_struck();
    session.log.require_written();
    require(comm.rank() != 0 || std::cout.flush(),
            "standard output cannot be written: is it closed, or the disk full?");
  });
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Command>& commands) {
  fill_closed_streams();
  end_cleanly_on_signals("kovariant");
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Parsed parsed = parse_command_line(arguments, commands);
  if (!parsed.action) {
    if (detail::speaks_for_all()) (parsed.code ? std::cerr : std::cout) << parsed.text << std::flush;
    return parsed.code;
  }
  if (const std::string problem = kokkos_problem(arguments); !problem.empty()) {
    if (detail::speaks_for_all()) std::cerr << "kovariant: " + problem + "\n" << std::flush;
    return int(ExitCode::usage);
  }
  return run(argc, argv, [&](const Comm& comm) {
    try {
      run_action(parsed, joined(arguments), comm);
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(
          sentence(error.what(), "(" + std::string(typeid(error).name()) + ": please report this as a defect)"));
    }
  });
}

}  // namespace kov::app
