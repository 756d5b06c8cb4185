// SPDX-License-Identifier: MIT
#include "apps/smear/smearing_choice.hpp"

#include "apps/settings/formula.hpp"
#include "apps/settings/shown.hpp"

#include <algorithm>
#include <cmath>

namespace kov::app {

const std::vector<std::string>& SmearingChoice::names() {
  static const std::vector<std::string> names{"wuppertal", "gaussian", "node", "theta", "formula", "none"};
  return names;
}

namespace {

/// A profile's scale is arbitrary, but powers of it, up to those in the product of three quarks, must be numbers.
constexpr double least_profile = 1e-30, largest_profile = 1e30;

/// The largest |F| from p2 = 0 to 12, where it is finite.
double largest_value(const RealFunction& f) {
  constexpr int n = 4000;
  double largest = 0;
  for (int k = 0; k <= n; ++k)
    if (const double value = std::abs(f(12.0 * k / n)); std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

/// Throws InputError, which begins with `what`, unless the function leaves something of a source.
void check_size(const RealFunction& f, const std::string& what, const std::string& remedy) {
  const double largest = largest_value(f);
  require(largest != 0, what, "is 0 from p2 = 0 to 12: nothing would be left of a source; give a function that is not");
  require(largest >= least_profile && largest <= largest_profile, what, "is at most", largest,
          "from p2 = 0 to 12: products of quarks would be too", largest < 1 ? "small" : "large", "for this machine;",
          remedy + ", so that its largest value lies between", least_profile, "and", largest_profile);
}

}  // namespace

void SmearingChoice::add_to(Settings& s, const std::string& section) {
  s.add(section + ".width", &width, "wuppertal: w in (1 + w^2 / (4 N) Laplacian)^N");
  s.add(section + ".iterations", &iterations, "wuppertal: N");
  s.add(section + ".sigma", &sigma, "gaussian and node: sigma in exp(-p^2 sigma^2 / 2)");
  s.add(section + ".node", &node, "node: its radius; 0: sqrt(3/2) sigma");
  s.add(section + ".p2_max", &p2_max, "theta: the largest p^2 kept");
  s.add(section + ".edge", &edge, "theta: width in p^2 of its edge");
  s.add(section + ".formula", &formula, "formula: F(p^2), a formula in p2 such as 'exp(-2 * p2) * (p2 - 1)'");
}

void SmearingChoice::check(const std::function<std::string(const std::string&)>& key,
                           const std::vector<std::string>& names) const {
  constexpr double largest = 1e6;
  const auto number = [&](const std::string& name, double value, bool positive, const char* what) {
    require((positive ? value > 0 : value >= 0) && value <= largest, key(name), "is", value, "- it must be",
            positive ? "positive" : "0 or more", what, "and at most", largest);
  };
  require(iterations >= 0, key("iterations"), "is", iterations, "- it must be 0 or more");
  number("width", width, false, "in lattice units");
  number("sigma", sigma, true, "in lattice units");
  number("node", node, false, "in lattice units (0 is sqrt(3/2) sigma)");
  require_between(key("p2_max"), p2_max, -largest, largest);
  number("edge", edge, true, "(the range of p^2 in which the profile falls)");
  if (std::find(names.begin(), names.end(), "formula") != names.end()) {
    require(!formula.empty(), key("formula"), "is empty: give F(p^2), such as 'exp(-2 * p2)'");
    const RealFunction f = parse_formula(formula, "p2", key("formula"));
    require(std::isfinite(f(1)), key("formula"), "is '" + shown(formula) + "', which is", f(1),
            "at p2 = 1: it must be finite from 0 to 12");
    check_size(f, key("formula") + " is '" + shown(formula) + "', which", "multiply it by a number");
  }
  if (std::find(names.begin(), names.end(), "theta") != names.end())
    check_size(profile("theta"), sentence(key("p2_max"), "is", p2_max) + ", so that theta",
               "take a larger one, or a wider edge");
}

std::string SmearingChoice::warning(const std::string& name) const {
  const double growth = iterations > 0 ? 3 * width * width / iterations - 1 : 0;
  if (name != "wuppertal" || growth <= 1 + 1e-12) return "";
  return sentence("wuppertal smearing of width", width, "in", iterations, "iterations lets the shortest waves grow by",
                  std::pow(growth, iterations), "- it takes", std::ceil(1.5 * width * width), "iterations or more");
}

SmearingShape SmearingChoice::shape(const std::string& name) const {
  if (name == "none") return std::monostate();
  if (name == "wuppertal") return WuppertalParameters{.width = width, .iterations = iterations};
  return profile(name);
}

RealFunction SmearingChoice::profile(const std::string& name) const {
  if (name == "gaussian") return gaussian_profile(sigma);
  if (name == "node") return node_profile(sigma, node > 0 ? std::optional(node) : std::nullopt);
  if (name == "theta") return theta_profile(p2_max, edge);
  if (name == "formula") return parse_formula(formula, "p2", "the profile");
  if (name == "wuppertal" && iterations > 0 && width > 0)
    return wuppertal_profile({.width = width, .iterations = iterations});
  return gaussian_profile(0);
}

void require_between(const std::string& name, double value, double low, double high) {
  require(value >= low && value <= high, name, "is", value, "- it must lie between", low, "and", high);
}

std::string SmearingChoice::description(const std::string& name) const {
  if (name == "gaussian") return sentence("exp(-p^2 sigma^2 / 2), sigma =", sigma);
  if (name == "node")
    return sentence("node at r =", sentence(node > 0 ? node : std::sqrt(1.5) * sigma) + ", Gaussian of sigma =", sigma);
  if (name == "theta") return sentence("theta(p2_max - p^2), p2_max =", sentence(p2_max) + ", edge =", edge);
  if (name == "formula") return "F(p^2) = " + formula + ", p2 = p^2";
  if (name == "wuppertal") return sentence("(1 + w^2/(4 N) Laplacian)^N, w =", sentence(width) + ", N =", iterations);
  return "none";
}

}  // namespace kov::app
