// SPDX-License-Identifier: MIT
#include "apps/quarks/named_quarks.hpp"

#include "apps/quarks/quark_operator.hpp"
#include "apps/quarks/source_choice.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/algebra/eigen/lowest_eigenvectors.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <algorithm>
#include <cctype>

namespace kov::app {

std::string NamedQuark::differences(const SolverChoice& of_job, const std::array<double, 3>& boost_of_job) const {
  std::string text;
  if (boost != boost_of_job)
    text += sentence(", boost", exact_text(boost[0]), exact_text(boost[1]), exact_text(boost[2]));
  const std::string solved = solver.description() + solver.columns_text();
  if (solved != of_job.description() + of_job.columns_text()) text += ", solved for by " + solved;
  return text;
}

void NamedQuarks::add_to(Settings& settings,
                         const std::function<void(Settings&, NamedQuark&, const std::string&)>& more,
                         QuarkBoost boost) {
  boost_ = boost;
  settings.add_tables("quark", [this, more](Settings& s, const std::string& section) {
    NamedQuark& quark = emplace_back();
    quark.name = "quark" + section.substr(section.rfind('.') + 1);
    s.add(section + ".name", &quark.name, "of the quark in files and labels: letters, digits and _");
    quark.add_to(s, section);
    if (boost_ == QuarkBoost::given)
      s.add(section + ".boost", &quark.boost, "momentum smearing of this quark, as in source.boost");
    quark.solver.add_to(s, section);
    if (more) more(s, quark, section);
  });
}

void NamedQuarks::complete(Settings& settings, const SolverChoice& solver, const std::array<double, 3>& boost) {
  for (std::size_t k = 0; k < size(); ++k) {
    NamedQuark& quark = at(k);
    const std::string section = "quark." + std::to_string(k), key = section + ".name";
    quark.complete(settings, section);
    quark.solver.complete(settings, section, solver);
    if (quark.is_improved() && quark.solver.basis == "auto") quark.solver.basis = "chiral";  // their only one
    quark.solver.check(settings, section);
    require(quark.solver.is_single() == solver.is_single(), settings.origin(section + ".precision"), "is",
            quark.solver.precision + ",", "and solver.precision", solver.precision + ":",
            "single precision is that of all quarks, as contractions and files are in it; set solver.precision to",
            quark.solver.precision + ",", "or that of the quark to", solver.precision);
    if (boost_ == QuarkBoost::given) {
      if (settings.given(section + ".boost")) check_boost(settings, section + ".boost", quark.boost);
      quark.boost = settings.given_or(section + ".boost", quark.boost, boost);
    }
    const bool plain = std::all_of(quark.name.begin(), quark.name.end(),
                                   [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
    require(!quark.name.empty() && plain && quark.name.size() <= 60, settings.origin(key), "is '" + quark.name + "',",
            "but it is part of names of files: take up to 60 letters, digits and _");
    for (std::size_t other = 0; other < k; ++other)
      require(at(other).name != quark.name, settings.origin(key), "is '" + quark.name + "',",
              "which another quark is called too: their files would be the same");
    quark.solver.check_twist(settings, section + ".mu", quark.mu);
    if (quark.is_improved()) quark.solver.check_improved(settings, section, section + ".action", quark.action);
  }
}

void NamedQuarks::check_together(const Settings& settings, const QuarkAction& action, const SolverChoice& solver,
                                 const std::vector<std::string>& flavours) const {
  for (const auto& [key, value] : settings.values())
    require(empty() || !key.starts_with("action.") || !settings.given(key), settings.origin(key),
            "is given beside tables [[quark]]:", "write it into these, or leave them out");
  for (const NamedQuark& quark : *this)
    require(quark.boundary_angles() == front().boundary_angles(), "the quarks", front().name, "and", quark.name,
            "have different boundaries: correlators take quarks of one boundary");
  require(flavours.empty() || flavours.size() == 3, settings.origin("correlators.flavours"), "has", flavours.size(),
          "names: give those of the quarks that are u, d and s");
  std::vector<std::string> names;
  for (const NamedQuark& quark : *this) names.push_back(quark.name);
  for (const std::string& name : flavours) require_quark(settings.origin("correlators.flavours"), name, names);
  if (empty()) solver.check_twist(settings, "action.mu", action.mu);
  if (empty() && action.is_improved()) solver.check_improved(settings, "solver", "action.action", action.action);
}

void require_quark(const std::string& origin, const std::string& name, const std::vector<std::string>& names) {
  require(std::count(names.begin(), names.end(), name) > 0, origin, "has '" + name + "': a quark",
          names.empty() ? "gets its name from a table [[quark]]; add one, or leave the name out"
                        : not_a_choice(name, names));
}

void NamedQuarks::check_extent(const Settings& settings, const SolverChoice& solver, const Coord& extent) const {
  for (std::size_t k = 0; k < size(); ++k) at(k).solver.check_extent(settings, "quark." + std::to_string(k), extent);
  if (empty()) solver.check_extent(settings, "solver", extent);
}

void NamedQuarks::check_ranks(const Settings& settings, const QuarkAction& action, const SolverChoice& solver,
                              const Coord& extent, int n_ranks) const {
  for (std::size_t k = 0; k < size(); ++k) {
    const std::string section = "quark." + std::to_string(k);
    at(k).solver.check_ranks(settings, section, extent, n_ranks);
    at(k).check_ranks(settings, section, extent, n_ranks);
  }
  if (!empty()) return;
  solver.check_ranks(settings, "solver", extent, n_ranks);
  action.check_ranks(settings, "action", extent, n_ranks);
}

void NamedQuarks::check_used(const SolverChoice& solver,
                             const std::function<void(const std::string&, bool, const std::string&)>& check) const {
  bool any = empty() && solver.is_schwarz();
  for (const NamedQuark& quark : *this) any = any || quark.solver.is_schwarz();
  for (const char* key : {"schwarz_block", "schwarz_cycles", "schwarz_steps", "schwarz_form"}) {
    check(std::string("solver.") + key, any, "with solver.preconditioner schwarz");
    for (std::size_t k = 0; k < size(); ++k)
      check("quark." + std::to_string(k) + "." + key, at(k).solver.is_schwarz(), "with preconditioner schwarz");
  }
}

std::size_t NamedQuarks::place_of(const std::string& flavour, const std::vector<std::string>& flavours,
                                  const std::string& hadron) const {
  if (size() <= 1 && flavours.empty()) return 0;
  const std::string name = flavours.empty() ? flavour : flavours.at(flavour == "u" ? 0 : flavour == "d" ? 1 : 2);
  const auto found = std::find_if(begin(), end(), [&](const NamedQuark& quark) { return quark.name == name; });
  require(found != end(), "there is", hadron + ", whose quark", flavour,
          "is none of the tables [[quark]]: give one that name, or say which are u, d and s by correlators.flavours");
  return std::size_t(found - begin());
}

std::map<std::string, std::size_t> NamedQuarks::flavours_of(const std::vector<BaryonOperator>& operators,
                                                            const std::vector<std::string>& flavours) const {
  std::map<std::string, std::size_t> places;
  for (const BaryonOperator& op : operators)
    for (const std::string& flavour : op.quarks) places[flavour] = place_of(flavour, flavours, "the baryon " + op.name);
  return places;
}

std::string NamedQuarks::flavour_label(const std::map<std::string, std::size_t>& places) const {
  std::string text;
  for (const char flavour : std::string("uds"))
    if (const auto found = places.find(std::string(1, flavour)); found != places.end())
      text += (text.empty() ? "" : ", ") + found->first + " " + at(found->second).name;
  return text;
}

namespace {

/// Reals of a site: a spinor, a matrix, a clover term with its inverse.
constexpr double spinor = 24, matrix = 18, clover_blocks = 144;
/// Bytes of a site, at most: indices of neighbours, in blocks too, leg factors, and parts of sums.
constexpr double tables = 256;
/// Bytes of a real of spinors in 16 bits, whose 24 share a scale.
constexpr double in_16_bits = 2 + 4 / spinor;

/// The memory of a quark: names are those of quark_operator.cpp, where operators and solvers are made.
class QuarkMemory {
 public:
  QuarkMemory(const NamedQuark& quark, int n_columns) : quark_(quark), solver_(quark.solver), n_(n_columns) {}

  /// What an operator and its solver keep.
  double kept() const {
    // The hop between parities is that of the operator that solves are for.
    const bool hops_between = solver_.is_even_odd() && (is_in_several() || solver_.links == 18);
    const bool is_temporal = solver_.is_in_temporal_gauge();
    double sum = links(real_, matrix, hops_between && !is_temporal) + clover(real_);
    if (is_temporal) sum += links(real_, matrix, hops_between) + clover(real_) + real_ * matrix;
    if (solver_.is_schwarz())
      sum += schwarz();
    else if (is_in_several() || solver_.links < 18)
      sum += low_operator();
    if (solver_.is_even_odd()) sum += reduced(real_) + (is_in_several() ? reduced(low_) : 0);
    if (solver_.deflation > 0) sum += eigenvectors();
    return sum + (solver_.is_single() ? in_double() : 0) + tables;
  }

  /// What a solve works in, from its source and to its solution.
  double of_solve() const {
    const bool is_transformed = solver_.is_in_temporal_gauge() || solver_.is_nonrelativistic(quark_);
    const bool is_corrected = solver_.preconditioner == "none" && !is_in_several() && solver_.links < 18;
    const double field = n_ * spinor;
    double sum = (is_transformed || is_corrected ? 3 : 0) * field * real_;
    if (solver_.is_even_odd())
      // The residual, the source on even sites, and solutions of columns that end before others.
      sum += field * real_ * (1.5 + (n_ > 1 ? 1 : 0)) + in_precisions(field / 2);
    else
      sum += in_precisions(field);
    // After the solve, of one column: source, solution and residual in double.
    return solver_.is_single() ? std::max(sum, 8 * 3 * spinor) : sum;
  }

  /// What is gone when an operator has been made.
  double of_making() const {
    double sum = quark_.c_sw != 0 ? 8 * clover_blocks : 0;
    if (quark_.is_improved()) sum += 8 * 9 * matrix;
    if (solver_.is_in_temporal_gauge()) sum += 8 * 5 * matrix;
    if (solver_.deflation > 0) sum += found_real() * spinor / 2 * double(eigen_memory({.n = solver_.deflation}).fields);
    return sum + (solver_.deflation > 0 ? reduced(found_real()) : 0);
  }

 private:
  /// Whether iterations are in another precision than that of source and solution.
  bool is_in_several() const { return solver_.is_mixed() || solver_.is_in_16_bits(); }
  /// Bytes of a real of the fields that the method of the solver works in.
  double work_real() const { return solver_.is_mixed() ? 4 : real_; }
  /// Whether iterations are those of defect correction, so that deflation is of solves for corrections.
  bool corrects_defects() const { return solver_.precision == "mixed"; }
  /// Bytes of a real of eigenvectors while they are found, and as solves start from them.
  double found_real() const { return solver_.is_in_16_bits() ? real_ : work_real(); }
  double deflating_real() const { return corrects_defects() ? 4 : real_; }
  bool has_blocks() const { return quark_.c_sw != 0 || quark_.mu != 0; }

  double links(double real, double reals, bool between_parities) const {
    return real * 4 * reals * (has_packs && between_parities ? 3 : 1) * (quark_.is_improved() ? 2 : 1);
  }
  double clover(double real) const { return quark_.c_sw != 0 ? real * clover_blocks : 0; }

  /// The operator that iterations apply, where it is not the one that residuals are computed with.
  double low_operator() const {
    const bool shares = solver_.is_in_16_bits() && solver_.links == 18 && solver_.is_single();
    if (shares) return 0;
    const double real = solver_.is_in_16_bits() && solver_.links < 18 ? 2 : work_real();
    return links(real, solver_.links, solver_.is_even_odd()) + clover(work_real());
  }

  /// The fields that a Schur complement works in.
  double reduced(double real) const {
    const bool is_symmetric = solver_.preconditioner == "even-odd-symmetric";
    return real * n_ * spinor / 2 * (1 + (has_blocks() ? 1 + is_symmetric : 0));
  }

  /// An operator; three fields, and in blocks two, and two on even sites; Schur complements there, and their links.
  double schwarz() const {
    const double real = solver_.precision == "double" ? 8 : 4, field = n_ * spinor;
    const double of_blocks = (solver_.schwarz_form == "additive" ? 3 : 1.5) * field;
    const double in_blocks = 4 * matrix * (has_packs ? 3 : 1) + (quark_.c_sw != 0 ? clover_blocks : 0);
    return links(real, matrix, false) + clover(real) + real * (3 * field + of_blocks + in_blocks) + reduced(real);
  }

  double eigenvectors() const { return deflating_real() * solver_.deflation * spinor / 2; }

  /// The operator that residuals of single precision are computed with.
  double in_double() const {
    return 8 * (4 * matrix * (quark_.is_improved() ? 2 : 1) + (quark_.c_sw != 0 ? clover_blocks : 0));
  }

  /// Fields of a method.
  double krylov_fields() const {
    if (solver_.method == "gcr") return 1 + 2 * Gcr{}.directions;
    if (solver_.method == "mr") return 2;
    if (solver_.is_block()) return 4;
    if (solver_.method.starts_with("cg")) return 5;
    return solver_.polynomial_degree() > 1 ? 2 * solver_.polynomial_degree() + 3 : 6;
  }

  /// field: reals of one that the method works on.
  double in_precisions(double field) const {
    if (solver_.is_schwarz() || !is_in_several()) return real_ * field * krylov_fields();
    // In high precision where low precision comes no further, on copies of the columns that are left.
    const double in_high = real_ * (krylov_fields() + (n_ > 1 ? 2 : 0));
    // Residual and correction, a residual in single precision; a correction there.
    if (corrects_defects()) return field * (2 * real_ + 4 + std::max(4 * (1 + krylov_fields()), in_high));
    // Of normal equations, the residual of these and what lies between A and A^+.
    const int normal = solver_.method == "cg" ? 1 : 0;
    // Residual and steps; the solution with them and its residual, a residual and zeros in low precision.
    return field *
           ((1 + normal) * real_ + low_ + std::max((2 + normal) * real_ + low_ * (2 + krylov_fields()), in_high));
  }

  const NamedQuark& quark_;
  const SolverChoice& solver_;
  double n_;
  /// Bytes of a real: of source and solution, and of spinors in lower precision.
  double real_ = solver_.is_single() ? 4 : 8, low_ = solver_.is_in_16_bits() ? in_16_bits : 4;
};

}  // namespace

double operator_bytes_per_site(const NamedQuark& quark, int n_columns) { return QuarkMemory(quark, n_columns).kept(); }

double work_bytes_per_site(const NamedQuark& quark, int n_columns) {
  const QuarkMemory memory(quark, n_columns);
  return std::max(memory.of_solve(), memory.of_making());
}

int fewer_columns(const SolverChoice& solver, int n) {
  if (!solver.is_together() || solver.is_block()) return n;
  for (int fewer = n - 1; fewer > 0; --fewer)
    if (12 % fewer == 0) return fewer;
  return n;
}

bool make_fewer(const std::vector<NamedQuark>& quarks, std::vector<int>& columns) {
  const int most = *std::max_element(columns.begin(), columns.end());
  bool is_less = false;
  for (std::size_t q = 0; q < quarks.size(); ++q) {
    if (columns[q] < most) continue;
    columns[q] = fewer_columns(quarks[q].solver, most);
    is_less = is_less || columns[q] < most;
  }
  return is_less;
}

std::string columns_text(const std::vector<int>& columns) {
  std::string text;
  for (const int n : columns) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return sentence(text, text == "1" ? "column" : "columns");
}

std::string operators_text(bool kept) { return kept ? "operators kept" : "operators made for every propagator"; }

}  // namespace kov::app
