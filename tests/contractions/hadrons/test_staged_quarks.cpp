// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/cuda/staged_quarks.hpp"
#include "kov/core/launch/for_each_team.hpp"
#include "tests/contractions/propagator_support.hpp"

namespace kov {
namespace {

// On GPUs the correlators of baryons are compared with their definition.
#if !defined(KOKKOS_ENABLE_CUDA)

template <class T>
void expect_staged_as_rotated(int n_quarks, int n_sites, int n_parts) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  std::vector<Propagator<T>> propagators;
  detail::RotatedQuarks<T> quarks{{}, n_quarks};
  for (int q = 0; q < n_quarks; ++q) {
    propagators.push_back(
        test::make_propagator<T>(lattice, reference::random_array(lattice.extent(), 144, std::uint64_t(21 + q))));
    quarks.s[q] = propagators.back().columns().view();
  }
  std::vector<Complex<T>> memory(std::size_t(detail::StagedQuarks<T>::size(n_quarks, n_sites)) + 2);
  Complex<T>* const numbers = detail::aligned_to(16, memory.data());
  const auto lane = [](int site) { return LaneSite{site / default_lanes, site % default_lanes}; };
  for (int site = 0; site < n_sites; ++site)
    for (int part = 0; part < n_parts; ++part)
      detail::StagedQuarks<T>(numbers, n_sites, site).write(quarks, lane(site), part, n_parts);
  for (int site = 0; site < n_sites; ++site) {
    const auto expected = quarks.at(lane(site));
    const detail::StagedQuarks<T> staged(numbers, n_sites, site);
    for (int k = 0; k < 16 * n_quarks; ++k)
      for (int i = 0; i < 9; ++i) {
        const Complex<T> z = staged(k).z[i], rotated = expected(k).z[i];
        const T tolerance = 8 * std::numeric_limits<T>::epsilon() * 4;
        EXPECT_NEAR(z.re, rotated.re, tolerance) << k << " " << i;
        EXPECT_NEAR(z.im, rotated.im, tolerance) << k << " " << i;
      }
  }
}

TEST(StagedQuarks, AreTheRotatedOnesForAnyNumberOfParts) {
  expect_staged_as_rotated<double>(1, 16, 4);
  expect_staged_as_rotated<float>(2, 8, 8);
  expect_staged_as_rotated<double>(4, 4, 16);
}

#endif

}  // namespace
}  // namespace kov
