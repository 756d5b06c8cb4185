// SPDX-License-Identifier: MIT
//
// Whole lattices as plain arrays, the same on every rank: what the naive reference versions work on.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/site/su3.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace kov::reference {

using Number = std::complex<double>;

/// n complex numbers on every site of the global lattice: at(x)[i], sites lexicographic with x fastest.
struct GlobalArray {
  Coord extent;
  int n;
  std::vector<Number> data;

  GlobalArray(const Coord& extent, int n) : extent(extent), n(n), data(std::size_t(volume(extent)) * n) {}
  Number* at(const Coord& x) {
    Coord y;
    for (int mu = 0; mu < 4; ++mu) y[mu] = (x[mu] % extent[mu] + extent[mu]) % extent[mu];
    return data.data() + std::size_t(lexicographic(y, extent)) * n;
  }
  const Number* at(const Coord& x) const { return const_cast<GlobalArray*>(this)->at(x); }
};

inline Coord shifted(Coord x, int mu, int step) {
  x[mu] += step;
  return x;
}

template <class F>
void for_each_coordinate(const Coord& extent, const F& f) {
  for (std::int64_t i = 0; i < volume(extent); ++i) f(coordinate(i, extent));
}

/// Collective.
inline void sum_over_ranks(std::vector<Number>& numbers) {
  const Comm comm = Comm::world();
  if (comm.size() > 1) comm.sum(std::span(reinterpret_cast<double*>(numbers.data()), 2 * numbers.size()));
}

/// Calls f(x) for a share of the sites on each rank.
template <class F>
void for_each_of_share(const Coord& extent, const F& f) {
  const Comm comm = Comm::world();
  for (std::int64_t i = comm.rank(); i < volume(extent); i += comm.size()) f(coordinate(i, extent));
}

/// The array whose numbers f(x, numbers) adds to n zeros at each site, each rank at a share of the sites.  Collective.
template <class F>
GlobalArray filled(const Coord& extent, int n, const F& f) {
  GlobalArray out(extent, n);
  for_each_of_share(extent, [&](const Coord& x) { f(x, out.at(x)); });
  sum_over_ranks(out.data);
  return out;
}

/// The sum of f(x).  Collective.
template <class F>
Number sum_sites(const Coord& extent, const F& f) {
  std::vector<Number> sum(1);
  for_each_of_share(extent, [&](const Coord& x) { sum[0] += f(x); });
  sum_over_ranks(sum);
  return sum[0];
}

/// make(), or what it gave before for this shape and seed: many tests ask for the same random numbers.
template <class Make>
GlobalArray remembered(const Coord& extent, int n, std::uint64_t seed, const Make& make) {
  constexpr std::size_t most = std::size_t(1) << 21;  // numbers: 32 MB for each type of make
  static std::map<std::tuple<Coord, int, std::uint64_t>, GlobalArray> made;
  static std::size_t size = 0;
  const std::tuple key(extent, n, seed);
  if (const auto known = made.find(key); known != made.end()) return known->second;
  GlobalArray result = make();
  if (result.data.size() > most) return result;
  if (size + result.data.size() > most) {
    made.clear();
    size = 0;
  }
  made.emplace(key, result);
  size += result.data.size();
  return result;
}

/// Normal deviates of variance 1 in every real number.
inline GlobalArray random_array(const Coord& extent, int n, std::uint64_t seed) {
  return remembered(extent, n, seed, [&] {
    GlobalArray a(extent, n);
    for (std::int64_t i = 0; i < volume(extent); ++i) {
      SiteRandom random(seed, 7, std::uint64_t(i));
      for (int k = 0; k < n; ++k) {
        const auto g = random.normal_pair();
        a.data[std::size_t(i) * n + k] = {g.first, g.second};
      }
    }
    return a;
  });
}

/// Every 9 numbers, a matrix by rows, orthonormalised to SU(3).
inline void project_to_su3(GlobalArray& a) {
  for (std::size_t i = 0; i < a.data.size(); i += 9) {
    ColorMatrix<double> u;
    for (int k = 0; k < 9; ++k) u.z[k] = {a.data[i + k].real(), a.data[i + k].imag()};
    reunitarise(u);
    for (int k = 0; k < 9; ++k) a.data[i + k] = {u.z[k].re, u.z[k].im};
  }
}

/// n_matrices random SU(3) matrices a site, as 9 numbers each: hot links.
inline GlobalArray random_su3(const Coord& extent, int n_matrices, std::uint64_t seed) {
  return remembered(extent, n_matrices, seed, [&] {
    GlobalArray a = random_array(extent, 9 * n_matrices, seed);
    project_to_su3(a);
    return a;
  });
}

/// Fills this rank's part of a field; all its components are in the array one after the other.
template <class FieldT>
void load(const FieldT& field, const GlobalArray& a) {
  const Geometry& geometry = field.lattice().geometry();
  std::vector<double> local;
  for_each_coordinate(geometry.local_extent(), [&](const Coord& x) {
    const Number* v = a.at(geometry.global(x));
    for (int k = 0; k < a.n; ++k) local.insert(local.end(), {v[k].real(), v[k].imag()});
  });
  import_sites(local, field);
}

/// Links in a gauge field: 36 numbers a site, [mu][row][column].
template <class T = double>
GaugeField<T> gauge_field(const Lattice& lattice, const GlobalArray& u) {
  const GaugeField<T> gauge(lattice, "gauge", 4);
  load(gauge, u);
  return gauge;
}

/// The largest |field - array| over the field's sites, over all ranks.
template <class FieldT>
double max_difference(const FieldT& field, const GlobalArray& a) {
  const Geometry& geometry = field.lattice().geometry();
  const std::vector<double> local = export_sites(field);
  std::vector<double> worst{0};
  std::size_t i = 0;
  for_each_coordinate(geometry.local_extent(), [&](const Coord& local_x) {
    const Coord x = geometry.global(local_x);
    const bool skip = field.subset() != Subset::all && (parity(x) == 1) != (field.subset() == Subset::odd);
    const Number* v = a.at(x);
    for (int k = 0; k < a.n; ++k, i += 2)
      if (!skip) {
        const double d = std::abs(Number(local[i], local[i + 1]) - v[k]);
        worst[0] = max_or_nan(worst[0], d);
      }
  });
  if (std::isnan(worst[0])) worst[0] = std::numeric_limits<double>::infinity();  // MPI may prefer a number
  field.lattice().comm().max(worst);
  return worst[0];
}

inline double max_abs(const GlobalArray& a) {
  double most = 0;
  for (const Number& z : a.data) most = std::max(most, std::abs(z));
  return most;
}

}  // namespace kov::reference
