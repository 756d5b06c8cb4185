// SPDX-License-Identifier: MIT
//
// One lattice, every decomposition of it on the ranks of this run, blocking and overlapped: each operator on quark
// fields and each whole-lattice statement gives the bits it gives on one rank.
#include "kov/core/field/convert.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/twisted_mass.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"
#include "kov/stencil/smearing/profile_smearing.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/global_array.hpp"
#include "tests/support/bits.hpp"

namespace kov {
namespace {

using reference::GlobalArray;
using test::bits_extent;
using test::Checksum;
using test::checksum;
using test::checksum_of;
using test::Checksums;

/// A field of normal deviates, the same on every decomposition.
template <template <class> class SiteT, class T>
Field<SiteT, T> random_field(const Lattice& lattice, std::uint64_t seed, int n_components = 1) {
  const Field<SiteT, T> field(lattice, "random field", n_components);
  fill_noise(field, {.kind = NoiseKind::gaussian, .seed = seed});
  return field;
}

/// Re tr of the plaquette of two directions at each site.
template <class T>
auto real_trace_of_plaquette(const GaugeField<T>& gauge, int mu, int nu) {
  const auto a = gauge.column(mu), b = gauge.column(nu);
  return real(trace(a * shift(b, mu, +1) * adj(shift(a, nu, +1)) * adj(b)));
}

template <class T>
void add_operators(Checksums& table, const GaugeLinks<T>& links) {
  const std::string real = test::in_precision<T>;
  const Lattice& lattice = links.lattice();
  const auto in = random_field<Spinor, T>(lattice, 2), out = in.like("out");
  CovariantLaplacian<T>(links, Dimensions::space).apply(in, out);
  table["Laplacian, 3 dimensions" + real] = checksum(out);
  CovariantLaplacian<T>(links).apply(in, out);
  table["Laplacian, 4 dimensions" + real] = checksum(out);
  const WilsonOperator<T> wilson(links, 0.1);
  wilson.apply(in, out);
  table["Wilson operator" + real] = checksum(out);
  wilson.apply_adjoint(in, out);
  table["Wilson operator, adjoint" + real] = checksum(out);
  wilson.hop().apply(in.odd(), out.even());
  table["Wilson hop, even from odd" + real] = checksum(out);
  ProfileSmearing<T>(links, gaussian_profile(1.5), {.order = 9}).apply(in, out);
  table["Chebyshev smearing" + real] = checksum(out);
  const ProfileSmearing<T> in_spacetime(links, gaussian_profile(1), {.order = 5, .dimensions = Dimensions::spacetime});
  in_spacetime.apply(in, out);
  table["Chebyshev smearing, 4 dimensions" + real] = checksum(out);
  apply_series(in_spacetime.series(), momentum_squared<Spinor>(CovariantLaplacian<T>(links)), in, out);
  table["Chebyshev series of an operator" + real] = checksum(out);
  WuppertalSmearing<T>(links, {.width = 2, .iterations = 7}).apply(in, out);
  table["Wuppertal smearing" + real] = checksum(out);
  const auto phi = random_field<AdjointVector, T>(lattice, 3), result = phi.like("result");
  AdjointLaplacian<T>(links).apply(phi, result);
  table["adjoint Laplacian" + real] = checksum(result);
  for (int mu = 0; mu < 4; ++mu) {
    const std::string along = " along " + std::to_string(mu) + real;
    shift(in, mu, 1, out);
    table["shift" + along] = checksum(out);
    covariant_shift(links, in, mu, -1, out);
    table["covariant shift" + along] = checksum(out);
    covariant_derivative(links, in, mu, out);
    table["covariant derivative" + along] = checksum(out);
  }
}

/// Several columns at once, as components of a field and in lanes.
template <class T>
void add_columns(Checksums& table, const GaugeLinks<T>& links) {
  const std::string real = test::in_precision<T>;
  const Lattice& lattice = links.lattice();
  const auto in = random_field<Spinor, T>(lattice, 4, 3), out = in.like("out");
  const auto quarks = random_field<ColorVector, T>(lattice, 5, 5), smeared = quarks.like("smeared");
  const Field<Spinor, T, ColumnLanes<8>> block(lattice, "block", 3), result = block.like("result");
  copy_components(in, 0, block, 0, 3);
  const auto add = [&](const std::string& what, const auto& apply) {
    apply(in, out);
    table[what + ", 3 components" + real] = checksum(out);
    apply(block, result);
    table[what + ", block of 3 columns" + real] = checksum(result);
  };
  const LinkForms forms{.columns = true};
  const CovariantLaplacian<T> laplacian(links, Dimensions::spacetime, forms);
  const WilsonOperator<T> wilson(links, 0.1, forms);
  const ProfileSmearing<T> profile(links, gaussian_profile(1), {.order = 5}, forms);
  add("Laplacian", [&](const auto& a, const auto& b) { laplacian.apply(a, b); });
  add("Wilson operator", [&](const auto& a, const auto& b) { wilson.apply(a, b); });
  add("Chebyshev smearing", [&](const auto& a, const auto& b) { profile.apply(a, b); });
  wilson.hop().apply(in.odd(), out.even());
  table["Wilson hop, 3 components" + real] = checksum(out);
  wilson.hop().apply(block.half(Subset::odd), result.half(Subset::even));
  table["Wilson hop, block of 3 columns" + real] = checksum(result);
  WuppertalSmearing<T>(links, {.width = 2, .iterations = 7}).apply(quarks, smeared);
  table["Wuppertal smearing, 5 colour vectors" + real] = checksum(smeared);
}

template <class T>
void add_statements(Checksums& table, const GaugeField<T>& gauge) {
  using namespace directions;
  const std::string real = test::in_precision<T>;
  const auto psi = random_field<Spinor, T>(gauge.lattice(), 6), out = psi.like("out");
  const auto U_x = gauge.column(x);
  out = U_x * shift(psi, x, +1) - shift(adj(U_x) * psi, x, -1) + 0.5 * (Gamma::five() * shift(psi, t, -1));
  table["statement" + real] = checksum(out);
  out.even() = psi - shift(shift(out, y, +1), z, +1);
  table["statement on even sites, corner of a plane" + real] = checksum(out);
  const auto plaquette = real_trace_of_plaquette(gauge, x, t);
  table["exact sum of a statement" + real] = checksum_of(std::array{sum(plaquette, SumMode::exact)});
  table["exact norm of a statement" + real] = checksum_of(std::array{norm2(psi - out, SumMode::exact)});
  for (const int direction : {0, 3})
    table["exact sums over slices " + std::to_string(direction) + real] =
        checksum_of(slice_sum(dot(psi, out), direction, SumMode::exact));
}

template <class T>
void add_noise(Checksums& table, const Lattice& lattice) {
  const std::string real = test::in_precision<T>;
  for (const auto& [name, kind] : {std::pair{"z2", NoiseKind::z2},
                                   {"z4", NoiseKind::z4},
                                   {"u1", NoiseKind::u1},
                                   {"gaussian", NoiseKind::gaussian}}) {
    const Field<ColorVector, T> field(lattice, "noise", 2);
    fill_noise(field, {.kind = kind, .seed = 11, .stream = 3});
    table[std::string("noise, ") + name + real] = checksum(field);
  }
}

/// Links of fewer reals.
template <class Storage, class T>
void add_storage(Checksums& table, const GaugeField<T>& gauge, const std::string& name) {
  const std::string on = ", links of " + name + " reals" + test::in_precision<T>;
  const GaugeLinks<Storage> links(gauge, BoundaryAngles::antiperiodic_in_time());
  const WilsonOperator<Storage> wilson(links, 0.1);
  const auto in = random_field<Spinor, T>(gauge.lattice(), 8, 2), out = in.like("out");
  wilson.apply(in, out);
  table["Wilson operator" + on] = checksum(out);
  wilson.hop().apply(in.odd(), out.even());
  table["Wilson hop, even from odd" + on] = checksum(out);
}

/// Legs of one and of two links.
template <class T>
void add_long_legs(Checksums& table, const GaugeField<T>& gauge) {
  const std::string real = test::in_precision<T>;
  const auto in = random_field<Spinor, T>(gauge.lattice(), 9), out = in.like("out");
  const ImprovedOperator<T> M = hamber_wu_operator<T>(gauge, 0.1, LegFactors(BoundaryAngles::antiperiodic_in_time()));
  M.apply(in, out);
  table["Hamber and Wu's operator" + real] = checksum(out);
  M.apply_adjoint(in, out);
  table["Hamber and Wu's operator, adjoint" + real] = checksum(out);
}

/// Operators with terms at each site, and the determinants of these.
template <class T>
void add_dirac(Checksums& table, const GaugeField<T>& gauge) {
  const std::string real = test::in_precision<T>;
  const BoundaryAngles boundary = BoundaryAngles::antiperiodic_in_time();
  const auto in = random_field<Spinor, T>(gauge.lattice(), 7), out = in.like("out");
  const WilsonCloverOperator<T> clover(
      gauge, boundary, {.mass = 0.1, .c_sw = {1.3, 0.9}, .mu = 0.2, .anisotropy = {.xi0 = 2, .nu = 1.1}});
  clover.apply(in, out);
  table["twisted-clover operator" + real] = checksum(out);
  clover.site_term().apply_inverse(in, out, true);
  table["inverse of the twisted clover term, adjoint" + real] = checksum(out);
  const double trace_log = clover.site_term().trace_log(Subset::odd, SumMode::exact);
  table["trace of the log of the clover term" + real] = checksum_of(std::span(&trace_log, 1));
  const CloverTerm<T> term(gauge, {.mass = 0.1, .c_sw = 1.2});
  term.apply_inverse(in, out);
  table["inverse of the clover term" + real] = checksum(out);
  TwistedMassOperator<T>(GaugeLinks<T>(gauge, boundary), {0.1, 0.3}).apply(in, out);
  table["twisted-mass operator" + real] = checksum(out);
}

template <class T>
void add_all(Checksums& table, const Lattice& lattice, const GlobalArray& u) {
  const auto gauge = reference::gauge_field<T>(lattice, u);
  const GaugeLinks<T> links(gauge, BoundaryAngles::antiperiodic_in_time());
  add_operators(table, links);
  add_columns(table, links);
  add_storage<Links12<T>>(table, gauge, "12");
  add_storage<Links8<T>>(table, gauge, "8");
  add_dirac(table, gauge);
  add_statements(table, gauge);
  add_noise<T>(table, lattice);
  table[std::string("Laplacian with momentum") + test::in_precision<T>] = [&] {
    const GaugeLinks<T> moving(gauge, momentum_factors({0.3, -0.2, 0.1}));
    const auto in = random_field<Spinor, T>(lattice, 1, 6), out = in.like("out");
    CovariantLaplacian<T>(moving).apply(in, out);
    return checksum(out);
  }();
}

TEST(EveryDecomposition, GivesTheBitsOfOneRank) {
  const GlobalArray u = reference::random_su3(bits_extent, 4, 1);
  test::expect_bits_of_one_rank(bits_extent, test::Schedules::both, [&](const Lattice& lattice) {
    Checksums table;
    add_all<double>(table, lattice, u);
    add_all<float>(table, lattice, u);
    return table;
  });
}

/// On a lattice of which no grid has one site in a direction, as legs must end on the next rank.
TEST(EveryDecomposition, OfLongLegsGivesTheBitsOfOneRank) {
  const Coord extent{6, 6, 6, 16};
  const GlobalArray u = reference::random_su3(extent, 4, 2);
  test::expect_bits_of_one_rank(extent, test::Schedules::both, [&](const Lattice& lattice) {
    Checksums table;
    add_long_legs(table, reference::gauge_field<double>(lattice, u));
    add_long_legs(table, reference::gauge_field<float>(lattice, u));
    return table;
  });
}

/// Chunked sums: each decomposition has its own bits, on any number of threads and with any schedule the same.
template <class T>
void add_chunked_sums(Checksums& table, const Lattice& lattice, const GlobalArray& u) {
  const std::string real = test::in_precision<T>;
  const auto gauge = reference::gauge_field<T>(lattice, u);
  const auto a = random_field<Spinor, T>(lattice, 6, 2), b = random_field<Spinor, T>(lattice, 7, 2);
  table["norm" + real] = checksum_of(std::array{norm2(a)});
  table["inner product" + real] = checksum_of(std::array{inner_product(a, b)});
  const auto [product, norm] = inner_product_norm2(a, b);
  table["inner product and norm" + real] = checksum_of(std::array{product, std::complex<double>(norm)});
  table["axpy and norm" + real] = checksum_of(std::array{axpy_norm2(0.3, a, b)});
  const auto x = random_field<ColorVector, T>(lattice, 8, 3), y = random_field<ColorVector, T>(lattice, 9, 3);
  table["norms by column" + real] = checksum_of(norm2_by_column(x));
  table["Gram matrix" + real] = checksum_of(gram_matrix(x, y));
  const auto plaquette = real_trace_of_plaquette(gauge, 0, 3);
  table["sum of a statement" + real] = checksum_of(std::array{sum(plaquette)});
  table["sums over slices" + real] = checksum_of(slice_sum(dot(a, b), 2));
  const CovariantLaplacian<T> laplacian{GaugeLinks<T>(gauge)};
  const Interval bounds = spectral_bounds(momentum_squared<Spinor>(laplacian), a, {.steps = 6});
  table["spectral bounds" + real] = checksum_of(std::array{bounds.low, bounds.high});
}

TEST(EveryDecomposition, HasTheSameChunkedSumsAgain) {
  const Coord larger{8, 8, 8, 12};  // seven chunks and a part of one on one rank
  const GlobalArray u = reference::random_su3(larger, 4, 1);
  test::expect_the_same_bits_again(larger, [&](const Lattice& lattice) {
    Checksums table;
    add_chunked_sums<double>(table, lattice, u);
    add_chunked_sums<float>(table, lattice, u);
    return table;
  });
}

TEST(EveryDecomposition, AChecksumSeesOneBitAndTwoSitesInTheWrongOrder) {
  const Lattice lattice(Comm::world(), bits_extent);
  const Field<ColorVector, double> field(lattice, "field");
  GlobalArray a = reference::random_array(bits_extent, 3, 1);
  load(field, a);
  const Checksum before = checksum(field);
  std::swap_ranges(a.data.begin(), a.data.begin() + 3, a.data.begin() + 3);
  load(field, a);
  EXPECT_NE(checksum(field), before);
  std::swap_ranges(a.data.begin(), a.data.begin() + 3, a.data.begin() + 3);
  a.data[7] *= 1 + 0x1p-52;
  load(field, a);
  EXPECT_NE(checksum(field), before);
}

}  // namespace
}  // namespace kov
