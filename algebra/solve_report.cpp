// SPDX-License-Identifier: MIT
#include "kov/algebra/solve_report.hpp"

#include <algorithm>
#include <sstream>

namespace kov {

std::string SolveReport::text() const {
  std::ostringstream out;
  out.precision(3);
  const auto short_text = [](double x) {
    std::ostringstream number;
    number.precision(3);
    number << x;
    return number.str();
  };
  out << solver << ": " << iterations << " iterations, residual " << residual;
  if (const std::string other = short_text(stopping_residual); other != short_text(residual))
    out << ", by its stopping rule " << other;
  if (column_residuals.size() > 1) {
    const auto [least, most] = std::minmax_element(column_residuals.begin(), column_residuals.end());
    out << ", of its columns " << *least << " to " << *most;
  }
  out << " (tolerance " << tolerance << "), " << seconds << " s";
  if (flops > 0 && seconds > 0) out << ", " << flops / seconds * 1e-9 << " Gflop/s";
  if (restarts > 0) out << ", " << restarts << (restarts == 1 ? " restart" : " restarts");
  if (renewals > 0) out << ", " << renewals << (renewals == 1 ? " renewal" : " renewals");
  if (precision_switches > 0) out << ", went on in higher precision";
  if (!converged) out << "; not converged: " << reason;
  return out.str();
}

std::string SolveReport::failure() const {
  return text() + "; the solution is not usable" + (remedy.empty() ? "" : ": " + remedy);
}

}  // namespace kov
