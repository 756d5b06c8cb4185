// SPDX-License-Identifier: MIT
//
// How a program ends: every exception is a text and a documented exit code.
#pragma once

#include <cstdlib>
#include <exception>
#include <string>

namespace kov {

/// The exit codes of programs.
enum class ExitCode {
  done = 0,
  /// Wrong usage, or an InputError: what was asked for cannot be done.
  usage = 1,
  /// FormatError: a file is damaged or not what it claims to be.
  format = 2,
  /// ConvergenceError: a solver did not reach its tolerance.
  convergence = 3,
  /// CommError: processes disagree or a message was lost.
  communication = 4,
  /// NotBuilt: this program was built without the feature.
  not_built = 5,
  /// Anything else: a defect of the program, or memory ran out.
  internal = 70
};

/// The code that an exception ends a program with.
ExitCode exit_code(const std::exception& error);

/// The codes and what they mean, for --help.
std::string exit_code_table();

namespace detail {
/// Registers f: exit() calls it before the functions registered so far, with the process's exit code, or with
/// ExitCode::internal where the C library does not pass the code on.
template <void (*f)(int code)>
void call_at_exit() {
#if defined(__GLIBC__)
  on_exit([](int code, void*) { f(code); }, nullptr);
#else
  std::atexit([] { f(int(ExitCode::internal)); });
#endif
}
}  // namespace detail

}  // namespace kov
