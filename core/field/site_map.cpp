// SPDX-License-Identifier: MIT
#include "kov/core/field/site_map.hpp"

#include "kov/core/field/site_blocks.hpp"

#include <array>

namespace kov {

namespace detail {

/// A run of lanes of an outer site: all of them on CPUs, one on GPUs.
template <class T, class S>
struct ConvertKernel {
  SiteBlocks<T> in;
  SiteBlocks<S> out;
  int first, n_components, n_reals;

  KOKKOS_FUNCTION void operator()(int item) const {
    constexpr int N = default_lanes, run = has_packs ? N : 1;
    const int outer = first + item / (N / run), lane = item % (N / run);
    for (int c = 0; c < n_components; ++c) {
      const T* const from = in.address(outer, c);
      S* const to = out.address(outer, c);
      for (int k = 0; k < n_reals; ++k)
        for (int l = 0; l < run; ++l) to[real_place(k, lane + l, N)] = S(from[real_place(k, lane + l, N)]);
    }
  }
};

}  // namespace detail

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// What a site of a field is made of.
struct SiteShape {
  int n_components, n_reals, lanes;
  Subset subset;
};
template <template <class> class SiteT, class T, int N>
SiteShape shape_of(const Field<SiteT, T, N>& field) {
  return {field.n_components(), 2 * SiteT<T>::n_complex, N, field.subset()};
}

/// f(real 0 of a component of a site, index of the first of its doubles in a lexicographic array), by all threads.
template <class T, class F>
void for_each_part(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape, const F& f) {
  const int wanted = shape.subset == Subset::all ? -1 : shape.subset == Subset::odd;
  Kokkos::parallel_for("for_each_part", Kokkos::RangePolicy<HostExec>(0, layout.n_sites()), [&](const std::int64_t i) {
    const Coord x = coordinate(i, layout.extent());
    if (wanted >= 0 && ((parity(x) + layout.origin_parity()) & 1) != wanted) return;
    const auto at = layout.locate(x);
    for (int c = 0; c < shape.n_components; ++c)
      f(blocks.address(at.outer, c) + detail::real_place(0, at.lane, shape.lanes),
        (std::size_t(i) * std::size_t(shape.n_components) + std::size_t(c)) * std::size_t(shape.n_reals));
  });
  HostExec().fence();
}

template <class T>
void export_blocks(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape,
                   std::span<double> values) {
  for_each_part(layout, blocks, shape, [&](const T* from, std::size_t first) {
    for (int k = 0; k < shape.n_reals; ++k)
      values[first + std::size_t(k)] = double(from[detail::real_place(k, 0, shape.lanes)]);
  });
}

template <class T>
void import_blocks(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape,
                   std::span<const double> values) {
  for_each_part(layout, blocks, shape, [&](T* to, std::size_t first) {
    for (int k = 0; k < shape.n_reals; ++k)
      to[detail::real_place(k, 0, shape.lanes)] = T(values[first + std::size_t(k)]);
  });
}

/// Whether the rows of a group fill whole blocks: virtual nodes, cut along x or not.
bool fills_blocks(const Layout& layout) { return layout.order() == Order::virtual_nodes; }

/// Which site of a group (row after row) is in each lane of the group's first outer site.
std::array<std::int64_t, default_lanes> sites_of_lanes(const Layout& layout, const SiteRows& rows, std::int64_t group) {
  std::array<std::int64_t, default_lanes> sites{};
  const int outer = layout.outer_extent()[0];
  for (int r = 0; r < rows.rows; ++r)
    for (Coord x = rows.first(group, r); x[0] < layout.extent()[0]; x[0] += outer)
      sites[std::size_t(layout.locate(x).lane)] = std::int64_t(r) * rows.length + x[0];
  return sites;
}

/// f(block of a component of an outer site, real 0 of each lane in the group's doubles), for a group of virtual nodes.
template <class T, class Value, class F>
void for_each_block(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape,
                    const SiteRows& rows, std::int64_t group, std::span<Value> values, const F& f) {
  const auto sites = sites_of_lanes(layout, rows, group);
  const std::size_t site_reals = std::size_t(shape.n_components) * std::size_t(shape.n_reals);
  Coord x = rows.first(group, 0);
  for (; x[0] < layout.outer_extent()[0]; ++x[0]) {
    const int outer = layout.locate(x).outer;
    std::array<Value*, default_lanes> lanes;
    for (int c = 0; c < shape.n_components; ++c) {
      for (std::size_t l = 0; l < lanes.size(); ++l)
        lanes[l] =
            values.data() + std::size_t(sites[l] + x[0]) * site_reals + std::size_t(c) * std::size_t(shape.n_reals);
      f(blocks.address(outer, c), lanes);
    }
  }
}

/// f(real 0 of a component of a site, the same in the group's doubles), for groups of any layout.
template <class T, class Value, class F>
void for_each_part(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape,
                   const SiteRows& rows, std::int64_t group, std::span<Value> values, const F& f) {
  Value* value = values.data();
  for (int r = 0; r < rows.rows; ++r) {
    const std::int64_t first = lexicographic(rows.first(group, r), layout.extent());
    for (std::int64_t i = first; i < first + rows.length; ++i) {
      const auto at = layout.locate(coordinate(i, layout.extent()));
      for (int c = 0; c < shape.n_components; ++c, value += shape.n_reals)
        f(blocks.address(at.outer, c) + detail::real_place(0, at.lane, shape.lanes), value);
    }
  }
}

/// Values of a group to the field, or back.
template <bool import, class T, class Value>
void copy_group(const Layout& layout, const detail::SiteBlocks<T>& blocks, const SiteShape& shape, const SiteRows& rows,
                std::int64_t group, std::span<Value> values) {
  if (has_packs && shape.lanes == default_lanes && fills_blocks(layout)) {
    for_each_block(layout, blocks, shape, rows, group, values,
                   [&](T* block, const std::array<Value*, default_lanes>& lanes) {
                     for (int k = 0; k < shape.n_reals; ++k, block += default_lanes)
                       for (std::size_t l = 0; l < lanes.size(); ++l)
                         if constexpr (import)
                           block[l] = T(lanes[l][k]);
                         else
                           lanes[l][k] = double(block[l]);
                   });
    return;
  }
  for_each_part(layout, blocks, shape, rows, group, values, [&](T* real, Value* value) {
    for (int k = 0; k < shape.n_reals; ++k)
      if constexpr (import)
        real[detail::real_place(k, 0, shape.lanes)] = T(value[k]);
      else
        value[k] = double(real[detail::real_place(k, 0, shape.lanes)]);
  });
}

/// A site of a field as a rank that owns it sees it: a copy of its block on the host.
template <class T>
class OneSite {
 public:
  OneSite(T* block, int lane, const SiteShape& shape)
      : block_(block), lane_(lane), shape_(shape), copy_(std::size_t(shape.n_reals) * std::size_t(shape.lanes)) {
    Kokkos::fence("one site");
    detail::copy_to_host(copy_.data(), block_, copy_.size() * sizeof(T));
  }
  T& real(int k) { return copy_[std::size_t(detail::real_place(k, lane_, shape_.lanes))]; }
  void commit() const { detail::copy_to_device(block_, copy_.data(), copy_.size() * sizeof(T)); }

