// SPDX-License-Identifier: MIT
//
// Private to block solvers: dense matrices with a row and a column for each column of a field, and two factorisations.
#pragma once

#include <complex>
#include <vector>

namespace kov::detail {

/// Complex numbers in rows, zero to begin with.  Every rank computes the same.
class SmallMatrix {
 public:
  using Number = std::complex<double>;

  SmallMatrix(int rows, int columns)
      : rows_(rows), columns_(columns), numbers_(std::size_t(rows) * std::size_t(columns)) {}
  /// Row by row, as gram_matrix() makes and rotate() takes them.
  SmallMatrix(int rows, int columns, std::vector<Number> numbers);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Number& operator()(int i, int j) { return numbers_[place(i, j)]; }
  const Number& operator()(int i, int j) const { return numbers_[place(i, j)]; }
  const std::vector<Number>& numbers() const { return numbers_; }
  bool is_finite() const;

 private:
  std::size_t place(int i, int j) const { return std::size_t(i) * std::size_t(columns_) + std::size_t(j); }

  int rows_, columns_;
  std::vector<Number> numbers_;
};

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix operator*(double c, const SmallMatrix& a);
SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix adjoint(const SmallMatrix& a);

/// The thin QR factorisation Y = Q R of n vectors from their inner products Y^+ Y: R and Q = Y T are n x n, but only
/// the first rank() rows of R and columns of T are not 0.
struct ThinFactors {
  SmallMatrix r, t;
  /// The vectors that were taken, in their order: row i of R begins with the part of taken[i] outside those before.
  std::vector<int> taken = {};
  /// The smallest squared length of a vector outside those taken before, relative to its own square: Q^+ Q differs from
  /// 1 by about the rounding error of Y^+ Y divided by this.
  double smallest = 1;

  int rank() const { return int(taken.size()); }
};

/// By a Cholesky factorisation of gram = Y^+ Y that takes, one after the other, the vector of which most lies outside
/// the space of those before, relative to its length, and ends where no square of such a part is above `negligible`:
/// vectors of 0 and those that depend on others are left out, and of the latter what was neglected is missing in Q R.
ThinFactors thin_factors(const SmallMatrix& gram, double negligible);

/// The inverse of a Hermitian matrix, or why it has none.
struct PositiveInverse {
  SmallMatrix inverse;
  /// A vector v whose v^+ A v, `curvature`, is not above `negligible` times the largest it could be for the diagonal
  /// element where the factorisation ended; empty if A is positive.
  std::vector<std::complex<double>> direction = {};
  double curvature = 0, relative_curvature = 0;
};

/// A^-1 of the leading rank x rank part of a Hermitian A by Cholesky factorisation; zero elsewhere.
PositiveInverse positive_inverse(const SmallMatrix& a, int rank, double negligible);

}  // namespace kov::detail
