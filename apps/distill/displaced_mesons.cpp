// SPDX-License-Identifier: MIT
#include "apps/distill/displaced_mesons.hpp"

#include "apps/settings/suggest.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/kernels/momentum_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace kov::app {

namespace {

using StepKind = SpatialStep::Kind;

SpatialStep reversed(SpatialStep step) {
  if (step.kind != StepKind::derivative)
    step.kind = step.kind == StepKind::forward ? StepKind::backward : StepKind::forward;
  return step;
}
/// What derivatives are multiplied by when they are reversed.
int reversal_sign(const SpatialStep& step) { return step.kind == StepKind::derivative ? -1 : 1; }

DisplacedTerm turned(const AxisPermutation& g, const DisplacedTerm& term) {
  DisplacedTerm image{term.coefficient, 0, {}};
  // Direction a becomes to[a], with a sign.
  std::array<int, 3> to{}, sign{};
  for (std::size_t i = 0; i < 3; ++i) {
    to[std::size_t(g.axis[i])] = int(i);
    sign[std::size_t(g.axis[i])] = g.sign[i];
  }
  Gamma product;
  for (int mu = 0; mu < 4; ++mu) {
    if (!(term.gamma >> mu & 1)) continue;
    const int nu = mu < 3 ? to[std::size_t(mu)] : 3;
    if (mu < 3) image.coefficient *= sign[std::size_t(mu)];
    product = product * Gamma::direction(nu);
    image.gamma |= 1 << nu;
  }
  if (!(product == Gamma::number(image.gamma))) image.coefficient = -image.coefficient;
  for (SpatialStep step : term.displacement.steps) {
    const auto a = std::size_t(step.direction);
    if (sign[a] < 0) {
      image.coefficient *= reversal_sign(step);
      step = reversed(step);
    }
    step.direction = to[a];
    image.displacement.steps.push_back(step);
  }
  return image;
}

DisplacedTerm charge_conjugate(DisplacedTerm term) {
  const int n = std::popcount(unsigned(term.gamma));
  if (n == 1 || n == 2) term.coefficient = -term.coefficient;
  std::reverse(term.displacement.steps.begin(), term.displacement.steps.end());
  for (SpatialStep& step : term.displacement.steps) {
    term.coefficient *= reversal_sign(step);
    step = reversed(step);
  }
  return term;
}

/// By gamma matrix and displacement.
using TermSum = std::map<std::pair<int, std::string>, double>;

void add_term(TermSum& sum, const DisplacedTerm& term, double factor) {
  sum[{term.gamma, to_string(term.displacement)}] += factor * term.coefficient;
}

/// Normalised; without terms that have cancelled.
std::vector<DisplacedTerm> terms_of(const TermSum& sum) {
  double squares = 0;
  for (const auto& [what, coefficient] : sum) squares += coefficient * coefficient;
  std::vector<DisplacedTerm> terms;
  // Coefficients are sums of integers.
  for (const auto& [what, coefficient] : sum)
    if (coefficient != 0)
      terms.push_back({coefficient / std::sqrt(squares), what.first, spatial_operator(what.second)});
  return terms;
}

/// s where the image of every term is s times a term that is there, or 0.
template <class Image>
int sign_under(const std::vector<DisplacedTerm>& meson, const Image& image) {
  TermSum sum, images;
  for (const DisplacedTerm& term : meson) {
    add_term(sum, term, 1);
    add_term(images, image(term), 1);
  }
  for (const int sign : {1, -1})
    if (std::equal(sum.begin(), sum.end(), images.begin(), images.end(),
                   [&](const auto& a, const auto& b) { return a.first == b.first && a.second == sign * b.second; }))
      return sign;
  return 0;
}

}  // namespace

Momentum AxisPermutation::operator()(const Momentum& p) const {
  Momentum turned{};
  for (std::size_t i = 0; i < 3; ++i) turned[i] = sign[i] * p[std::size_t(axis[i])];
  return turned;
}

AxisPermutation AxisPermutation::inverse() const {
  AxisPermutation back{};
  for (std::size_t i = 0; i < 3; ++i) {
    back.axis[std::size_t(axis[i])] = int(i);
    back.sign[std::size_t(axis[i])] = sign[i];
  }
  return back;
}

std::vector<AxisPermutation> axis_permutations(const Coord& extent) {
  std::vector<AxisPermutation> all;
  std::array<int, 3> axis{0, 1, 2};
  do {
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i) fits = fits && extent[i] == extent[std::size_t(axis[i])];
    for (int signs = 0; fits && signs < 8; ++signs)
      all.push_back({axis, {signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, signs & 4 ? -1 : 1}});
  } while (std::next_permutation(axis.begin(), axis.end()));
  return all;
}

MesonOperator meson_operator(const std::string& text) {
  const std::size_t bracket = text.find('[');
  require(bracket != std::string::npos && text.back() == ']', "the meson '" + text + "'",
          "has no displacement: write its gamma matrix by the name of a local meson, and a displacement, 'a0[dx]'");
  const std::string meson = text.substr(0, bracket);
  require(meson_number(meson).has_value(),
          "the meson '" + text + "':", not_a_choice(meson, {meson_names().begin(), meson_names().end()}));
  return {meson, to_string(spatial_operator(text.substr(bracket + 1, text.size() - bracket - 2)))};
}

std::vector<DisplacedTerm> projected_meson(const MesonOperator& meson, const Momentum& total, const std::string& irrep,
                                           std::size_t row, const Coord& extent) {
  const DisplacedTerm named{1, meson_number(meson.meson).value(), spatial_operator(meson.displacement)};
  if (irrep.empty()) return {named};
  const std::vector<AxisPermutation> all = axis_permutations(extent);
  if (irrep == "A1") {
    const Momentum standard = representative(total, extent);
    TermSum sum;
    for (const AxisPermutation& g : all)
      if (g(total) == standard) add_term(sum, turned(g.inverse(), named), 1);
    return terms_of(sum);
  }
  std::vector<DisplacedTerm> terms;
  for (int l = 0; l < 3 && terms.empty(); ++l) {
    TermSum sum;
    for (const AxisPermutation& g : all)
      if (g.axis[row] == l) add_term(sum, turned(g, named), g.sign[row]);
    terms = terms_of(sum);
  }
  return terms;
}

int inversion_sign(const std::vector<DisplacedTerm>& meson) {
  return sign_under(meson, [](const DisplacedTerm& term) { return turned({{0, 1, 2}, {-1, -1, -1}}, term); });
}

int conjugation_sign(const std::vector<DisplacedTerm>& meson) { return sign_under(meson, charge_conjugate); }

}  // namespace kov::app
