// SPDX-License-Identifier: MIT
//
// Least-squares fits that are linear in the unknowns, for the means and every replica.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

#include <vector>

namespace kov {

/// A fit of y_i = sum over n of basis[n][i] x_n.
struct LinearFit {
  /// The x_n.
  Resampled parameters;
  double chi2;
  int dof;
  /// chi2_p_value(), and hotelling_p_value() of the number of samples; NaN without degrees of freedom.
  double p_value, finite_p_value;
  /// Whether the covariance between the numbers was used; else only their errors.
  bool correlated;

  /// Of the p-values the one that belongs to what was used.
  double p() const { return correlated ? finite_p_value : p_value; }
};

/// Minimises chi^2 with the covariance of y where there are more than samples_per_number samples for each number and it
/// is not singular, and with the errors alone where not.  An error of zero counts as one of rounding; numbers that are
/// all zero without one weigh the same.  Throws InputError for numbers or errors that are not finite, lists in basis
/// whose lengths are not that of y, and more unknowns than numbers.
LinearFit linear_fit(const Resampled& y, const std::vector<std::vector<double>>& basis, double samples_per_number = 1);

}  // namespace kov
