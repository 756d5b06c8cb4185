// SPDX-License-Identifier: MIT
#include "kov/algebra/eigen/slice_eigenvectors.hpp"

#include "kov/algebra/eigen/slice_lanczos.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/work.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kov {

namespace detail {

/// The first number of a vector that is large enough to carry its phase; item: slice * n + vector.
template <class View>
struct FirstLargeNumber {
  View vectors;
  const Layout* on_host;  // of virtual nodes, which no GPU has
  Layout::View layout;
  int n_sites, n;
  double least;
  double* found;  // [item][place in the slice, re, im]; the place is -1 where there is none

  KOKKOS_FUNCTION void operator()(int item) const {
    const int slice = item / n, vector = item % n;
    double* const to = found + 3 * std::ptrdiff_t(item);
    to[0] = -1;
    for (int k = 0; k < 3 * n_sites; ++k) {
      const auto z = vectors.element(site(k / 3, slice), vector, k % 3);
      if (double(z.re) * z.re + double(z.im) * z.im < least) continue;
      to[0] = k;
      to[1] = z.re;
      to[2] = z.im;
      return;
    }
  }

  /// Site i of a slice, in lexicographic order.
  KOKKOS_FORCEINLINE_FUNCTION LaneSite site(int i, int slice) const {
    const int nx = layout.extent[0], ny = layout.extent[1];
    const Coord x{i % nx, i / nx % ny, i / (nx * ny), slice};
    if constexpr (has_packs && sizeof(View) > 0) {  // not compiled for a GPU
      if (layout.order == Order::virtual_nodes) {
        const Layout::Position at = on_host->locate(x);
        return {at.outer, at.lane};
      }
    }
    const int slot = layout.even_odd_slot(x);
    return {slot / layout.lanes, slot % layout.lanes};
  }
};

/// v_i(t) *= phase(t)_i.  6 flops and 4 reals a number; lane by lane, as lanes of a pack may be of different times.
template <class T>
struct MultiplyPhases {
  FieldView<ColorVector, T> vectors;
  Layout::View layout;
  const Complex<T>* phases;  // [t of this rank][i]
  int n;

  KOKKOS_FUNCTION void operator()(LaneSite x, int i) const {
    const Complex<T> phase = phases[layout.coordinate(x.outer, x.lane)[3] * n + i];
    for (int a = 0; a < 3; ++a) vectors.set_element(x, i, a, phase * vectors.element(x, i, a));
  }
};

namespace {

/// A number for each wanted vector of each slice, on every rank: [t of the lattice][i].  mine: of this rank's slices.
std::vector<double> of_all_slices(const Lattice& lattice, const std::vector<double>& mine, int n) {
  std::vector<double> all(std::size_t(lattice.extent()[3]) * std::size_t(n), 0.0);
  const Coord& origin = lattice.geometry().origin();
  if (origin[0] == 0 && origin[1] == 0 && origin[2] == 0)  // one of the ranks that share the slices
    std::copy(mine.begin(), mine.end(), all.begin() + std::ptrdiff_t(origin[3]) * n);
  lattice.comm().sum(all);
  return all;
}

double largest(const Comm& comm, double value) {
  if (!std::isfinite(value)) value = std::numeric_limits<double>::infinity();
  comm.max(std::span(&value, 1));
  return value;
}

/// Runs the Lanczos cycles of one search.
template <class T>
class SliceSearch {
 public:
  using F = Field<ColorVector, T>;

  SliceSearch(const Operator<F>& A, const Operator<F>& filter, const Lattice& lattice,
              const SliceEigenParameters& parameters)
      : A_(A),
        lattice_(lattice),
        parameters_(parameters),
        shape_(LanczosShape::of(parameters, slice_numbers(lattice))),
        tolerance_(parameters.tolerance > 0 ? parameters.tolerance
                   : sizeof(T) == 8         ? 1e-10
                                            : 1e-4),
        lanczos_(filter, lattice, shape_, parameters.seed) {}

