// SPDX-License-Identifier: MIT
//
// SolverChoice: the section [solver] of a job, and the same keys in the table of a quark.
#pragma once

#include "apps/settings/settings.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// A residual has rounding errors of this size, relative to the source: solver.tolerance must not be less.
inline constexpr double least_solver_tolerance = 1e-15;

/// The settings [solver]: method, preconditioner, precisions and limits.
struct SolverChoice {
  std::string method = "bicgstab", precision = "mixed", preconditioner = "even-odd";
  double tolerance = 1e-9;
  int max_iterations = 5000;
  /// "auto", "one by one" or "together".
  std::string columns = "one by one";
  /// "given" or "temporal".
  std::string gauge = "given";
  /// "chiral" or "nonrelativistic".
  std::string basis = "chiral";

  void add_to(Settings& settings, const std::string& section = "solver");
  /// The same keys in any section, with reliable updates among the precisions, columns, the gauge and the basis.
  void add_all_to(Settings& settings, const std::string& section = "solver");
  /// What the section, of the keys of add_all_to(), does not give is as in `other`.
  void complete(Settings& settings, const std::string& section, const SolverChoice& other);
  /// The same of a section of add_to().
  void complete_plain(Settings& settings, const std::string& section, const SolverChoice& other);
  /// Throws InputError, which names the key.
  void check(const Settings& settings, const std::string& section = "solver") const;
  /// The same for a quark whose action, given as key, has legs over several links.
  void check_improved(const Settings& settings, const std::string& key, const std::string& action) const;
  /// Whether all twelve columns of a propagator are solved for at once.
  bool is_together() const;
  bool is_single() const { return precision == "single"; }
  bool is_in_temporal_gauge() const { return gauge == "temporal"; }
  bool is_nonrelativistic() const { return basis == "nonrelativistic"; }
  /// Whether it works in single precision or 16 bits beside double.
  bool is_mixed() const { return precision != "double" && !is_single(); }
  bool is_even_odd() const { return preconditioner != "none"; }
  /// "bicgstab, even-odd preconditioner, mixed precision, tolerance 1e-9", with "in temporal gauge" and "in the
  /// non-relativistic basis" where that is so.
  std::string description() const;
  /// ", columns one by one"
  std::string columns_text() const;
  /// Bytes for each site of a process: the fields that solves for n columns at once work in, and links in another
  /// gauge.
  double bytes_per_site(int n_columns) const;

 private:
  void add_with(Settings& settings, const std::string& section, const std::string& about_precision,
                const std::vector<std::string>& precisions);
};

}  // namespace kov::app
