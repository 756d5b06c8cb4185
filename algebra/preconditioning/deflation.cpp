// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/deflation.hpp"

#include "kov/algebra/solve_run.hpp"
#include "kov/core/vectors/column_matrix.hpp"

#include <chrono>
#include <cmath>
#include <complex>

namespace kov {

template <class F>
Deflated<F>::Deflated(const F& vectors, const std::vector<double>& eigenvalues,
                      const std::type_identity_t<Solver<F>>& solver, EigenvectorsOf of)
    : tolerance(solver.tolerance),
      max_iterations(solver.max_iterations),
      on_failure(solver.on_failure),
      progress(solver.progress),
      vectors_(vectors.alias()),
      eigenvalues_(eigenvalues),
      solver_(solver),
      of_(of) {
  const std::size_t m = std::size_t(vectors.n_components());
  require(eigenvalues.size() == m, "deflation got", m, "eigenvectors and", eigenvalues.size(),
          "eigenvalues: give it one for each");
  for (const double lambda : eigenvalues)
    require(std::isfinite(lambda) && lambda != 0, "deflation divides by the eigenvalue", lambda,
            ": leave out eigenvectors of 0");
  const std::vector<std::complex<double>> overlaps = gram_matrix(vectors, vectors);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const double error = std::abs(overlaps[i * m + j] - double(i == j));
      require(error <= 1e-3, "the vectors", i, "and", j, "for a deflation have the inner product",
              overlaps[i * m + j].real(), "but they have to be orthonormal: orthonormalise them");
    }
}

template <class F>
SolveReport Deflated<F>::operator()(const Operator<F>& A, const F& b, const F& x) const {
  require(b.lattice() == vectors_.lattice() && b.subset() == vectors_.subset(), "a deflation with", vectors_.name(),
          "got", b.name(), "on other sites: give it vectors on the sites of the source");
  const auto start = std::chrono::steady_clock::now();
  const std::size_t m = eigenvalues_.size(), n = std::size_t(b.n_components());
  const F r = b.like("residual");
  true_residual_by_column(A, b, x, r);
  if (of_ == EigenvectorsOf::normal_operator) {
    const F adjoint_r = b.like("A^+ residual");
    A.apply_adjoint(r, adjoint_r);
    copy(adjoint_r, r);
  }
  std::vector<std::complex<double>> parts = gram_matrix(vectors_, r);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < n; ++k) parts[i * n + k] /= eigenvalues_[i];
  rotate_add(vectors_, std::span<const std::complex<double>>(parts), x);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Solver<F> solve = solver_;
  solve.tolerance = tolerance;
  solve.max_iterations = max_iterations;
  solve.on_failure = on_failure;
  solve.progress = progress;
  SolveReport report = solve(A, b, x);
  report.solver = name();
  report.seconds += seconds;
  return report;
}

template class Deflated<Field<Spinor, float>>;
template class Deflated<Field<Spinor, float, ColumnLanes<4>>>;
template class Deflated<Field<Spinor, float, ColumnLanes<8>>>;
template class Deflated<Field<Spinor, float, ColumnLanes<16>>>;
template class Deflated<Field<Spinor, double>>;
template class Deflated<Field<Spinor, double, ColumnLanes<4>>>;
template class Deflated<Field<Spinor, double, ColumnLanes<8>>>;
template class Deflated<Field<Spinor, double, ColumnLanes<16>>>;
template class Deflated<Field<ColorVector, float>>;
template class Deflated<Field<ColorVector, float, ColumnLanes<4>>>;
template class Deflated<Field<ColorVector, float, ColumnLanes<8>>>;
template class Deflated<Field<ColorVector, double>>;
template class Deflated<Field<ColorVector, double, ColumnLanes<4>>>;
template class Deflated<Field<ColorVector, double, ColumnLanes<8>>>;

}  // namespace kov
