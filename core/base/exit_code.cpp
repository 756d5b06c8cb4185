// SPDX-License-Identifier: MIT
#include "kov/core/base/exit_code.hpp"

#include "kov/core/base/error.hpp"

namespace kov {

ExitCode exit_code(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return ExitCode::usage;
  if (dynamic_cast<const FormatError*>(&error)) return ExitCode::format;
  if (dynamic_cast<const ConvergenceError*>(&error)) return ExitCode::convergence;
  if (dynamic_cast<const CommError*>(&error)) return ExitCode::communication;
  if (dynamic_cast<const NotBuilt*>(&error)) return ExitCode::not_built;
  return ExitCode::internal;
}

std::string exit_code_table() {
  return "exit codes: 0 done; 1 wrong usage or a request that cannot be met; 2 a damaged or unknown file;\n"
         "3 a solver did not converge; 4 processes disagree or a message was lost; 5 not in this build; 70 anything "
         "else;\n128 + N ended by signal N (130: Ctrl-C).";
}

}  // namespace kov
