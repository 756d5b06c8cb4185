// SPDX-License-Identifier: MIT
//
// NamedQuarks: the tables [[quark]] of a job, the memory of their operators and solvers, and columns that fit into it.
#pragma once

#include "apps/quarks/quark_action.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "kov/contractions/hadrons/baryon_operator.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// A quark with the name that its files and correlators have.
struct NamedQuark : QuarkAction {
  std::string name = {};
  /// Where its propagators are read from instead of being solved for; empty: nowhere.
  std::string propagators = {};
  /// Of its sources and sinks, in units of 2 pi / L: see SourceChoice.
  std::array<double, 3> boost{0, 0, 0};
  SolverChoice solver = {};

  /// "quark light", for messages; "the quark" where it has no name.
  std::string called() const { return name.empty() ? "the quark" : "quark " + name; }
  /// ", boost 0 0 -1, solved for by ..." where these are not those of the job; empty where they are.
  std::string differences(const SolverChoice& of_job, const std::array<double, 3>& boost_of_job) const;
};

/// Whether a table [[quark]] has a boost, beside the name and the keys of QuarkAction and SolverChoice.
enum class QuarkBoost { given, none };

/// In a deque, because settings are bound to them.
class NamedQuarks : public std::deque<NamedQuark> {
 public:
  /// A list of tables.  more: adds further keys of a table.
  void add_to(Settings& settings, const std::function<void(Settings&, NamedQuark&, const std::string& section)>& more,
              QuarkBoost boost = QuarkBoost::given);
  /// Solver and boost of a quark are those of the job where its table does not give them.  Throws InputError, which
  /// names the key: for names that are empty, used twice or not fit for names of files, and as QuarkAction and
  /// SolverChoice do.
  void complete(Settings& settings, const SolverChoice& solver, const std::array<double, 3>& boost = {});
  /// For jobs whose correlators have several quarks, or without tables the one of [action].  Throws InputError for keys
  /// of [action] beside tables, for boundaries that differ, for correlators.flavours that are not three names of these
  /// quarks, and for a solver that an improved [action] does not have.
  void check_together(const Settings& settings, const QuarkAction& action, const SolverChoice& solver,
                      const std::vector<std::string>& flavours) const;
  /// Throws InputError for solvers, or without tables this one of the job, that the lattice does not have.
  void check_extent(const Settings& settings, const SolverChoice& solver, const Coord& extent) const;
  /// The same for the processes that the lattice is divided among, and for actions too.  action: the one of the job;
  /// any where it has tables alone.
  void check_ranks(const Settings& settings, const QuarkAction& action, const SolverChoice& solver, const Coord& extent,
                   int n_ranks) const;
  /// Calls check(key, whether it is used, where it would be) for the keys of a Schwarz procedure, of the job and of
  /// tables.
  void check_used(const SolverChoice& solver,
                  const std::function<void(const std::string&, bool, const std::string&)>& check) const;

  /// Which of the quarks "u", "d" or "s" is: that of this place in flavours, or without flavours that of this name, or
  /// the only one.  Throws InputError where there is none; hadron: "the baryon lambda_z", which needs it.
  std::size_t place_of(const std::string& flavour, const std::vector<std::string>& flavours,
                       const std::string& hadron) const;
  /// Those of all quarks of these operators.
  std::map<std::string, std::size_t> flavours_of(const std::vector<BaryonOperator>& operators,
                                                 const std::vector<std::string>& flavours) const;
  /// "u light, d light, s strange"
  std::string flavour_label(const std::map<std::string, std::size_t>& places) const;

 private:
  QuarkBoost boost_ = QuarkBoost::given;
};

/// Throws InputError unless the name, which `origin` gives, is one of these, those of the tables [[quark]].
void require_quark(const std::string& origin, const std::string& name, const std::vector<std::string>& names);

/// Bytes for each site of a process: the operator of a quark, its solver for n columns at once, and what both keep from
/// one solve to the next.  Halos are not counted.
double operator_bytes_per_site(const NamedQuark& quark, int n_columns);
/// What the making of that operator, or a solve for n columns, takes beside it, source and solution: fields on one
/// parity where solves are on even sites.  Counts the solve in double that one in several precisions may end with.
double work_bytes_per_site(const NamedQuark& quark, int n_columns);

/// The columns of a propagator that are solved for together where n are too many: a part of them; n where
/// there are no fewer, and of one Krylov space for all.
int fewer_columns(const SolverChoice& solver, int n);

/// The same for each of the quarks that has the most.  False where that changes nothing.
bool make_fewer(const std::vector<NamedQuark>& quarks, std::vector<int>& columns);

/// "12, 4 columns"
std::string columns_text(const std::vector<int>& columns);
/// "operators kept", or that they are not.
std::string operators_text(bool kept);

}  // namespace kov::app
