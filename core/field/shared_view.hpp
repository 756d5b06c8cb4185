// SPDX-License-Identifier: MIT
//
// shared_view(): a view of a field for kernels that are compiled once for all widths of columns, which therefore take
// four columns at a time.  For kernels that memory limits, or that few programs run.  Not for users.
#pragma once

#include "kov/core/field/field.hpp"

#include <bit>

namespace kov {

namespace detail {

/// What shared views have for ColumnLanes<W> of any W on CPUs: group g is the columns 4 g, ..., 4 g + 3.
struct FourColumns {
  static constexpr int lanes = 4, width = 4, columns = 4;
  static constexpr bool holds_columns = true;
};

/// The lanes of kernels over shared views.  On GPUs columns are stored as other components are, and share their
/// kernels.
template <class Lanes>
using shared_lanes_t = std::conditional_t<Lanes::holds_columns && has_packs, FourColumns, SiteLanes>;

template <class Lanes>
inline constexpr bool holds_fours = std::is_same_v<shared_lanes_t<Lanes>, FourColumns>;

}  // namespace detail

#if !defined(KOKKOS_ENABLE_CUDA)
template <template <class> class SiteT, class T>
class FieldView<SiteT, T, detail::FourColumns> : private detail::ViewExtents<detail::checks_bounds> {
 public:
  using Codec = kov::Codec<SiteT, T>;
  using Real = T;
  using Stored = T;
  static constexpr int n_complex = SiteT<T>::n_complex, lanes = detail::FourColumns::lanes, outers = 1;
  static constexpr bool holds_columns = true;
  using PackReal = Pack<T, lanes>;
  using PackValue = SiteT<PackReal>;
  using InMemory = PackValue;
  using PairInMemory = PackValue;
  static_assert(Codec::is_plain);

  FieldView() = default;
  /// The memory of a field of sites of Whole, which are one or several of SiteT.
  template <template <class> class Whole, int W>
  explicit FieldView(const FieldView<Whole, T, ColumnLanes<W>>& whole)
      : detail::ViewExtents<detail::checks_bounds>(whole.extents()),
        data_(whole.unchecked_address(0, 0)),
        stride_((whole.unchecked_address(1, 0) - data_) / (W * Codec::n_stored)),
        log_fours_(std::countr_zero(unsigned(W / lanes))),
        parts_(detail::parts_of<SiteT, Whole>) {}

  KOKKOS_FORCEINLINE_FUNCTION PackValue operator()(ColumnSite x, int group = 0) const {
    const T* const p = address(x.outer, group);
    PackValue v;
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      v.z[i] = {PackReal::load(p + 2 * i * row()), PackReal::load(p + (2 * i + 1) * row())};
    });
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION PackValue read(ColumnSite x, int group = 0) const { return (*this)(x, group); }
  KOKKOS_FORCEINLINE_FUNCTION void set(ColumnSite x, const PackValue& v, int group = 0) const {
    T* const p = address(x.outer, group);
    unroll<n_complex>([&](int i) __attribute__((always_inline)) {
      v.z[i].re.store(p + 2 * i * row());
      v.z[i].im.store(p + (2 * i + 1) * row());
    });
  }
  /// set(), as four columns need not fill a line of the caches.
  KOKKOS_FORCEINLINE_FUNCTION void stream(ColumnSite x, const PackValue& v, int group = 0) const { set(x, v, group); }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int outer, int group) const {
    const T* const p = unchecked_address(outer, group);
    for (int k = 0; k < 2 * n_complex; ++k) __builtin_prefetch(p + k * row(), 0, 2);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int row() const { return lanes << log_fours_; }
  KOKKOS_FORCEINLINE_FUNCTION T* address(int outer, int group) const {
    if constexpr (detail::checks_bounds) this->check(outer, (group >> log_fours_) / parts_);
    return unchecked_address(outer, group);
  }
  KOKKOS_FORCEINLINE_FUNCTION T* unchecked_address(int outer, int group) const {
    const int block = group >> log_fours_, four = group & ((1 << log_fours_) - 1);
    return data_ + (outer * stride_ + block) * (row() * Codec::n_stored) + four * lanes;
  }

  T* data_ = nullptr;          // outer site 0
  std::ptrdiff_t stride_ = 0;  // blocks from one outer site to the next
  int log_fours_ = 0;          // of a block
  int parts_ = 1;              // blocks of a block of the whole
};
#endif

namespace detail {

/// The view of a field for kernels over shared_lanes_t.  Columns on CPUs become sites of Part, of which there may be
/// several at a site; all others stay as they are.
template <template <class> class Part, template <class> class SiteT, class T, class Lanes>
auto shared_view(const FieldView<SiteT, T, Lanes>& view) {
  if constexpr (holds_fours<Lanes>) {
    return FieldView<Part, T, FourColumns>(view);
  } else if constexpr (Lanes::holds_columns) {
    T* const data = view.unchecked_address(0, 0);
    const auto stride = (view.unchecked_address(1, 0) - data) / view.block;
    return FieldView<SiteT, T, SiteLanes>(data, 0, int(stride));
  } else {
    return view;
  }
}

/// How many groups of components such kernels are called for at each site.  Whoever launches over the groups of the
/// field itself calls by_shared_groups(kernel).
template <template <class> class Part, template <class> class SiteT, class T, class Lanes>
int shared_groups(const Field<SiteT, T, Lanes>& field) {
  constexpr int fours = Lanes::lanes / FourColumns::lanes;
  return field.n_groups() * (holds_fours<Lanes> ? parts_of<Part, SiteT> * fours : 1);
}

/// Calls a kernel for each of the shared groups of a group.
template <class Kernel>
struct BySharedGroups {
  Kernel kernel;
  int n;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int group) const {
    for (int k = 0; k < n; ++k) kernel(x, group * n + k);
  }
};
template <template <class> class Part, class Kernel, class F>
auto by_shared_groups(const Kernel& kernel, const F& field) {
  if constexpr (holds_fours<typename F::Lanes>)
    return BySharedGroups<Kernel>{kernel, shared_groups<Part>(field) / field.n_groups()};
  else
    return kernel;
}

}  // namespace detail

}  // namespace kov
