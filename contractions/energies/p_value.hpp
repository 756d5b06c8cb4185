// SPDX-License-Identifier: MIT
//
// How likely a fit is as bad as this one, or worse.
#pragma once

namespace kov {

/// The probability that chi^2 of this many degrees of freedom is this large or larger: Q(dof / 2, chi2 / 2), the
/// regularised incomplete gamma function; for a covariance that is known.  NaN without degrees of freedom or for a chi2
/// that is NaN.
double chi2_p_value(double chi2, int dof);

/// The same where the covariance was estimated from n independent samples: chi^2 is then distributed as Hotelling's
/// T^2, and chi^2 (n - dof) / (dof (n - 1)) as F with dof and n - dof degrees of freedom (Anderson, "An introduction to
/// multivariate statistical analysis", theorem 5.2.2).  NaN where n <= dof.
double hotelling_p_value(double chi2, int dof, int n);

}  // namespace kov
