// SPDX-License-Identifier: MIT
#include "kov/core/site_map.hpp"

#include <cstring>

namespace kov {

namespace detail {

template <template <class> class SiteT, class T, class S>
struct ConvertKernel {
  FieldView<SiteT, T, default_lanes> in;
  FieldView<SiteT, S, default_lanes> out;
  int components;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    for (int c = 0; c < components; ++c) {
      const SiteT<T> v = in(x, c);
      SiteT<S> w;
      for (int k = 0; k < SiteT<T>::n_complex; ++k) w.z[k] = {S(v.z[k].re), S(v.z[k].im)};
      out.set(x, w, c);
    }
  }
};

}  // namespace detail

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// f(site, LaneSite, lexicographic index) for every local site of the field's subset, by all threads.
template <template <class> class SiteT, class T, int N, class F>
void for_each_local_site(const Field<SiteT, T, N>& field, const F& f) {
  const Layout& layout = field.layout();
  const Subset subset = field.subset();
  const int wanted = subset == Subset::all ? -1 : subset == Subset::odd;
  Kokkos::parallel_for("for_each_local_site", Kokkos::RangePolicy<HostExec>(0, layout.n_sites()),
                       [&](const std::int64_t i) {
                         const Coord x = coordinate(i, layout.extent());
                         if (wanted >= 0 && ((parity(x) + layout.origin_parity()) & 1) != wanted) return;
                         const auto at = layout.locate(x);
                         f(LaneSite{at.outer, at.lane}, std::size_t(i));
                       });
  HostExec().fence();
}

}  // namespace

template <template <class> class SiteT, class T, int N>
std::vector<double> export_sites(const Field<SiteT, T, N>& field) {
  constexpr int n = 2 * SiteT<T>::n_complex;
  const int components = field.n_components();
  std::vector<double> values(std::size_t(field.layout().n_sites()) * components * n);
  const HostField<SiteT, T, N> host(field);
  for_each_local_site(field, [&](LaneSite x, std::size_t i) {
    for (int c = 0; c < components; ++c) {
      const SiteT<T> v = host.view()(x, c);
      double* to = values.data() + (i * components + c) * n;
      for (int k = 0; k < n / 2; ++k) {
        to[2 * k] = double(v.z[k].re);
        to[2 * k + 1] = double(v.z[k].im);
      }
    }
  });
  return values;
}

template <template <class> class SiteT, class T, int N>
void import_sites(const Field<SiteT, T, N>& field, std::span<const double> values) {
  constexpr int n = 2 * SiteT<T>::n_complex;
  const int components = field.n_components();
  require(values.size() == std::size_t(field.layout().n_sites()) * components * n, "an array of", values.size(),
          "numbers does not fill", field.name(), "of", field.layout().n_sites(), "sites and", components * n,
          "reals a site");
  const HostField<SiteT, T, N> host(field);
  for_each_local_site(field, [&](LaneSite x, std::size_t i) {
    for (int c = 0; c < components; ++c) {
      const double* from = values.data() + (i * components + c) * n;
      SiteT<T> v;
      for (int k = 0; k < n / 2; ++k) v.z[k] = {T(from[2 * k]), T(from[2 * k + 1])};
      host.view().set(x, v, c);
    }
  });
  host.commit();
}

template <template <class> class SiteT, class T, class S>
void convert(const Field<SiteT, T>& in, const Field<SiteT, S>& out) {
  require(in.lattice() == out.lattice() && in.subset() == out.subset() && in.n_components() == out.n_components(),
          in.name(), "and", out.name(), "have different shapes: convert() changes the precision only");
  for_each_lane<default_lanes>("convert", in.range(),
                               detail::ConvertKernel<SiteT, T, S>{in.view(), out.view(), in.n_components()});
}

namespace detail {

/// What peek() and poke() are asked for is the same on every rank, and so is the answer.
template <class FieldT>
void require_site(const FieldT& field, const Coord& x, int component) {
  const Coord& extent = field.lattice().extent();
  bool inside = true;
  for (std::size_t mu = 0; mu < 4; ++mu) inside = inside && x[mu] >= 0 && x[mu] < extent[mu];
  require(inside, "the site", to_string(x), "of", field.name(), "does not exist: the lattice is", to_string(extent),
          "and coordinates count from 0");
  require(component >= 0 && component < field.n_components(), "component", component, "of", field.name(),
          "does not exist: it has", field.n_components());
  require(field.subset() == Subset::all || (parity(x) == 1) == (field.subset() == Subset::odd), "the site",
          to_string(x), "has not the parity of", field.name(), ", which holds the",
          field.subset() == Subset::odd ? "odd" : "even", "sites alone");
}

}  // namespace detail

