// SPDX-License-Identifier: MIT
//
// Meson two-point functions: one outer product gives all 16 x 16 pairs of gamma matrices.
#pragma once

#include "kov/contractions/sources/propagator.hpp"
#include "kov/core/site/gamma.hpp"

#include <optional>
#include <string>
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
/// All 256 pairs of matrices at sink and source.
std::vector<MesonChannel> all_mesons();
/// The n of Gamma::number(n) with this name of meson_names(); none for other names.
std::optional<int> meson_number(const std::string& name);
/// "pion-pion": sink-source, with the names of meson_names().
std::string to_string(const MesonChannel& channel);

/// C(p, t) = sum_x e^{+i p.(x - origin)} Tr[(g5 S2 g5)^+ Gamma_sink S1 Gamma_source], t counted from the origin that
/// both propagators have in their labels.
///
/// One correlator for each channel and momentum, momenta innermost, with the labels of both: those that differ are
/// name_1 and name_2.  The cost depends on the number of momenta, hardly on the number of channels: a site takes 18432
/// flops and 2304 (float) or 4608 (double) bytes, and 2048 flops for each momentum that is not zero; on hosts for each
/// pair of opposite ones.  Of one propagator with itself a site takes 11520 flops and half the bytes, and 1280 for a
/// momentum that is not zero, likewise.  GPUs with tensor cores take opposite momenta together too, and read a site
/// once for three pairs of them; of one propagator they take 13824 flops each time, and 1536 for a pair.  Throws
/// InputError when the propagators live on different lattices or start from different points.  Runs on exec and waits
/// for it.  Collective.
template <class T>
std::vector<Correlator> mesons(const Propagator<T>& s1, const Propagator<T>& s2,
                               const std::vector<MesonChannel>& channels, const std::vector<Momentum>& momenta,
                               const Exec& exec = {});

}  // namespace kov
