// SPDX-License-Identifier: MIT
//
// Halos that hold less than whole sites: the two spins that Wilson's hop needs of a neighbour, in half the bytes.
#include "kov/core/field/convert.hpp"
#include "kov/core/site/projector.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace kov {
namespace {
namespace compressor {

using reference::gather, reference::GlobalArray;

template <class Storage>
using ProjectedHalo = Halo<Spinor, Storage, SiteLanes, SpinProjection>;

/// out(x) = the upper two spins of (1 -+ sign g_mu) in(x + leg), what multiply_projected() multiplies by.
template <class Storage, int leg, int sign>
struct ProjectLeg {
  Stencil::View stencil;
  ProjectedNeighbours<Storage> in;
  FieldView<HalfSpinor, real_of_storage_t<Spinor, Storage>> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    constexpr int mu = leg / 2, projector = leg % 2 == 0 ? -sign : sign;
    const auto near = stencil.at(x);
    const NeighboursAt<ProjectedNeighbours<Storage>, Site, 8> neighbours(in, x, near, c);
    const auto& psi = neighbours.read(near(leg), leg);
    auto half = zero<decltype(out(x, c))>();
    for (int b = 0; b < 3; ++b) {
      using Row0 = detail::ProjectorRow<mu, projector, 0>;
      using Row1 = detail::ProjectorRow<mu, projector, 1>;
      half(0, b) = detail::add_i_power<Row0::phase>(element(psi, b), element(psi, 3 * Row0::column + b));
      half(1, b) = detail::add_i_power<Row1::phase>(element(psi, 3 + b), element(psi, 3 * Row1::column + b));
    }
    out.set(x, half, c);
  }
};

/// i^k z
template <class T>
std::complex<T> times_i_power(int k, const std::complex<T>& z) {
  return k == 0 ? z : times_i_power(k - 1, std::complex<T>{-z.imag(), z.real()});
}

/// Compares one leg with the neighbours' spinors, projected by the gamma matrices themselves.  tolerance: of each real,
/// in units of the largest of the projected ones; full messages of floats and doubles: the same bits.
template <class Storage, int leg, int sign>
void check_leg(const SpinorField<Storage>& in, const GlobalArray& source, const ProjectedHalo<Storage>& halo,
               double tolerance) {
  using T = real_of_storage_t<Spinor, Storage>;
  const int n = in.n_components();
  const Field<HalfSpinor, T> out(in.lattice(), "projected", n);
  for_each_site("project_leg", out.range(), n,
                ProjectLeg<Storage, leg, sign>{Stencil::of(in.lattice()).view(),
                                               halo.exchange(in, SpinProjection::variant(sign != 1)), out.view()});
  const GlobalArray got = gather(out);
  const Gamma g = Gamma::direction(leg / 2);
  reference::for_each_coordinate(in.lattice().extent(), [&](const Coord& x) {
    const auto* const psi = source.at(reference::shifted(x, leg / 2, leg % 2 ? -1 : 1));
    for (int c = 0; c < n; ++c) {
      double largest = 0;
      std::complex<double> expected[6];
      for (int spin = 0; spin < 2; ++spin)
        for (int color = 0; color < 3; ++color) {
          const std::complex<T> a(psi[12 * c + 3 * spin + color]),
              b(psi[12 * c + 3 * g.column[std::size_t(spin)] + color]),
              gb = times_i_power(g.phase[std::size_t(spin)], b),
              right = (leg % 2 == 0) == (sign == 1) ? a - gb : a + gb;
          expected[3 * spin + color] = std::complex<double>(right);
          largest = std::max({largest, std::abs(double(right.real())), std::abs(double(right.imag()))});
        }
      for (int i = 0; i < 6; ++i) {
        const auto off = got.at(x)[6 * c + i] - expected[i];
        ASSERT_LE(std::max(std::abs(off.real()), std::abs(off.imag())), tolerance * largest)
            << "leg " << leg << " of " << to_string(x);
      }
    }
  });
}

template <class Storage, int sign, int... leg>
void check_legs(const SpinorField<Storage>& in, const GlobalArray& source, const ProjectedHalo<Storage>& halo,
                double tolerance, std::integer_sequence<int, leg...>) {
  (check_leg<Storage, leg, sign>(in, source, halo, tolerance), ...);
}

template <class Storage>
void check(const Lattice& lattice, ExchangeOptions::Wire wire, double tolerance) {
  for (const int n : {1, 3}) {
    const SpinorField<Storage> in(lattice, "in", n);
    convert(reference::random_field<Spinor, real_of_storage_t<Spinor, Storage>>(lattice, n, 4), in);
    const GlobalArray source = gather(in);
    const ProjectedHalo<Storage> halo(lattice, n, {.wire = wire});
    check_legs<Storage, 1>(in, source, halo, tolerance, std::make_integer_sequence<int, 8>{});
    if constexpr (Codec<Spinor, Storage>::is_plain)
      check_legs<Storage, -1>(in, source, halo, tolerance, std::make_integer_sequence<int, 8>{});
    else
      check_leg<Storage, 5, -1>(in, source, halo, tolerance);
  }
}

/// Rounded to nearest, in units of 1 / 32767 of the largest; a percent for the arithmetic in floats.
constexpr double half_of_16_bits = 1.01 * 0.5 / 32767;

class HaloCompressor : public test::OnLattices {};

TEST_P(HaloCompressor, BringsTheSpinsThatTheHopNeeds) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<double>(lattice, ExchangeOptions::Wire::full, 0);
  check<float>(lattice, ExchangeOptions::Wire::full, 0);
  // The wires round the sums of two spins.
  check<double>(lattice, ExchangeOptions::Wire::single, 0x1p-24);
  check<double>(lattice, ExchangeOptions::Wire::fixed16, half_of_16_bits);
  check<float>(lattice, ExchangeOptions::Wire::fixed16, half_of_16_bits);
}

