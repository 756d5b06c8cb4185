// SPDX-License-Identifier: MIT
//
// BlockField: many columns (right-hand sides) of one site object, laid out so that an operator reads each link once for
// all of them.  On CPUs a lane is a column; on GPUs lanes stay sites and the columns lie inside an outer site.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/launch/for_each_site.hpp"

namespace kov {

/// v(x, g) is SiteT<Pack<T, W>>, columns g W to g W + W - 1, for a ColumnSite, and SiteT<T>, column g, for a LaneSite.
template <template <class> class SiteT, class T, int W>
class BlockView {
 public:
  using Real = T;
  static constexpr int n_complex = SiteT<T>::n_complex;
  static constexpr int lanes = has_packs ? W : default_lanes;
  static constexpr bool holds_columns = true;
  using Base = FieldView<SiteT, T, lanes>;

  BlockView() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit BlockView(const Base& base) : base_(base) {}

#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, W>> operator()(ColumnSite x, int group) const {
    return base_(PackSite{x.outer}, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(ColumnSite x, const SiteT<Pack<T, W>>& v, int group) const {
    base_.set(PackSite{x.outer}, v, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stream(ColumnSite x, const SiteT<Pack<T, W>>& v, int group) const {
    base_.stream(PackSite{x.outer}, v, group);
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> operator()(LaneSite x, int column) const { return base_(x, column); }
  KOKKOS_FORCEINLINE_FUNCTION void set(LaneSite x, const SiteT<T>& v, int column) const { base_.set(x, v, column); }
  KOKKOS_FORCEINLINE_FUNCTION void stream(LaneSite x, const SiteT<T>& v, int column) const {
    base_.stream(x, v, column);
  }

  KOKKOS_FORCEINLINE_FUNCTION const Base& base() const { return base_; }

 private:
  Base base_;
};

/// A block together with the halo of its neighbours.
template <template <class> class SiteT, class T, int W>
class BlockNeighbourView {
 public:
  using Real = T;
  using View = BlockView<SiteT, T, W>;
  static constexpr int n_complex = View::n_complex;

  BlockNeighbourView() = default;
  KOKKOS_FORCEINLINE_FUNCTION BlockNeighbourView(const View& field, const View& halo) : field_(field), halo_(halo) {}

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int group) const {
    return field_(x, group);
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION SiteT<Pack<T, W>> operator()(ColumnSite, LaneHop hop, int group) const {
    return (hop.halo ? halo_ : field_)(ColumnSite{hop.outer}, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteInMemory<SiteT, T, W> read(ColumnSite, LaneHop hop, int group) const {
    return SiteInMemory<SiteT, T, W>((hop.halo ? halo_ : field_).base().address(hop.outer, group));
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> operator()(LaneSite, LaneHop hop, int column) const {
    const T* const there = halo_.base().unchecked_address(hop.outer, column);
    const T* const here = field_.base().unchecked_address(hop.outer, column);
    if constexpr (detail::checks_bounds) (hop.halo ? halo_ : field_).base().require_inside(hop.outer, column, hop.lane);
    return View::Base::load_lane(hop.halo ? there : here, hop.lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION SiteT<T> read(LaneSite x, LaneHop hop, int column) const {
    return (*this)(x, hop, column);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(LaneHop hop, int group) const {
    (hop.halo ? halo_ : field_).base().prefetch(hop.outer, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION const View& field() const { return field_; }

 private:
  View field_, halo_;
};

/// n_columns objects per site, rounded up to a multiple of W; the columns beyond n_columns are zero and stay zero under
/// linear operators.  W: columns in the lanes of a pack, 4, 8 or 16 (CPU); GPUs do not use it.
template <template <class> class SiteT, class T, int W = default_lanes>
class BlockField {
 public:
  using Real = T;
  using View = BlockView<SiteT, T, W>;
  static constexpr int width = has_packs ? W : 1;

  /// An empty block, for one to be moved into.
  BlockField() = default;
  /// Another handle to the same memory; alias() says so by name, and y = x does not compile.
  explicit BlockField(const BlockField&) = default;
  BlockField(BlockField&&) = default;
  /// For const locals that a function returns.
  BlockField(const BlockField&& other) : BlockField(other) {}
  BlockField& operator=(BlockField&&) & = default;
  BlockField alias() const { return BlockField(*this); }
  /// Zero-initialised.
  BlockField(const Lattice& lattice, const std::string& name, int n_columns, Subset subset = Subset::all)
      : lattice_(std::make_shared<const Lattice>(lattice)),
        name_(name),
        subset_(subset),
        n_columns_(n_columns),
        n_groups_((n_columns + width - 1) / width),
        data_(name, std::size_t(layout().range(subset).n_outer) * n_groups_ * View::Base::block),
        first_(data_.data()) {
    require(n_columns > 0, "a block of", n_columns, "columns holds nothing: ask for at least one");
  }

  const Lattice& lattice() const {
    if (!lattice_) detail::refuse_empty_field();
    return *lattice_;
  }
  const Layout& layout() const { return has_packs ? lattice().column_layout() : lattice().layout(); }
  const std::string& name() const { return name_; }
  Subset subset() const { return subset_; }
  SiteRange range() const { return layout().range(subset_); }
  int n_columns() const { return n_columns_; }
  /// Packs of columns (CPU) or columns (GPU) per outer site.
  int n_groups() const { return n_groups_; }
  View view() const {
    const SiteRange sites = range();
    typename View::Base base(first_, sites.first, n_groups_);
    base.set_extents(sites.n_outer, n_groups_, name_);
    return View(base);
  }

  /// The sites of one parity, which share memory with this block.
  BlockField half(Subset parity) const {
    require(subset_ == Subset::all || subset_ == parity, name_, "has only one parity and was asked for the other");
    BlockField part(*this);
    part.subset_ = parity;
    part.first_ = view().base().address(layout().range(parity).first, 0);
    return part;
  }
  bool conforms(const BlockField& other) const {
    return lattice() == other.lattice() && subset_ == other.subset_ && n_columns_ == other.n_columns_;
  }
  BlockField like(const std::string& name) const { return BlockField(lattice(), name, n_columns_, subset_); }

  /// Column k from and to a field of the lattice's ordinary layout, of the same subset.
  void set_column(int k, const Field<SiteT, T>& column) const;
  void get_column(int k, const Field<SiteT, T>& column) const;

  std::size_t n_reals() const { return std::size_t(range().n_outer) * n_groups_ * View::Base::block; }
  T* data() const { return first_; }

 private:
  std::shared_ptr<const Lattice> lattice_;
  std::string name_;
  Subset subset_ = Subset::all;
  int n_columns_ = 0, n_groups_ = 0;
  Buffer<T> data_;
  T* first_ = nullptr;
};

/// Calls kernel(site, g) for every site of a block and every group of columns: with a ColumnSite on CPUs, with a
/// LaneSite and single columns on GPUs.
template <class Kernel, class Exec = Kokkos::DefaultExecutionSpace>
void for_each_block_site(const std::string& name, const SiteRange& range, int n_groups, const Kernel& kernel,
                         const Exec& exec = {}) {
  using Site = std::conditional_t<has_packs, ColumnSite, LaneSite>;
  for_each_site<Site>(name, range, n_groups, kernel, exec);
}

}  // namespace kov
