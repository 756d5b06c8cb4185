// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/multi_meson_operator.hpp"

#include "kov/core/base/error.hpp"

#include <cmath>

namespace kov {

namespace {

const double over_root_2 = std::sqrt(0.5);

/// The pions of a vertex by I3 = 1, 0, -1.
std::vector<MultiMesonTerm> pion_terms(int i3, const MesonVertex& v) {
  if (i3 > 0) return {{1, {{"d", "u", v}}}};
  if (i3 < 0) return {{-1, {{"u", "d", v}}}};
  return {{over_root_2, {{"d", "d", v}}}, {-over_root_2, {{"u", "u", v}}}};
}

/// Appends factor a b, term by term.
void add_products(MultiMesonOperator& op, double factor, const std::vector<MultiMesonTerm>& a,
                  const std::vector<MultiMesonTerm>& b) {
  for (const MultiMesonTerm& x : a)
    for (const MultiMesonTerm& y : b) {
      MultiMesonTerm term{factor * x.coefficient * y.coefficient, x.mesons};
      term.mesons.insert(term.mesons.end(), y.mesons.begin(), y.mesons.end());
      op.terms.push_back(std::move(term));
    }
}

}  // namespace

MultiMesonOperator two_pions(int isospin, const MesonVertex& first, const MesonVertex& second) {
  require(isospin >= 0 && isospin <= 2, "two pions cannot have the isospin", isospin, ": take 0, 1 or 2");
  MultiMesonOperator op{"pi pi I=" + std::to_string(isospin), {}};
  const auto add = [&](double factor, int i3, int other) {
    add_products(op, factor, pion_terms(i3, first), pion_terms(other, second));
  };
  if (isospin == 2) {
    add(1, 1, 1);
  } else if (isospin == 1) {
    add(over_root_2, 1, 0);
    add(-over_root_2, 0, 1);
  } else {
    const double third = std::sqrt(1.0 / 3);
    add(third, 1, -1);
    add(-third, 0, 0);
    add(third, -1, 1);
  }
  return op;
}

MultiMesonOperator pion_kaon(int twice_isospin, const MesonVertex& pion, const MesonVertex& kaon) {
  require(twice_isospin == 1 || twice_isospin == 3, "a pion and a kaon cannot have the isospin", twice_isospin,
          "/ 2: take 1 or 3 halves");
  MultiMesonOperator op{"pi K I=" + std::to_string(twice_isospin) + "/2", {}};
  const std::vector<MultiMesonTerm> plus{{1, {{"s", "u", kaon}}}}, neutral{{1, {{"s", "d", kaon}}}};
  if (twice_isospin == 3) {
    add_products(op, 1, pion_terms(1, pion), plus);
  } else {
    add_products(op, std::sqrt(2.0 / 3), pion_terms(1, pion), neutral);
    add_products(op, -std::sqrt(1.0 / 3), pion_terms(0, pion), plus);
  }
  return op;
}

MultiMesonOperator isovector_meson(const MesonVertex& vertex) { return {"isovector", pion_terms(1, vertex)}; }
MultiMesonOperator isoscalar_meson(const MesonVertex& vertex) {
  return {"isoscalar", {{over_root_2, {{"u", "u", vertex}}}, {over_root_2, {{"d", "d", vertex}}}}};
}
MultiMesonOperator strange_meson(const MesonVertex& vertex) { return {"strange", {{1, {{"s", "u", vertex}}}}}; }

MultiMesonOperator isospin_lowered(const MultiMesonOperator& op) {
  MultiMesonOperator lowered{op.name + " lowered", {}};
  for (const MultiMesonTerm& term : op.terms)
    for (std::size_t k = 0; k < term.mesons.size(); ++k) {
      if (term.mesons[k].quark == "u") {
        lowered.terms.push_back(term);
        lowered.terms.back().mesons[k].quark = "d";
      }
      if (term.mesons[k].antiquark == "d") {
        lowered.terms.push_back(term);
        lowered.terms.back().coefficient = -term.coefficient;
        lowered.terms.back().mesons[k].antiquark = "u";
      }
    }
  return lowered;
}

std::vector<WickContraction> wick_contractions(const std::vector<QuarkBilinear>& mesons) {
  std::vector<WickContraction> all;
  std::vector<int> next(mesons.size());  // the antiquark of which meson the quark of each is contracted with
  std::vector<bool> is_taken(mesons.size(), false);
  const auto choose = [&](auto&& self, std::size_t k) -> void {
    if (k < mesons.size()) {
      for (std::size_t l = 0; l < mesons.size(); ++l) {
        if (is_taken[l] || mesons[l].antiquark != mesons[k].quark) continue;
        is_taken[l] = true;
        next[k] = int(l);
        self(self, k + 1);
        is_taken[l] = false;
      }
      return;
    }
    WickContraction contraction;
    std::vector<bool> is_seen(mesons.size(), false);
    for (int first = 0; first < int(mesons.size()); ++first) {
      if (is_seen[std::size_t(first)]) continue;
      std::vector<int> loop;
      for (int at = first; !is_seen[std::size_t(at)]; at = next[std::size_t(at)]) {
        is_seen[std::size_t(at)] = true;
        loop.push_back(at);
      }
      contraction.loops.push_back(std::move(loop));
    }
    all.push_back(std::move(contraction));
  };
  choose(choose, 0);
  return all;
}

}  // namespace kov
