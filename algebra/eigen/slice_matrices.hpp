// SPDX-License-Identifier: MIT
//
// SliceMatrices: a dense matrix, or several, for every time slice; and sums over the ranks that share a slice.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <complex>
#include <span>
#include <vector>

namespace kov {

/// Matrices between vectors on time slices.  Every rank has those of its own slices; ranks that share a slice have the
/// same ones, to the bit.
struct SliceMatrices {
  SliceMatrices() = default;
  /// Zero, for the slices that this rank has a part of.
  SliceMatrices(const Lattice& lattice, int per_slice, int rows, int columns);

  /// Global time of the first slice, and how many follow one another here.
  int first = 0, n_slices = 0;
  int per_slice = 1, rows = 0, columns = 0;
  /// [slice][k][row][column]
  std::vector<std::complex<double>> values = {};

  /// Matrix k of slice `slice`, counted from `first`; row by row.
  std::complex<double>* at(int slice, int k = 0) { return values.data() + offset(slice, k); }
  const std::complex<double>* at(int slice, int k = 0) const { return values.data() + offset(slice, k); }
  std::size_t size_of_slice() const { return std::size_t(per_slice) * std::size_t(rows) * std::size_t(columns); }

 private:
  std::size_t offset(int slice, int k) const {
    return (std::size_t(slice) * std::size_t(per_slice) + std::size_t(k)) * std::size_t(rows) * std::size_t(columns);
  }
};

/// The matrices of global time slice t on every rank, [k][row][column].  Collective.
std::vector<std::complex<double>> slice_on_all_ranks(const Lattice& lattice, const SliceMatrices& matrices, int t);

/// Adds the values of all ranks that share this rank's time slices, in the order of the ranks: the same bits on each of
/// them.  Each rank adds up a part and sends it to the others, so that nobody sends or receives more than about twice
/// the length, whatever the number of ranks.  Collective; all ranks of a slice pass the same length.
void sum_over_slice_ranks(const Lattice& lattice, std::span<double> values);

}  // namespace kov
