// SPDX-License-Identifier: MIT
//
// Requests that halos refuse on every rank, and how messages are rounded on reduced wires.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/halo/halo.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/all_legs.hpp"
#include "tests/support/every_rank.hpp"
#include "tests/support/lattices.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kov {
namespace {

using reference::gather;
using reference::GlobalArray;
using Wire = ExchangeOptions::Wire;

TEST(BadInput, GridsThatDoNotFitAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  const int n = comm.size();
  EXPECT_TRUE(throws_everywhere([&] { Lattice(comm, {4, 4, 4, 8}, {.grid = Coord{1, 1, 1, n + 1}}); }));
  EXPECT_TRUE(throws_everywhere([&] { Lattice(comm, {4, 4, 4, 8}, {.grid = Coord{1, 1, 0, n}}); }));
  if (n == 1) return;
  EXPECT_TRUE(throws_everywhere([&] { Lattice(comm, {2, 4, 4, 4}, {.grid = Coord{n, 1, 1, 1}}); }));
  EXPECT_TRUE(throws_everywhere([&] { Lattice(comm, {4, 2 * n + 2, 4, 4}, {.grid = Coord{1, 2 * n, 1, 1}}); }));
}

TEST(BadInput, LegsBeyondTheNextRankAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  const Lattice lattice(comm, {4, 4, 4, 8}, {.grid = Coord{1, 1, 1, comm.size()}, .force_exchange = true});
  const int reach = lattice.geometry().local_extent()[3];
  EXPECT_TRUE(throws_everywhere([&] { Stencil::of(lattice, {{0, 0, 0, reach + 1}}); }));
  EXPECT_FALSE(throws_everywhere([&] { Stencil::of(lattice, {{0, 0, 0, reach}}); }));
}

TEST(BadInput, LatticesThatRanksDisagreeAboutAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  if (comm.size() == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  const bool other = comm.rank() == comm.size() - 1;
  const auto refused = [&](const Coord& extent, const LatticeOptions& options) {
    return throws_everywhere([&] { Lattice(comm, extent, options); });
  };
  EXPECT_TRUE(refused({4, 4, 4, other ? 16 : 8}, {}));
  EXPECT_TRUE(refused({8, 4, 4, 8}, {.grid = other ? Coord{1, 1, comm.size(), 1} : Coord{1, 1, 1, comm.size()}}));
  EXPECT_TRUE(refused({4, 4, 4, 8}, {.order = other ? std::optional<Order>() : Order::even_odd}));
  EXPECT_TRUE(refused({4, 4, 4, 8}, {.force_exchange = other}));
  const Coord extent{4, 4, 4, 8};
  EXPECT_TRUE(refused(
      extent, {.exchange = {.overlap = other ? ExchangeOptions::Overlap::blocking : ExchangeOptions::Overlap::tuned}}));
  EXPECT_TRUE(refused(extent, {.exchange = {.wire = other ? Wire::single : Wire::full}}));
  EXPECT_TRUE(refused(extent, {.exchange = {.transport = other ? ExchangeOptions::Transport::staged
                                                               : ExchangeOptions::Transport::automatic}}));
  EXPECT_TRUE(refused(extent, {.exchange = {.checked_exchanges = other ? 3 : 2}}));
  EXPECT_TRUE(refused(extent, {.exchange = {.timeout_seconds = other ? 30.0 : 60.0}}));
  EXPECT_FALSE(refused(extent, {}));
}

TEST(BadInput, HalosThatRanksDisagreeAboutAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  if (comm.size() == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  const bool other = comm.rank() == 0;
  const Lattice lattice(comm, {4, 4, 4, 8});
  EXPECT_TRUE(throws_everywhere([&] { Stencil::of(lattice, {{0, 0, other ? 1 : -1, 0}}); }));
  const Stencil& stencil = Stencil::of(lattice);
  EXPECT_TRUE(throws_everywhere([&] { Halo<Spinor, double>(lattice, stencil, other ? 1 : 2); }));
  EXPECT_TRUE(throws_everywhere(
      [&] { Halo<Spinor, double>(lattice, stencil, 1, {.wire = other ? Wire::full : Wire::fixed16}); }));
  EXPECT_TRUE(throws_everywhere([&] {
    if (other)
      Halo<Spinor, double>(lattice, stencil, 1);
    else
      Halo<Spinor, float>(lattice, stencil, 1);
  }));
  const Halo<Spinor, double> halo(lattice, stencil, 1);
  const SpinorField<double> one(lattice, "one"), two(lattice, "two", 2);
  EXPECT_TRUE(throws_everywhere([&] { halo.exchange(other ? one : two); }));
  EXPECT_TRUE(throws_everywhere([&] { halo.exchange(other ? one : one.even()); }));
  EXPECT_NO_THROW(halo.exchange(one));
}

TEST(BadInput, ARankThatComesTooLateIsAnError) {
  const Comm comm = Comm::world();
  if (comm.size() == 1) GTEST_SKIP() << "does not apply: needs two ranks";
  Comm::Exchange end_of_patience(comm);
  std::array<std::byte, 1> word{};
  if (comm.rank() == 0) {
    EXPECT_THROW(comm.require_same("something", "text", 0.05), CommError);
    for (int rank = 1; rank < comm.size(); ++rank) end_of_patience.send(word, rank, 100);
    end_of_patience.wait(60);
  } else {
    end_of_patience.receive(word, 0, 100);
    end_of_patience.wait(60);
    EXPECT_NO_THROW(comm.require_same("something", "text", 60));
  }
  comm.barrier();
}

TEST(Transport, DeviceMemoryIsTakenOrRefused) {
  const Comm comm = Comm::world();
  const LatticeOptions options{.exchange = {.transport = ExchangeOptions::Transport::device}};
  if (unified_memory || comm.takes_device_memory())
    EXPECT_NO_THROW(Lattice(comm, {4, 4, 4, 8}, options));
  else
    EXPECT_TRUE(throws_everywhere<NotBuilt>([&] { Lattice(comm, {4, 4, 4, 8}, options); }));
  EXPECT_NE(Lattice(comm, {4, 4, 4, 8}).exchange_options().transport, ExchangeOptions::Transport::automatic);
}

template <template <class> class SiteT, class T>
GlobalArray neighbours(const Lattice& lattice, const Stencil& stencil, const GlobalArray& source, int n, Wire wire) {
  const Field<SiteT, T> in(lattice, "in", n);
  load(in, source);
  return test::neighbours(in, stencil, Halo<SiteT, T>(lattice, stencil, n, {.wire = wire}));
}

/// Every neighbour is within the wire's bound of the right one, and where it did not travel it is exact; returns how
/// many numbers were rounded.
template <template <class> class SiteT, class T>
int check_wire(const test::LatticeCase& c, Wire wire, int n) {
  const Lattice lattice = c.make(Comm::world());
  const Stencil& stencil = Stencil::of(lattice);
  const int n_complex = SiteT<T>::n_complex;
  GlobalArray source = reference::random_array(lattice.extent(), n_complex * n, 5);
  // Sites of very different sizes, and one of zeros.
  for (std::int64_t i = 0; i < volume(lattice.extent()); ++i)
    for (int k = 0; k < source.n; ++k)
      source.data[std::size_t(i * source.n + k)] *= i == 3 ? 0.0 : std::pow(10.0, double(i % 7) - 3);
  if constexpr (sizeof(T) == 4) {
    // Through memory, because GCC 12 at -O2 omits the rounding of double(float(x)).
    const std::vector<std::complex<float>> rounded(source.data.begin(), source.data.end());
    source.data.assign(rounded.begin(), rounded.end());
  }
  const GlobalArray got = neighbours<SiteT, T>(lattice, stencil, source, n, wire);
  const double eps = std::numeric_limits<T>::epsilon();
  int rounded = 0;
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
    for (int leg = 0; leg < 8; ++leg)
      for (int component = 0; component < n; ++component) {
        const Coord y = reference::shifted(x, leg / 2, leg % 2 ? -1 : 1);
        const auto* right = source.at(y) + component * n_complex;
        const auto* is = got.at(x) + (leg * n + component) * n_complex;
        double largest = 0;
        for (int k = 0; k < n_complex; ++k)
          largest = std::max({largest, std::abs(right[k].real()), std::abs(right[k].imag())});
        for (int k = 0; k < n_complex; ++k)
          for (const auto& [a, b] :
               {std::pair(is[k].real(), right[k].real()), std::pair(is[k].imag(), right[k].imag())}) {
            const double bound = wire == Wire::full     ? 0
                                 : wire == Wire::single ? std::abs(b) * 0x1p-24
                                                        : 1.0001 * 0x1p-16 * largest + 4 * eps * std::abs(b);
            ASSERT_LE(std::abs(a - b), bound) << "leg " << leg << " of " << to_string(x);
            rounded += a != b;
          }
      }
  });
  return rounded;
}

class WireFormats : public test::OnLattices {};

template <template <class> class SiteT>
void check_wires(const test::LatticeCase& c, int n) {
  bool messages = c.force_exchange || Comm::world().size() > 1;
  EXPECT_EQ((check_wire<SiteT, double>(c, Wire::full, n)), 0);
  EXPECT_EQ((check_wire<SiteT, float>(c, Wire::full, n)), 0);
  EXPECT_EQ((check_wire<SiteT, float>(c, Wire::single, n)), 0);
  EXPECT_EQ((check_wire<SiteT, double>(c, Wire::single, n)) > 0, messages);
  EXPECT_EQ((check_wire<SiteT, double>(c, Wire::fixed16, n)) > 0, messages);
  EXPECT_EQ((check_wire<SiteT, float>(c, Wire::fixed16, n)) > 0, messages);
}

TEST_P(WireFormats, RoundWithinTheirBounds) {
  check_wires<Spinor>(GetParam(), 1);
  check_wires<Spinor>(GetParam(), 2);
  check_wires<ColorVector>(GetParam(), 3);
}

INSTANTIATE_TEST_SUITE_P(Lattices, WireFormats, ::testing::ValuesIn(test::small_lattice_cases(1000)), test::case_name);

TEST(WireFormats, RoundToNearestNotTowardsZero) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const GlobalArray source = reference::random_array(lattice.extent(), 12, 8);
  const GlobalArray exact = neighbours<Spinor, double>(lattice, Stencil::of(lattice), source, 1, Wire::full);
  for (const Wire wire : {Wire::single, Wire::fixed16}) {
    const GlobalArray got = neighbours<Spinor, double>(lattice, Stencil::of(lattice), source, 1, wire);
    double bias = 0, size = 0;
    for (std::size_t i = 0; i < got.data.size(); ++i)
      for (const auto& [a, b] :
           {std::pair(got.data[i].real(), exact.data[i].real()), std::pair(got.data[i].imag(), exact.data[i].imag())}) {
        bias += (std::abs(a) - std::abs(b));
        size += std::abs(a - b);
      }
    EXPECT_LT(std::abs(bias), 0.1 * size);  // truncation has bias = -size
  }
}

