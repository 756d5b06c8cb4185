// SPDX-License-Identifier: MIT
//
// Elementals: operators of quarks in the space of the eigenvectors, Phi(t) = V^+(t) e^{-i p.x} D V(t).
#pragma once

#include "kov/algebra/eigen/slice_matrices.hpp"
#include "kov/contractions/distillation/spatial_operator.hpp"
#include "kov/contractions/distillation/vector_groups.hpp"
#include "kov/contractions/kernels/momentum_lists.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kov {

/// Which elemental.
struct ElementalLabel {
  SpatialOperator displacement = {};
  Momentum momentum{0, 0, 0};
  bool operator==(const ElementalLabel&) const = default;
};

/// "dx dy, p = 1 0 0"
std::string to_string(const ElementalLabel& label);

/// Every displacement with every momentum; momenta change first.
std::vector<ElementalLabel> elemental_labels(const std::vector<SpatialOperator>& displacements,
                                             const std::vector<Momentum>& momenta);

/// Elementals of this rank's time slices: matrix k of a slice is that of labels[k], N_v x N_v.
struct Elementals {
  std::vector<ElementalLabel> labels;
  SliceMatrices matrices;
};

/// How elementals() works.
struct ElementalOptions {
  /// Displaced vectors in memory at a time.
  int columns = 16;
  /// Called on every rank with how many of how many displacements' work is done.
  std::function<void(int done, int n)> progress = {};
};

/// Phi(t)_nm = sum over the sites x of slice t of e^{-i p.x} v_n(x)^+ (D v_m)(x), x counted from the first site of the
/// lattice: Peardon et al., Phys. Rev. D 80 (2009) 054506, eq. (13).  Phi^+ belongs to the adjoint: with D = 1 to -p.
///
/// links: those of the displacements.  vectors: component n on slice t is v_n(t).  A displacement is applied once for
/// all its momenta; flops and traffic are those of gram_by_slice().  Collective.  Throws InputError without labels.
template <class T>
Elementals elementals(const GaugeLinks<T>& links, const Field<ColorVector, T>& vectors,
                      const std::vector<ElementalLabel>& labels, const ElementalOptions& options = {});
/// The same for vectors of which a group is in memory, beside options.columns others where there are several: all are
/// read once for each group.
template <class T>
Elementals elementals(const GaugeLinks<T>& links, const VectorGroups<T>& vectors,
                      const std::vector<ElementalLabel>& labels, const ElementalOptions& options = {});

}  // namespace kov
