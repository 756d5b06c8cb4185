// SPDX-License-Identifier: MIT
//
// SiteBlocks: a field as blocks of numbers, whatever its type of site.  Code that treats all types alike uses it and is
// compiled once for all of them.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/field/link_codecs.hpp"

#include <type_traits>

namespace kov::detail {

/// A block of lanes, and where in it a site lies.
template <class Stored>
struct StoredSite {
  using Number = std::remove_const_t<Stored>;
  static constexpr bool is_integer = std::is_integral_v<Number>;
  /// The type of the site's numbers.
  using Real = std::conditional_t<is_integer, float, Number>;

  Stored* block;
  int lane, lanes;
  SiteShape shape;

  /// Real k of the site, k < shape.n_reals.
  KOKKOS_INLINE_FUNCTION Real get(int k) const {
    if (shape.is_eight_of_su3()) {
      const auto z = su3().z[k / 2];
      return k % 2 == 0 ? z.re : z.im;
    }
    if (k < shape.n_stored) return stored(k);
    // The third row of an SU(3) matrix: conj(u0 x u1).
    const int column = (k - 12) / 2, a = (column + 1) % 3, b = (column + 2) % 3;
    const auto z = [&](int i) { return Complex<Real>{stored(2 * i), stored(2 * i + 1)}; };
    const Complex<Real> w = z(a) * z(3 + b) - z(b) * z(3 + a);
    return k % 2 == 0 ? w.re : -w.im;
  }
  /// Sets all of them: of(k) is real k.
  template <class Of>
  KOKKOS_INLINE_FUNCTION void set(const Of& of) const {
    if (shape.is_eight_of_su3()) {
      ColorMatrix<Real> u;
      for (int i = 0; i < 9; ++i) u.z[i] = {Real(of(2 * i)), Real(of(2 * i + 1))};
      const EightReals<Real> r = Eight::to_numbers(u);
      for (int k = 0; k < 8; ++k) place(k) = Number(r.x[k]);
    } else if constexpr (is_integer) {
      FixedScale<float> scale;
      for (int k = 0; k < shape.n_stored; ++k) scale.add(float(of(k)));
      if (shape.n_scale > 0) reinterpret_cast<float*>(block)[lane] = scale.value();
      const float units = shape.n_scale > 0 ? scale.template units_per_one<Number>() : fixed_units<Number>;
      for (int k = 0; k < shape.n_stored; ++k) place(k) = to_fixed<Number>(float(of(k)) * units);
    } else {
      for (int k = 0; k < shape.n_stored; ++k) place(k) = Number(of(k));
    }
  }

 private:
  using Eight = Codec<ColorMatrix, Links8<std::conditional_t<is_integer, Fixed16, Number>>>;

  KOKKOS_INLINE_FUNCTION ColorMatrix<Real> su3() const {
    EightReals<Real> r;
    for (int k = 0; k < 8; ++k) r.x[k] = Real(place(k));
    return Eight::from_numbers(r);
  }
  KOKKOS_INLINE_FUNCTION Stored& place(int k) const {
    return block[shape.n_scale * lanes + real_place(k, lane, lanes, reals_together<Number>(shape.n_stored))];
  }
  KOKKOS_INLINE_FUNCTION Real stored(int k) const {
    if constexpr (is_integer) {
      const float scale = shape.n_scale > 0 ? reinterpret_cast<const float*>(block)[lane] : 1.f;
      return float(place(k)) * (scale * fixed_unit<Number>);
    } else {
      return place(k);
    }
  }
};

/// How the sites of a field lie in its blocks.
struct FieldShape {
  SiteShape site;
  int lanes, width;  // of a block; components that share it
  int outers;        // outer sites that share it
  int n_components;
  Subset subset;

  template <template <class> class SiteT, class Storage, class Lanes>
  static FieldShape of(const Field<SiteT, Storage, Lanes>& field) {
    using View = FieldView<SiteT, Storage, Lanes>;
    return {Codec<SiteT, Storage>::shape, View::row, Lanes::width, View::outers, field.n_components(), field.subset()};
  }
  /// Whether lanes are columns, of sites in the order of the column layout.
  KOKKOS_FORCEINLINE_FUNCTION bool has_column_order() const { return has_packs && lanes == width; }
};

template <class Stored>
struct SiteBlocks {
  Stored* data;           // block 0 of outer site 0
  std::ptrdiff_t stride;  // from the blocks of one outer site, or pair that shares them, to those of the next
  int block;              // numbers of a block
  int outers = 1;         // outer sites that share one

  template <class View>
  static SiteBlocks of(const View& view) {
    Stored* const origin = view.unchecked_address(0, 0);
    return {origin, view.unchecked_address(View::outers, 0) - origin, View::block, View::outers};
  }
  KOKKOS_FORCEINLINE_FUNCTION Stored* address(int outer, int group) const {
    return numbered(outers == 1 ? outer : outer >> 1, group);
  }
  /// Group `group` of block `number`, which holds the outer sites number * outers and, if there are two, the next.
  KOKKOS_FORCEINLINE_FUNCTION Stored* numbered(int number, int group) const {
    return data + number * stride + group * block;
  }
  /// A component of a site; lane: where lanes are sites.
  KOKKOS_FORCEINLINE_FUNCTION StoredSite<Stored> site(const FieldShape& shape, int outer, int lane,
                                                      int component) const {
    const int of_block = shape.outers == 1 ? lane : (outer & 1) * (shape.lanes / 2) + lane;
    return {address(outer, component / shape.width), shape.has_column_order() ? component % shape.width : of_block,
            shape.lanes, shape.site};
  }
};

}  // namespace kov::detail
