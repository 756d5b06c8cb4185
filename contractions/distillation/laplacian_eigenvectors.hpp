// SPDX-License-Identifier: MIT
//
// The lowest eigenvectors of the gauge-covariant Laplacian on every time slice: the space of distillation.
#pragma once

#include "kov/algebra/eigen/slice_eigenvectors.hpp"
#include "kov/stencil/links/gauge_links.hpp"

namespace kov {

/// Parameters of laplacian_eigenvectors().
struct LaplacianEigenParameters {
  /// Eigenvectors of each slice, N_v.
  int n = 16;
  /// |-Delta v - lambda v| of every vector.  0: 1e-10 in double, 1e-4 in single precision.
  double tolerance = 0;
  /// Vectors that the filter is applied to at a time, and of the basis: see SliceEigenParameters.
  int block = 8, basis = 0;
  /// The filter T_k damps eigenvalues from `cut` to 12, where T_k is a Chebyshev polynomial of the order.  0: the cut
  /// from an estimate of the density of eigenvalues, the order such that the lowest eigenvalue is enhanced by 1000
  /// (single precision: 100).
  double cut = 0;
  int order = 0;
  int max_restarts = 60;
  std::uint64_t seed = 1;
  std::function<void(const SliceEigenProgress&)> progress = {};
};

/// What was found, and with which filter.
template <class T>
struct LaplacianEigenvectors : SliceEigenvectors<T> {
  double cut = 0;
  int order = 0;
};

/// The n lowest eigenvectors of -Delta in three dimensions on all time slices, as lowest_eigenvectors_by_slice() finds
/// them with the filter T_k(y(-Delta)), y from -1 at 12, which no eigenvalue exceeds, to 1 at the cut.  Distillation:
/// Peardon et al., Phys. Rev. D 80 (2009) 054506.
///
/// links: smeared in space, as a rule; periodic in space.  A cut that proves too low is raised by a quarter and the
/// search begins again, if it was not given.  Collective.  Throws what lowest_eigenvectors_by_slice() throws, and
/// InputError for a cut outside of 0 to 12 and an order below 0.
template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors(const GaugeLinks<T>& links, const LaplacianEigenParameters& parameters);

/// The same vectors, up to rounding and the search's tolerance, from so many of each rank's time slices at a time: for
/// less memory, as the basis is one of these slices; an odd number is rounded down, 1 up to 2.  gauge: the smeared
/// links.  Each group has a cut of its own unless it is given; that of the result is the largest.  progress() counts
/// the slices of a group.  Collective.  Throws InputError unless there is one slice at least, and what
/// laplacian_eigenvectors() throws.
template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors_in_groups(const GaugeField<T>& gauge,
                                                          const LaplacianEigenParameters& parameters, int slices);

/// What is done with the eigenvectors of some slices: slice t of them is slice times[t] of the whole lattice.
template <class T>
using TakeSlices = std::function<void(const LaplacianEigenvectors<T>& found, const std::vector<int>& times)>;

/// The same, where the vectors of a group of slices are given to take(), on a lattice of these slices and the same
/// ranks, and are not kept.  The result has everything but vectors.
template <class T>
LaplacianEigenvectors<T> laplacian_eigenvectors_in_groups(const GaugeField<T>& gauge,
                                                          const LaplacianEigenParameters& parameters, int slices,
                                                          const TakeSlices<T>& take);

/// Where the mean of all slices has `count` eigenvalues of -Delta below, estimated by a Lanczos run on the whole
/// lattice from a random vector: Gauss quadrature of the density of eigenvalues (Lin, Saad and Yang, SIAM Review 58
/// (2016) 34).  Off by some percent.  lowest: set to the smallest Ritz value, if given.  Collective.
template <class T>
double laplacian_eigenvalue_estimate(const GaugeLinks<T>& links, double count, std::uint64_t seed = 1,
                                     double* lowest = nullptr);

}  // namespace kov
