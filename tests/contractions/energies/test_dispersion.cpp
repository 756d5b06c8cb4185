// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/dispersion.hpp"
#include "kov/core/base/error.hpp"
#include "tests/contractions/energies/synthetic.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace kov {
namespace {

constexpr std::array<int, 3> box{8, 8, 12};
const std::vector<std::array<int, 3>> momenta_of_box{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1, 1}};

/// Energies with noise of this size, correlated between momenta.
std::vector<EnergyAtMomentum> energies_of(const std::function<double(const std::array<int, 3>&)>& energy, double noise,
                                          int n_samples, std::uint32_t stream = 1) {
  Samples samples;
  const test::Noise draw(5, stream, 0.4);
  for (int i = 0; i < n_samples; ++i) {
    samples.push_back(draw(std::uint64_t(i), momenta_of_box.size()));
    for (std::size_t k = 0; k < momenta_of_box.size(); ++k)
      samples.back()[k] = energy(momenta_of_box[k]) + noise * samples.back()[k];
  }
  const Resampled all = Jackknife{}(samples);
  std::vector<EnergyAtMomentum> list;
  for (std::size_t k = 0; k < momenta_of_box.size(); ++k) list.push_back({momenta_of_box[k], all.select({k})});
  return list;
}

TEST(Dispersion, MomentaAreThoseOfTheLattice) {
  const double p = 2 * std::numbers::pi / 8;
  EXPECT_NEAR(momentum_squared(DispersionForm::continuum, {1, -1, 0}, box), 2 * p * p, 1e-14);
  EXPECT_NEAR(momentum_squared(DispersionForm::lattice, {0, 0, 3}, box), 4 * 0.5, 1e-14);
  EXPECT_NEAR(momentum_squared(DispersionForm::lattice, {8, 0, 0}, box), 0, 1e-14);
  EXPECT_THROW(momentum_squared(DispersionForm::lattice, {1, 0, 0}, {8, 0, 8}), InputError);
}

TEST(Dispersion, OfAFreeBosonOnTheLatticeIsRecovered) {
  for (const double c2 : {1.0, 0.9}) {
    const auto energy = [&](const std::array<int, 3>& n) {
      const double square =
          std::pow(2 * std::sinh(0.5 * 0.3), 2) + c2 * momentum_squared(DispersionForm::lattice, n, box);
      return 2 * std::asinh(0.5 * std::sqrt(square));
    };
    const auto fit = fit_dispersion(energies_of(energy, 1e-9, 40), box, DispersionForm::lattice);
    EXPECT_NEAR(fit.mass().mean, 0.3, 1e-8);
    EXPECT_NEAR(fit.c2().mean, c2, 1e-8);
    EXPECT_TRUE(fit.correlated);
    EXPECT_EQ(fit.dof, 3);
    EXPECT_NEAR(fit.energy({1, 1, 1}, box), energy({1, 1, 1}), 1e-8);
    EXPECT_GT(fit.finite_p_value, 1e-3);
    const auto wrong = fit_dispersion(energies_of(energy, 1e-9, 40), box, DispersionForm::continuum);
    EXPECT_LT(wrong.finite_p_value, 1e-6) << "the other form does not fit";
  }
}

TEST(Dispersion, OfTheContinuumIsRecovered) {
  const auto energy = [](const std::array<int, 3>& n) {
    return std::sqrt(0.25 + 1.1 * momentum_squared(DispersionForm::continuum, n, box));
  };
  const auto fit = fit_dispersion(energies_of(energy, 1e-9, 40), box, DispersionForm::continuum);
  EXPECT_NEAR(fit.mass().mean, 0.5, 1e-8);
  EXPECT_NEAR(fit.c2().mean, 1.1, 1e-8);
}

TEST(Dispersion, ErrorsCoverTheTruth) {
  const auto energy = [](const std::array<int, 3>& n) {
    return std::sqrt(0.25 + momentum_squared(DispersionForm::continuum, n, box));
  };
  int covered = 0;
  double p = 0;
  for (std::uint32_t k = 0; k < 300; ++k) {
    const auto fit = fit_dispersion(energies_of(energy, 0.02, 60, k), box, DispersionForm::continuum);
    covered += std::abs(fit.c2().mean - 1) < fit.c2().error;
    p += fit.finite_p_value / 300;
  }
  EXPECT_NEAR(covered, 0.683 * 300, 30);
  EXPECT_NEAR(p, 0.5, 4 * std::sqrt(1 / 12.0 / 300));
}

TEST(Dispersion, TakesErrorsAloneFromFewSamples) {
  const auto energy = [](const std::array<int, 3>& n) {
    return std::sqrt(0.25 + momentum_squared(DispersionForm::continuum, n, box));
  };
  const auto fit = fit_dispersion(energies_of(energy, 1e-6, 4), box, DispersionForm::continuum);
  EXPECT_FALSE(fit.correlated);
  EXPECT_NEAR(fit.mass().mean, 0.5, 1e-4);
}

TEST(Dispersion, LeavesOutWhatIsNoEnergyAndRefusesTooFew) {
  auto list = energies_of([](const std::array<int, 3>& n) { return 1 + 0.1 * n[0]; }, 1e-3, 10);
  list[1].energy.row(3)[0] = NAN;
  EXPECT_EQ(fit_dispersion(list, box, DispersionForm::continuum).dof, 2);
  EXPECT_THROW(fit_dispersion({list[0]}, box, DispersionForm::continuum), InputError);
  EXPECT_THROW(fit_dispersion({list[0], list[0]}, box, DispersionForm::continuum), InputError);
  EXPECT_THROW(fit_dispersion({}, box, DispersionForm::continuum), InputError);
}

}  // namespace
}  // namespace kov
