// SPDX-License-Identifier: MIT
//
// What the contraction tests share: random propagators and the comparison of correlators with naive ones.
#pragma once

#include "kov/contractions/sources/propagator.hpp"
#include "tests/reference/contractions.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace kov::reference {

/// gather() and max_difference() of the twelve columns.
template <class T>
GlobalArray gather(const Propagator<T>& s) {
  return gather(s.columns());
}
template <class T>
double max_difference(const Propagator<T>& s, const GlobalArray& expected) {
  return max_difference(s.columns(), expected);
}

}  // namespace kov::reference

namespace kov::test {

template <class T>
Propagator<T> make_propagator(const Lattice& lattice, const reference::GlobalArray& s,
                              const Coord& origin = reference::kSource) {
  Propagator<T> propagator(lattice, "propagator", {.origin = origin});
  reference::load(propagator.columns(), s);
  return propagator;
}

/// |a - b| <= factor eps(T) scale at every time.
template <class T>
void expect_near(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b,
                 const std::vector<double>& scale, double factor, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t t = 0; t < a.size(); ++t)
    EXPECT_LE(std::abs(a[t] - b[t]), factor * std::numeric_limits<T>::epsilon() * scale[t])
        << what << " at t = " << t << ": " << a[t] << " and " << b[t];
}

/// A lattice of the list; skipped if it does not fit the number of ranks or if naive versions would take seconds.
class EveryLattice : public OnLattices {
 protected:
  void SetUp() override {
    OnLattices::SetUp();
    if (IsSkipped()) return;
    if (volume(GetParam().extent) > 3000) GTEST_SKIP() << "does not apply: the naive reference would take seconds";
  }
  Lattice lattice() const { return GetParam().make(Comm::world()); }
};

}  // namespace kov::test
