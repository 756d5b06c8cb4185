// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/baryon_elementals.hpp"

#include "kov/algebra/eigen/slice_columns.hpp"
#include "kov/core/launch/for_each_site.hpp"

#include <algorithm>
#include <cstdint>

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

namespace {

/// Second vectors first, first + 1, ... of pairs whose thirds are before `end`.
struct SecondVectors {
  int first, count;

  /// Those that follow first vector i, as the product is antisymmetric.
  SecondVectors after(int i) const {
    const int from = std::max(first, i + 1);
    return {from, first + count - from};
  }
  /// First vectors 0, 1, ... that have a second one.
  int n_first() const { return first + count - 1; }
};

std::vector<SecondVectors> second_vectors(int end, int at_once) {
  std::vector<SecondVectors> all;
  for (int first = 1; first + 1 < end; first += at_once) all.push_back({first, std::min(at_once, end - 1 - first)});
  return all;
}

/// Sets B_ijk and what follows from it to the products of pairs (i, seconds) with thirds k, k + 1, ...
void set_products(SliceMatrices& matrices, int n, int i, const SecondVectors& seconds, int third,
                  const SliceMatrices& products) {
  for (int t = 0; t < products.n_slices; ++t)
    for (int p = 0; p < products.per_slice; ++p) {
      std::complex<double>* const to = matrices.at(t, p);
      const auto set = [&](int a, int b, int d, const std::complex<double>& value) {
        to[(std::ptrdiff_t(a) * n + b) * n + d] = value;
      };
      for (int c = 0; c < seconds.count; ++c) {
        const int j = seconds.first + c;
        for (int k = std::max(third, j + 1); k < third + products.columns; ++k) {
          const std::complex<double> z = products.at(t, p)[std::ptrdiff_t(c) * products.columns + k - third];
          set(i, j, k, z);
          set(j, k, i, z);
          set(k, i, j, z);
          set(j, i, k, -z);
          set(i, k, j, -z);
          set(k, j, i, -z);
        }
      }
    }
}

}  // namespace

template <class T>
BaryonElementals baryon_elementals(const VectorGroups<T>& vectors, const std::vector<Momentum>& momenta,
                                   const BaryonElementalOptions& options) {
  using F = Field<ColorVector, T>;
  require(!momenta.empty() && options.columns >= 1, "no elementals of baryons were asked for, or", options.columns,
          "pairs of vectors at a time: give a momentum and at least one pair");
  const Lattice& lattice = vectors.lattice();
  const int n = vectors.n(), n_groups = vectors.n_groups(), at_once = std::min(options.columns, n);
  BaryonElementals result{momenta, SliceMatrices(lattice, int(momenta.size()), n, n * n)};
  const F pairs(lattice, "pairs of eigenvectors", at_once),
      others = n_groups > 1 ? F(lattice, "eigenvectors of other groups", at_once + 1) : F();
  std::int64_t step = 0, n_steps = 0;
  for (int k = 0; k < n_groups; ++k)
    for (const SecondVectors& seconds : second_vectors(vectors.first(k) + vectors.size(k), at_once))
      n_steps += seconds.n_first();
  int done = 0;
  for (int g = 0; g < n_groups; ++g) {
    const int group = (vectors.at_hand() + (g > 0 ? 1 : 0)) % n_groups, begin = vectors.first(group),
              end = begin + vectors.size(group);
    const F thirds = vectors(group);
    // Vectors of this group, or read into components of `others`.
    const auto some = [&](int first, int count, int place) {
      if (first >= begin) return thirds.components(first - begin, count);
      const F read = others.components(place, count);
      vectors.read(first, read);
      return read.alias();
    };
    for (const SecondVectors& seconds : second_vectors(end, at_once)) {
      const F of_block = some(seconds.first, seconds.count, 0);
      for (int i = 0; i < seconds.n_first(); ++i) {
        const F one = i < seconds.first ? some(i, 1, at_once) : of_block.components(i - seconds.first, 1);
        const SecondVectors after = seconds.after(i);
        const F left = pairs.components(0, after.count);
        for_each_site(
            "color_cross", left.range(), after.count,
            detail::ColorCrossKernel<T>{
                one.view(), of_block.components(after.first - seconds.first, after.count).view(), left.view()});
        const int third = std::max(begin, after.first + 1);
        set_products(result.matrices, n, i, after, third,
                     gram_by_slice(left, thirds.components(third - begin, end - third), momenta, {}, {},
                                   std::size_t(at_once) * std::size_t(n)));
        const int finished = int(++step * (n - 2) / n_steps);
        while (done < finished)
          if (++done; options.progress) options.progress(done, n - 2);
      }
    }
  }
  return result;
}

template <class T>
BaryonElementals baryon_elementals(const Field<ColorVector, T>& vectors, const std::vector<Momentum>& momenta,
                                   const BaryonElementalOptions& options) {
  return baryon_elementals(VectorGroups<T>(vectors), momenta, options);
}

template BaryonElementals baryon_elementals(const VectorGroups<float>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);
template BaryonElementals baryon_elementals(const VectorGroups<double>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);
template BaryonElementals baryon_elementals(const Field<ColorVector, float>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);
template BaryonElementals baryon_elementals(const Field<ColorVector, double>&, const std::vector<Momentum>&,
                                            const BaryonElementalOptions&);

}  // namespace kov
