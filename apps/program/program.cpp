// SPDX-License-Identifier: MIT
#include "apps/program/program.hpp"

#include "apps/program/fault.hpp"
#include "kov/core/base/exit_code.hpp"
#include "kov/core/comm/launcher.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/core/runtime/signals.hpp"

#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <typeinfo>
#include <unistd.h>

namespace kov::app {

namespace {

constexpr const char* unwritten_output = "standard output cannot be written: is it closed, or the disk full?";

std::string joined(const std::vector<std::string>& words) {
  std::string text = "kovariant";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

/// Files that are opened must not become what is closed of the standard streams; what is written there fails.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDONLY) != stream) return;
}

void run_action(const Parsed& parsed, const std::string& command_line, const Comm& comm) {
  comm.require_same("the command line", command_line, ExchangeOptions().timeout_seconds);
  require(!parsed.log_file.empty() || parsed.given.count("--log") == 0,
          "--log is '', which names no file: give it a name, such as run.log");
  Session session{.comm = comm,
                  .log = {},
                  .log_file = parsed.log_file,
                  .quiet = parsed.quiet,
                  .command_line = command_line,
                  .given = parsed.given};
  if (!parsed.log_file.empty())
    session.log = Log::to_file(comm, parsed.log_file, LogLevel::debug, LogOpening::later);
  else if (parsed.verbose)
    session.log = Log::to_terminal(comm, LogLevel::debug);
  session.log.info(command_line, "-", Runtime::description());
  arm_fault(comm);
  parsed.action(session);
  session.begin();  // a plan alone is logged as well
  comm.agree([&] {
    require_fault_struck();
    session.log.require_written();
    require(comm.rank() != 0 || std::cout.flush(), unwritten_output);
  });
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Command>& commands, const std::string& parts) {
  fill_closed_streams();
  end_cleanly_on_signals("kovariant");
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Parsed parsed = parse_command_line(arguments, commands, parts);
  if (!parsed.action && parsed.code == 0) {
    if (Launcher::of_environment().rank != 0 || std::cout << parsed.text << std::flush) return 0;
    std::cerr << "kovariant: " << unwritten_output << std::endl;
    return int(ExitCode::usage);
  }
  const auto require_action = [&] {
    if (!parsed.action) throw InputError(parsed.text);
  };
  return detail::run(argc, argv, require_action, [&](const Comm& comm) {
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