  SliceEigenvectors<T> run() {
    const Kokkos::Timer timer;
    // Estimates are of the filter's residuals; those of A decide in the end.
    double goal = tolerance_ / 2;
    double before = std::numeric_limits<double>::infinity();
    for (;;) {
      converge(goal);
      while (!nothing_is_missing()) converge(goal);
      lanczos_.diagonalise(A_);
      SliceEigenvectors<T> result = take();
      if (result.report.residual <= tolerance_ && result.report.orthogonality <= tolerance_) {
        result.report.seconds = timer.seconds();
        return result;
      }
      // Rounding errors are what more cycles do not make smaller.
      const double worst = std::max(result.report.residual, result.report.orthogonality);
      require<ConvergenceError>(worst < 0.5 * before, "eigenvectors of time slices have the residual",
                                result.report.residual, "and are orthonormal to", result.report.orthogonality, "after",
                                restarts_, "restarts; wanted is", tolerance_,
                                sizeof(T) == sizeof(double) ? ", which double precision does not reach: ask for less"
                                                            : ": ask for less accuracy, or take double precision");
      before = worst;
      goal = std::max(0.1 * goal, 10 * double(std::numeric_limits<T>::epsilon()));
      lanczos_.renew_block();
    }
  }

 private:
  static int slice_numbers(const Lattice& lattice) {
    const Coord& e = lattice.extent();
    return 3 * e[0] * e[1] * e[2];
  }

  /// The residual of A, if that of the filter spreads over all eigenvectors alike: those that are not wanted differ by
  /// at most |A| in their eigenvalues, and by at least theta - 1 under the filter.
  double estimate(int slice, int i) const {
    const double theta = lanczos_.theta(slice, i);
    return theta > 1 ? parameters_.norm * lanczos_.residual(slice, i) / (theta - 1)
                     : std::numeric_limits<double>::infinity();
  }

  /// Cycles until the wanted vectors of all slices have converged.
  void converge(double goal) {
    for (int t = 0; t < lanczos_.n_slices(); ++t) lanczos_.lock(t, false);
    for (int since = 0;; ++since) {
      require<ConvergenceError>(restarts_ < parameters_.max_restarts,
                                "eigenvectors of time slices have not converged "
                                "after",
                                restarts_, "restarts:", finished_, "of", lattice_.extent()[3],
                                "slices have, and the largest estimated residual is", worst_, "; wanted is", goal,
                                ": allow more restarts, or take a larger basis or a filter of higher order");
      lanczos_.cycle();
      ++restarts_;
      double mine = 0, smallest_theta = std::numeric_limits<double>::infinity();
      std::vector<double> done(1, 0.0);
      for (int t = 0; t < lanczos_.n_slices(); ++t) {
        double worst = 0;
        for (int i = 0; i < shape_.n; ++i) {
          worst = max_or_nan(worst, estimate(t, i));
          smallest_theta = std::min(smallest_theta, lanczos_.theta(t, i));
        }
        lanczos_.lock(t, worst <= goal);
        mine = max_or_nan(mine, worst);
        done[0] += worst <= goal;
      }
      const Coord& origin = lattice_.geometry().origin();
      if (origin[0] + origin[1] + origin[2] != 0) done[0] = 0;
      lattice_.comm().sum(done);
      finished_ = int(done[0]);
      worst_ = largest(lattice_.comm(), mine);
      if (parameters_.progress) parameters_.progress({restarts_, finished_, lattice_.extent()[3], worst_});
      if (finished_ == lattice_.extent()[3]) return;
      // Ritz values rise from cycle to cycle; those that are still low after some never get there.
      const double lowest = -largest(lattice_.comm(), -smallest_theta);
      require<FilterError>(since < 5 || lowest > 1, "the filter is", lowest, "for eigenvector number", shape_.n,
                           "of a time slice, where it must be above 1: let it damp a smaller interval");
    }
  }

