// SPDX-License-Identifier: MIT
//
// Fields after a round trip through memory: the accuracy of each codec, and the same numbers from packs, single
// lanes, hosts and copies between precisions, codecs and lanes.
#include "kov/core/field/codec.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/link_codecs.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/max_or_nan.hpp"
#include "kov/core/site/random.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"

#include <cmath>
#include <limits>

namespace kov {
namespace {

using reference::gather, reference::GlobalArray, reference::max_difference;

class Codecs : public test::OnLattices {};

/// out = in, by packs on CPUs.
template <class In, class Out>
struct CopyKernel {
  In in;
  Out out;
  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    out.set(x, in(x, c), c);
  }
};
template <class In, class Out>
struct CopyLanes {
  In in;
  Out out;
  int n;
  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    for (int c = 0; c < n; ++c) out.set(x, in(x, c), c);
  }
};
template <class In, class Out>
void copy_by_packs(const In& in, const Out& out) {
  for_each_site<typename In::Lanes>("copy", in.range(), in.n_groups(),
                                    CopyKernel<typename In::View, typename Out::View>{in.view(), out.view()});
}
template <class In, class Out>
void copy_by_lanes(const In& in, const Out& out) {
  for_each_lane("copy", in.range(),
                CopyLanes<typename In::View, typename Out::View>{in.view(), out.view(), in.n_groups()});
}

/// The largest error of a real number in units of the largest real number of its site.
double error_per_site(const GlobalArray& a, const GlobalArray& b, int n_complex) {
  double worst = 0;
  reference::for_each_coordinate(a.extent, [&](const Coord& x) {
    for (int first = 0; first < a.n; first += n_complex) {
      double most = 0, off = 0;
      for (int k = first; k < first + n_complex; ++k) {
        const auto z = b.at(x)[k], d = a.at(x)[k] - z;
        most = std::max({most, std::abs(z.real()), std::abs(z.imag())});
        off = std::max({off, std::abs(d.real()), std::abs(d.imag())});
      }
      worst = max_or_nan(worst, off / most);
    }
  });
  return worst;
}

/// most: the largest error of a number, in units of the largest of its site.
template <template <class> class SiteT, class Storage>
void check_fixed(const Lattice& lattice, double most) {
  constexpr int n = 3, n_complex = SiteT<float>::n_complex;
  const GlobalArray psi = reference::random_array(lattice.extent(), n_complex * n, 5);
  const Field<SiteT, float> plain(lattice, "plain", n), back(lattice, "back", n), again(lattice, "again", n);
  load(plain, psi);
  const GlobalArray meant = gather(plain);
  const Field<SiteT, Storage> packs(lattice, "packs", n), lanes(lattice, "lanes", n), converted(lattice, "c", n);
  copy_by_packs(plain, packs);
  copy_by_lanes(plain, lanes);
  convert(plain, converted);
  const GlobalArray stored = gather(packs);
  const double error = error_per_site(stored, meant, n_complex);
  EXPECT_LE(error, 1.01 * most);
  EXPECT_GT(error, most / 4);
  EXPECT_EQ(gather(lanes).data, stored.data);
  EXPECT_EQ(gather(converted).data, stored.data);
  copy_by_packs(packs, back);
  convert(packs, again);
  EXPECT_EQ(gather(back).data, stored.data);
  EXPECT_EQ(gather(again).data, stored.data);
  copy_by_lanes(packs, back);
  EXPECT_EQ(gather(back).data, stored.data);
  // Through an array: coming back, the field is rounded once more, with a scale of its own.
  const Field<SiteT, Storage> imported(lattice, "imported", n);
  import_sites(export_sites(plain), imported);
  EXPECT_EQ(gather(imported).data, stored.data);
}

TEST_P(Codecs, Fixed16IsGoodTo16BitsOfTheLargestNumber) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_fixed<Spinor, Fixed16>(lattice, 0x1p-16);
  check_fixed<ColorVector, Fixed16>(lattice, 0x1p-16);
}

TEST_P(Codecs, Fixed8IsGoodTo8BitsOfTheLargestNumber) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_fixed<Spinor, Fixed8>(lattice, 0.5 / 127);
  EXPECT_EQ(SpinorField<Fixed8>(lattice, "stored").bytes() * 24, SpinorField<float>(lattice, "plain").bytes() * 7);
}