 private:
  T* block_;
  int lane_;
  SiteShape shape_;
  std::vector<T> copy_;
};

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

template <template <class> class SiteT, class T, int N>
OneSite<T> one_site(const Field<SiteT, T, N>& field, const Coord& x, int component) {
  const auto at = field.layout().locate(field.lattice().geometry().local(x));
  return {field.view().address(at.outer, component), at.lane, shape_of(field)};
}

}  // namespace

SiteRows rows_of(const Layout& layout) {
  const Coord extent = layout.extent();
  SiteRows rows;
  rows.length = extent[0];
  if (!fills_blocks(layout)) {
    rows.n_groups = layout.n_sites() / extent[0];
    rows.first = [extent](std::int64_t group, int) { return coordinate(group * extent[0], extent); };
    return rows;
  }
  Coord outer = layout.outer_extent(), cuts{};
  for (std::size_t mu = 0; mu < 4; ++mu) cuts[mu] = extent[mu] / outer[mu];
  outer[0] = cuts[0] = 1;
  rows.rows = int(volume(cuts));
  rows.n_groups = volume(outer);
  rows.first = [outer, cuts](std::int64_t group, int row) {
    Coord x = coordinate(group, outer);
    const Coord node = coordinate(row, cuts);
    for (std::size_t mu = 1; mu < 4; ++mu) x[mu] += node[mu] * outer[mu];
    return x;
  };
  return rows;
}

template <template <class> class SiteT, class T, int N>
void FieldRows<SiteT, T, N>::import_group(std::int64_t group, std::span<const double> values) const {
  copy_group<true>(field_.layout(), detail::SiteBlocks<T>::of(host_.view()), shape_of(field_), rows_, group, values);
}

template <template <class> class SiteT, class T, int N>
void FieldRows<SiteT, T, N>::export_group(std::int64_t group, std::span<double> values) const {
  copy_group<false>(field_.layout(), detail::SiteBlocks<T>::of(host_.view()), shape_of(field_), rows_, group, values);
}

template class FieldRows<ColorMatrix, float>;
template class FieldRows<ColorMatrix, double>;