  /// A cycle from random vectors: whether the Ritz values stay the same.
  bool nothing_is_missing() {
    std::vector<double> before;
    for (int t = 0; t < lanczos_.n_slices(); ++t) {
      lanczos_.lock(t, false);
      for (int i = 0; i < shape_.n; ++i) before.push_back(lanczos_.theta(t, i));
    }
    lanczos_.renew_block();
    lanczos_.cycle();
    ++restarts_;
    const double accuracy = sizeof(T) == 8 ? 1e-7 : 1e-3;
    double changes = 0;
    for (int t = 0; t < lanczos_.n_slices(); ++t)
      for (int i = 0; i < shape_.n; ++i) {
        const double old = before[std::size_t(t) * std::size_t(shape_.n) + std::size_t(i)];
        if (!(std::abs(lanczos_.theta(t, i) - old) <= accuracy * old)) changes = 1;
      }
    return largest(lattice_.comm(), changes) == 0;
  }

  /// The wanted vectors, checked with A.
  SliceEigenvectors<T> take() {
    const int n = shape_.n, slices = lanczos_.n_slices();
    SliceEigenvectors<T> result{.vectors = F(lattice_, "eigenvectors of time slices", n),
                                .values = {},
                                .residuals = {},
                                .report = {.restarts = restarts_, .filtered = lanczos_.filtered()}};
    copy_components(lanczos_.kept(), 0, result.vectors, 0, n);
    fix_phases_by_slice(result.vectors);
    std::vector<double> values(std::size_t(slices) * std::size_t(n)), residuals(values.size());
    const F scratch = lanczos_.scratch();
    for (int first = 0; first < n; first += shape_.block) {
      const int count = std::min(shape_.block, n - first);
      const F v = result.vectors.components(first, count), image = scratch.components(0, count);
      A_.apply(v, image);
      SliceMatrices shift(lattice_, 1, count, count);
      for (int t = 0; t < slices; ++t)
        for (int i = 0; i < count; ++i) shift.at(t)[i * (count + 1)] = -lanczos_.value(t, first + i);
      rotate_add_by_slice(v, shift, image);
      const SliceMatrices products = gram_by_slice(image, image);
      for (int t = 0; t < slices; ++t)
        for (int i = 0; i < count; ++i) {
          const std::size_t at = std::size_t(t) * std::size_t(n) + std::size_t(first + i);
          values[at] = lanczos_.value(t, first + i);
          residuals[at] = std::sqrt(std::abs(products.at(t)[i * (count + 1)]));
        }
    }
    const SliceMatrices products = gram_by_slice(result.vectors, result.vectors);
    double orthogonality = 0;
    for (int t = 0; t < slices; ++t)
      for (int i = 0; i < n * n; ++i)
        orthogonality = max_or_nan(orthogonality, std::abs(products.at(t)[i] - double(i % (n + 1) == 0)));
    result.report.orthogonality = largest(lattice_.comm(), orthogonality);
    result.values = of_all_slices(lattice_, values, n);
    result.residuals = of_all_slices(lattice_, residuals, n);
    for (const double r : result.residuals) result.report.residual = max_or_nan(result.report.residual, r);
    return result;
  }

  Operator<F> A_;
  Lattice lattice_;
  SliceEigenParameters parameters_;
  LanczosShape shape_;
  double tolerance_;
  SliceLanczos<T> lanczos_;
  int restarts_ = 0, finished_ = 0;
  double worst_ = 0;
};

}  // namespace

}  // namespace detail

template <class T>
SliceEigenvectors<T> lowest_eigenvectors_by_slice(const Operator<Field<ColorVector, T>>& A,
                                                  const Operator<Field<ColorVector, T>>& filter, const Lattice& lattice,
                                                  const SliceEigenParameters& parameters) {
  lattice.require_same("the search of eigenvectors", parameters.n, parameters.block, parameters.basis,
                       parameters.tolerance, parameters.max_restarts, parameters.seed);
  require(parameters.tolerance >= 0 && parameters.max_restarts >= 1 && parameters.norm > 0,
          "eigenvectors of time slices need a tolerance of 0 or more, a restart and a positive norm, not",
          parameters.tolerance, ",", parameters.max_restarts, "and", parameters.norm);
  return detail::SliceSearch<T>(A, filter, lattice, parameters).run();
}