TEST(WireFormats, SendNonFiniteNumbersAsNonFinite) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  for (const double bad : {std::nan(""), double(std::numeric_limits<double>::infinity())}) {
    GlobalArray source = reference::random_array(lattice.extent(), 12, 8);
    source.data[5] = {bad, 0};
    const GlobalArray got = neighbours<Spinor, double>(lattice, Stencil::of(lattice), source, 1, Wire::fixed16);
    for (int leg = 0; leg < 8; ++leg)
      EXPECT_FALSE(
          std::isfinite(got.at(reference::shifted({0, 0, 0, 0}, leg / 2, leg % 2 ? 1 : -1))[12 * leg + 5].real()));
  }
}

TEST(WireFormats, MakeMessagesShorter) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8}, {.force_exchange = true});
  const Stencil& stencil = Stencil::of(lattice);
  const auto bytes = [&](Wire wire) {
    return Halo<Spinor, double>(lattice, stencil, 2, {.wire = wire}).message_bytes();
  };
  const auto full = bytes(Wire::full), single = bytes(Wire::single), fixed16 = bytes(Wire::fixed16);
  ASSERT_EQ(full.size(), 8u);
  for (std::size_t f = 0; f < full.size(); ++f) {
    EXPECT_EQ(
        full[f],
        std::size_t(volume(lattice.geometry().local_extent()) / lattice.geometry().local_extent()[f / 2]) * 2 * 24 * 8);
    EXPECT_EQ(2 * single[f], full[f]);
    EXPECT_EQ(192 * fixed16[f], 52 * full[f]);
  }
}

