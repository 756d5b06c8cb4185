// SPDX-License-Identifier: MIT
//
// What the tests share in which contractions run on an execution-space instance of the caller's own.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/sources/propagator.hpp"
#include "tests/support/launches.hpp"
#include "tests/support/slow_copy.hpp"

#include <complex>
#include <utility>
#include <vector>

namespace kov::test {

/// Copies of two propagators, which slow kernels on exec write: see slow_copy().
template <class T>
std::pair<Propagator<T>, Propagator<T>> slow_copies(const Propagator<T>& s1, const Propagator<T>& s2,
                                                    const Exec& exec) {
  std::pair<Propagator<T>, Propagator<T>> copies(s1.like("first"), s2.like("second"));
  Kokkos::fence("propagators are ready");
  slow_copy(s1.columns(), copies.first.columns(), exec);
  slow_copy(s2.columns(), copies.second.columns(), exec);
  return copies;
}

/// [correlator][t]
inline std::vector<std::vector<std::complex<double>>> values_of(const std::vector<Correlator>& correlators) {
  std::vector<std::vector<std::complex<double>>> values;
  for (const Correlator& c : correlators) values.push_back(c.value);
  return values;
}

}  // namespace kov::test
