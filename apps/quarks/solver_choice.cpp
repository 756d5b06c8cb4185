// SPDX-License-Identifier: MIT
#include "apps/quarks/solver_choice.hpp"

#include "kov/algebra/eigen/lowest_eigenvectors.hpp"
#include "kov/algebra/solve_report.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/lanes.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace kov::app {

namespace {

constexpr bool on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// The section that a key of a quark's solver is from: the job's unless the quark's table gives it.
std::string section_of(const Settings& settings, const std::string& section, const std::string& key) {
  return settings.given(section + "." + key) ? section : "solver";
}
std::string origin_of(const Settings& settings, const std::string& section, const std::string& key) {
  return settings.origin(section_of(settings, section, key) + "." + key);
}

}  // namespace

void SolverChoice::add_to(Settings& s, const std::string& section) {
  s.add(
      section + ".method", &method,
      "for the propagators: BiCGstab, BiCGstab(l), GCR, minimal residual ('mr'), on the normal equations CGNR ('cg'), "
      "CGNE and CGNR with one Krylov space for all columns ('block-cg')",
      {"bicgstab", "bicgstab-2", "bicgstab-3", "bicgstab-4", "bicgstab-5", "bicgstab-6", "bicgstab-7", "bicgstab-8",
       "gcr", "mr", "cg", "cgne", "block-cg"});
  s.add(section + ".precision", &precision,
        "of the solver's work: 'mixed' corrects defects, 'reliable' and 'reliable-16' update the residual reliably in "
        "single precision and 16 bits; 'single': all in single precision; 'single-16': the same with iterations in 16 "
        "bits",
        {"double", "mixed", "reliable", "reliable-16", "single", "single-16"});
  s.add(section + ".preconditioner", &preconditioner,
        "even-odd halves the work; 'schwarz' solves in blocks, without messages, for the method 'gcr'",
        {"even-odd", "even-odd-symmetric", "schwarz", "none"});
  s.add(section + ".schwarz_block", &schwarz_block,
        "'schwarz': extents of a block, which lies on one process; in each direction that of the lattice, or one that "
        "divides it, an even number of times in the form 'multiplicative'");
  s.add(section + ".schwarz_cycles", &schwarz_cycles, "'schwarz': how often all blocks are solved in");
  s.add(section + ".schwarz_steps", &schwarz_steps,
        "'schwarz': minimal residual steps in a block, on its even sites in single precision unless all is in double");
  s.add(section + ".schwarz_form", &schwarz_form,
        "'schwarz': black and white blocks in turn, or all at once with fewer messages",
        {"multiplicative", "additive"});
  s.add(
      section + ".links", &links,
      "reals of a link in the operator that iterations apply, 18, 12 or 8; with 'reliable-16' and 'single-16' 12 or 8 "
      "are of 16 bits");
  s.add(section + ".deflation", &deflation,
        "lowest eigenvectors of M^+ M on even sites, found once for a quark on a configuration, from which solves by "
        "'cg' start; 0: none");
  s.add(section + ".tolerance", &tolerance,
        "|source - M solution| / |source| ('cg' and 'block-cg' without preconditioner, unless precision is 'mixed': of "
        "the normal equations)");
  s.add(section + ".max_iterations", &max_iterations, "limit of iterations; a solve that needs more is an error");
  s.add(section + ".columns", &columns,
        "of a propagator: solved for one by one, of which a killed `kovariant propagator` keeps each, or together; "
        "'auto': together on GPUs and by `kovariant distill`",
        {"auto", "one by one", "together"});
  s.add(section + ".gauge", &gauge,
        "of the links while solving: in 'temporal' gauge those in time are 1 and not loaded; results stay in the given "
        "one",
        {"given", "temporal"});
  s.add(
      section + ".basis", &basis,
      "of spin while solving: in the 'nonrelativistic' one hops along t load two spins; 'auto': that one on GPUs where "
      "it saves time, 'chiral' elsewhere; results stay in the chiral one",
      {"auto", "chiral", "nonrelativistic"});
}

bool SolverChoice::is_together() const {
  // A GPU's hop on eight columns takes two thirds of the time of eight hops.  On CPUs the default precision takes as
  // long one by one, in less memory, and a killed propagator job keeps every column; distill keeps none
  // (docs/performance.md).
  if (columns != "auto") return columns == "together";
  return on_gpu || is_block() || auto_columns == AutoColumns::together;
}

bool SolverChoice::may_be_nonrelativistic() const {
  return basis == "auto" ? gains_by_basis(on_gpu) : basis == "nonrelativistic";
}

bool SolverChoice::is_nonrelativistic(const QuarkAction& quark) const {
  return basis == "auto" ? gains_by_basis(on_gpu, quark) : basis == "nonrelativistic";
}

