// SPDX-License-Identifier: MIT
//
// SolverChoice: the section [solver] of a job, and the same keys in the table of a quark.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/settings/settings.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <optional>
#include <string>

namespace kov::app {

/// Of the eigenvectors for solver.deflation: the largest |H v - lambda v| / |H|, H = gamma_5 M on even sites.
inline constexpr double deflation_tolerance = 1e-5;

/// What columns = "auto" of a program means: one by one on CPUs and together on GPUs, or together on both.
enum class AutoColumns { together_on_gpus, together };

/// A key of a solver that an action has no operator for.
struct UnsuitedKey {
  /// "whose hop has links of 18 reals alone".
  std::string reason;
  /// Without its section, and what it can be.
  std::string key, value;

  /// "whose ...: set solver.links to 18", for the section that has the key.
  std::string text(const std::string& section = "solver") const;
};

/// The settings [solver]: method, preconditioner, precisions and limits.
struct SolverChoice {
  std::string method = "bicgstab", precision = "mixed", preconditioner = "even-odd";
  double tolerance = 1e-9;
  int max_iterations = 5000;
  /// Reals of a link in the operator of the iterations: 18, 12 or 8.
  int links = 18;
  /// Eigenvectors of the normal operator on even sites from which solves start.
  int deflation = 0;
  /// "auto", "one by one" or "together".
  std::string columns = "auto";
  AutoColumns auto_columns = AutoColumns::together_on_gpus;
  /// "given" or "temporal".
  std::string gauge = "given";
  /// "auto", "chiral" or "nonrelativistic".
  std::string basis = "auto";
  /// Of the preconditioner "schwarz": see SchwarzParameters.  form: "multiplicative" or "additive".
  Coord schwarz_block{4, 4, 4, 4};
  int schwarz_cycles = 2, schwarz_steps = 2;
  std::string schwarz_form = "multiplicative";

  /// Binds the members to their keys.
  void add_to(Settings& settings, const std::string& section = "solver");
  /// What the section does not give is as in `other`.
  void complete(Settings& settings, const std::string& section, const SolverChoice& other);
  /// Throws InputError, which names the key.
  void check(const Settings& settings, const std::string& section = "solver") const;
  /// The same for a quark whose action, given as key, has legs over several links; section: that of the quark, or
  /// "solver".
  void check_improved(const Settings& settings, const std::string& section, const std::string& key,
                      const std::string& action) const;
  /// The same for the twisted mass, given as key, of a quark.
  void check_twist(const Settings& settings, const std::string& key, double mu) const;
  /// The same for the lattice; section: that of the quark, or "solver".
  void check_extent(const Settings& settings, const std::string& section, const Coord& extent) const;
  /// The same for the processes that the lattice is divided among.
  void check_ranks(const Settings& settings, const std::string& section, const Coord& extent, int n_ranks) const;
  /// A key that quarks of this action, which has legs over several links, have no solver with; none if they have one.
  /// Choices that pass check() do so with its value too, which one key at a time leads to a solver.
  std::optional<UnsuitedKey> unsuited_key(const std::string& action) const;
  /// Whether all twelve columns of a propagator are solved for at once.
  bool is_together() const;
  /// Right-hand sides of a solve: 12 or 1.
  int columns_at_once() const { return is_together() ? 12 : 1; }
  /// Whether all columns share a Krylov space.
  bool is_block() const { return method == "block-cg"; }
  /// l of BiCGstab(l), the method "bicgstab-l"; 1 for other methods.
  int polynomial_degree() const;
  bool is_single() const { return precision.starts_with("single"); }
  /// Whether its iterations are in 16 bits.
  bool is_in_16_bits() const { return precision.ends_with("-16"); }
  bool is_in_temporal_gauge() const { return gauge == "temporal"; }
  /// Whether iterations for some quarks are in the non-relativistic basis; and those for this one.
  bool may_be_nonrelativistic() const;
  bool is_nonrelativistic(const QuarkAction& quark) const;
  /// What basis = "auto" asks: whether iterations have operators in the non-relativistic basis and take less time
  /// there, for some quarks at least; and for this one.
  bool gains_by_basis(bool has_gpu) const;
  bool gains_by_basis(bool has_gpu, const QuarkAction& quark) const;
  /// Whether it works in single precision or 16 bits beside double.
  bool is_mixed() const { return precision != "double" && !is_single(); }
  bool is_even_odd() const { return preconditioner.starts_with("even-odd"); }
  bool is_schwarz() const { return preconditioner == "schwarz"; }
  /// "bicgstab, even-odd preconditioner, mixed precision, tolerance 1e-9", with "links of 12 reals", "16 modes
  /// deflated", "in temporal gauge" where that is so, "in the non-relativistic basis" where that is given, and of a
  /// Schwarz preconditioner its settings: "multiplicative schwarz preconditioner (blocks of 4 4 4 4, cycles 2, steps
  /// 2)".
  std::string description() const;
  /// ", columns one by one"
  std::string columns_text() const;
};

}  // namespace kov::app
