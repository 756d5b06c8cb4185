// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/elementals.hpp"

#include "kov/algebra/eigen/slice_columns.hpp"

#include <algorithm>

namespace kov {

std::string to_string(const ElementalLabel& label) {
  return to_string(label.displacement) + ", p = " + to_string(label.momentum);
}

std::vector<ElementalLabel> elemental_labels(const std::vector<SpatialOperator>& displacements,
                                             const std::vector<Momentum>& momenta) {
  std::vector<ElementalLabel> labels;
  for (const SpatialOperator& D : displacements)
    for (const Momentum& p : momenta) labels.push_back({D, p});
  return labels;
}

template <class T>
Elementals elementals(const GaugeLinks<T>& links, const Field<ColorVector, T>& vectors,
                      const std::vector<ElementalLabel>& labels, const ElementalOptions& options) {
  require(!labels.empty() && options.columns >= 1, "no elementals were asked for, or", options.columns,
          "vectors at a time: give a label and at least one vector");
  const Lattice& lattice = vectors.lattice();
  require(links.lattice() == lattice,
          "links and eigenvectors of elementals are on different lattices: take both from one");
  const int n = vectors.n_components();
  Elementals result{labels, SliceMatrices(lattice, int(labels.size()), n, n)};
  std::vector<SpatialOperator> displacements;
  for (const ElementalLabel& label : labels)
    if (std::find(displacements.begin(), displacements.end(), label.displacement) == displacements.end())
      displacements.push_back(label.displacement);
  int done = 0;
  for (const SpatialOperator& D : displacements) {
    std::vector<int> of_labels;
    std::vector<Momentum> momenta;
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (labels[k].displacement == D) {
        of_labels.push_back(int(k));
        momenta.push_back(labels[k].momentum);
      }
    const bool moves = !D.steps.empty();
    const int at_once = std::min(n, options.columns);
    Field<ColorVector, T> displaced;
    if (moves) displaced = Field<ColorVector, T>(lattice, "displaced eigenvectors", at_once);
    for (int first = 0; first < n; first += at_once) {
      const int count = std::min(at_once, n - first);
      const Field<ColorVector, T> plain = vectors.components(first, count);
      const Field<ColorVector, T> right = moves ? displaced.components(0, count) : plain.alias();
      if (moves) apply_spatial_operator(links, D, plain, right);
      const SliceMatrices part = gram_by_slice(vectors, right, momenta);
      for (int t = 0; t < part.n_slices; ++t)
        for (std::size_t k = 0; k < momenta.size(); ++k)
          for (int i = 0; i < n; ++i)
            std::copy_n(part.at(t, int(k)) + std::ptrdiff_t(i) * count, count,
                        result.matrices.at(t, of_labels[k]) + std::ptrdiff_t(i) * n + first);
    }
    if (options.progress) options.progress(++done, int(displacements.size()));
  }
  return result;
}

template Elementals elementals(const GaugeLinks<float>&, const Field<ColorVector, float>&,
                               const std::vector<ElementalLabel>&, const ElementalOptions&);
template Elementals elementals(const GaugeLinks<double>&, const Field<ColorVector, double>&,
                               const std::vector<ElementalLabel>&, const ElementalOptions&);

}  // namespace kov