template <template <class> class SiteT, class T, int N>
SiteT<double> peek(const Field<SiteT, T, N>& field, const Coord& x, int component) {
  detail::require_site(field, x, component);
  require(field.contiguous(), "a site of some components of", field.name(),
          "was asked for: take it from the field of all components");
  constexpr int n = SiteT<T>::n_complex;
  const Geometry& geometry = field.lattice().geometry();
  std::array<double, 2 * n> values{};
  if (geometry.owns(x)) {
    const auto at = field.layout().locate(geometry.local(x));
    const SiteT<T> v = HostField<SiteT, T, N>(field).view()(LaneSite{at.outer, at.lane}, component);
    for (int k = 0; k < n; ++k) {
      values[2 * k] = double(v.z[k].re);
      values[2 * k + 1] = double(v.z[k].im);
    }
  }
  field.lattice().comm().broadcast(std::as_writable_bytes(std::span<double>(values)), geometry.rank_of(x));
  SiteT<double> r;
  for (int k = 0; k < n; ++k) r.z[k] = {values[2 * k], values[2 * k + 1]};
  return r;
}

template <template <class> class SiteT, class T, int N>
void poke(const Field<SiteT, T, N>& field, const Coord& x, const SiteT<double>& value, int component) {
  detail::require_site(field, x, component);
  require(field.contiguous(), "a site of some components of", field.name(),
          "was to be set: set it in the field of all components");
  const Geometry& geometry = field.lattice().geometry();
  if (!geometry.owns(x)) return;
  const auto at = field.layout().locate(geometry.local(x));
  const HostField<SiteT, T, N> host(field);
  SiteT<T> v;
  for (int k = 0; k < SiteT<T>::n_complex; ++k) v.z[k] = {T(value.z[k].re), T(value.z[k].im)};
  host.view().set(LaneSite{at.outer, at.lane}, v, component);
  host.commit();
}

