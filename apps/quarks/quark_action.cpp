// SPDX-License-Identifier: MIT
#include "apps/quarks/quark_action.hpp"

#include "apps/smear/smearing_choice.hpp"
#include "kov/core/io/text.hpp"
#include "kov/stencil/dirac/wilson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kov::app {

namespace {

/// Outside these limits the propagator is just the source, or rounding errors hide it from the solver.
constexpr double least_kappa = 1e-6, largest_kappa = 10;
/// Perturbation theory begins at 1, and simulations take up to about 3: a larger one is a slip.
constexpr double largest_c_sw = 10;
constexpr double largest_mu = 10, least_anisotropy = 0.01;
/// Of a boundary: once around, as large ones lose the digits of their phases.
constexpr double largest_angle = 6.2831853071795865;

using std::numbers::pi;
/// Angles closer than this are the same boundary.
constexpr double same_angle = 1e-12;

/// The angle modulo 2 pi, above -pi and up to pi; 0 and pi exactly.
double folded(double angle) {
  const double rest = std::remainder(angle, 2 * pi);
  if (std::abs(rest) < same_angle) return 0;
  return std::abs(std::abs(rest) - pi) < same_angle ? pi : rest;
}

/// A folded angle as labels have it: ways to write it differ in roundings.
double rounded(double angle) { return angle == pi ? pi : std::round(angle * 1e12) / 1e12; }

}  // namespace

void QuarkAction::add_to(Settings& s, const std::string& section) {
  s.add(section + ".kappa", &kappa, "hopping parameter of the quarks");
  s.add(section + ".mass", &mass, "bare mass, 1 / (2 kappa) - 4: give this or kappa");
  s.add(section + ".c_sw", &c_sw, "coefficient of the clover term; 0: none, 1: its tree-level value");
  s.add(section + ".boundary", &boundary, "of the quarks in time", {"antiperiodic", "periodic"});
  s.add(section + ".action", &action, "the Dirac operator", {"wilson", "hamber-wu", "naik"});
  s.add(section + ".mu", &mu, "twisted mass: + i mu g5");
  s.add(section + ".xi0", &xi0, "bare anisotropy");
  s.add(section + ".nu", &nu, "bare velocity on an anisotropic lattice");
  s.add(section + ".theta", &theta, "angles of the boundary in space, in radians: psi(x + L) = e^{i theta} psi(x)");
  s.add(section + ".theta_t", &theta_t,
        "angle of the boundary in time beyond that of `boundary`, in radians: pi makes 'periodic' antiperiodic");
}

void QuarkAction::complete(Settings& settings, const std::string& section) {
  const std::string of_kappa = section + ".kappa", of_mass = section + ".mass";
  const auto weight = [&](const std::string& key) {
    return settings.given(key) + (settings.origin(key).rfind("--set", 0) == 0);
  };
  if (weight(of_mass) > weight(of_kappa)) {
    require_between(settings.origin(of_mass), mass, mass_of_kappa(largest_kappa), mass_of_kappa(least_kappa));
    kappa = 1 / (2 * mass + 8);
    settings.follows(of_kappa);
  } else {
    require_between(settings.origin(of_kappa), kappa, least_kappa, largest_kappa);
    const double follows = mass_of_kappa(kappa);
    require(weight(of_mass) == 0 || weight(of_mass) < weight(of_kappa) || std::abs(mass - follows) < 1e-10,
            settings.origin(of_mass), "is", mass, "but", of_kappa, "says", follows, "- give one of the two");
    mass = follows;
    settings.follows(of_mass);
  }
  require_between(settings.origin(section + ".c_sw"), c_sw, 0, largest_c_sw);
  const auto check = [&](const char* key, double value, double low, double high) {
    if (value < low || value > high) require_between(settings.origin(section + "." + key), value, low, high);
  };
  check("mu", mu, -largest_mu, largest_mu);
  check("xi0", xi0, least_anisotropy, 1 / least_anisotropy);
  check("nu", nu, least_anisotropy, 1 / least_anisotropy);
  for (const double angle : theta) check("theta", angle, -largest_angle, largest_angle);
  check("theta_t", theta_t, -largest_angle, largest_angle);
  if (!is_improved()) return;
  const QuarkAction plain;
  require(c_sw == 0 && mu == 0 && xi0 == plain.xi0 && nu == plain.nu, settings.origin(section + ".action"), "is",
          action + ",", "which has no clover term, twisted mass or anisotropy: leave these out, or take wilson");
}

void QuarkAction::check_ranks(const Settings& settings, const std::string& section, const Coord& extent,
                              int n_ranks) const {
  if (!is_improved()) return;
  const Coord grid = Geometry::choose_grid(extent, n_ranks), local = part_of_rank(extent, grid);
  const int length = action == "naik" ? 3 : 2;
  for (std::size_t mu = 0; mu < 4; ++mu)
    require(grid[mu] == 1 || local[mu] >= length, settings.origin(section + ".action"), "is", action + ",",
            "whose legs of", length, "links must end on the next process, but each of", n_ranks, "has",
            to_string(local), "sites: use fewer processes");
}

BoundaryAngles QuarkAction::boundary_angles() const {
  BoundaryAngles angles = boundary == "periodic" ? BoundaryAngles::periodic() : BoundaryAngles::antiperiodic_in_time();
  for (std::size_t mu = 0; mu < 3; ++mu) angles.angle[mu] = folded(theta[mu]);
  angles.angle[3] = folded(angles.angle[3] + theta_t);
  return angles;
}

std::string QuarkAction::action_name() const {
  if (action == "hamber-wu") return "Hamber-Wu";
  if (action == "naik") return "Naik";
  if (mu != 0) return c_sw == 0 ? "twisted mass" : "twisted clover";
  return c_sw == 0 ? "Wilson" : "Wilson-clover";
}

std::map<std::string, LabelValue> QuarkAction::time_labels() const {
  const double angle = boundary_angles().angle[3];
  const bool is_periodic = std::abs(angle) < pi / 2 + same_angle;
  std::map<std::string, LabelValue> labels{{"boundary", is_periodic ? "periodic" : "antiperiodic"}};
  if (const double beyond = rounded(is_periodic ? angle : folded(angle - pi)); beyond != 0) labels["theta_t"] = beyond;
  return labels;
}

std::map<std::string, LabelValue> QuarkAction::labels() const {
  std::map<std::string, LabelValue> labels = time_labels();
  labels["action"] = action_name();
  labels["kappa"] = kappa;
  if (c_sw != 0) labels["c_sw"] = c_sw;
  if (mu != 0) labels["mu"] = mu;
  if (xi0 != 1) labels["xi0"] = xi0;
  if (nu != 1) labels["nu"] = nu;
  const auto& angle = boundary_angles().angle;
  if (angle[0] != 0 || angle[1] != 0 || angle[2] != 0)
    labels["theta"] =
        sentence(exact_text(rounded(angle[0])), exact_text(rounded(angle[1])), exact_text(rounded(angle[2])));
  return labels;
}

std::string QuarkAction::description() const {
  std::string text = sentence(action_name() + ", kappa", kappa, "(mass", std::to_string(mass) + ")");
  const std::map<std::string, LabelValue> labels = this->labels();
  for (const auto& [label, value] : labels)
    if (label != "action" && label != "kappa" && label != "boundary") text += ", " + label + " " + label_text(value);
  return text + ", " + label_text(labels.at("boundary")) + " in time";
}

}  // namespace kov::app