template <template <class> class SiteT, class T, int N>
std::vector<double> export_sites(const Field<SiteT, T, N>& field) {
  const HostField<SiteT, T, N> host(field);
  const SiteShape shape = shape_of(field);
  std::vector<double> values(std::size_t(field.layout().n_sites()) * std::size_t(shape.n_components) *
                             std::size_t(shape.n_reals));
  export_blocks(field.layout(), detail::SiteBlocks<T>::of(host.view()), shape, values);
  return values;
}

template <template <class> class SiteT, class T, int N>
void import_sites(std::span<const double> values, const Field<SiteT, T, N>& field) {
  const SiteShape shape = shape_of(field);
  const int n = shape.n_components * shape.n_reals;
  require(values.size() == std::size_t(field.layout().n_sites()) * std::size_t(n), "an array of", values.size(),
          "numbers does not fill", field.name(), "of", field.layout().n_sites(), "sites and", n, "reals a site");
  const HostField<SiteT, T, N> host(field, HostAccess::write_all);
  import_blocks(field.layout(), detail::SiteBlocks<T>::of(host.view()), shape, values);
  host.commit();
}

template <template <class> class SiteT, class T, class S>
void convert(const Field<SiteT, T>& in, const Field<SiteT, S>& out) {
  require(in.lattice() == out.lattice() && in.subset() == out.subset() && in.n_components() == out.n_components(),
          in.name(), "and", out.name(), "have different shapes: convert() changes the precision only");
  const SiteRange range = in.range();
  for_each_item("convert", range.n_outer * (has_packs ? 1 : default_lanes),
                detail::ConvertKernel<T, S>{detail::SiteBlocks<T>::of(in.view()), detail::SiteBlocks<S>::of(out.view()),
                                            range.first, in.n_components(), 2 * SiteT<T>::n_complex});
}

template <template <class> class SiteT, class T, int N>
SiteT<double> peek(const Field<SiteT, T, N>& field, const Coord& x, int component) {
  require_site(field, x, component);
  constexpr int n = SiteT<T>::n_complex;
  const Geometry& geometry = field.lattice().geometry();
  std::array<double, 2 * n> values{};
  if (geometry.owns(x)) {
    OneSite<T> site = one_site(field, x, component);
    for (int k = 0; k < 2 * n; ++k) values[k] = double(site.real(k));
  }
  field.lattice().comm().broadcast(std::as_writable_bytes(std::span<double>(values)), geometry.rank_of(x));
  SiteT<double> r;
  for (int k = 0; k < n; ++k) r.z[k] = {values[2 * k], values[2 * k + 1]};
  return r;
}

template <template <class> class SiteT, class T, int N>
void poke(const Field<SiteT, T, N>& field, const Coord& x, const SiteT<double>& value, int component) {
  require_site(field, x, component);
  if (!field.lattice().geometry().owns(x)) return;
  OneSite<T> site = one_site(field, x, component);
  for (int k = 0; k < SiteT<T>::n_complex; ++k) {
    site.real(2 * k) = T(value.z[k].re);
    site.real(2 * k + 1) = T(value.z[k].im);
  }
  site.commit();
}

