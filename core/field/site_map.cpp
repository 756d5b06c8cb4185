// SPDX-License-Identifier: MIT
#include "kov/core/field/site_map.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/base/memory.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kov {

namespace {

/// Moves x to the next site in lexicographic order.
void step(Coord& x, const Coord& extent) {
  for (std::size_t mu = 0; mu < 4 && ++x[mu] == extent[mu] && mu < 3; ++mu) x[mu] = 0;
}

/// Calls f(component of a site, index of its first double in a lexicographic array), by all threads.
template <class Stored, class F>
void for_each_part(const Layout& layout, const detail::SiteBlocks<Stored>& blocks, const detail::FieldShape& shape,
                   const F& f) {
  const int wanted = shape.subset == Subset::all ? -1 : shape.subset == Subset::odd;
  const std::int64_t piece = 256, n_sites = layout.n_sites();
  on_host_threads("for_each_part", (n_sites + piece - 1) / piece, [&](std::int64_t number, int) {
    Coord x = coordinate(number * piece, layout.extent());
    for (std::int64_t i = number * piece; i < std::min(n_sites, (number + 1) * piece); ++i, step(x, layout.extent())) {
      if (wanted >= 0 && ((parity(x) + layout.origin_parity()) & 1) != wanted) continue;
      const auto at = layout.locate(x);
      for (int c = 0; c < shape.n_components; ++c)
        f(blocks.site(shape, at.outer, at.lane, c),
          (std::size_t(i) * std::size_t(shape.n_components) + std::size_t(c)) * std::size_t(shape.site.n_reals));
    }
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

/// Calls f(real 0 of lane 0 of a component of an outer site, real 0 of each lane in the group's doubles), for a group
/// of virtual nodes.
template <class T, class Value, class F>
void for_each_block(const Layout& layout, const detail::SiteBlocks<T>& blocks, const detail::FieldShape& shape,
                    const SiteRows& rows, std::int64_t group, std::span<Value> values, const F& f) {
  const auto sites = sites_of_lanes(layout, rows, group);
  const std::size_t site_reals = std::size_t(shape.n_components) * std::size_t(shape.site.n_reals);
  Coord x = rows.first(group, 0);
  for (; x[0] < layout.outer_extent()[0]; ++x[0]) {
    const int outer = layout.locate(x).outer;
    std::array<Value*, default_lanes> lanes;
    for (int c = 0; c < shape.n_components; ++c) {
      for (std::size_t l = 0; l < lanes.size(); ++l)
        lanes[l] = values.data() + std::size_t(sites[l] + x[0]) * site_reals +
                   std::size_t(c) * std::size_t(shape.site.n_reals);
      f(blocks.address(outer, c) + (outer % shape.outers) * default_lanes, lanes);
    }
  }
}

/// f(real 0 of a component of a site, the same in the group's doubles), for groups of any layout.
template <class T, class Value, class F>
void for_each_part(const Layout& layout, const detail::SiteBlocks<T>& blocks, const detail::FieldShape& shape,
                   const SiteRows& rows, std::int64_t group, std::span<Value> values, const F& f) {
  Value* value = values.data();
  for (int r = 0; r < rows.rows; ++r) {
    const std::int64_t first = lexicographic(rows.first(group, r), layout.extent());
    for (std::int64_t i = first; i < first + rows.length; ++i) {
      const auto at = layout.locate(coordinate(i, layout.extent()));
      const int lane = (at.outer % shape.outers) * layout.lanes() + at.lane;
      for (int c = 0; c < shape.n_components; ++c, value += shape.site.n_reals)
        f(blocks.address(at.outer, c) + detail::real_place(0, lane, shape.lanes), value);
    }
  }
}

/// Values of a group to the field, or back.
template <bool import, class T, class Value>
void copy_group(const Layout& layout, const detail::SiteBlocks<T>& blocks, const detail::FieldShape& shape,
                const SiteRows& rows, std::int64_t group, std::span<Value> values) {
  if (has_packs && shape.lanes == shape.outers * default_lanes && fills_blocks(layout)) {
    for_each_block(layout, blocks, shape, rows, group, values,
                   [&](T* real, const std::array<Value*, default_lanes>& lanes) {
                     for (int k = 0; k < shape.site.n_reals; ++k, real += shape.lanes)
                       for (std::size_t l = 0; l < lanes.size(); ++l)
                         if constexpr (import)
                           real[l] = T(lanes[l][k]);
                         else
                           lanes[l][k] = double(real[l]);
                   });
    return;
  }
  for_each_part(layout, blocks, shape, rows, group, values, [&](T* real, Value* value) {
    for (int k = 0; k < shape.site.n_reals; ++k)
      if constexpr (import)
        real[detail::real_place(k, 0, shape.lanes)] = T(value[k]);
      else
        value[k] = double(real[detail::real_place(k, 0, shape.lanes)]);
  });
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

template <template <class> class SiteT, std::floating_point T>
void FieldRows<SiteT, T>::import_group(std::int64_t group, std::span<const double> values) const {
  copy_group<true>(field_.layout(), detail::SiteBlocks<T>::of(host_.view()), detail::FieldShape::of(field_), rows_,
                   group, values);
}

template <template <class> class SiteT, std::floating_point T>
void FieldRows<SiteT, T>::export_group(std::int64_t group, std::span<double> values) const {
  copy_group<false>(field_.layout(), detail::SiteBlocks<T>::of(host_.view()), detail::FieldShape::of(field_), rows_,
                    group, values);
}

template class FieldRows<ColorMatrix, float>;
template class FieldRows<ColorMatrix, double>;
template class FieldRows<Spinor, float>;
template class FieldRows<Spinor, double>;

namespace detail {

/// Reals first, first + 1, ... of a field in lexicographic order, one an item; sites of the other parity are zero.
/// 1 real read, of blocks that neighbouring threads read too, and a double written.
template <class Stored>
struct ExportReals {
  Layout::View layout;
  SiteBlocks<Stored> blocks;
  FieldShape shape;
  int wanted;  // parity, -1 for both
  std::int64_t first;
  double* values;

  KOKKOS_FUNCTION void operator()(int item) const {
    const std::int64_t real = first + item, component = real / shape.site.n_reals,
                       site = component / shape.n_components;
    Coord x;
    std::int64_t rest = site;
    for (int mu = 0; mu < 4; ++mu) {
      x[mu] = int(rest % layout.extent[mu]);
      rest /= layout.extent[mu];
    }
    const bool is_odd = (x[0] + x[1] + x[2] + x[3] + layout.origin_parity) & 1;
    if (wanted >= 0 && int(is_odd) != wanted) {
      values[item] = 0;
      return;
    }
    const int slot = layout.even_odd_slot(x);
    values[item] =
        double(blocks.site(shape, slot / layout.lanes, slot % layout.lanes, int(component - site * shape.n_components))
                   .get(int(real - component * shape.site.n_reals)));
  }
};

std::vector<double> host_numbers(std::size_t n) {
  std::vector<double> values;
#if !defined(__SANITIZE_ADDRESS__)  // which knows how much of a vector is in use
  values.reserve(n);
  constexpr std::size_t piece = std::size_t(1) << 21, page = 4096;
  std::byte* const begin = reinterpret_cast<std::byte*>(values.data());
  const std::size_t bytes = n * sizeof(double);
  if (bytes > 4 * piece)
    on_host_threads("host_numbers", std::int64_t((bytes + piece - 1) / piece), [&](std::int64_t i, int) {
      const std::size_t end = std::min(bytes, std::size_t(i + 1) * piece);
      for (std::size_t at = std::size_t(i) * piece; at < end; at += page) begin[at] = std::byte{0};
    });
#endif
  values.resize(n);
  return values;
}

template <class Stored>
void export_device_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                          std::span<double> values) {
  require(layout.order() == Order::even_odd,
          "sites in the order of virtual nodes are put in lexicographic order on the "
          "host: call export_blocks()");
  constexpr std::size_t most = std::size_t(1) << 22;  // doubles at a time, 32 MiB
  if (values.empty()) return;
  const Buffer<double> there("numbers in lexicographic order", std::min(most, values.size()));
  const int wanted = shape.subset == Subset::all ? -1 : shape.subset == Subset::odd;
  for (std::size_t first = 0; first < values.size(); first += most) {
    const std::size_t n = std::min(most, values.size() - first);
    for_each_item("export_reals", int(n),
                  ExportReals<Stored>{layout.view(), blocks, shape, wanted, std::int64_t(first), there.data()});
    copy_to_host(values.data() + first, there.data(), n * sizeof(double));
  }
}

template <class Stored>
void export_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                   std::span<double> values) {
  if (!StoredSite<Stored>::is_integer && shape.site.stores_all()) {  // as they are
    for_each_part(layout, blocks, shape, [&](const StoredSite<Stored>& from, std::size_t first) {
      const Stored* const reals = from.block + real_place(0, from.lane, from.lanes);
      for (int k = 0; k < shape.site.n_reals; ++k)
        values[first + std::size_t(k)] = double(reals[real_place(k, 0, from.lanes)]);
    });
    return;
  }
  for_each_part(layout, blocks, shape, [&](const StoredSite<Stored>& from, std::size_t first) {
    for (int k = 0; k < shape.site.n_reals; ++k) values[first + std::size_t(k)] = double(from.get(k));
  });
}

template <class Stored>
void import_blocks(const Layout& layout, const SiteBlocks<Stored>& blocks, const FieldShape& shape,
                   std::span<const double> values) {
  for_each_part(layout, blocks, shape, [&](const StoredSite<Stored>& to, std::size_t first) {
    to.set([&](int k) { return values[first + std::size_t(k)]; });
  });
}

void require_site(const Lattice& lattice, const FieldShape& shape, const std::string& name, const Coord& x,
                  int component) {
  const Coord& extent = lattice.extent();
  bool inside = true;
  for (std::size_t mu = 0; mu < 4; ++mu) inside = inside && x[mu] >= 0 && x[mu] < extent[mu];
  require(inside, "the site", to_string(x), "of", name, "does not exist: the lattice is", to_string(extent),
          "and coordinates count from 0");
  require(component >= 0 && component < shape.n_components, "component", component, "of", name,
          "does not exist: it has", shape.n_components);
  require(shape.subset == Subset::all || (parity(x) == 1) == (shape.subset == Subset::odd), "the site", to_string(x),
          "has the wrong parity for", name, ", which holds the", shape.subset == Subset::odd ? "odd" : "even",
          "sites only");
}

namespace {
/// f(the site in a copy on the host of its block).
template <class Stored, class F>
void with_host_block(const StoredSite<Stored>& site, const F& f) {
  std::vector<Stored> copy(std::size_t(site.shape.n_numbers()) * std::size_t(site.lanes));
  const std::size_t bytes = copy.size() * sizeof(Stored);
  Kokkos::fence("one site");
  copy_to_host(copy.data(), site.block, bytes);
  if (f(StoredSite<Stored>{copy.data(), site.lane, site.lanes, site.shape}))
    copy_to_device(site.block, copy.data(), bytes);
}
}  // namespace

template <class Stored>
void read_site(const SiteBlocks<Stored>& blocks, const FieldShape& shape, const Layout::Position& at, int component,
               std::span<double> values) {
  with_host_block(blocks.site(shape, at.outer, at.lane, component), [&](const auto& site) {
    for (int k = 0; k < shape.site.n_reals; ++k) values[std::size_t(k)] = double(site.get(k));
    return false;
  });
}

template <class Stored>
void write_site(const SiteBlocks<Stored>& blocks, const FieldShape& shape, const Layout::Position& at, int component,
                std::span<const double> values) {
  with_host_block(blocks.site(shape, at.outer, at.lane, component), [&](const auto& site) {
    site.set([&](int k) { return values[std::size_t(k)]; });
    return true;
  });
}

template void export_blocks(const Layout&, const SiteBlocks<float>&, const FieldShape&, std::span<double>);
template void export_device_blocks(const Layout&, const SiteBlocks<float>&, const FieldShape&, std::span<double>);
template void import_blocks(const Layout&, const SiteBlocks<float>&, const FieldShape&, std::span<const double>);
template void read_site(const SiteBlocks<float>&, const FieldShape&, const Layout::Position&, int, std::span<double>);
template void write_site(const SiteBlocks<float>&, const FieldShape&, const Layout::Position&, int,
                         std::span<const double>);
template void export_blocks(const Layout&, const SiteBlocks<double>&, const FieldShape&, std::span<double>);
template void export_device_blocks(const Layout&, const SiteBlocks<double>&, const FieldShape&, std::span<double>);
template void import_blocks(const Layout&, const SiteBlocks<double>&, const FieldShape&, std::span<const double>);
template void read_site(const SiteBlocks<double>&, const FieldShape&, const Layout::Position&, int, std::span<double>);
template void write_site(const SiteBlocks<double>&, const FieldShape&, const Layout::Position&, int,
                         std::span<const double>);
template void export_blocks(const Layout&, const SiteBlocks<std::int16_t>&, const FieldShape&, std::span<double>);
template void export_device_blocks(const Layout&, const SiteBlocks<std::int16_t>&, const FieldShape&,
                                   std::span<double>);
template void import_blocks(const Layout&, const SiteBlocks<std::int16_t>&, const FieldShape&, std::span<const double>);
template void read_site(const SiteBlocks<std::int16_t>&, const FieldShape&, const Layout::Position&, int,
                        std::span<double>);
template void write_site(const SiteBlocks<std::int16_t>&, const FieldShape&, const Layout::Position&, int,
                         std::span<const double>);
template void export_blocks(const Layout&, const SiteBlocks<std::int8_t>&, const FieldShape&, std::span<double>);
template void export_device_blocks(const Layout&, const SiteBlocks<std::int8_t>&, const FieldShape&, std::span<double>);
template void import_blocks(const Layout&, const SiteBlocks<std::int8_t>&, const FieldShape&, std::span<const double>);
template void read_site(const SiteBlocks<std::int8_t>&, const FieldShape&, const Layout::Position&, int,
                        std::span<double>);
template void write_site(const SiteBlocks<std::int8_t>&, const FieldShape&, const Layout::Position&, int,
                         std::span<const double>);

}  // namespace detail

}  // namespace kov