bool SolverChoice::gains_by_basis(bool has_gpu, const QuarkAction& quark) const {
  // In the chiral basis a hop multiplies by the inverse clover term in its own pass, which saves more; not in 16 bits.
  const bool fuses = quark.c_sw != 0 && quark.mu == 0 && !is_in_16_bits();
  return gains_by_basis(has_gpu) && !fuses && !quark.is_improved();
}

bool SolverChoice::gains_by_basis(bool has_gpu) const {
  // Hops in float and 16 bits on links of 18 and 12 reals are faster, those in double are not (docs/performance.md).
  // In temporal gauge less.
  return has_gpu && precision != "double" && is_even_odd() && (links == 18 || links == 12) && deflation == 0 &&
         !is_in_temporal_gauge();
}

int SolverChoice::polynomial_degree() const {
  const std::string prefix = "bicgstab-";
  return method.starts_with(prefix) ? std::stoi(method.substr(prefix.size())) : 1;
}

void SolverChoice::complete(Settings& settings, const std::string& section, const SolverChoice& other) {
  const auto take = [&](const char* name, auto member) {
    this->*member = settings.given_or(section + "." + name, this->*member, other.*member);
  };
  take("method", &SolverChoice::method);
  take("precision", &SolverChoice::precision);
  take("preconditioner", &SolverChoice::preconditioner);
  take("links", &SolverChoice::links);
  take("deflation", &SolverChoice::deflation);
  take("tolerance", &SolverChoice::tolerance);
  take("max_iterations", &SolverChoice::max_iterations);
  take("columns", &SolverChoice::columns);
  auto_columns = other.auto_columns;
  take("gauge", &SolverChoice::gauge);
  take("basis", &SolverChoice::basis);
  take("schwarz_block", &SolverChoice::schwarz_block);
  take("schwarz_cycles", &SolverChoice::schwarz_cycles);
  take("schwarz_steps", &SolverChoice::schwarz_steps);
  take("schwarz_form", &SolverChoice::schwarz_form);
}

void SolverChoice::check(const Settings& settings, const std::string& section) const {
  const auto origin = [&](const char* name) { return settings.origin(section + "." + name); };
  require(tolerance > 0 && tolerance < 1, origin("tolerance"), "is", tolerance,
          "- it must lie strictly between 0 and 1");
  const double least = is_single() ? least_tolerance_in_single : least_tolerance_in_double;
  require(tolerance >= least, origin("tolerance"), "is", exact_text(tolerance) + ", but",
          is_single() ? "single" : "double", "precision reaches", exact_text(least) + " at best:",
          std::string("ask for that or more") +
              (is_single() ? ", or take precision mixed or double, which reach " + exact_text(least_tolerance_in_double)
                           : ""));
  const bool reliable = precision == "reliable" || is_in_16_bits();
  require(!reliable || method == "bicgstab" || method == "cg", origin("precision"), "is", precision + ",",
          "but only bicgstab and cg have reliable updates: take such a method, or precision",
          is_single() ? "single" : "mixed");
  const std::string wider = is_single() ? "precision single" : "precision reliable";
  require(!is_in_16_bits() || is_even_odd(), origin("preconditioner"), "is", preconditioner + ",",
          "but in 16 bits solvers work on even sites: take even-odd, or " + wider);
  require(!may_be_nonrelativistic() || !has_packs || !is_in_16_bits(), origin("basis"),
          "is nonrelativistic, but CPUs have no operators in that basis on 16-bit spinors: take chiral, or " + wider);
  require(links == 18 || links == 12 || links == 8, origin("links"), "is", links,
          "- a link is stored as 18, 12 or 8 reals: take one of these");
  require(!may_be_nonrelativistic() || links == 18 || (!has_packs && links == 12), origin("links"), "is", links,
          "- there are no operators in the non-relativistic basis on such links: take",
          has_packs ? "18, or basis chiral" : "18 or 12, or basis chiral");
  require(!is_block() || is_together(), origin("columns"), "is", columns + ",",
          "but block-cg has one Krylov space for all columns: take together, or method cg");
  require(deflation >= 0, origin("deflation"), "is", deflation, "- it must be 0 or more eigenvectors");
  require(deflation == 0 || (method == "cg" && preconditioner == "even-odd" && !may_be_nonrelativistic()),
          origin("deflation"), "is", std::to_string(deflation) + ",",
          "which is for conjugate gradients on even sites: take method cg, preconditioner even-odd and basis chiral,",
          "or 0");
  require(!is_schwarz() || method == "gcr", origin("preconditioner"),
          "is schwarz, which is another operator each time,",
          "so that it is for method gcr alone: take that, or another preconditioner");
  require(!is_schwarz() || links == 18, origin("links"), "is", links,
          "- blocks of a Schwarz procedure have links of 18 reals: take these, or another preconditioner");
  require(schwarz_cycles > 0, origin("schwarz_cycles"), "is", schwarz_cycles, "- it must be positive");
  require(schwarz_steps > 0, origin("schwarz_steps"), "is", schwarz_steps, "- it must be positive");
  require(max_iterations > 0, origin("max_iterations"), "is", double(max_iterations), "- it must be positive");
}

