// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon_operator.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kov {

namespace {

/// A baryon without the spins: the components of one isospin state.
struct BaryonState {
  std::string name;
  std::vector<BaryonOperator> components;
};

const double third = 1 / std::sqrt(3.0);

/// The octet's two quarks of flavour `twice` and one of `once`, times norm.
BaryonState octet_state(const std::string& name, const std::string& once, const std::string& twice, double norm) {
  return {name,
          {{"up", {once, twice, twice}, {{{1, 0, 0}, norm}, {{0, 1, 0}, -norm}}},
           {"dn", {once, twice, twice}, {{{1, 0, 1}, norm}, {{0, 1, 1}, -norm}}}}};
}

/// The decuplet's of the same kind.
BaryonState decuplet_state(const std::string& name, const std::string& once, const std::string& twice, double norm) {
  const std::array<std::string, 3> quarks{once, twice, twice};
  return {name,
          {{"upup", quarks, {{{0, 0, 0}, norm}}},
           {"up", quarks, {{{1, 0, 0}, norm * third}, {{0, 0, 1}, norm * 2 * third}}},
           {"dn", quarks, {{{0, 1, 1}, norm * third}, {{1, 0, 1}, norm * 2 * third}}},
           {"dndn", quarks, {{{1, 1, 1}, norm}}}}};
}

/// norm times the isospin state below: every u in turn becomes a d.  The result has the quarks sorted.
BaryonState lowered(const BaryonState& above, const std::string& name, double norm) {
  BaryonState state{name, {}};
  for (const BaryonOperator& from : above.components) {
    BaryonOperator to{from.name, from.quarks, {}};
    *std::find(to.quarks.begin(), to.quarks.end(), "u") = "d";
    std::sort(to.quarks.begin(), to.quarks.end());
    std::map<std::array<int, 3>, std::complex<double>> terms;
    for (const BaryonTerm& term : from.terms)
      for (std::size_t k = 0; k < 3; ++k) {
        if (from.quarks[k] != "u") continue;
        std::array<std::pair<std::string, int>, 3> quarks;
        for (std::size_t i = 0; i < 3; ++i) quarks[i] = {i == k ? "d" : from.quarks[i], term.spin[i]};
        std::sort(quarks.begin(), quarks.end());
        terms[{quarks[0].second, quarks[1].second, quarks[2].second}] += norm * term.coefficient;
      }
    for (const auto& [spin, coefficient] : terms) to.terms.push_back({spin, coefficient});
    state.components.push_back(std::move(to));
  }
  return state;
}

std::vector<BaryonState> octet_states() {
  const double half = std::sqrt(0.5), two_thirds = std::sqrt(2 / 3.0);
  const BaryonState sigma_p = octet_state("sigma_p", "s", "u", two_thirds);
  const BaryonState lambda{"lambda_z",
                           {{"up", {"d", "s", "u"}, {{{1, 0, 0}, half}, {{0, 0, 1}, -half}}},
                            {"dn", {"d", "s", "u"}, {{{1, 1, 0}, half}, {{0, 1, 1}, -half}}}}};
  return {octet_state("proton", "d", "u", half),
          octet_state("neutron", "u", "d", half),
          lambda,
          sigma_p,
          lowered(sigma_p, "sigma_z", half),
          octet_state("sigma_m", "s", "d", two_thirds),
          octet_state("xi_z", "u", "s", two_thirds),
          octet_state("xi_m", "d", "s", two_thirds)};
}

/// Three equal quarks.
BaryonState equal_state(const std::string& name, const std::string& q) {
  const std::array<std::string, 3> quarks{q, q, q};
  return {name,
          {{"upup", quarks, {{{0, 0, 0}, 1}}},
           {"up", quarks, {{{0, 0, 1}, 3 * third}}},
           {"dn", quarks, {{{0, 1, 1}, 3 * third}}},
           {"dndn", quarks, {{{1, 1, 1}, 1}}}}};
}

std::vector<BaryonState> decuplet_states() {
  const BaryonState sigma_p = decuplet_state("sigma_star_p", "s", "u", 1);
  return {equal_state("delta_pp", "u"),
          decuplet_state("delta_p", "d", "u", 3 * third),
          decuplet_state("delta_z", "u", "d", 3 * third),
          equal_state("delta_m", "d"),
          sigma_p,
          lowered(sigma_p, "sigma_star_z", std::sqrt(0.5)),
          decuplet_state("sigma_star_m", "s", "d", 1),
          decuplet_state("xi_star_z", "u", "s", 1),
          decuplet_state("xi_star_m", "d", "s", 1),
          equal_state("omega_m", "s")};
}

/// All components, named, of upper or lower spins.
std::vector<BaryonOperator> components_of(const std::vector<BaryonState>& states, BaryonParity parity) {
  const bool lower = parity == BaryonParity::negative;
  std::vector<BaryonOperator> list;
  for (const BaryonState& state : states)
    for (BaryonOperator op : state.components) {
      op.name = state.name + (lower ? "_np_" : "_") + op.name;
      for (BaryonTerm& term : op.terms)
        for (int& spin : term.spin) spin += lower ? 2 : 0;
      list.push_back(std::move(op));
    }
  return list;
}

std::string baryon_of_component(const std::string& name) { return name.substr(0, name.rfind('_')); }

}  // namespace

