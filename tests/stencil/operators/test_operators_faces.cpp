// SPDX-License-Identifier: MIT
//
// Operators exchange the faces of the legs that they read, and no others.
#include "kov/stencil/halo/halo_check.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/gauge_links.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace kov {
namespace {

class OperatorFaces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Comm::world().size() > 1)
      GTEST_SKIP() << "does not apply: a face that is damaged ends the exchange of one rank";
  }
};

/// Which legs send a face when the function that make(lattice) returns runs: those where it finds a face damaged.
template <class Make>
std::vector<int> legs_sent(const Make& make) {
  std::vector<int> sent;
  for (int leg = 0; leg < 8; ++leg) {
    const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
    const auto run = make(lattice);
    inject_halo_fault({HaloFault::Kind::stale, 0, leg});
    try {
      run();
    } catch (const CommError&) {
      sent.push_back(leg);
    }
    const bool was_sent = !sent.empty() && sent.back() == leg;
    EXPECT_NE(take_halo_fault(0, leg).has_value(), was_sent) << leg;
  }
  return sent;
}

template <class T>
GaugeLinks<T> links_for_columns(const Lattice& lattice) {
  return test::links<T>(lattice, reference::random_su3(lattice.extent(), 4, 1)).with({.columns = true});
}

template <class F>
void check_laplacians() {
  for (const Dimensions d : {Dimensions::space, Dimensions::spacetime}) {
    const std::vector<int> sent = legs_sent([&](const Lattice& lattice) {
      const CovariantLaplacian laplacian(links_for_columns<typename F::Storage>(lattice), d, {.columns = true});
      const F in(lattice, "in", 3), out = in.like("out");
      return [=] { laplacian.apply(in, out); };
    });
    EXPECT_EQ(sent.size(), d == Dimensions::space ? 6u : 8u);
  }
}

TEST_F(OperatorFaces, OfTheLaplacianInSpaceAreNotSentInTime) {
  check_laplacians<SpinorField<double>>();
  check_laplacians<SpinorField<float, ColumnLanes<4>>>();
  check_laplacians<Field<ColorVector, double, ColumnLanes<8>>>();
}

template <class F>
void check_shifts() {
  for (int mu = 0; mu < 4; ++mu) {
    const auto legs_of = [&](const auto& apply) {
      return legs_sent([&](const Lattice& lattice) {
        const auto u = links_for_columns<typename F::Storage>(lattice);
        const F in(lattice, "in", 3), out = in.like("out");
        return [=] { apply(u, in, out); };
      });
    };
    for (const int step : {1, -1}) {
      const std::vector<int> one{2 * mu + (step < 0)};
      EXPECT_EQ(legs_of([=](const auto&, const F& in, const F& out) { shift(in, mu, step, out); }), one);
      EXPECT_EQ(legs_of([=](const auto& u, const F& in, const F& out) { covariant_shift(u, in, mu, step, out); }), one);
    }
    EXPECT_EQ(legs_of([=](const auto& u, const F& in, const F& out) { covariant_derivative(u, in, mu, out); }),
              (std::vector<int>{2 * mu, 2 * mu + 1}));
  }
}

TEST_F(OperatorFaces, OfShiftsAreThoseOfOneDirection) {
  check_shifts<SpinorField<double>>();
  check_shifts<SpinorField<float, ColumnLanes<4>>>();
}

}  // namespace
}  // namespace kov
