// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/baryon_elementals.hpp"

#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/core/launch/for_each_site.hpp"

#include <algorithm>

namespace kov {

namespace detail {

/// out_c = conj(one x many_c), the cross product in colour; 42 flops and 18 reals for each component, 6 fewer where
/// `one` stays in a register.
template <class T>
struct ColorCrossKernel {
  using View = FieldView<ColorVector, T>;
  View one, many, out;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto a = one(x, 0), b = many(x, c);
    auto cross = a;
    for (int k = 0; k < 3; ++k)
      cross.z[k] = conj(a.z[(k + 1) % 3] * b.z[(k + 2) % 3] - a.z[(k + 2) % 3] * b.z[(k + 1) % 3]);
    out.set(x, cross, c);
  }
};

}  // namespace detail

template <class T>
BaryonElementals baryon_elementals(const Field<ColorVector, T>& vectors, const std::vector<Momentum>& momenta,
                                   const BaryonElementalOptions& options) {
  require(!momenta.empty() && options.columns >= 1, "no elementals of baryons were asked for, or", options.columns,
          "pairs of vectors at a time: give a momentum and at least one pair");
  const Lattice& lattice = vectors.lattice();
  const int n = vectors.n_components();
  BaryonElementals result{momenta, SliceMatrices(lattice, int(momenta.size()), n, n * n)};
  const int at_once = std::min(options.columns, n);
  const Field<ColorVector, T> pairs(lattice, "pairs of eigenvectors", at_once);
  for (int i = 0; i + 2 < n; ++i) {
    for (int first = i + 1; first + 1 < n; first += at_once) {
      const int count = std::min(at_once, n - 1 - first);
      const Field<ColorVector, T> left = pairs.components(0, count),
                                  thirds = vectors.components(first + 1, n - first - 1);
      for_each_site(
          "color_cross", vectors.range(), count,
          detail::ColorCrossKernel<T>{vectors.column(i).view(), vectors.components(first, count).view(), left.view()});
      const SliceMatrices part = gram_by_slice(left, thirds, momenta);
      for (int t = 0; t < part.n_slices; ++t)
        for (int p = 0; p < int(momenta.size()); ++p)
          for (int c = 0; c < count; ++c)
            for (int k = first + c + 1; k < n; ++k) {
              const std::complex<double> z = part.at(t, p)[std::ptrdiff_t(c) * part.columns + k - first - 1];
              std::complex<double>* const to = result.matrices.at(t, p);
              const auto set = [&](int a, int b, int d, const std::complex<double>& value) {
                to[(std::ptrdiff_t(a) * n + b) * n + d] = value;
              };
              const int j = first + c;
              set(i, j, k, z);
              set(j, k, i, z);
              set(k, i, j, z);
              set(j, i, k, -z);
              set(i, k, j, -z);
              set(k, j, i, -z);
            }
    }
    if (options.progress) options.progress(i + 1, n - 2);
  }
  return result;
}

template BaryonElementals baryon_elementals(const Field<ColorVector, float>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);
template BaryonElementals baryon_elementals(const Field<ColorVector, double>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);

}  // namespace kov
