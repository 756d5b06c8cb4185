// SPDX-License-Identifier: MIT
//
// The rows of `kovariant bench`: kernels on a lattice of rough links and random sources, with what each site costs.
#pragma once

#include "kov/core/site/random.hpp"
#include "kov/stencil/links/gauge_links.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// One kernel on one lattice.
struct BenchCase {
  std::string kernel;
  /// "double" or "float"
  std::string precision;
  /// Sites that one call works on, columns counted as sites.
  double sites;
  /// Memory traffic when neighbours come from cache and nothing else does, and effective flops; for one of those sites.
  double bytes, flops;
  /// Asynchronous or not; the caller fences.
  std::function<void()> run;
  /// How often one call goes over its sites.
  int steps = 1;
};

/// Rows in one precision, and the fields that they share.
template <class T>
struct BenchRows {
  /// Links two heatbath sweeps from cold: rough, and yet every smearing's projection to SU(3) exists.
  explicit BenchRows(const Lattice& lattice);

  /// A row; sites, reals of memory traffic and flops are those of one step.
  void add(const std::string& kernel, double sites, double reals, double flops, std::function<void()> run,
           int steps = 1);

  Lattice lattice;
  /// Of this rank.
  double sites;
  GaugeField<T> gauge;
  GaugeLinks<T> links;
  /// Reals of links that a site reads: every link once for all sites that read it (72), or twice where it is stored so
  /// (144); from one parity to the other sites share none (144).
  double link_reals, hop_link_reals = 144;
  /// a and u are random.
  SpinorField<T> a, b;
  Field<ColorVector, T> u, v;
  std::vector<BenchCase> cases;
};

/// Adds some of the rows; what they need beside the shared fields goes with them.
template <class T>
using AddRows = void (*)(BenchRows<T>& rows);

/// Vector algebra on fields and by column, Dirac operators and Laplacians, smearing of quarks, links read as
/// neighbours, new links from links, contractions, and steps of solvers.
template <class T>
void add_field_rows(BenchRows<T>& rows);
template <class T>
void add_column_rows(BenchRows<T>& rows);
template <class T>
void add_operator_rows(BenchRows<T>& rows);
template <class T>
void add_smearing_rows(BenchRows<T>& rows);
template <class T>
void add_link_rows(BenchRows<T>& rows);
template <class T>
void add_gauge_rows(BenchRows<T>& rows);
template <class T>
void add_contraction_rows(BenchRows<T>& rows);
template <class T>
void add_solver_rows(BenchRows<T>& rows);

/// Blocks for a Schwarz procedure: in each direction of 4, 2 or all sites, where they fit.
std::optional<Coord> schwarz_block(const Lattice& lattice);

/// Numbers in [-1, 1), the same again and again: speed does not depend on which.
template <class FieldT>
void fill_for_bench(const FieldT& field, std::uint64_t seed) {
  using T = typename FieldT::Real;
  const std::size_t bytes = field.bytes();
  std::vector<T> values(std::min(bytes / sizeof(T), std::size_t(1) << 20));
  SiteRandom random(seed, 0, 0);
  for (T& value : values) value = T(2 * random.uniform() - 1);
  std::byte* const to = reinterpret_cast<std::byte*>(field.data());
  const std::size_t part = values.size() * sizeof(T);
  for (std::size_t first = 0; first < bytes; first += part)
    detail::copy_to_device(to + first, values.data(), std::min(part, bytes - first));
}

/// Flops for one link: all its staples in d directions.
inline double staple_flops(int d) { return (d - 1) * (4.0 * 198 + 36); }

}  // namespace kov::app