template std::vector<double> export_sites(const Field<Scalar, float, default_lanes>&);
template void import_sites(const Field<Scalar, float, default_lanes>&, std::span<const double>);
template Scalar<double> peek(const Field<Scalar, float, default_lanes>&, const Coord&, int);
template void poke(const Field<Scalar, float, default_lanes>&, const Coord&, const Scalar<double>&, int);
template std::vector<double> export_sites(const Field<Scalar, double, default_lanes>&);
template void import_sites(const Field<Scalar, double, default_lanes>&, std::span<const double>);
template Scalar<double> peek(const Field<Scalar, double, default_lanes>&, const Coord&, int);
template void poke(const Field<Scalar, double, default_lanes>&, const Coord&, const Scalar<double>&, int);
template void convert(const Field<Scalar, float>&, const Field<Scalar, double>&);
template void convert(const Field<Scalar, double>&, const Field<Scalar, float>&);
template std::vector<double> export_sites(const Field<ColorVector, float, default_lanes>&);
template void import_sites(const Field<ColorVector, float, default_lanes>&, std::span<const double>);
template ColorVector<double> peek(const Field<ColorVector, float, default_lanes>&, const Coord&, int);
template void poke(const Field<ColorVector, float, default_lanes>&, const Coord&, const ColorVector<double>&, int);
template std::vector<double> export_sites(const Field<ColorVector, double, default_lanes>&);
template void import_sites(const Field<ColorVector, double, default_lanes>&, std::span<const double>);
template ColorVector<double> peek(const Field<ColorVector, double, default_lanes>&, const Coord&, int);
template void poke(const Field<ColorVector, double, default_lanes>&, const Coord&, const ColorVector<double>&, int);
template void convert(const Field<ColorVector, float>&, const Field<ColorVector, double>&);
template void convert(const Field<ColorVector, double>&, const Field<ColorVector, float>&);
template std::vector<double> export_sites(const Field<ColorMatrix, float, default_lanes>&);
template void import_sites(const Field<ColorMatrix, float, default_lanes>&, std::span<const double>);
template ColorMatrix<double> peek(const Field<ColorMatrix, float, default_lanes>&, const Coord&, int);
template void poke(const Field<ColorMatrix, float, default_lanes>&, const Coord&, const ColorMatrix<double>&, int);
template std::vector<double> export_sites(const Field<ColorMatrix, double, default_lanes>&);
template void import_sites(const Field<ColorMatrix, double, default_lanes>&, std::span<const double>);
template ColorMatrix<double> peek(const Field<ColorMatrix, double, default_lanes>&, const Coord&, int);
template void poke(const Field<ColorMatrix, double, default_lanes>&, const Coord&, const ColorMatrix<double>&, int);
template void convert(const Field<ColorMatrix, float>&, const Field<ColorMatrix, double>&);
template void convert(const Field<ColorMatrix, double>&, const Field<ColorMatrix, float>&);
template std::vector<double> export_sites(const Field<Spinor, float, default_lanes>&);
template void import_sites(const Field<Spinor, float, default_lanes>&, std::span<const double>);
template Spinor<double> peek(const Field<Spinor, float, default_lanes>&, const Coord&, int);
template void poke(const Field<Spinor, float, default_lanes>&, const Coord&, const Spinor<double>&, int);
template std::vector<double> export_sites(const Field<Spinor, double, default_lanes>&);
template void import_sites(const Field<Spinor, double, default_lanes>&, std::span<const double>);
template Spinor<double> peek(const Field<Spinor, double, default_lanes>&, const Coord&, int);
template void poke(const Field<Spinor, double, default_lanes>&, const Coord&, const Spinor<double>&, int);
template void convert(const Field<Spinor, float>&, const Field<Spinor, double>&);
template void convert(const Field<Spinor, double>&, const Field<Spinor, float>&);
template std::vector<double> export_sites(const Field<AdjointVector, float, default_lanes>&);
template void import_sites(const Field<AdjointVector, float, default_lanes>&, std::span<const double>);
template AdjointVector<double> peek(const Field<AdjointVector, float, default_lanes>&, const Coord&, int);
template void poke(const Field<AdjointVector, float, default_lanes>&, const Coord&, const AdjointVector<double>&, int);
template std::vector<double> export_sites(const Field<AdjointVector, double, default_lanes>&);
template void import_sites(const Field<AdjointVector, double, default_lanes>&, std::span<const double>);
template AdjointVector<double> peek(const Field<AdjointVector, double, default_lanes>&, const Coord&, int);
template void poke(const Field<AdjointVector, double, default_lanes>&, const Coord&, const AdjointVector<double>&, int);
template void convert(const Field<AdjointVector, float>&, const Field<AdjointVector, double>&);
template void convert(const Field<AdjointVector, double>&, const Field<AdjointVector, float>&);
template std::vector<double> export_sites(const Field<HalfSpinor, float, default_lanes>&);
template void import_sites(const Field<HalfSpinor, float, default_lanes>&, std::span<const double>);
template HalfSpinor<double> peek(const Field<HalfSpinor, float, default_lanes>&, const Coord&, int);
template void poke(const Field<HalfSpinor, float, default_lanes>&, const Coord&, const HalfSpinor<double>&, int);
template std::vector<double> export_sites(const Field<HalfSpinor, double, default_lanes>&);
template void import_sites(const Field<HalfSpinor, double, default_lanes>&, std::span<const double>);
template HalfSpinor<double> peek(const Field<HalfSpinor, double, default_lanes>&, const Coord&, int);
template void poke(const Field<HalfSpinor, double, default_lanes>&, const Coord&, const HalfSpinor<double>&, int);
template void convert(const Field<HalfSpinor, float>&, const Field<HalfSpinor, double>&);
template void convert(const Field<HalfSpinor, double>&, const Field<HalfSpinor, float>&);
template std::vector<double> export_sites(const Field<SpinMatrix, float, default_lanes>&);
template void import_sites(const Field<SpinMatrix, float, default_lanes>&, std::span<const double>);
template SpinMatrix<double> peek(const Field<SpinMatrix, float, default_lanes>&, const Coord&, int);
template void poke(const Field<SpinMatrix, float, default_lanes>&, const Coord&, const SpinMatrix<double>&, int);
template std::vector<double> export_sites(const Field<SpinMatrix, double, default_lanes>&);
template void import_sites(const Field<SpinMatrix, double, default_lanes>&, std::span<const double>);
template SpinMatrix<double> peek(const Field<SpinMatrix, double, default_lanes>&, const Coord&, int);
template void poke(const Field<SpinMatrix, double, default_lanes>&, const Coord&, const SpinMatrix<double>&, int);
template void convert(const Field<SpinMatrix, float>&, const Field<SpinMatrix, double>&);
template void convert(const Field<SpinMatrix, double>&, const Field<SpinMatrix, float>&);
template std::vector<double> export_sites(const Field<ColorMatrix, float, 1>&);
template void import_sites(const Field<ColorMatrix, float, 1>&, std::span<const double>);
template std::vector<double> export_sites(const Field<ColorMatrix, double, 1>&);
template void import_sites(const Field<ColorMatrix, double, 1>&, std::span<const double>);

}  // namespace kov
