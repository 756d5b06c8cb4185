// SPDX-License-Identifier: MIT
#include "kov/algebra/solve_report.hpp"

#include <sstream>

namespace kov {

std::string SolveReport::text() const {
  std::ostringstream out;
  out.precision(3);
  out << solver << ": " << iterations << " iterations, residual " << residual;
  if (stopping_residual != residual) out << ", by its stopping rule " << stopping_residual;
  out << " (tolerance " << tolerance << "), " << seconds << " s";
  if (restarts > 0) out << ", " << restarts << (restarts == 1 ? " restart" : " restarts");
  if (!converged) out << "; not converged: " << reason;
  return out.str();
}

}  // namespace kov
