// SPDX-License-Identifier: MIT
#include "apps/program.hpp"

#include "apps/exit_code.hpp"
#include "apps/interrupt.hpp"
#include "apps/launch.hpp"
#include "kov/core/lattice.hpp"
#include "kov/core/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <typeinfo>

namespace kov::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text = "kovariant";
  for (const std::string& word : words)
    text += word.find_first_of(" \t'\"") == std::string::npos ? " " + word : " '" + word + "'";
  return text;
}

/// Errors of the library are thrown on every rank alike.  Any other exception may be this rank's alone, while the
/// others wait for it in a message: it says so itself and leaves at once, and the MPI launcher ends the others.
int report(const std::exception& error, const Comm& comm) {
  const ExitCode code = exit_code(error);
  if (code == ExitCode::internal && comm.size() > 1) {
    std::cerr << "kovariant: rank " << comm.rank() << ": " << error.what() << std::endl;
    std::_Exit(int(code));
  }
  if (comm.rank() == 0) {
    std::cerr << "kovariant: " << error.what() << std::endl;
    if (code == ExitCode::internal)
      std::cerr << "  (" << typeid(error).name() << ": please report this as a defect)" << std::endl;
  }
  return int(code);
}

int run_action(const Parsed& parsed, const std::string& command_line) {
  const Comm comm = Comm::world();
  try {
    comm.require_same("the command line", command_line, HaloOptions().timeout_seconds);
    Session session{
        .comm = comm, .log = {}, .log_file = parsed.log_file, .quiet = parsed.quiet, .command_line = command_line};
    if (!parsed.log_file.empty())
      session.log = Log::to_file(comm, parsed.log_file, LogLevel::debug);
    else if (parsed.verbose)
      session.log = Log::to_terminal(comm, LogLevel::debug);
    session.log.info(command_line, "-", Runtime::description());
    parsed.action(session);
    if (comm.rank() == 0) require(bool(std::cout.flush()), "standard output cannot be written: is the disk full?");
    return int(ExitCode::done);
  } catch (const std::exception& error) {
    return report(error, comm);
  }
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Command>& commands) {
  end_cleanly_on_signals();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  Parsed parsed = parse_command_line(arguments, commands);
  if (!parsed.action) {
    if (announced_rank() == 0) (parsed.code ? std::cerr : std::cout) << parsed.text << std::flush;
    return parsed.code;
  }
  try {
    const Runtime runtime(argc, argv);
    return run_action(parsed, joined(arguments));
  } catch (const std::exception& error) {
    std::cerr << "kovariant: " << error.what() << std::endl;
    return int(exit_code(error));
  }
}

}  // namespace kov::app
