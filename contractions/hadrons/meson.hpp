// SPDX-License-Identifier: MIT
//
// Meson two-point functions, all 16 x 16 pairs of gamma matrices at the price of one outer product.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/site/gamma.hpp"

#include <vector>

namespace kov {

/// Gamma numbers (see Gamma::number) at sink and source.
struct MesonChannel {
  int sink = 15;
  int source = 15;

  bool operator==(const MesonChannel&) const = default;
};

/// The 16 channels with the same matrix at sink and source.
std::vector<MesonChannel> diagonal_mesons();
/// All 256.
std::vector<MesonChannel> all_mesons();
/// "pion-pion": sink-source, with the names of meson_names().
std::string to_string(const MesonChannel& channel);

/// C(p, t) = sum_x e^{+i p.(x - source)} Tr[(g5 S2 g5)^+ Gamma_sink S1 Gamma_source], t counted from the source.
///
/// S1 and S2 are propagators: 12 components, component 3 * source_spin + source_colour, spinors in sink spin and
/// colour. One correlator for each channel and momentum, momenta innermost.  The cost depends on the number of momenta,
/// hardly on the number of channels: a site takes 18432 flops and 2304 (float) or 4608 (double) bytes, and 2048 flops
/// for each momentum that is not zero.  Throws InputError when the fields are no propagators of one lattice or the
/// source is outside.  Fences.  Collective.
template <class T>
std::vector<Correlator> mesons(const Field<Spinor, T>& s1, const Field<Spinor, T>& s2,
                               const std::vector<MesonChannel>& channels, const std::vector<Momentum>& momenta,
                               const Coord& source);

}  // namespace kov
