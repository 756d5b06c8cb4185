// SPDX-License-Identifier: MIT
#include "apps/quarks/solver_choice.hpp"

#include "kov/algebra/krylov/gcr.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <Kokkos_Core.hpp>

namespace kov::app {

void SolverChoice::add_to(Settings& s, const std::string& section) {
  add_with(s, section, "of the solver's work; contractions are double, with 'single' single",
           {"double", "mixed", "single"});
}

void SolverChoice::add_all_to(Settings& s, const std::string& section) {
  columns = "auto";
  add_with(
      s, section,
      "of the solver's work: 'mixed' corrects defects, 'reliable' and 'reliable-16' update the residual reliably in "
      "single precision and 16 bits",
      {"double", "mixed", "reliable", "reliable-16", "single"});
  s.add(section + ".columns", &columns,
        "of a propagator: solved for one by one, of which a killed `kovariant propagator` keeps each, or together; "
        "'auto': together on GPUs",
        {"auto", "one by one", "together"});
  s.add(section + ".gauge", &gauge,
        "of the links while solving: in 'temporal' gauge those in time are 1 and not loaded; results stay in the given "
        "one",
        {"given", "temporal"});
  s.add(
      section + ".basis", &basis,
      "of spin while solving: in the 'nonrelativistic' one hops along t load two spins; results stay in the chiral one",
      {"chiral", "nonrelativistic"});
}

void SolverChoice::add_with(Settings& s, const std::string& section, const std::string& about_precision,
                            const std::vector<std::string>& precisions) {
  s.add(section + ".method", &method, "for the propagators", {"bicgstab", "bicgstab-2", "gcr", "cg"});
  s.add(section + ".precision", &precision, about_precision, precisions);
  s.add(section + ".preconditioner", &preconditioner, "even-odd halves the work",
        {"even-odd", "even-odd-symmetric", "none"});
  s.add(section + ".tolerance", &tolerance, "|source - M solution| / |source| (cg alone: of the normal equations)");
  s.add(section + ".max_iterations", &max_iterations, "limit of iterations; a solve that needs more is an error");
}

bool SolverChoice::is_together() const {
  // A GPU's hop on eight columns takes two thirds of the time of eight hops; CPUs solve faster one by one
  // (docs/performance.md).
  constexpr bool on_gpu =
      !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible;
  return columns == "together" || (columns == "auto" && precision != "reliable-16" && on_gpu);
}

void SolverChoice::complete(Settings& settings, const std::string& section, const SolverChoice& other) {
  complete_plain(settings, section, other);
  columns = settings.given_or(section + ".columns", columns, other.columns);
  gauge = settings.given_or(section + ".gauge", gauge, other.gauge);
  basis = settings.given_or(section + ".basis", basis, other.basis);
}

void SolverChoice::complete_plain(Settings& settings, const std::string& section, const SolverChoice& other) {
  const auto take = [&](const char* name, auto member) {
    this->*member = settings.given_or(section + "." + name, this->*member, other.*member);
  };
  take("method", &SolverChoice::method);
  take("precision", &SolverChoice::precision);
  take("preconditioner", &SolverChoice::preconditioner);
  take("tolerance", &SolverChoice::tolerance);
  take("max_iterations", &SolverChoice::max_iterations);
}

void SolverChoice::check(const Settings& settings, const std::string& section) const {
  const auto origin = [&](const char* name) { return settings.origin(section + "." + name); };
  require(tolerance > 0 && tolerance < 1, origin("tolerance"), "is", tolerance,
          "- it must lie strictly between 0 and 1");
  require(tolerance >= least_solver_tolerance, origin("tolerance"), "is", sentence(tolerance) + ",",
          "but double precision reaches", least_solver_tolerance, "at best: ask for that or more");
  require(!is_single() || tolerance >= 1e-6, origin("tolerance"), "is", tolerance,
          "- single precision reaches 1e-6; take solver.precision mixed or double for less");
  const bool reliable = precision == "reliable" || precision == "reliable-16";
  require(!reliable || method == "bicgstab", origin("precision"), "is", precision + ",",
          "but only bicgstab has reliable updates: take that method, or precision mixed");
  if (precision == "reliable-16")
    require(columns != "together", origin("columns"),
            "is together, but 16-bit fields have no columns in lanes: take one by one, or precision reliable");
  if (is_nonrelativistic() && has_packs) {
    const std::string without = "is nonrelativistic, but CPUs have no operators in that basis on ";
    require(precision != "reliable-16", origin("basis"),
            without + "16-bit spinors: take chiral, or precision reliable");
    require(!is_together(), origin("basis"), without + "columns in lanes: take chiral, or columns one by one");
  }
  require(max_iterations > 0, origin("max_iterations"), "is", double(max_iterations), "- it must be positive");
}

void SolverChoice::check_improved(const Settings& settings, const std::string& key, const std::string& action) const {
  require(!is_even_odd(), settings.origin(key), "is", action + ",",
          "which has links between even sites, so that there is no even-odd preconditioner: set solver.preconditioner "
          "to none");
  require(!is_in_temporal_gauge(), settings.origin(key), "is", action + ",",
          "which has longer legs in time than the links that temporal gauge makes 1: set solver.gauge to given");
  require(!is_nonrelativistic(), settings.origin(key), "is", action + ",",
          "whose hop is in the chiral basis alone: set solver.basis to chiral");
}

std::string SolverChoice::description() const {
  return sentence(method + ",", preconditioner, "preconditioner,", precision, "precision, tolerance",
                  exact_text(tolerance) + (is_in_temporal_gauge() ? ", in temporal gauge" : "") +
                      (is_nonrelativistic() ? ", in the non-relativistic basis" : ""));
}

std::string SolverChoice::columns_text() const {
  return is_together() ? ", twelve columns together" : ", columns one by one";
}

double SolverChoice::bytes_per_site(int n_columns) const {
  const double real = is_single() ? 4 : 8, links = 72, spinor = 24.0 * n_columns;
  const double work = method == "gcr" ? 2 * Gcr{}.directions : 10;
  // The transformation, links in double and ready for the operator; and three fields for sources and solutions.
  const double temporal = is_in_temporal_gauge() ? 8 * (18 + links) + real * 3 * links : 0;
  const double transformed = is_in_temporal_gauge() || is_nonrelativistic() ? real * 3 * spinor : 0;
  return temporal + transformed +
         (is_mixed() ? real * spinor * 10 + 4 * links * 2 + 4 * spinor * work : real * spinor * work);
}

}  // namespace kov::app