template std::vector<double> export_sites(const Field<Scalar, float>&);
template void import_sites(std::span<const double>, const Field<Scalar, float>&);
template Scalar<double> peek(const Field<Scalar, float>&, const Coord&, int);
template void poke(const Field<Scalar, float>&, const Coord&, const Scalar<double>&, int);
template std::vector<double> export_sites(const Field<Scalar, double>&);
template void import_sites(std::span<const double>, const Field<Scalar, double>&);
template Scalar<double> peek(const Field<Scalar, double>&, const Coord&, int);
template void poke(const Field<Scalar, double>&, const Coord&, const Scalar<double>&, int);
template void convert(const Field<Scalar, float>&, const Field<Scalar, double>&);
template void convert(const Field<Scalar, double>&, const Field<Scalar, float>&);
template std::vector<double> export_sites(const Field<ColorVector, float>&);
template void import_sites(std::span<const double>, const Field<ColorVector, float>&);
template ColorVector<double> peek(const Field<ColorVector, float>&, const Coord&, int);
template void poke(const Field<ColorVector, float>&, const Coord&, const ColorVector<double>&, int);
template std::vector<double> export_sites(const Field<ColorVector, double>&);
template void import_sites(std::span<const double>, const Field<ColorVector, double>&);
template ColorVector<double> peek(const Field<ColorVector, double>&, const Coord&, int);
template void poke(const Field<ColorVector, double>&, const Coord&, const ColorVector<double>&, int);
template void convert(const Field<ColorVector, float>&, const Field<ColorVector, double>&);
template void convert(const Field<ColorVector, double>&, const Field<ColorVector, float>&);
template std::vector<double> export_sites(const Field<ColorMatrix, float>&);
template void import_sites(std::span<const double>, const Field<ColorMatrix, float>&);
template ColorMatrix<double> peek(const Field<ColorMatrix, float>&, const Coord&, int);
template void poke(const Field<ColorMatrix, float>&, const Coord&, const ColorMatrix<double>&, int);
template std::vector<double> export_sites(const Field<ColorMatrix, double>&);
template void import_sites(std::span<const double>, const Field<ColorMatrix, double>&);
template ColorMatrix<double> peek(const Field<ColorMatrix, double>&, const Coord&, int);
template void poke(const Field<ColorMatrix, double>&, const Coord&, const ColorMatrix<double>&, int);
template void convert(const Field<ColorMatrix, float>&, const Field<ColorMatrix, double>&);
template void convert(const Field<ColorMatrix, double>&, const Field<ColorMatrix, float>&);
template std::vector<double> export_sites(const Field<Spinor, float>&);
template void import_sites(std::span<const double>, const Field<Spinor, float>&);
template Spinor<double> peek(const Field<Spinor, float>&, const Coord&, int);
template void poke(const Field<Spinor, float>&, const Coord&, const Spinor<double>&, int);
template std::vector<double> export_sites(const Field<Spinor, double>&);
template void import_sites(std::span<const double>, const Field<Spinor, double>&);
template Spinor<double> peek(const Field<Spinor, double>&, const Coord&, int);
template void poke(const Field<Spinor, double>&, const Coord&, const Spinor<double>&, int);
template void convert(const Field<Spinor, float>&, const Field<Spinor, double>&);
template void convert(const Field<Spinor, double>&, const Field<Spinor, float>&);
template std::vector<double> export_sites(const Field<AdjointVector, float>&);
template void import_sites(std::span<const double>, const Field<AdjointVector, float>&);
template AdjointVector<double> peek(const Field<AdjointVector, float>&, const Coord&, int);
template void poke(const Field<AdjointVector, float>&, const Coord&, const AdjointVector<double>&, int);
template std::vector<double> export_sites(const Field<AdjointVector, double>&);
template void import_sites(std::span<const double>, const Field<AdjointVector, double>&);
template AdjointVector<double> peek(const Field<AdjointVector, double>&, const Coord&, int);
template void poke(const Field<AdjointVector, double>&, const Coord&, const AdjointVector<double>&, int);
template void convert(const Field<AdjointVector, float>&, const Field<AdjointVector, double>&);
template void convert(const Field<AdjointVector, double>&, const Field<AdjointVector, float>&);
template std::vector<double> export_sites(const Field<HalfSpinor, float>&);
template void import_sites(std::span<const double>, const Field<HalfSpinor, float>&);
template HalfSpinor<double> peek(const Field<HalfSpinor, float>&, const Coord&, int);
template void poke(const Field<HalfSpinor, float>&, const Coord&, const HalfSpinor<double>&, int);
template std::vector<double> export_sites(const Field<HalfSpinor, double>&);
template void import_sites(std::span<const double>, const Field<HalfSpinor, double>&);
template HalfSpinor<double> peek(const Field<HalfSpinor, double>&, const Coord&, int);
template void poke(const Field<HalfSpinor, double>&, const Coord&, const HalfSpinor<double>&, int);
template void convert(const Field<HalfSpinor, float>&, const Field<HalfSpinor, double>&);
template void convert(const Field<HalfSpinor, double>&, const Field<HalfSpinor, float>&);
template std::vector<double> export_sites(const Field<SpinMatrix, float>&);
template void import_sites(std::span<const double>, const Field<SpinMatrix, float>&);
template SpinMatrix<double> peek(const Field<SpinMatrix, float>&, const Coord&, int);
template void poke(const Field<SpinMatrix, float>&, const Coord&, const SpinMatrix<double>&, int);
template std::vector<double> export_sites(const Field<SpinMatrix, double>&);
template void import_sites(std::span<const double>, const Field<SpinMatrix, double>&);
template SpinMatrix<double> peek(const Field<SpinMatrix, double>&, const Coord&, int);
template void poke(const Field<SpinMatrix, double>&, const Coord&, const SpinMatrix<double>&, int);
template void convert(const Field<SpinMatrix, float>&, const Field<SpinMatrix, double>&);
template void convert(const Field<SpinMatrix, double>&, const Field<SpinMatrix, float>&);
template std::vector<double> export_sites(const Field<ColorMatrix, float, 1>&);
template void import_sites(std::span<const double>, const Field<ColorMatrix, float, 1>&);
template std::vector<double> export_sites(const Field<ColorMatrix, double, 1>&);
template void import_sites(std::span<const double>, const Field<ColorMatrix, double, 1>&);

}  // namespace kov