std::string UnsuitedKey::text(const std::string& section) const {
  return reason + ": set " + section + "." + key + " to " + value;
}

void SolverChoice::check_improved(const Settings& settings, const std::string& section, const std::string& key,
                                  const std::string& action) const {
  if (const auto unsuited = unsuited_key(action))
    throw InputError(sentence(settings.origin(key), "is", action + ",",
                              unsuited->text(section_of(settings, section, unsuited->key))));
}

std::optional<UnsuitedKey> SolverChoice::unsuited_key(const std::string& action) const {
  if (is_in_16_bits())
    return UnsuitedKey{"whose hop takes no spinors in 16 bits", "precision", is_single() ? "single" : "reliable"};
  if (deflation > 0 && action == "hamber-wu")
    return UnsuitedKey{"whose operator has no even-odd form, of which deflation needs eigenvectors", "deflation", "0"};
  if (is_even_odd() && action == "hamber-wu")
    return UnsuitedKey{"whose operator has no even-odd form, as its legs of two links join sites of one parity",
                       "preconditioner", "none"};
  if (is_schwarz()) return UnsuitedKey{"whose operator has no form in blocks", "preconditioner", "none"};
  if (is_in_temporal_gauge())
    return UnsuitedKey{"which has longer legs in time than the links that temporal gauge makes 1", "gauge", "given"};
  if (basis == "nonrelativistic") return UnsuitedKey{"whose hop is in the chiral basis alone", "basis", "chiral"};
  if (links != 18) return UnsuitedKey{"whose hop has links of 18 reals alone", "links", "18"};
  return {};
}

void SolverChoice::check_twist(const Settings& settings, const std::string& key, double mu) const {
  require(
      deflation == 0 || mu == 0, settings.origin(key), "is", mu,
      "- gamma_5 M of twisted-mass quarks is not Hermitian, so that solver.deflation has no eigenvectors of it: set "
      "that to 0");
}

void SolverChoice::check_extent(const Settings& settings, const std::string& section, const Coord& extent) const {
  require(deflation == 0 || eigen_memory({.n = deflation}).fits(volume(extent) / 2),
          origin_of(settings, section, "deflation"), "is", std::to_string(deflation) + ",",
          "too many for the even sites of the lattice", to_string(extent) + ": find fewer");
  if (!is_schwarz()) return;
  const std::string key = origin_of(settings, section, "schwarz_block");
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int b = schwarz_block[mu], n = b > 0 ? extent[mu] / b : 0;
    require(n > 0 && n * b == extent[mu] && (n == 1 || n % 2 == 0 || schwarz_form == "additive"), key, "is",
            to_string(schwarz_block) + ",", "which does not fit into the lattice", to_string(extent) + ":",
            "take in each direction its extent or one that divides it an even number of times; with schwarz_form",
            "additive any number of times");
  }
  require(std::count_if(schwarz_block.begin(), schwarz_block.end(), [](int b) { return b % 2 != 0; }) <= 1, key, "is",
          to_string(schwarz_block) + ",", "which has more than one odd extent: take one, or none");
}

void SolverChoice::check_ranks(const Settings& settings, const std::string& section, const Coord& extent,
                               int n_ranks) const {
  if (!is_schwarz()) return;
  const Coord local = part_of_rank(extent, Geometry::choose_grid(extent, n_ranks));
  for (std::size_t mu = 0; mu < 4; ++mu)
    require(local[mu] % schwarz_block[mu] == 0, origin_of(settings, section, "schwarz_block"), "is",
            to_string(schwarz_block) + ",", "but a block must lie on one process, and each of", n_ranks, "has",
            to_string(local), "sites: take extents that divide these, or fewer processes");
}

std::string SolverChoice::description() const {
  std::string preconditioned = preconditioner + " preconditioner,";
  if (is_schwarz())
    preconditioned = sentence(schwarz_form, "schwarz preconditioner (blocks of", to_string(schwarz_block) + ", cycles",
                              std::to_string(schwarz_cycles) + ", steps", std::to_string(schwarz_steps) + "),");
  return sentence(method + ",", preconditioned, precision, "precision, tolerance",
                  exact_text(tolerance) + (links == 18 ? "" : sentence(", links of", links, "reals")) +
                      (deflation == 0 ? "" : sentence(",", deflation, "modes deflated")) +
                      (is_in_temporal_gauge() ? ", in temporal gauge" : "") +
                      (basis == "nonrelativistic" ? ", in the non-relativistic basis" : ""));
}

std::string SolverChoice::columns_text() const {
  return is_together() ? ", twelve columns together" : ", columns one by one";
}

}  // namespace kov::app