TEST_P(HaloCompressor, Brings16BitSpinorsIn16Bits) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<Fixed16>(lattice, ExchangeOptions::Wire::full, half_of_16_bits);
}

TEST_P(HaloCompressor, Brings8BitSpinorsIn8Bits) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<Fixed8>(lattice, ExchangeOptions::Wire::full, 1.01 * 0.5 / 127);
}
INSTANTIATE_TEST_SUITE_P(Lattices, HaloCompressor, ::testing::ValuesIn(test::small_lattice_cases(1000)),
                         test::case_name);

/// Faces of more than 4 MiB are written past the caches between ranks of a host.
TEST(HaloCompressorOfSpinors, BringsLargeFaces) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8}, {.force_exchange = true});
  const int n = 48;
  const SpinorField<double> in = reference::random_field<Spinor, double>(lattice, n, 9);
  const ProjectedHalo<double> halo(lattice, n);
  const auto bytes = halo.message_bytes();
  EXPECT_GT(std::accumulate(bytes.begin(), bytes.end(), std::size_t(0)), std::size_t(4) << 20);
  check_leg<double, 0, 1>(in, gather(in), halo, 0);
  check_leg<double, 7, 1>(in, gather(in), halo, 0);
  check_leg<double, 6, -1>(in, gather(in), halo, 0);
}

TEST(HaloCompressorOfSpinors, HalvesTheMessages) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  for (const auto wire : {ExchangeOptions::Wire::full, ExchangeOptions::Wire::single}) {
    const auto whole = Halo<Spinor, double>(lattice, 2, {.wire = wire}).message_bytes(),
               half = ProjectedHalo<double>(lattice, 2, {.wire = wire}).message_bytes();
    ASSERT_FALSE(half.empty());
    ASSERT_EQ(half.size(), whole.size());
    for (std::size_t m = 0; m < half.size(); ++m) EXPECT_EQ(2 * half[m], whole[m]);
  }
}

TEST(HaloCompressorOfSpinors, TakesTheBytesOf16Bits) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  const auto whole = Halo<Spinor, Fixed16>(lattice, 2).message_bytes(),
             half = ProjectedHalo<Fixed16>(lattice, 2).message_bytes();
  ASSERT_FALSE(half.empty());
  for (std::size_t m = 0; m < half.size(); ++m) EXPECT_EQ(52 * half[m], 28 * whole[m]);
}

TEST(HaloCompressorOfSpinors, KeepsZeroAndShowsWhatIsNotFinite) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  SpinorField<float> psi(lattice, "psi");
  auto bad = peek(psi, {0, 1, 2, 3});
  bad.z[7].im = std::numeric_limits<double>::infinity();
  poke(psi, {0, 1, 2, 3}, bad);
  const SpinorField<Fixed16> in(lattice, "in");
  convert(psi, in);
  const Field<HalfSpinor, float> out(lattice, "projected");
  for_each_site("project_leg", out.range(), 1,
                ProjectLeg<Fixed16, 1, 1>{Stencil::of(lattice).view(), ProjectedHalo<Fixed16>(lattice, 1).exchange(in),
                                          out.view()});
  const GlobalArray got = gather(out);
  reference::for_each_coordinate(lattice.extent(), [&](const Coord& x) {
    for (int i = 0; i < 6; ++i) {
      if (x == Coord{1, 1, 2, 3})
        EXPECT_TRUE(std::isnan(got.at(x)[i].real()) && std::isnan(got.at(x)[i].imag()));
      else
        EXPECT_EQ(got.at(x)[i], 0.0);
    }
  });
}

