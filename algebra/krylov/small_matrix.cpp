// SPDX-License-Identifier: MIT
#include "kov/algebra/krylov/small_matrix.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kov::detail {

using Number = SmallMatrix::Number;

SmallMatrix::SmallMatrix(int rows, int columns, std::vector<Number> numbers)
    : rows_(rows), columns_(columns), numbers_(std::move(numbers)) {
  require(numbers_.size() == std::size_t(rows) * std::size_t(columns), "a matrix of", rows, "rows and", columns,
          "columns got", numbers_.size(), "numbers: give it one for each element");
}

bool SmallMatrix::is_finite() const {
  return std::all_of(numbers_.begin(), numbers_.end(),
                     [](const Number& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); });
}

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b) {
  require(a.columns() == b.rows(), "matrices with", a.columns(), "columns and", b.rows(),
          "rows were multiplied: the two numbers have to be equal");
  SmallMatrix product(a.rows(), b.columns());
  for (int i = 0; i < a.rows(); ++i)
    for (int k = 0; k < b.rows(); ++k) {
      const Number factor = a(i, k);
      if (factor == Number(0)) continue;  // ranks below the number of columns leave many zeros
      for (int j = 0; j < b.columns(); ++j) product(i, j) += factor * b(k, j);
    }
  return product;
}

SmallMatrix operator*(double c, const SmallMatrix& a) {
  SmallMatrix product = a;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.columns(); ++j) product(i, j) *= c;
  return product;
}

SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b) {
  require(a.rows() == b.rows() && a.columns() == b.columns(), "matrices of", a.rows(), "and", b.rows(),
          "rows were added: give two of one shape");
  SmallMatrix sum = a;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.columns(); ++j) sum(i, j) += b(i, j);
  return sum;
}

SmallMatrix adjoint(const SmallMatrix& a) {
  SmallMatrix result(a.columns(), a.rows());
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.columns(); ++j) result(j, i) = std::conj(a(i, j));
  return result;
}

ThinFactors thin_factors(const SmallMatrix& gram, double negligible) {
  const int n = gram.rows();
  ThinFactors factors{.r = SmallMatrix(n, n), .t = SmallMatrix(n, n)};
  SmallMatrix& r = factors.r;
  std::vector<int>& taken = factors.taken;
  std::vector<double> outside;  // squares of what the vectors taken so far leave
  std::vector<char> is_taken(std::size_t(n), 0);
  for (int j = 0; j < n; ++j) outside.push_back(gram(j, j).real());
  for (int i = 0; i < n; ++i) {
    int next = -1;
    double largest = negligible;
    for (int j = 0; j < n; ++j) {
      const double length = gram(j, j).real();
      if (is_taken[std::size_t(j)] || !(length > 0) || !(outside[std::size_t(j)] > largest * length)) continue;
      next = j;
      largest = outside[std::size_t(j)] / length;
    }
    if (next < 0) break;
    const double size = std::sqrt(outside[std::size_t(next)]);
    factors.smallest = std::min(factors.smallest, largest);
    is_taken[std::size_t(next)] = 1;
    taken.push_back(next);
    r(i, next) = size;
    for (int j = 0; j < n; ++j) {
      if (is_taken[std::size_t(j)]) continue;
      Number rest = gram(next, j);
      for (int k = 0; k < i; ++k) rest -= std::conj(r(k, next)) * r(k, j);
      r(i, j) = rest / size;
      outside[std::size_t(j)] -= std::norm(r(i, j));
    }
  }
  // T has the inverse of the triangle that R is on the vectors taken, column by column.
  for (int j = 0; j < factors.rank(); ++j)
    for (int i = j; i >= 0; --i) {
      const int row = taken[std::size_t(i)];
      Number rest = i == j ? 1 : 0;
      for (int k = i + 1; k <= j; ++k) rest -= r(i, taken[std::size_t(k)]) * factors.t(taken[std::size_t(k)], j);
      factors.t(row, j) = rest / r(i, row);
    }
  return factors;
}

PositiveInverse positive_inverse(const SmallMatrix& a, int rank, double negligible) {
  const int n = a.rows();
  PositiveInverse result{.inverse = SmallMatrix(n, n)};
  SmallMatrix lower(rank, rank), inverse(rank, rank);  // A = L L^+ and L^-1
  const auto element = [&](int i, int j) { return 0.5 * (a(i, j) + std::conj(a(j, i))); };
  for (int i = 0; i < rank; ++i) {
    for (int j = 0; j < i; ++j) {
      Number rest = element(i, j);
      for (int k = 0; k < j; ++k) rest -= lower(i, k) * std::conj(lower(j, k));
      lower(i, j) = rest / lower(j, j);
    }
    const double diagonal = element(i, i).real();
    double rest = diagonal;
    for (int k = 0; k < i; ++k) rest -= std::norm(lower(i, k));
    // Row i of L^-1 times L(i, i): the adjoint of the vector whose A-norm squared is the rest.
    for (int j = 0; j < i; ++j)
      for (int k = j; k < i; ++k) inverse(i, j) -= lower(i, k) * inverse(k, j);
    inverse(i, i) = 1;
    if (!(rest > negligible * diagonal)) {
      result.direction.assign(std::size_t(n), 0);
      for (int j = 0; j <= i; ++j) result.direction[std::size_t(j)] = std::conj(inverse(i, j));
      result.curvature = rest;
      result.relative_curvature = diagonal > 0 ? rest / diagonal : -1;
      return result;
    }
    lower(i, i) = std::sqrt(rest);
    for (int j = 0; j <= i; ++j) inverse(i, j) /= lower(i, i);
  }
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j < rank; ++j)
      for (int k = std::max(i, j); k < rank; ++k) result.inverse(i, j) += std::conj(inverse(k, i)) * inverse(k, j);
  return result;
}

}  // namespace kov::detail
