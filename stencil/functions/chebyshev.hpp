// SPDX-License-Identifier: MIT
//
// Any function of a Hermitian operator as a Chebyshev series: coefficients by the cosine sum, the order from a wanted
// accuracy, the error known before the first application.  Formulas: L. N. Trefethen, "Approximation Theory and
// Approximation Practice" (SIAM, 2013), chapters 3 and 4.
#pragma once

#include "kov/stencil/functions/spectral_bounds.hpp"

#include <functional>
#include <vector>

namespace kov {

/// f(x) for real x, an eigenvalue of the operator.
using RealFunction = std::function<double(double)>;

/// How accurate a series has to be.
struct ChebyshevAccuracy {
  /// The largest |series - f| on the interval over the largest |f|.
  double error = 1e-10;
  /// The highest order allowed, at most 100000; a function that needs more is refused.  Refusing takes up to
  /// 20 max_order^2 steps.
  int max_order = 2000;
};

/// f(x) ~ sum_{k=0}^{n} c_k T_k(y), y = (2 x - high - low) / (high - low), T_k(y) = cos(k arccos y), on the interval
/// [low, high], in the units of the operator's eigenvalues.
class ChebyshevSeries {
 public:
  /// Order n, c_k = (2 - delta_k0) / N sum_{j<N} f(x_j) cos(pi k (j + 1/2) / N), y_j = cos(pi (j + 1/2) / N), with N >
  /// 2 n samples.  Exact, up to rounding, for polynomials of degree n.  Throws InputError for an order below 0 or above
  /// 100000, an interval without length and an f that is not finite there.
  static ChebyshevSeries of_order(const RealFunction& f, const Interval& interval, int order);

  /// The lowest order whose coefficients left out add up to at most half of the wanted error, times the largest |f|;
  /// the other half is for aliasing and rounding.  The series is accepted if it is within the wanted error at all
  /// sampled points, else more coefficients are tried.  f must be smooth: an edge needs a width, and the order grows
  /// like 1 / width.
  ///
  /// f is sampled at 4002 points or more, neighbours at most 4e-4 of the interval apart: a bump at least that wide gets
  /// its series or is refused.  Narrower ones may lie between the points and go unnoticed.  A function that is 0 at all
  /// points has the series 0.
  ///
  /// Throws InputError also when max_order is not enough or not from 0 to 100000, or the error is not from 1e-14
  /// (what double can give) to 1.
  static ChebyshevSeries to_accuracy(const RealFunction& f, const Interval& interval,
                                     const ChebyshevAccuracy& accuracy = {});

  /// n.
  int order() const { return int(c_.size()) - 1; }
  /// c_0, ..., c_n; c_0 counts once.
  const std::vector<double>& coefficients() const { return c_; }
  const Interval& interval() const { return interval_; }
  /// The largest |series - f| / max |f| found on the interval, at 4002 points or more and more than four for each
  /// order: |series(A) v - f(A) v| is at most this times max |f| times |v|, in exact arithmetic and if f hides nothing
  /// between these points.
  double error() const { return error_; }
  /// The series at x, which is meaningless outside the interval.
  double operator()(double x) const;

 private:
  ChebyshevSeries(const Interval& interval, std::vector<double> c) : interval_(interval), c_(std::move(c)) {}

  Interval interval_;
  std::vector<double> c_;
  double error_ = 0;
};

/// out = series(A) in for A = A^+ whose spectrum lies in the series' interval: eigenvalues outside are amplified
/// exponentially in the order.  in and out: fields of one shape that A takes, of spinors or colour vectors, with sites
/// or columns in lanes, or of scalars in double, with any number of components; in may be out.  Three fields of their
/// shape are made.
///
/// Clenshaw's recurrence b_k = c_k in + 2 y(A) b_{k+1} - b_{k+2} (C. W. Clenshaw, Math. Tables Aids Comput. 9 (1955)
/// 118): an application of A and one pass, which reads four fields and writes one, for each order; the forward
/// recurrence would write two.  Asynchronous, ordered on exec.  Throws InputError when the shapes differ.
template <template <class> class SiteT, class T, class Lanes>
void apply_series(const ChebyshevSeries& series, const AnyOperator<Field<SiteT, T, Lanes>>& A,
                  const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out, const Exec& exec = {});

}  // namespace kov