TEST(HaloLegs, ThatAreNotReadSendNothing) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const Stencil& stencil = Stencil::of(lattice);
  const Halo<Spinor, double> forward(lattice, stencil, 1, {.legs = forward_legs});
  EXPECT_EQ(forward.message_bytes().size(), 4u);
  const GlobalArray source = reference::random_array(lattice.extent(), 12, 5);
  const Field<Spinor, double> in(lattice, "in");
  load(in, source);
  const GlobalArray got = test::neighbours(in, stencil, forward);
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
    for (int mu = 0; mu < 4; ++mu)
      for (int k = 0; k < 12; ++k) ASSERT_EQ(got.at(x)[24 * mu + k], source.at(reference::shifted(x, mu, 1))[k]);
  });
  EXPECT_TRUE(throws_everywhere([&] { Halo<Spinor, double>(lattice, stencil, 1, {.legs = {8}}); }));
}

TEST(WireFormats, OfTheLatticeHoldForVectorsNotForMatrices) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true, .exchange = {.wire = Wire::fixed16}});
  const auto rounded = [&](const auto& in, const auto& out, const GlobalArray& source) {
    load(in, source);
    shift(in, 3, 1, out);
    GlobalArray expected(source.extent, source.n);
    reference::for_each_coordinate(source.extent, [&](const Coord& x) {
      std::copy_n(source.at(reference::shifted(x, 3, 1)), source.n, expected.at(x));
    });
    return max_difference(out, expected) > 0;
  };
  const SpinorField<double> psi(lattice, "psi"), psi2(lattice, "psi");
  EXPECT_TRUE(rounded(psi, psi2, reference::random_array(lattice.extent(), 12, 1)));
  const Field<ColorMatrix, double> u(lattice, "u"), u2(lattice, "u");
  EXPECT_FALSE(rounded(u, u2, reference::random_array(lattice.extent(), 9, 1)));
}

