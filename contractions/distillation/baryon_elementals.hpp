// SPDX-License-Identifier: MIT
//
// Elementals of baryons: three eigenvectors at a point, in a colour singlet.
#pragma once

#include "kov/algebra/eigen/slice_matrices.hpp"
#include "kov/contractions/distillation/vector_groups.hpp"
#include "kov/contractions/kernels/momentum_lists.hpp"
#include "kov/core/field/field.hpp"

#include <functional>
#include <vector>

namespace kov {

/// Of this rank's time slices: matrix p of a slice is that of momenta[p], with row i and column j N_v + k; [i][j][k].
struct BaryonElementals {
  std::vector<Momentum> momenta;
  SliceMatrices matrices;
};

/// How baryon_elementals() works.
struct BaryonElementalOptions {
  /// Pairs of vectors in memory at a time.
  int columns = 16;
  /// Called on every rank N_v - 2 times as the work goes on, with how many of how many parts of it are done.
  std::function<void(int done, int n)> progress = {};
};

/// B(t)_ijk = sum over the sites x of slice t of e^{-i p.x} eps_abc v_i(x)_a v_j(x)_b v_k(x)_c, x counted from the
/// first site of the lattice: Peardon et al., Phys. Rev. D 80 (2009) 054506, without derivatives.
///
/// B is antisymmetric in all indices, to the bit: i < j < k is computed, the rest follows.  Some 24 N^3 / 6 flops for
/// each site and momentum, those of gram_by_slice() for pairs of vectors and single ones, and 42 for each pair.  N^3
/// numbers for each slice and momentum.  Collective.  Throws InputError without momenta.
template <class T>
BaryonElementals baryon_elementals(const Field<ColorVector, T>& vectors, const std::vector<Momentum>& momenta,
                                   const BaryonElementalOptions& options = {});
/// The same, to the bit, for vectors of which a group is in memory, beside 2 options.columns + 1 others where there are
/// several groups: with groups of g some N_v^3 / (6 g options.columns) vectors are read.
template <class T>
BaryonElementals baryon_elementals(const VectorGroups<T>& vectors, const std::vector<Momentum>& momenta,
                                   const BaryonElementalOptions& options = {});

extern template BaryonElementals baryon_elementals(const VectorGroups<float>&, const std::vector<Momentum>&,
                                                   const BaryonElementalOptions&);
extern template BaryonElementals baryon_elementals(const VectorGroups<double>&, const std::vector<Momentum>&,
                                                   const BaryonElementalOptions&);
extern template BaryonElementals baryon_elementals(const Field<ColorVector, float>&, const std::vector<Momentum>&,
                                                   const BaryonElementalOptions&);
extern template BaryonElementals baryon_elementals(const Field<ColorVector, double>&, const std::vector<Momentum>&,
                                                   const BaryonElementalOptions&);

}  // namespace kov
