// SPDX-License-Identifier: MIT
//
// Site objects of random numbers, and the same numbers in long double for naive arithmetic.  Real numbers of lanes and
// plain ones are treated alike, so that every test of site objects runs on packs too.
#pragma once

#include "kov/core/site/color_spin.hpp"
#include "kov/core/site/random.hpp"

#include <complex>
#include <concepts>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace kov::test {

using Exact = std::complex<long double>;

template <class R>
struct LanesOf;
template <std::floating_point R>
struct LanesOf<R> {
  static constexpr int n = 1;
  static R get(const R& a, int) { return a; }
  static void set(R& a, int, R value) { a = value; }
};
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T, int N>
struct LanesOf<Pack<T, N>> {
  static constexpr int n = N;
  static T get(const Pack<T, N>& a, int lane) { return a.lane(lane); }
  static void set(Pack<T, N>& a, int lane, T value) { a.set_lane(lane, value); }
};
#endif
template <class R>
inline constexpr int lanes_of = LanesOf<R>::n;

/// A random real number, different in every lane.
template <class R>
R random_real(SiteRandom& random) {
  R a(0);
  for (int lane = 0; lane < lanes_of<R>; ++lane) LanesOf<R>::set(a, lane, scalar_t<R>(random.normal_pair().first));
  return a;
}
template <class R>
Complex<R> random_complex(SiteRandom& random) {
  const R re = random_real<R>(random);
  return {re, random_real<R>(random)};
}
template <class S>
S random_site(std::uint64_t seed) {
  SiteRandom random(seed, 3, 0);
  S site;
  for (auto& z : site.z) z = random_complex<typename S::Real>(random);
  return site;
}

template <class R>
long double exact(const R& a, int lane) {
  return LanesOf<R>::get(a, lane);
}
template <class R>
Exact exact(const Complex<R>& a, int lane) {
  return {exact(a.re, lane), exact(a.im, lane)};
}
/// All numbers of a lane.
template <SiteObject S>
std::vector<Exact> exact(const S& site, int lane) {
  std::vector<Exact> numbers;
  for (const auto& z : site.z) numbers.push_back(exact(z, lane));
  return numbers;
}

/// Two values agree to `ulps` roundings of numbers of this size.
template <class R>
void expect_near(const Complex<R>& a, int lane, Exact expected, long double size, const char* what, int ulps = 8) {
  EXPECT_LE(std::abs(exact(a, lane) - expected), ulps * size * std::numeric_limits<scalar_t<R>>::epsilon())
      << what << ", lane " << lane;
}
template <class R>
requires requires { LanesOf<R>::n; }
void expect_near(const R& a, int lane, long double expected, long double size, const char* what, int ulps = 8) {
  EXPECT_LE(std::abs(exact(a, lane) - expected), ulps * size * std::numeric_limits<scalar_t<R>>::epsilon())
      << what << ", lane " << lane;
}
template <SiteObject S>
void expect_near(const S& a, int lane, const std::vector<Exact>& expected, long double size, const char* what,
                 int ulps = 8) {
  ASSERT_EQ(int(expected.size()), S::n_complex);
  for (int i = 0; i < S::n_complex; ++i) expect_near(a.z[i], lane, expected[std::size_t(i)], size, what, ulps);
}

/// The types of real numbers in tests of site objects: scalars, and packs of the widths that a build uses.
#if defined(KOKKOS_ENABLE_CUDA)
using Reals = ::testing::Types<float, double>;
#else
using Reals = ::testing::Types<float, double, Pack<float, default_lanes>, Pack<double, default_lanes>, Pack<double, 1>>;
#endif

}  // namespace kov::test
