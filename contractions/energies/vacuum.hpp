// SPDX-License-Identifier: MIT
//
// Unbiased products of vacuum expectation values, to be subtracted from disconnected correlators.
#pragma once

#include "kov/contractions/energies/resampling.hpp"

namespace kov {

/// Replicas of means whose last two numbers are Re and Im of <a><b>.  Each row of samples ends in Re a, Im a, Re b,
/// Im b, as those of disconnected_product(); what is before them is averaged as it is.
///
/// <a><b> is the mean of a_i b_j over pairs of different samples (or bins) i and j, (n <a_i> <b_i> - <a_i b_i>) / (n -
/// 1) with means over the n samples of the replica: the product of means has 1 / n of the covariance of a and b in it,
/// to which a shared noise adds.  The mean, and the mean of the jackknife's replicas, are unbiased.  Of a bootstrap
/// pairs are those of different draws, some of which are one sample: their mean over all draws is <a_i> <b_i>, which is
/// cov / (n - 1) above that of different samples, cov = <a_i b_i> - <a_i> <b_i> of all n; so every replica has that
/// taken out, and replicas are centred at the mean.  Throws InputError as the resampling does, and for rows of fewer
/// than four numbers.
Resampled with_vacuum(const Samples& samples, const Jackknife& resampling);
Resampled with_vacuum(const Samples& samples, const Bootstrap& resampling);

}  // namespace kov