/// The neighbours of every column are what the others have, rounded within the bound where they travelled.
template <class T, int W>
void check_block(Wire wire, double bound) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const Field<Spinor, T, ColumnLanes<W>> in(lattice, "in", 5);
  const SpinorField<T> column(lattice, "column");
  std::vector<GlobalArray> columns;
  double largest = 0;
  for (int k = 0; k < 5; ++k) {
    load(column, reference::random_array(lattice.extent(), 12, 3 + std::uint64_t(k)));
    columns.push_back(gather(column));
    copy_components(column, 0, in, k, 1);
    largest = std::max(largest, reference::max_abs(columns.back()));
  }
  const Halo<Spinor, T, ColumnLanes<W>> exact(lattice, 5), rounded(lattice, 5, {.wire = wire});
  EXPECT_LT(rounded.message_bytes()[0], exact.message_bytes()[0]);
  const auto a = test::neighbours(in, exact), b = test::neighbours(in, rounded);
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int leg = int(i / 5);
    reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
      const auto* right = columns[i % 5].at(reference::shifted(x, leg / 2, leg % 2 ? -1 : 1));
      for (int k = 0; k < 12; ++k) {
        ASSERT_EQ(a[i].at(x)[k], right[k]) << "leg " << leg << " of " << to_string(x);
        const auto off = b[i].at(x)[k] - right[k];
        worst = std::max({worst, std::abs(off.real()), std::abs(off.imag())});
      }
    });
  }
  EXPECT_LE(worst, bound * largest);
  EXPECT_GT(worst, 0);
}

TEST(WireFormats, WorkForBlocksOfColumns) {
  check_block<double, 8>(Wire::single, 0x1p-24);
  check_block<double, 4>(Wire::fixed16, 0x1p-16);
  check_block<float, 8>(Wire::fixed16, 0x1p-16);
}

}  // namespace
}  // namespace kov
