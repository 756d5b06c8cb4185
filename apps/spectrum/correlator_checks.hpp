// SPDX-License-Identifier: MIT
//
// What correlators lose in the arithmetic: to the solver's tolerance far from the source, and to the smallest number
// that a precision has.
#pragma once

#include "apps/spectrum/spectrum_parameters.hpp"
#include "kov/contractions/correlators/correlator.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// A warning for each hadron and sink whose correlator C the solver does not resolve at a time that enters the mass.
///
/// A solve with the residual r leaves errors of about r times the quark at its source everywhere, also where the quark
/// is small.  With two quarks that each fall as sqrt |C|, C(t) has a relative error of 2 r sqrt(max |C| / |C(t)|); a
/// hundredth is too much.  For three quarks that are heavy this is more than their error.  Measured on 4^3 x 24 at
/// kappa 0.05 and 0.12 with r from 1e-6 to 7e-4: errors of mesons were 0.01 to 0.3 of it at worst, of nucleons 0.01.
/// residual: the largest |source - M S| / |source| of all solves.  The warning names the first such time and the
/// solver.tolerance to ask for.
std::vector<std::string> resolution_warnings(const std::vector<Correlator>& correlators,
                                             const SpectrumParameters& parameters, const Coord& extent,
                                             double residual);

/// A warning when channels with the same source and sink are, at some time and in all samples, smaller than normal
/// numbers of the solver's precision: zero or rounded to a few bits.  It names the first of them and the time.
std::vector<std::string> underflow_warnings(const std::vector<Correlator>& correlators,
                                            const SpectrumParameters& parameters, const Coord& extent);

}  // namespace kov::app