/// The hop on a lattice whose halos are forced, beside the one without: off by the rounding of messages.
template <class T>
void check_wire_of_hop() {
  const Coord extent{4, 4, 4, 8};
  const GlobalArray u = reference::random_su3(extent, 4, 7);
  const Lattice local(Comm::world(), extent), forced(Comm::world(), extent, {.force_exchange = true}),
      reduced(Comm::world(), extent, {.force_exchange = true, .exchange = {.wire = ExchangeOptions::Wire::fixed16}});
  const auto hop_on = [&](const Lattice& lattice) {
    return Hop<T>(GaugeLinks<T>(reference::gauge_field<T>(lattice, u)));
  };
  const auto applied = [](const auto& op) {
    const SpinorField<T> in = reference::random_field<Spinor, T>(op.lattice(), 2, 8), out = in.like("out");
    op.apply(in, out);
    return gather(out);
  };
  using Wire = ExchangeOptions::Wire;
  const GlobalArray exact = applied(hop_on(local));
  EXPECT_TRUE(applied(hop_on(forced)).data == exact.data);
  EXPECT_TRUE(applied(hop_on(reduced).with_wire(Wire::full)).data == exact.data) << "the operator's wire is the one";
  const Hop<T> fixed16 = hop_on(forced).with_wire(Wire::fixed16);
  const GlobalArray found = applied(fixed16);
  EXPECT_TRUE(applied(hop_on(reduced)).data == found.data);
  EXPECT_TRUE(applied(fixed16.with({.doubled = true})).data == found.data) << "kept with other forms";
  EXPECT_TRUE(applied(DiracOperator<T, MassTerm>(hop_on(forced), {0.1}).with_wire(Wire::fixed16)).data ==
              applied(WilsonOperator<T>(hop_on(reduced).links(), 0.1)).data)
      << "and so has an operator";
  double worst = 0;
  for (std::size_t k = 0; k < exact.data.size(); ++k) worst = std::max(worst, std::abs(found.data[k] - exact.data[k]));
  // A number is a sum over eight legs of three numbers times those of a row of SU(3), of sums of two numbers below 1.
  EXPECT_LT(worst, 8 * std::sqrt(6.0) * 2 * half_of_16_bits);
  EXPECT_GT(worst, half_of_16_bits);
}

TEST(HaloCompressorOfSpinors, HasAWireOfTheOperatorsOwn) {
  check_wire_of_hop<double>();
  check_wire_of_hop<float>();
}

TEST(HaloCompressorOfSpinors, NeedsTheHopsLegsInTheirOrder) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true});
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of_space(lattice), 1), InputError);
  std::vector<Coord> legs = nearest_neighbours();
  std::swap(legs[0], legs[1]);
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of(lattice, legs), 1), InputError);
  legs = nearest_neighbours();
  legs[6] = {0, 0, 1, 1};
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of(lattice, legs), 1), InputError);
  const SpinorField<double> in(lattice, "in");
  EXPECT_THROW(ProjectedHalo<double>(lattice, 1).exchange(in, 4), InputError);
}

/// The halo is one for hop and adjoint, in turns with even-odd hops.
TEST(HaloCompressorOfSpinors, DoesNotMixLegsOrAdjoints) {
  const Lattice forced(Comm::world(), {4, 4, 4, 8}, {.force_exchange = true}), local(Comm::world(), {4, 4, 4, 8});
  const GlobalArray u = reference::random_su3(forced.extent(), 4, 7);
  const auto hops = [&](const Lattice& lattice) {
    const Hop<double> hop(GaugeLinks<double>(reference::gauge_field<double>(lattice, u)));
    const SpinorField<double> in = reference::random_field<Spinor, double>(lattice, 2, 8), out = in.like("out");
    std::vector<GlobalArray> all;
    for (int k = 0; k < 3; ++k) {
      hop.apply(in, out);
      all.push_back(gather(out));
      hop.apply_adjoint(in, out);
      all.push_back(gather(out));
      hop.apply(in.odd(), out.even());
      all.push_back(gather(out));
    }
    return all;
  };
  const auto a = hops(forced), b = hops(local);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(a[k].data == b[k].data) << k;
}

}  // namespace compressor
}  // namespace
}  // namespace kov
