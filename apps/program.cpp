// SPDX-License-Identifier: MIT
#include "apps/program.hpp"

#include "apps/fault.hpp"
#include "kov/core/exit_code.hpp"
#include "kov/core/lattice.hpp"
#include "kov/core/launcher.hpp"
#include "kov/core/runtime.hpp"
#include "kov/core/signals.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <new>
#include <typeinfo>

namespace kov::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text = "kovariant";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

/// What is wrong with a number for Kokkos, which would abort with a backtrace on every rank; empty when nothing is.
std::string kokkos_problem(const std::vector<std::string>& arguments) {
  const std::pair<std::string, int> numbers[] = {{"--kokkos-num-threads", 1}, {"--kokkos-device-id", 0}};
  for (const std::string& argument : arguments)
    for (const auto& [name, least] : numbers) {
      if (argument != name && !argument.starts_with(name + "=")) continue;
      const std::string text = argument.substr(std::min(argument.size(), name.size() + 1));
      int value = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value < least)
        return sentence(argument, "is wrong: give", name + "=N", "with a whole number N of", least, "or more");
    }
  return "";
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
    require(comm.rank() != 0 || std::cout.flush(), "standard output cannot be written: is the disk full?");
  });
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Command>& commands) {
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