template <class T>
void fix_phases_by_slice(const Field<ColorVector, T>& vectors, const Exec& exec) {
  const Lattice& lattice = vectors.lattice();
  const Geometry& geometry = lattice.geometry();
  const Layout& layout = vectors.layout();
  const Coord box = geometry.local_extent();
  const int n_sites = box[0] * box[1] * box[2], n = vectors.n_components(), items = box[3] * n;
  const Buffer<double> found("phases", std::size_t(3 * items), exec);
  const Coord& extent = lattice.extent();
  using View = typename Field<ColorVector, T>::View;
  for_each_item("first_large_number", items,
                detail::FirstLargeNumber<View>{vectors.view(), &layout, layout.view(), n_sites, n,
                                               1e-4 / (3.0 * extent[0] * extent[1] * extent[2]), found.data()},
                exec);
  const std::vector<double> mine = found.to_host(exec);
  // Which of the ranks that share these slices has the first of all: [rank][item][place in the slice, re, im].
  const Coord& grid = geometry.grid();
  const int n_ranks = grid[0] * grid[1] * grid[2];
  const Coord& at = geometry.grid_coordinate();
  std::vector<double> all(mine.size() * std::size_t(n_ranks), 0.0);
  const std::size_t begin = mine.size() * std::size_t(at[0] + grid[0] * (at[1] + grid[1] * at[2]));
  for (int item = 0; item < items; ++item) {
    const double* const from = mine.data() + 3 * item;
    double* const to = all.data() + begin + std::size_t(3 * item);
    to[0] = -1;
    if (from[0] < 0) continue;
    Coord x = coordinate(std::int64_t(from[0]) / 3, {box[0], box[1], box[2], 1});
    for (std::size_t mu = 0; mu < 3; ++mu) x[mu] += geometry.origin()[mu];
    to[0] = double(3 * lexicographic({x[0], x[1], x[2], 0}, extent)) + double(std::int64_t(from[0]) % 3);
    to[1] = from[1];
    to[2] = from[2];
  }
  sum_over_slice_ranks(lattice, all);
  std::vector<Complex<T>> phases;
  for (int item = 0; item < items; ++item) {
    const double* first = nullptr;
    for (int rank = 0; rank < n_ranks; ++rank) {
      const double* const one = all.data() + mine.size() * std::size_t(rank) + std::size_t(3 * item);
      if (one[0] >= 0 && (!first || one[0] < first[0])) first = one;
    }
    std::complex<double> phase(1);
    if (first) phase = std::conj(std::complex<double>(first[1], first[2])) / std::hypot(first[1], first[2]);
    phases.push_back({T(phase.real()), T(phase.imag())});
  }
  const Buffer<Complex<T>> there("phases", std::span<const Complex<T>>(phases), exec);
  const detail::MultiplyPhases<T> multiply{vectors.view(), layout.view(), there.data(), n};
  for_each_lane("multiply_phases", vectors.range(), n, multiply, exec);
  exec.fence("multiply_phases");  // before the phases are freed
  detail::count_work(18.0 * double(volume(box)) * n, 12.0 * sizeof(T) * double(volume(box)) * n);
}

template SliceEigenvectors<float> lowest_eigenvectors_by_slice(const Operator<Field<ColorVector, float>>&,
                                                               const Operator<Field<ColorVector, float>>&,
                                                               const Lattice&, const SliceEigenParameters&);
template SliceEigenvectors<double> lowest_eigenvectors_by_slice(const Operator<Field<ColorVector, double>>&,
                                                                const Operator<Field<ColorVector, double>>&,
                                                                const Lattice&, const SliceEigenParameters&);
template void fix_phases_by_slice(const Field<ColorVector, float>&, const Exec&);
template void fix_phases_by_slice(const Field<ColorVector, double>&, const Exec&);

}  // namespace kov