template <class Storage>
void expect_zero_and_not_finite(double accuracy) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const SpinorField<float> psi(lattice, "psi");
  const SpinorField<Storage> stored(lattice, "stored");
  Spinor<double> s{}, tiny{};
  s.z[5] = {1, std::numeric_limits<double>::infinity()};
  for (auto& z : tiny.z) z = {1e-38, -1e-38};
  poke(psi, {1, 2, 3, 4}, s);
  poke(psi, {3, 0, 1, 7}, tiny);
  for (const bool by_packs : {true, false}) {
    by_packs ? copy_by_packs(psi, stored) : copy_by_lanes(psi, stored);
    for (const auto& z : peek(stored, {0, 0, 0, 0}).z) EXPECT_EQ(std::abs(z.re) + std::abs(z.im), 0);
    for (const auto& z : peek(stored, {1, 2, 3, 4}).z) EXPECT_TRUE(std::isnan(z.re) && std::isnan(z.im));
    for (const auto& z : peek(stored, {3, 0, 1, 7}).z) EXPECT_LE(std::abs(z.re - 1e-38), 1e-38);
  }
  s.z[5] = {-0.25, 1};
  poke(stored, {2, 2, 2, 2}, s);
  EXPECT_NEAR(peek(stored, {2, 2, 2, 2}).z[5].re, -0.25, accuracy);
}

TEST(FixedPointFields, CloneKeepsEveryBit) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const SpinorField<float> plain(lattice, "plain");
  load(plain, reference::random_array(lattice.extent(), 12, 5));
  const SpinorField<Fixed16> stored(lattice, "stored");
  convert(plain, stored);
  EXPECT_EQ(gather(stored.clone("clone")).data, gather(stored).data);
}

TEST(FixedPointFields, KeepZeroAndShowWhatIsNotFinite) {
  expect_zero_and_not_finite<Fixed16>(0x1p-16);
  expect_zero_and_not_finite<Fixed8>(0.5 / 127);
}

template <class T>
void check_links12(const Lattice& lattice) {
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const GaugeField<T> plain(lattice, "plain", 4), back(lattice, "back", 4);
  load(plain, u);
  const GlobalArray meant = gather(plain);
  const GaugeField<Links12<T>> packs(lattice, "packs", 4), lanes(lattice, "lanes", 4), converted(lattice, "c", 4);
  EXPECT_EQ(packs.bytes() * 3, plain.bytes() * 2);
  copy_by_packs(plain, packs);
  copy_by_lanes(plain, lanes);
  convert(plain, converted);
  for (const auto* links : {&packs, &lanes, &converted}) {
    EXPECT_LT(max_difference(*links, meant), 8 * std::numeric_limits<T>::epsilon());
    copy_by_packs(*links, back);
    EXPECT_LT(max_difference(back, meant), 8 * std::numeric_limits<T>::epsilon());
  }
  const GlobalArray stored = gather(packs);
  reference::for_each_coordinate(u.extent, [&](const Coord& x) {
    for (int k = 0; k < 36; ++k)
      if (k % 9 < 6) {
        ASSERT_EQ(stored.at(x)[k], meant.at(x)[k]);
      }
  });
}

TEST_P(Codecs, Links12AreTheLinks) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_links12<float>(lattice);
  check_links12<double>(lattice);
}

/// SU(3) in a storage that holds no element of it as it is, to so many; on average at least a hundredth of that.
template <class Storage>
void check_links(const Lattice& lattice, int reals, double most) {
  using T = real_of_storage_t<ColorMatrix, Storage>;
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 1);
  const GaugeField<T> plain(lattice, "plain", 4), back(lattice, "back", 4);
  load(plain, u);
  const GaugeField<Storage> packs(lattice, "packs", 4), lanes(lattice, "lanes", 4), converted(lattice, "c", 4),
      again(lattice, "again", 4);
  using Codec = Codec<ColorMatrix, Storage>;
  EXPECT_EQ(packs.bytes() * 18 * sizeof(T), plain.bytes() * std::size_t(reals) * sizeof(typename Codec::Stored));
  copy_by_packs(plain, packs);
  copy_by_lanes(plain, lanes);
  convert(plain, converted);
  const GlobalArray meant = gather(plain);
  for (const auto* links : {&packs, &lanes, &converted}) {
    EXPECT_LT(max_difference(*links, meant), most);
    EXPECT_GT(max_difference(*links, meant), most / 100);
    copy_by_packs(*links, back);
    EXPECT_LT(max_difference(back, meant), most);
    copy_by_lanes(*links, back);
    EXPECT_LT(max_difference(back, meant), most);
    convert(*links, back);
    EXPECT_LT(max_difference(back, meant), most);
    // Stored again, they are not rounded again: links are copied to other forms.
    copy_by_packs(back, again);
    EXPECT_LT(max_difference(again, gather(back)), 50 * std::numeric_limits<T>::epsilon());
  }
}

