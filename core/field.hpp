// SPDX-License-Identifier: MIT
//
// Field: SiteT objects on the sites of a lattice.  Copies are handles to the same memory; clone() copies data.
#pragma once

#include "kov/core/field_view.hpp"
#include "kov/core/lattice.hpp"

#include <string>

namespace kov {

/// What a field can be assigned site by site: the expressions of kov/stencil/expression.hpp.
template <class E>
concept SiteExpression = requires {
  typename E::SiteExpressionTag;
};

/// n_components objects SiteT<T> per site: 1 for a fermion, 4 for links, 12 for a propagator.
///
/// T: float or double.  N: lanes; default_lanes goes with Lattice::layout(), 1 with Lattice::column_layout().
template <template <class> class SiteT, class T, int N = default_lanes>
class Field {
 public:
  using Real = T;
  using View = FieldView<SiteT, T, N>;
  static constexpr int lanes = N;
  static constexpr int n_complex = View::n_complex;

  Field() = default;
  /// Zero-initialised.  name shows in error messages and profiles.
  Field(const Lattice& lattice, const std::string& name, int n_components = 1, Subset subset = Subset::all)
      : lattice_(std::make_shared<const Lattice>(lattice)),
        name_(name),
        subset_(subset),
        n_components_(n_components),
        stride_(n_components),
        data_(name, std::size_t(layout().range(subset).n_outer) * n_components * View::block),
        first_(data_.data()) {}

  Field(const Field&) = default;
  Field(Field&&) = default;
  /// Makes this handle one to the other's memory; copy() of kov/core/field_ops.hpp copies data.  Not for
  /// temporaries, where it would do nothing: a.even() = b does not compile.
  Field& operator=(const Field&) & = default;
  Field& operator=(Field&&) & = default;
  /// Writes the value of an expression into this field's memory, on its sites: one kernel.  See assign() in
  /// kov/stencil/data_parallel.hpp, which must be included.
  template <SiteExpression E>
  const Field& operator=(const E& expression) const {
    assign(expression, *this);
    return *this;
  }
  template <class E>
  requires requires(const Field& f, const E& e) { assign(f + e, f); }
  const Field& operator+=(const E& expression) const {
    assign(*this + expression, *this);
    return *this;
  }
  template <class E>
  requires requires(const Field& f, const E& e) { assign(f - e, f); }
  const Field& operator-=(const E& expression) const {
    assign(*this - expression, *this);
    return *this;
  }

  const Lattice& lattice() const { return *lattice_; }
  const Layout& layout() const {
    if constexpr (N == default_lanes)
      return lattice_->layout();
    else
      return lattice_->column_layout();
  }
  const std::string& name() const { return name_; }
  Subset subset() const { return subset_; }
  int n_components() const { return n_components_; }
  SiteRange range() const { return layout().range(subset_); }

  View view() const { return {first_, range().first, stride_}; }

  /// One component, which shares memory with this field.
  Field column(int k) const { return components(k, 1); }
  /// Components k, ..., k + n - 1, likewise.
  Field components(int k, int n) const {
    require(k >= 0 && n > 0 && k + n <= n_components_, "components", k, "to", k + n - 1, "of", name_,
            "do not exist: it has", n_components_);
    Field part = *this;
    part.n_components_ = n;
    part.first_ = first_ + std::size_t(k) * View::block;
    return part;
  }
  /// The sites of one parity, which share memory with this field.
  Field even() const { return half(Subset::even); }
  Field odd() const { return half(Subset::odd); }
  Field half(Subset parity) const {
    require(subset_ == Subset::all || subset_ == parity, name_, "has only one parity and was asked for the other");
    Field part = *this;
    part.subset_ = parity;
    part.first_ = view().address(layout().range(parity).first, 0);
    return part;
  }

  /// A new field of the same shape, zero.
  Field like(const std::string& name) const { return Field(*lattice_, name, n_components_, subset_); }
  /// A new field with the same data.
  Field clone(const std::string& name) const;
  /// Whether another field has the same lattice, sites and components.
  bool conforms(const Field& other) const {
    return *lattice_ == *other.lattice_ && subset_ == other.subset_ && n_components_ == other.n_components_;
  }

  /// Contiguous means: all components of this handle are all components in memory.
  bool contiguous() const { return n_components_ == stride_; }
  std::size_t n_reals() const { return std::size_t(range().n_outer) * n_components_ * View::block; }
  T* data() const { return first_; }

 private:
  std::shared_ptr<const Lattice> lattice_;
  std::string name_;
  Subset subset_ = Subset::all;
  int n_components_ = 0, stride_ = 0;
  Buffer<T> data_;
  T* first_ = nullptr;
};

/// A host copy of a field's memory with a view that works on it: how host code reads and writes sites.
template <template <class> class SiteT, class T, int N = default_lanes>
class HostField {
 public:
  /// Copies the field to the host (or shares its memory where kernels run on the host).
  explicit HostField(const Field<SiteT, T, N>& field);
  /// site is a LaneSite of the field's layout.
  FieldView<SiteT, T, N> view() const { return view_; }
  /// Copies what was written back to the field.
  void commit() const;

 private:
  Field<SiteT, T, N> field_;
  std::vector<T> copy_;
  FieldView<SiteT, T, N> view_;
};

/// The four link matrices U_mu(x) per site, mu = 0..3, SU(3), without boundary phases.
template <class T>
using GaugeField = Field<ColorMatrix, T>;
template <class T>
using SpinorField = Field<Spinor, T>;

template <template <class> class SiteT, class T, int N>
HostField<SiteT, T, N>::HostField(const Field<SiteT, T, N>& field) : field_(field) {
  require(field.contiguous(), "a host copy of some components of", field.name(), "was asked for: take all of them");
  const SiteRange range = field.range();
  if constexpr (unified_memory) {
    Kokkos::fence("host field");
    view_ = field.view();
  } else {
    copy_.resize(field.n_reals());
    detail::copy_to_host(copy_.data(), field.data(), copy_.size() * sizeof(T));
    view_ = {copy_.data(), range.first, field.n_components()};
  }
}

template <template <class> class SiteT, class T, int N>
void HostField<SiteT, T, N>::commit() const {
  if constexpr (!unified_memory) detail::copy_to_device(field_.data(), copy_.data(), copy_.size() * sizeof(T));
}

}  // namespace kov
