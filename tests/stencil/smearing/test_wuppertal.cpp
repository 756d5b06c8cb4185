// SPDX-License-Identifier: MIT
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/slice_steps.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge_transformation.hpp"
#include "tests/reference/operators.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace kov {
namespace {

using detail::take_by_slices;
using detail::worth_slices;
using reference::gather;
using reference::GlobalArray;

constexpr WuppertalParameters kParameters{.width = 2, .iterations = 7};

class Wuppertal : public test::OnLattices {};

template <template <class> class SiteT, class T>
void check(const Lattice& lattice, int n_components) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const GlobalArray psi = reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 2);
  const double s = kParameters.width * kParameters.width / (4 * kParameters.iterations);
  GlobalArray expected = psi;
  for (int k = 0; k < kParameters.iterations; ++k) {
    const GlobalArray laplacian = reference::laplacian(u, expected, 3);
    for (std::size_t i = 0; i < expected.data.size(); ++i) expected.data[i] += s * laplacian.data[i];
  }
  const WuppertalSmearing<T> smear(GaugeLinks<T>(gauge_field(lattice, u)), kParameters);
  const Field<SiteT, T> in(lattice, "in", n_components), out = in.like("out");
  load(in, psi);
  smear.apply(in, out);
  // Each iteration multiplies the shortest waves by up to 1 - 12 s and rounds at that size.
  const double tolerance =
      20 * kParameters.iterations * std::numeric_limits<T>::epsilon() * reference::max_abs(expected);
  EXPECT_LT(max_difference(out, expected), tolerance);
  EXPECT_EQ(max_difference(in, gather(in)), 0);
  EXPECT_LT(max_difference(smear(in), expected), tolerance);
  smear.apply(in, in);
  EXPECT_LT(max_difference(in, expected), tolerance) << "in place";
}

TEST_P(Wuppertal, EqualsItsDefinition) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<Spinor, double>(lattice, 1);
  check<Spinor, float>(lattice, 3);
  check<ColorVector, double>(lattice, 2);
  check<ColorVector, float>(lattice, 1);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Wuppertal, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

template <template <class> class SiteT, class T>
void check_slices(const Lattice& lattice, int n_components) {
  const GaugeLinks<T> links(gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1)));
  const CovariantLaplacian<T> laplacian(links, Dimensions::space);
  const Field<SiteT, T> in(lattice, "in", n_components), out = in.like("out");
  load(in, reference::random_array(lattice.extent(), SiteT<T>::n_complex * n_components, 2));
  Field<SiteT, T> from = in.clone("from"), to = in.like("to");
  for (int n = 1; n <= 4; ++n) {
    laplacian.combine(0.7, 0.05, from, to);
    std::swap(from, to);
    take_by_slices(links, std::vector<LaplacianStep>(std::size_t(n), {.alpha = 0.7, .beta = 0.05}), in, out);
    EXPECT_EQ(max_difference(out, gather(from)), 0) << n << " steps of " << n_components << " components";
  }
  const Field<SiteT, T> same = in.clone("in place");
  take_by_slices(links, std::vector<LaplacianStep>(4, {.alpha = 0.7, .beta = 0.05}), same, same);
  EXPECT_EQ(max_difference(same, gather(from)), 0) << "in place";
}

TEST(WuppertalSmearing, SliceBySliceGivesTheBitsOfStepByStep) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 4}, {.grid = Coord{1, 1, 1, Comm::world().size()}});
  if (!worth_slices(SpinorField<double>(lattice, "psi")))
    GTEST_SKIP() << "NOT TESTED: no packs, or too few slices for the threads";
  check_slices<Spinor, double>(lattice, 1);
  check_slices<Spinor, float>(lattice, 12);
  check_slices<Spinor, double>(lattice, 12);
  check_slices<ColorVector, double>(lattice, 5);
  check_slices<ColorVector, float>(lattice, 7);
}

