// SPDX-License-Identifier: MIT
//
// Noise fields: independent random numbers on every site, the same on any decomposition and in either precision.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/site/complex.hpp"
#include "kov/core/site/random.hpp"

namespace kov {

/// The distribution of each complex number; all have mean 0 and mean square 1 (gaussian: 1 in the real and 1 in the
/// imaginary part, 2 together).
enum class NoiseKind {
  z2,       ///< 1 or -1
  z4,       ///< 1, i, -1 or -i
  u1,       ///< e^{i phi}, phi uniform
  gaussian  ///< real and imaginary part normal with variance 1
};

/// Which noise: the same three give the same numbers.
struct Noise {
  NoiseKind kind = NoiseKind::z2;
  /// The run's.
  std::uint64_t seed = 1;
  /// One for each use, so that hits and source times are independent.
  std::uint32_t stream = 0;
};

/// The next number of a site.  Every kind uses one block of four draws.
KOKKOS_INLINE_FUNCTION Complex<double> noise_number(NoiseKind kind, SiteRandom& random) {
  if (kind == NoiseKind::gaussian) {
    const SiteRandom::Pair g = random.normal_pair();
    return {g.first, g.second};
  }
  const double u = random.uniform();
  if (kind == NoiseKind::z2) return {u < 0.5 ? 1.0 : -1.0, 0.0};
  if (kind == NoiseKind::z4) return times_i_power(int(4 * u), Complex<double>{1.0, 0.0});
  const double angle = 6.283185307179586477 * u;
  return {Kokkos::cos(angle), Kokkos::sin(angle)};
}

/// Fills the sites of a field: number k of component c at the global site x is draw n_complex c + k of SiteRandom(seed,
/// stream, x), computed in double and rounded.  Asynchronous, ordered on exec.
template <template <class> class SiteT, class T>
void fill_noise(const Field<SiteT, T>& field, const Noise& noise, const Exec& exec = {});

}  // namespace kov
