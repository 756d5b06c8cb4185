// SPDX-License-Identifier: MIT
#include "kov/contractions/energies/p_value.hpp"

#include <cmath>
#include <limits>

// Eigen's first, which declares what SpecialFunctions specialises.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace kov {

double chi2_p_value(double chi2, int dof) {
  if (dof < 1 || !(chi2 >= 0)) return std::numeric_limits<double>::quiet_NaN();
  return Eigen::numext::igammac(0.5 * dof, 0.5 * chi2);
}

double hotelling_p_value(double chi2, int dof, int n) {
  if (dof < 1 || n <= dof || !(chi2 >= 0)) return std::numeric_limits<double>::quiet_NaN();
  // The upper tail of F = chi2 (n - dof) / (dof (n - 1)) is I_x((n - dof) / 2, dof / 2), x = 1 / (1 + chi2 / (n - 1)).
  return Eigen::numext::betainc(0.5 * (n - dof), 0.5 * dof, 1 / (1 + chi2 / (n - 1)));
}

}  // namespace kov
