// SPDX-License-Identifier: MIT
#include "kov/algebra/solve_report.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace kov {

std::string detail::reasons_of_columns(const std::vector<std::string>& reasons, int first, int n) {
  std::map<std::string, std::vector<int>> columns;
  for (std::size_t k = 0; k < reasons.size(); ++k)
    if (!reasons[k].empty()) columns[reasons[k]].push_back(first + int(k));
  std::ostringstream text;
  for (const auto& [reason, which] : columns) {
    text << (text.tellp() > 0 ? "; " : "");
    if (n > 1) {
      text << (which.size() == 1 ? "column " : "columns ");
      for (std::size_t i = 0; i < which.size(); ++i) text << (i > 0 ? ", " : "") << which[i];
      text << " of " << n << ": ";
    }
    text << reason;
  }
  return text.str();
}

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
  if (bytes > 0 && seconds > 0) out << ", " << bytes / seconds * 1e-9 << " GB/s";
  if (restarts > 0) out << ", " << restarts << (restarts == 1 ? " restart" : " restarts");
  if (renewals > 0) out << ", " << renewals << (renewals == 1 ? " renewal" : " renewals");
  if (precision_switches > 0) out << ", went on in higher precision";
  if (!converged) out << "; not converged: " << reason;
  return out.str();
}

std::string SolveReport::failure() const {
  return text() + "; the solution is not usable" + (remedy.empty() ? "" : ": " + remedy);
}

SolveReport SolveReport::of_columns(const SomeColumns& columns) const {
  SolveReport report = *this;
  const bool is_by_column = column_reasons.size() >= std::size_t(columns.count);
  report.reason = detail::reasons_of_columns(
      is_by_column ? column_reasons : std::vector<std::string>(std::size_t(columns.count), reason), columns.first,
      columns.n);
  return report;
}

}  // namespace kov