TEST(WuppertalSmearing, ManyIterationsAreTheBitsOfStepByStep) {
  const WuppertalParameters many{.width = 16, .iterations = 1030};
  const Lattice lattice(Comm::world(), {4, 4, 4, 4}, {.grid = Coord{1, 1, 1, Comm::world().size()}});
  const GaugeLinks<double> links(gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1)));
  const CovariantLaplacian<double> laplacian(links, Dimensions::space);
  const SpinorField<double> in(lattice, "in");
  load(in, reference::random_array(lattice.extent(), 12, 2));
  SpinorField<double> from = in.clone("from"), next = in.like("next");
  const double step = many.width * many.width / (4 * many.iterations);
  for (int n = 0; n < many.iterations; ++n) {
    laplacian.combine(1 - 6 * step, step, from, next);
    std::swap(from, next);
  }
  EXPECT_EQ(max_difference(WuppertalSmearing<double>(links, many)(in), gather(from)), 0);
}

TEST(WuppertalSmearing, OfAConstantOnUnitLinksIsThatConstant) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const WuppertalSmearing<double> smear(
      GaugeLinks<double>(gauge_field(lattice, reference::unit_gauge(lattice.extent()))), kParameters);
  GlobalArray constant(lattice.extent(), 12);
  for (std::size_t i = 0; i < constant.data.size(); ++i) constant.data[i] = {1.0 + double(i % 12), 0.25};
  const SpinorField<double> in(lattice, "in");
  load(in, constant);
  EXPECT_LT(max_difference(smear(in), constant),
            20 * kParameters.iterations * std::numeric_limits<double>::epsilon() * 12);
}

TEST(WuppertalSmearing, StaysOnItsTimeSlice) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto u = reference::random_su3(lattice.extent(), 4, 1);
  const WuppertalSmearing<double> smear(GaugeLinks<double>(gauge_field(lattice, u)), kParameters);
  const Field<ColorVector, double> in(lattice, "in");
  poke(in, {1, 2, 3, 5}, ColorVector<double>{{{1, 0}, {0, 0}, {0, 0}}});
  const GlobalArray out = gather(smear(in));
  double here = 0, elsewhere = 0;
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
    for (int a = 0; a < 3; ++a) (x[3] == 5 ? here : elsewhere) += std::norm(out.at(x)[a]);
  });
  EXPECT_GT(here, 0);
  EXPECT_EQ(elsewhere, 0);
}

TEST(WuppertalSmearing, WithoutWidthCopies) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const auto psi = reference::random_array(lattice.extent(), 12, 3);
  const SpinorField<double> in(lattice, "in");
  load(in, psi);
  const GaugeLinks<double> links(gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1)));
  EXPECT_EQ(max_difference(WuppertalSmearing<double>(links, {.width = 0, .iterations = 0})(in), psi), 0);
  EXPECT_EQ(max_difference(WuppertalSmearing<double>(links, {.width = 0, .iterations = 5})(in), psi), 0);
}

TEST(WuppertalSmearing, RefusesParametersWithoutMeaning) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeLinks<double> links(gauge_field(lattice, reference::unit_gauge(lattice.extent())));
  EXPECT_THROW(WuppertalSmearing<double>(links, {.width = -1, .iterations = 5}), InputError);
  EXPECT_THROW(WuppertalSmearing<double>(links, {.width = std::nan(""), .iterations = 5}), InputError);
  EXPECT_THROW(WuppertalSmearing<double>(links, {.width = 1, .iterations = -5}), InputError);
  EXPECT_THROW(WuppertalSmearing<double>(links, {.width = 1, .iterations = 0}), InputError);
  const WuppertalSmearing<double> smear(links, kParameters);
  const SpinorField<double> in(lattice, "in"), wide(lattice, "wide", 2), even(lattice, "even", 1, Subset::even);
  EXPECT_THROW(smear.apply(in, wide), InputError);
  EXPECT_THROW(smear.apply(even, even), InputError);
  EXPECT_THROW(smear(SpinorField<double>(Lattice(Comm::world(), {4, 4, 4, 8}), "elsewhere")), InputError);
}

}  // namespace
}  // namespace kov
