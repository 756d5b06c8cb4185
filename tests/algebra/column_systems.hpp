// SPDX-License-Identifier: MIT
//
// Systems of equations for tests of solvers that take every column by itself: sources, guesses, operators.
#pragma once

#include "kov/algebra/solver.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"

#include <gtest/gtest.h>
#include <type_traits>

namespace kov::column_systems {

using reference::GlobalArray;

template <class F>
inline constexpr double tolerance_of = std::is_same_v<typename F::Real, double> ? 1e-10 : 2e-5;

/// Any solver: tests take it in this one type, so that they are compiled once for all solvers of the same fields.
template <class F>
using GivenSolver = std::type_identity_t<Solver<F>>;

/// More than a pack, and no multiple of one.
template <class F>
inline constexpr int n_columns_of = F::Lanes::columns + 5;

inline Lattice small_lattice() { return Lattice(Comm::world(), {4, 4, 4, 4}); }

inline GlobalArray hot_links() { return reference::random_su3({4, 4, 4, 4}, 4, 31); }

template <class T>
WilsonOperator<T> wilson(const Lattice& lattice) {
  return {GaugeLinks<T>(reference::gauge_field<double>(lattice, hot_links()), BoundaryAngles::antiperiodic_in_time()),
          0.3,
          {.columns = true}};
}

/// Colours 1 and 2 times a number between 1 and 1 + spread, another one at each site.  Colour 0 times a number, or,
/// with exchanges, upper spins in place of lower ones and the other way round.
struct ByColour {
  double colour_0 = 1;
  bool exchanges = false;
  double spread = 1;

  template <class F>
  void apply(const F& in, const F& out) const {
    const F whole(in.lattice(), "all components", in.n_components());  // hosts take no part of a field
    copy(in, whole);
    const std::vector<double> numbers = export_sites(whole);
    std::vector<double> results(numbers.size());
    const Geometry& geometry = in.lattice().geometry();
    std::size_t i = 0;
    reference::for_each_coordinate(geometry.local_extent(), [&](const Coord& local) {
      const double place = double(lexicographic(geometry.global(local), geometry.extent())),
                   factor = 1 + spread * place / double(in.lattice().volume());
      for (int k = 0; k < in.n_components(); ++k)
        for (std::size_t spin = 0; spin < 4; ++spin)
          for (std::size_t colour = 0; colour < 3; ++colour)
            for (std::size_t part = 0; part < 2; ++part, ++i) {
              const std::size_t other = spin < 2 ? i + 12 : i - 12;
              results[i] = colour > 0 ? factor * numbers[i] : exchanges ? numbers[other] : colour_0 * numbers[i];
            }
    });
    import_sites(results, whole);
    copy(whole, out);
  }
};

/// Column k as the only one of its field.
template <class F>
F alone(const F& x, int k) {
  F one(x.lattice(), "alone", 1, x.subset());
  copy_components(x, k, one, 0, 1);
  return one;
}

template <class F>
void set_column(const F& x, int k, const F& one) {
  copy_components(one, 0, x, k, 1);
}

template <class F>
void set_random(const F& x, int k, std::uint64_t seed, double size) {
  F one(x.lattice(), "random", 1, x.subset());
  load(one, reference::random_array(x.lattice().extent(), F::n_complex, seed));
  scale(size, one);
  set_column(x, k, one);
}

/// Random sources, but for a zero at 1, and guesses of all kinds: the solution itself at 2, nearly that at 3.
template <class F>
struct Systems {
  static constexpr int n = n_columns_of<F>;
  F b, x;

  Systems(const Lattice& lattice, const Solver<F>& solver, const Operator<F>& A)
      : b(lattice, "b", n), x(lattice, "x", n) {
    for (int k = 0; k < n; ++k) {
      if (k != 1) set_random(b, k, 40 + std::uint64_t(k), 1);
      if (k != 0) set_random(x, k, 90 + std::uint64_t(k), k == 4 ? 1e3 : 1);
    }
    for (const int k : {2, 3}) {
      const F solution = alone(x, k);
      solver(A, alone(b, k), solution);
      if (k == 3) {
        const F away = solution.like("away");
        set_random(away, 0, 7, 1e-3);
        axpy(1, away, solution);
      }
      set_column(x, k, solution);
    }
  }
};

/// Sources with numbers in colour 0 only for column 1, and in the others only for columns 0 and 2.
template <class F>
F sources_by_colour(const Lattice& lattice) {
  const F b(lattice, "b", 3);
  for (const int k : {0, 1, 2}) {
    GlobalArray a = reference::random_array(lattice.extent(), 12, 60 + std::uint64_t(k));
    for (std::size_t i = 0; i < a.data.size(); ++i) {
      const bool keeps = k == 1 ? i % 12 < 6 && i % 3 == 0 : i % 3 > 0;  // of column 1 the upper spins
      if (!keeps) a.data[i] = 0;
    }
    F one(lattice, "one", 1);
    load(one, a);
    set_column(b, k, one);
  }
  return b;
}

#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool same_bits = false;  // sums of many columns and of one are taken in another order
#else
inline constexpr bool same_bits = true;
#endif

template <class F>
void expect_column(const F& x, int k, const F& one, const std::string& what) {
  if (same_bits) {
    EXPECT_EQ(export_sites(alone(x, k)), export_sites(one)) << what << ", column " << k;
  }
}

inline void expect_same_on_all_ranks(const Lattice& lattice, const SolveReport& report) {
  for (std::size_t k = 0; k < report.column_residuals.size(); ++k)
    lattice.require_same("a column", report.column_residuals[k], report.column_iterations.at(k));
  lattice.require_same("a report", report.iterations, report.restarts, report.residual, report.text());
}

/// The columns of a solve in which some may fail, against those of a solve in which none does.
template <class F>
SolveReport solve_quietly(GivenSolver<F> solver, const Operator<F>& A, const F& b, const F& x) {
  solver.on_failure = OnFailure::report;
  return solver(A, b, x);
}

template <class F>
void expect_failure(const GivenSolver<F>& solver, const Operator<F>& A, const F& b, const F& x,
                    const std::string& reason) {
  try {
    solver(A, b, x);
    ADD_FAILURE() << "did not throw: " << reason;
  } catch (const ConvergenceError& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

using SpinorFields =
    testing::Types<SpinorField<double>, SpinorField<double, ColumnLanes<4>>, SpinorField<double, ColumnLanes<8>>,
                   SpinorField<float>, SpinorField<float, ColumnLanes<4>>, SpinorField<float, ColumnLanes<16>>>;

}  // namespace kov::column_systems
