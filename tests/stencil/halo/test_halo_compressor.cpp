// SPDX-License-Identifier: MIT
//
// Halos that hold less than whole sites: the two spins that Wilson's hop needs of a neighbour, in half the bytes.
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/launch.hpp"
#include "kov/stencil/neighbours_at.hpp"
#include "kov/core/site/projector.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"

#include <numeric>

namespace kov {
namespace {
namespace compressor {

using reference::gather, reference::GlobalArray;

template <class T>
using ProjectedHalo = Halo<Spinor, T, SiteLanes, SpinProjection>;

/// out(x) = the upper two spins of (1 -+ sign g_mu) in(x + leg), what multiply_projected() multiplies by.
template <class T, int leg, int sign>
struct ProjectLeg {
  Stencil::View stencil;
  ProjectedNeighbours<T> in;
  FieldView<HalfSpinor, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    constexpr int mu = leg / 2, projector = leg % 2 == 0 ? -sign : sign;
    const auto near = stencil.at(x);
    const NeighboursAt<ProjectedNeighbours<T>, Site, 8> neighbours(in, x, near, c);
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

/// Compares one leg with the neighbours' spinors, projected by the gamma matrices themselves.  Full messages: the same
/// bits.
template <class T, int leg, int sign>
void check_leg(const SpinorField<T>& in, const GlobalArray& source, const ProjectedHalo<T>& halo, double tolerance) {
  const int n = in.n_components();
  const Field<HalfSpinor, T> out(in.lattice(), "projected", n);
  for_each_site("project_leg", out.range(), n,
                ProjectLeg<T, leg, sign>{Stencil::of(in.lattice()).view(),
                                         halo.exchange(in, SpinProjection::variant(sign != 1)), out.view()});
  const GlobalArray got = gather(out);
  const Gamma g = Gamma::direction(leg / 2);
  reference::for_each_coordinate(in.lattice().extent(), [&](const Coord& x) {
    const auto* const psi = source.at(reference::shifted(x, leg / 2, leg % 2 ? -1 : 1));
    for (int c = 0; c < n; ++c) {
      double largest = 0;
      for (int k = 0; k < 12; ++k)
        largest = std::max({largest, std::abs(psi[12 * c + k].real()), std::abs(psi[12 * c + k].imag())});
      for (int spin = 0; spin < 2; ++spin)
        for (int color = 0; color < 3; ++color) {
          const std::complex<T> a(psi[12 * c + 3 * spin + color]),
              b(psi[12 * c + 3 * g.column[std::size_t(spin)] + color]),
              gb = times_i_power(g.phase[std::size_t(spin)], b),
              right = (leg % 2 == 0) == (sign == 1) ? a - gb : a + gb;
          const auto is = got.at(x)[6 * c + 3 * spin + color];
          ASSERT_LE(std::abs(is - std::complex<double>(right)), tolerance * largest)
              << "leg " << leg << " of " << to_string(x);
        }
    }
  });
}

template <class T, int sign, int... leg>
void check_legs(const SpinorField<T>& in, const GlobalArray& source, const ProjectedHalo<T>& halo, double tolerance,
                std::integer_sequence<int, leg...>) {
  (check_leg<T, leg, sign>(in, source, halo, tolerance), ...);
}

template <class T>
void check(const Lattice& lattice, HaloOptions::Wire wire, double tolerance) {
  for (const int n : {1, 3}) {
    const SpinorField<T> in = reference::random_field<Spinor, T>(lattice, n, 4);
    const GlobalArray source = gather(in);
    const ProjectedHalo<T> halo(lattice, n, {.wire = wire});
    check_legs<T, 1>(in, source, halo, tolerance, std::make_integer_sequence<int, 8>{});
    check_legs<T, -1>(in, source, halo, tolerance, std::make_integer_sequence<int, 8>{});
  }
}

class HaloCompressor : public test::OnLattices {};

TEST_P(HaloCompressor, BringsTheSpinsThatTheHopNeeds) {
  const Lattice lattice = GetParam().make(Comm::world());
  check<double>(lattice, HaloOptions::Wire::full, 0);
  check<float>(lattice, HaloOptions::Wire::full, 0);
  // The wires round the sums of two spins, each twice as large as one at most.
  check<double>(lattice, HaloOptions::Wire::single, 4 * 0x1p-24);
  check<double>(lattice, HaloOptions::Wire::fixed16, 4 * 0x1p-16);
  check<float>(lattice, HaloOptions::Wire::fixed16, 4 * 0x1p-16);
}
INSTANTIATE_TEST_SUITE_P(Lattices, HaloCompressor, ::testing::ValuesIn(test::small_lattice_cases(1000)),
                         test::case_name);

/// Faces of more than 4 MiB are written past the caches between ranks of a host.
TEST(HaloCompressorOfSpinors, BringsLargeFaces) {
  const Lattice lattice(Comm::world(), {8, 8, 8, 8}, {.force_halo = true});
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
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_halo = true});
  for (const auto wire : {HaloOptions::Wire::full, HaloOptions::Wire::single}) {
    const auto whole = Halo<Spinor, double>(lattice, 2, {.wire = wire}).message_bytes(),
               half = ProjectedHalo<double>(lattice, 2, {.wire = wire}).message_bytes();
    ASSERT_FALSE(half.empty());
    ASSERT_EQ(half.size(), whole.size());
    for (std::size_t m = 0; m < half.size(); ++m) EXPECT_EQ(2 * half[m], whole[m]);
  }
}

TEST(HaloCompressorOfSpinors, NeedsTheHopsLegsInTheirOrder) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8}, {.force_halo = true});
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of_space(lattice), 1), InputError);
  std::vector<Coord> legs = nearest_neighbours();
  std::swap(legs[0], legs[1]);
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of(lattice, legs), 1), InputError);
  legs = nearest_neighbours();
  legs[6] = {0, 0, 1, 1};
  EXPECT_THROW(ProjectedHalo<double>(lattice, Stencil::of(lattice, legs), 1), InputError);
  const SpinorField<double> in(lattice, "in");
  EXPECT_THROW(ProjectedHalo<double>(lattice, 1).exchange(in, 2), InputError);
}

/// The halo is one for hop and adjoint, in turns with even-odd hops.
TEST(HaloCompressorOfSpinors, DoesNotMixLegsOrAdjoints) {
  const Lattice forced(Comm::world(), {4, 4, 4, 8}, {.force_halo = true}), local(Comm::world(), {4, 4, 4, 8});
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