TEST_P(Codecs, OtherStoragesOfLinksAreTheLinks) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_links<Links8<float>>(lattice, 8, 6 * 0x1p-23);
  check_links<Links8<double>>(lattice, 8, 50 * 0x1p-52);
  check_links<Fixed16>(lattice, 18, 1.01 * std::sqrt(2.0) * 0x1p-16);
  check_links<Links12<Fixed16>>(lattice, 12, 8e-5);
  check_links<Links8<Fixed16>>(lattice, 8, 2e-4);
}

// Signs of whole rows are kept beside the numbers in 16 bits.
TEST(Links8InFixed16, AreGoodWhereSignsChange) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const GaugeField<float> plain(lattice, "plain", 4);
  const GaugeField<Links8<Fixed16>> stored(lattice, "stored", 4);
  const double pi = std::acos(-1.0);
  for (const double p : {0.0, pi, pi / 2, -pi / 2, 0.5 * pi + 1e-5, 0.5 * pi - 1e-5})
    for (const double q : {0.0, pi, pi / 2, -pi / 2, 0.5 * pi + 1e-5}) {
      ColorMatrix<double> u{};
      u(0, 0) = {std::cos(p), std::sin(p)};
      u(1, 1) = {std::cos(q), std::sin(q)};
      u(2, 2) = {std::cos(p + q), -std::sin(p + q)};
      poke(plain, {1, 2, 3, 4}, u, 2);
      copy_by_lanes(plain, stored);
      const auto v = peek(stored, {1, 2, 3, 4}, 2);
      for (int i = 0; i < 9; ++i) {
        EXPECT_NEAR(v.z[i].re, u.z[i].re, 2e-4) << p << " " << q;
        EXPECT_NEAR(v.z[i].im, u.z[i].im, 2e-4) << p << " " << q;
      }
    }
}

/// From sites in lanes to columns and back.
template <class S, class T, int W>
void check_columns(const Lattice& lattice, int n, double tolerance) {
  const SpinorField<S> in(lattice, "in", n), back(lattice, "back", n);
  load(in, reference::random_array(lattice.extent(), 12 * n, 3));
  const Field<Spinor, T, ColumnLanes<W>> columns(lattice, "columns", n), some(lattice, "some", n);
  convert(in, columns);
  const GlobalArray meant = gather(in);
  EXPECT_LE(max_difference(columns, meant), tolerance);
  convert(columns, back);
  EXPECT_LE(max_difference(back, meant), tolerance);
  copy_components(in, 1, some, 0, n - 1);
  copy_components(columns, 0, some, n - 1, 1);
  const Coord x{1, 2, 3, 1};
  for (int c = 0; c < n; ++c)
    for (int k = 0; k < 12; ++k) {
      const auto a = peek(some, x, c).z[k], b = peek(in, x, (c + 1) % n).z[k];
      EXPECT_LE(std::abs(a.re - b.re) + std::abs(a.im - b.im), 2 * tolerance);
    }
  // Each parity can be copied by itself.
  const Field<Spinor, T, ColumnLanes<W>> odd(lattice, "odd", n);
  convert(in.odd(), odd.odd());
  EXPECT_LE(max_difference(odd.odd(), gather(in.odd())), tolerance);
}

/// A site with more numbers than wait for those of the next.
template <class R>
struct WideSite {
  using Real = R;
  static constexpr int n_complex = 37;
  Complex<R> z[n_complex];
};