std::vector<BaryonOperator> octet_operators(BaryonParity parity) { return components_of(octet_states(), parity); }
std::vector<BaryonOperator> decuplet_operators(BaryonParity parity) { return components_of(decuplet_states(), parity); }

const std::vector<std::string>& baryon_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const char* suffix : {"", "_np"})  // const std::string ends nvcc 13.0
      for (const auto& states : {octet_states(), decuplet_states()})
        for (const BaryonState& state : states) list.push_back(state.name + suffix);
    return list;
  }();
  return names;
}

std::vector<BaryonOperator> baryon_operators(const std::string& baryon) {
  std::vector<BaryonOperator> found;
  for (const BaryonParity parity : {BaryonParity::positive, BaryonParity::negative})
    for (const auto& list : {octet_operators(parity), decuplet_operators(parity)})
      for (const BaryonOperator& op : list)
        if (baryon_of_component(op.name) == baryon) found.push_back(op);
  if (found.empty()) {
    std::string known;
    for (const std::string& name : baryon_names()) known += (known.empty() ? "" : ", ") + name;
    throw InputError("there is no baryon '" + baryon + "': take one of " + known);
  }
  return found;
}

SpinMatrix<double> dirac_pauli_rotation() {
  SpinMatrix<double> u = zero<SpinMatrix<double>>();
  const double a = std::sqrt(0.5);
  u(1, 0).re = u(3, 0).re = -a;
  u(0, 1).re = u(2, 1).re = a;
  u(1, 2).re = a;
  u(3, 2).re = -a;
  u(0, 3).re = -a;
  u(2, 3).re = a;
  return u;
}

namespace detail {

BaryonValue in_order(const BaryonValue& value) {
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return value.quark[i] < value.quark[j]; });
  BaryonValue sorted{{value.quark[order[0]], value.quark[order[1]], value.quark[order[2]]}, {}};
  std::map<std::array<int, 3>, std::complex<double>> terms;
  for (const BaryonContraction& term : value.terms) {
    std::array<std::pair<int, int>, 3> quarks;
    for (std::size_t k = 0; k < 3; ++k) quarks[k] = {value.quark[order[k]], term.pair[order[k]]};
    std::sort(quarks.begin(), quarks.end());
    terms[{quarks[0].second, quarks[1].second, quarks[2].second}] += term.coefficient;
  }
  for (const auto& [pair, coefficient] : terms)
    if (coefficient != 0.0) sorted.terms.push_back({pair, coefficient});
  return sorted;
}

BaryonValue wick_contraction(const BaryonOperator& sink, const BaryonOperator& source,
                             const std::array<int, 3>& quark) {
  BaryonValue value{quark, {}};
  std::array<std::size_t, 3> to{0, 1, 2};
  do {
    bool same = true;
    for (std::size_t k = 0; k < 3; ++k) same = same && sink.quarks[k] == source.quarks[to[k]];
    if (!same) continue;
    // The sign of a permutation of the quarks is that of the permutation of their colours.
    for (const BaryonTerm& a : sink.terms)
      for (const BaryonTerm& b : source.terms) {
        BaryonContraction term{{}, a.coefficient * std::conj(b.coefficient)};
        for (std::size_t k = 0; k < 3; ++k) term.pair[k] = 4 * a.spin[k] + b.spin[to[k]];
        value.terms.push_back(term);
      }
  } while (std::next_permutation(to.begin(), to.end()));
  return in_order(value);
}

}  // namespace detail

}  // namespace kov
