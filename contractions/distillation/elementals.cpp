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

namespace {

/// The labels of a displacement.
struct OfDisplacement {
  SpatialOperator D;
  std::vector<int> labels = {};
  std::vector<Momentum> momenta = {};
};

std::vector<OfDisplacement> by_displacement(const std::vector<ElementalLabel>& labels) {
  std::vector<OfDisplacement> all;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const OfDisplacement& one) { return one.D == labels[k].displacement; });
    if (same == all.end()) same = all.insert(all.end(), {labels[k].displacement});
    same->labels.push_back(int(k));
    same->momenta.push_back(labels[k].momentum);
  }
  return all;
}

}  // namespace

template <class T>
Elementals elementals(const GaugeLinks<T>& links, const VectorGroups<T>& vectors,
                      const std::vector<ElementalLabel>& labels, const ElementalOptions& options) {
  using F = Field<ColorVector, T>;
  require(!labels.empty() && options.columns >= 1, "no elementals were asked for, or", options.columns,
          "vectors at a time: give a label and at least one vector");
  const Lattice& lattice = vectors.lattice();
  require(links.lattice() == lattice,
          "links and eigenvectors of elementals are on different lattices: take both from one");
  const int n = vectors.n(), n_groups = vectors.n_groups(), at_once = std::min(n, options.columns);
  Elementals result{labels, SliceMatrices(lattice, int(labels.size()), n, n)};
  const std::vector<OfDisplacement> displacements = by_displacement(labels);
  const bool any_moves = std::any_of(displacements.begin(), displacements.end(),
                                     [](const OfDisplacement& one) { return !one.D.steps.empty(); });
  const F displaced = any_moves ? F(lattice, "displaced eigenvectors", at_once) : F(),
          others = n_groups > 1 ? F(lattice, "eigenvectors of other groups", at_once) : F();
  const int n_steps = n_groups * ((n + at_once - 1) / at_once) * int(displacements.size());
  int step = 0, done = 0;
  for (int k = 0; k < n_groups; ++k) {
    const int group = (vectors.at_hand() + (k > 0 ? 1 : 0)) % n_groups, first_row = vectors.first(group),
              rows = vectors.size(group);
    const F left = vectors(group);
    for (int first = 0; first < n; first += at_once) {
      const int count = std::min(at_once, n - first);
      const bool is_here = first >= first_row && first + count <= first_row + rows;
      const F plain = is_here ? left.components(first - first_row, count) : others.components(0, count);
      if (!is_here) vectors.read(first, plain);
      for (const auto& [D, of_labels, momenta] : displacements) {
        const bool moves = !D.steps.empty();
        const F right = moves ? displaced.components(0, count) : plain.alias();
        if (moves) apply_spatial_operator(links, D, plain, right);
        const SliceMatrices part = gram_by_slice(left, right, momenta, {}, {}, std::size_t(n) * std::size_t(count));
        for (int t = 0; t < part.n_slices; ++t)
          for (std::size_t l = 0; l < momenta.size(); ++l)
            for (int i = 0; i < rows; ++i)
              std::copy_n(part.at(t, int(l)) + std::ptrdiff_t(i) * count, count,
                          result.matrices.at(t, of_labels[l]) + std::ptrdiff_t(first_row + i) * n + first);
        const int finished = int(std::int64_t(++step) * int(displacements.size()) / n_steps);
        while (done < finished)
          if (++done; options.progress) options.progress(done, int(displacements.size()));
      }
    }
  }
  return result;
}

template <class T>
Elementals elementals(const GaugeLinks<T>& links, const Field<ColorVector, T>& vectors,
                      const std::vector<ElementalLabel>& labels, const ElementalOptions& options) {
  return elementals(links, VectorGroups<T>(vectors), labels, options);
}

template Elementals elementals(const GaugeLinks<float>&, const VectorGroups<float>&, const std::vector<ElementalLabel>&,
                               const ElementalOptions&);
template Elementals elementals(const GaugeLinks<double>&, const VectorGroups<double>&,
                               const std::vector<ElementalLabel>&, const ElementalOptions&);
template Elementals elementals(const GaugeLinks<float>&, const Field<ColorVector, float>&,
                               const std::vector<ElementalLabel>&, const ElementalOptions&);
template Elementals elementals(const GaugeLinks<double>&, const Field<ColorVector, double>&,
                               const std::vector<ElementalLabel>&, const ElementalOptions&);

}  // namespace kov