/// Between precisions, on all sites and on one parity.
template <template <class> class SiteT>
void check_precisions(const Lattice& lattice, int n) {
  const Field<SiteT, double> in(lattice, "in", n), back(lattice, "back", n), odd(lattice, "odd", n);
  const Field<SiteT, float> single(lattice, "single", n), same(lattice, "same", n), even(lattice, "even", n);
  load(in, reference::random_array(lattice.extent(), Field<SiteT, double>::View::n_complex * n, 5));
  std::vector<double> rounded = export_sites(in);
  for (double& x : rounded) x = float(x);
  convert(in, single);
  EXPECT_EQ(export_sites(single), rounded);
  convert(single, same);
  EXPECT_EQ(export_sites(same), rounded);
  convert(single, back);
  EXPECT_EQ(export_sites(back), rounded);
  convert(single.odd(), odd.odd());
  EXPECT_EQ(export_sites(odd.odd()), export_sites(back.odd()));
  EXPECT_EQ(reference::max_abs(gather(odd.even())), 0);
  convert(in.even(), even.even());
  EXPECT_EQ(export_sites(even.even()), export_sites(back.even()));
  EXPECT_EQ(reference::max_abs(gather(even.odd())), 0);
}
TEST_P(Codecs, PrecisionsAreRoundedAlone) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_precisions<Spinor>(lattice, 2);
  check_precisions<WideSite>(lattice, 1);
}
/// With third-level caches of up to 48 MiB these are stored past the caches.
TEST(CodecsOutOfCache, PrecisionsAreRoundedAlone) {
  check_precisions<Spinor>(Lattice(Comm::world(), {16, 16, 16, 16 * Comm::world().size()}), 3);
}

TEST_P(Codecs, ColumnsAreThoseOfFields) {
  const Lattice lattice = GetParam().make(Comm::world());
  check_columns<double, double, 1>(lattice, 3, 0);
  check_columns<double, double, 4>(lattice, 5, 0);
  check_columns<float, float, 16>(lattice, 3, 0);
  check_columns<double, float, 8>(lattice, 12, 0x1p-24 * 8);
}

TEST(ColumnFields, PartsAreWholePacks) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const Field<Spinor, double, ColumnLanes<4>> columns(lattice, "columns", 10);
  EXPECT_EQ(columns.components(4, 4).n_components(), 4);
  EXPECT_EQ(columns.components(8, 2).n_components(), 2);
  EXPECT_THROW(columns.column(1), InputError);
  EXPECT_THROW(columns.components(4, 3), InputError);
  EXPECT_THROW(columns.components(8, 4), InputError);
  const SpinorField<double> psi(lattice, "psi", 2);
  EXPECT_THROW(copy_components(psi, 0, columns, 9, 2), InputError);
  EXPECT_THROW(convert(psi, columns), InputError);
}

/// What a kernel puts in lexicographic order, as on GPUs, where there are only lattices in even-odd order.
template <template <class> class SiteT, class Storage>
void expect_same_export(const Lattice& lattice, int n, Subset subset) {
  using F = Field<SiteT, Storage>;
  const F field(lattice, "field", n, subset);
  const auto shape = detail::FieldShape::of(field);
  std::vector<double> values(std::size_t(field.layout().n_sites()) * std::size_t(n * shape.site.n_reals));
  SiteRandom random(5, 0, std::uint64_t(lattice.comm().rank()));
  for (double& v : values) v = random.uniform() - 0.5;
  import_sites<SiteT, Storage, SiteLanes>(values, field);
  const std::vector<double> expected = export_sites(field);
  std::vector<double> found(expected.size(), 17);
  detail::export_device_blocks(field.layout(), detail::SiteBlocks<typename F::Stored>::of(field.view()), shape, found);
  EXPECT_TRUE(found == expected) << n << " " << int(subset);
}

TEST(Export, ByAKernelGivesTheSameNumbers) {
  for (const Coord& extent : {Coord{4, 2, 4, 8}, {2, 6, 4, 4}}) {
    const Lattice lattice(Comm::self(), extent, {.order = Order::even_odd});
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
      expect_same_export<Spinor, double>(lattice, 2, subset);
      expect_same_export<Spinor, Fixed16>(lattice, 1, subset);
      expect_same_export<ColorMatrix, float>(lattice, 4, subset);
      expect_same_export<ColorMatrix, Links12<float>>(lattice, 4, subset);
    }
  }
  if (has_packs) {
    const Lattice packs(Comm::self(), {8, 8, 8, 8});
    const SpinorField<double> psi(packs, "psi");
    std::vector<double> values(8 * 8 * 8 * 8 * 24);
    if (psi.layout().order() == Order::virtual_nodes) {
      EXPECT_THROW(detail::export_device_blocks(psi.layout(), detail::SiteBlocks<double>::of(psi.view()),
                                                detail::FieldShape::of(psi), values),
                   InputError);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Codecs, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace
}  // namespace kov
