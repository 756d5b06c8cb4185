// SPDX-License-Identifier: MIT
//
// Field: SiteT objects on the sites of a lattice.  A field is a handle to its memory: alias() is another one to the
// same memory, clone() copies the data.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/field_statements.hpp"
#include "kov/core/field/field_view.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace kov {

namespace detail {
/// How the sites of a type of field lie in memory.
struct FieldBlocks {
  std::size_t bytes;  // of a block
  int outers, width;  // outer sites and components that share it
  int columns;        // a part of a field begins at a multiple of this many components
  bool in_column_layout;
};

/// The part of a field that does not depend on the type of its sites: compiled once.
class FieldHandle {
 public:
  FieldHandle() = default;
  /// exec: of the kernels that use its memory; nullptr where those of any instance may do.
  FieldHandle(const Lattice& lattice, const std::string& name, int n_components, Subset subset,
              const FieldBlocks& blocks, const Exec* exec = nullptr);
  FieldHandle(const FieldHandle&);
  FieldHandle(FieldHandle&&) noexcept;
  FieldHandle& operator=(FieldHandle&&) noexcept;
  ~FieldHandle();

  /// Throws InputError for an empty field.
  const Lattice& lattice() const;
  const Layout& layout(const FieldBlocks& blocks) const {
    return blocks.in_column_layout ? lattice().column_layout() : lattice().layout();
  }
  int n_groups(const FieldBlocks& blocks) const { return (n_components + blocks.width - 1) / blocks.width; }
  FieldHandle components(int k, int n, const FieldBlocks& blocks) const;
  FieldHandle half(Subset parity, const FieldBlocks& blocks) const;
  bool conforms(const FieldHandle& other) const;

  std::string name;
  Subset subset = Subset::all;
  int n_components = 0, stride = 0;  // stride: see FieldView
  void* first = nullptr;

 private:
  Shared lattice_, data_;
};
}  // namespace detail

/// n_components objects of SiteT per site: 1 for a fermion, 4 for links, 12 for a propagator.  Components are columns:
/// every operator works on each of them.
///
/// Storage: float, double or another codec (kov/core/field/codec.hpp).  Lanes: SiteLanes, or ColumnLanes<W>, which
/// packs W columns and is faster on CPUs for many of them; the last pack is filled up with columns that are zero and
/// stay zero under linear operators.
template <template <class> class SiteT, class StorageT, class LanesT = SiteLanes>
class Field {
 public:
  using Storage = StorageT;
  using Lanes = LanesT;
  using View = FieldView<SiteT, Storage, kernel_lanes_t<Lanes>>;
  /// What kernels compute in, and what memory is counted in.
  using Real = typename View::Real;
  using Stored = typename View::Stored;
  static constexpr int n_complex = View::n_complex;

  /// An empty field, for one to be moved into; everything else throws InputError.
  Field() = default;
  /// Zero-initialised.  name shows in error messages and profiles.
  Field(const Lattice& lattice, const std::string& name, int n_components = 1, Subset subset = Subset::all)
      : handle_(lattice, name, n_components, subset, blocks) {}

  /// The same for kernels on exec alone, until the last handle is gone: zeroed there without waiting for others. Before
  /// it goes, exec has to be ordered after those that used it nevertheless.
  Field(const Lattice& lattice, const std::string& name, int n_components, Subset subset, const Exec& exec)
      : handle_(lattice, name, n_components, subset, blocks, &exec) {}

  /// The value of an expression, on its lattice, sites and components: SpinorField<double> y = 2.0 * x.
  template <SiteExpression E>
  Field(const E& expression, const std::string& name = "value of an expression") {  // NOLINT: meant to be implicit
    if constexpr (detail::can_state<Field, E>()) *this = evaluate(expression, name, std::type_identity<Field>());
  }

  /// Another handle to the same memory.  Explicit, so that lambdas, containers and copies of structs hold handles,
  /// while y = x does not compile: the next constructor says why.
  explicit Field(const Field&) = default;
  template <detail::AnyField F>
  Field(const F&) {  // NOLINT: so that the message below is all that the compiler prints
    if constexpr (std::is_same_v<F, Field>)
      static_assert(detail::never<F>,
                    "a field is not copied by y = x, by value into a function or into braces: say x.clone(name) for a "
                    "copy of the data, x.alias() for another handle to the same memory");
    else
      static_assert(
          detail::never<F>,
          "these two fields hold different types: convert(from, to) of kov/core/field/convert.hpp changes the "
          "precision");
  }
  Field(Field&&) = default;
  /// Lets a function return a const local.
  Field(const Field&& other) : Field(other) {}
  /// Makes this handle one to the memory of a temporary: y = x.alias(), y = x.like("y").  Handles that are temporaries
  /// cannot be assigned to, because that would do nothing: a.even() = b.odd() does not compile.
  Field& operator=(Field&&) & = default;
  Field& operator=(const Field&) const volatile& = delete;  // the templates that follow match better and say why
  /// Writes the value of an expression into this field's memory, on its sites: one kernel, which assign() launches; see
  /// field_statements.hpp, also for the operators below.  y = x of two fields does not compile, as it could mean either
  /// of two things.
  template <class E>
  requires(SiteExpression<E> || detail::AnyField<E>) const Field& operator=(const E& e) const& {
    if constexpr (std::is_same_v<E, Field>)
      static_assert(
          detail::never<E>,
          "y = x of two fields could mean two things: say copy(x, y) of kov/core/vectors/field_ops.hpp to copy the "
          "data, y = x.alias() to make y a handle to the memory of x");
    else if constexpr (detail::AnyField<E>)
      static_assert(
          detail::never<E>,
          "these two fields hold different types: convert(from, to) of kov/core/field/convert.hpp changes the "
          "precision");
    else if constexpr (detail::can_state<Field, E>())
      assign(e, *this);
    return *this;
  }
  /// The same for a handle that is not const, for which the move assignment would match too.
  template <class E>
  requires(SiteExpression<E> || detail::AnyField<E>) const Field& operator=(const E& e) & {
    return std::as_const(*this) = e;
  }
  /// x += e is x = x + e.
  template <class E>
  const Field& operator+=(const E& e) const {
    if constexpr (detail::can_state<Field, E>()) assign(*this + e, *this);
    return *this;
  }
  template <class E>
  const Field& operator-=(const E& e) const {
    if constexpr (detail::can_state<Field, E>()) assign(*this - e, *this);
    return *this;
  }
  /// Scales in place by a real or complex number.
  template <class C>
  const Field& operator*=(const C& c) const {
    if constexpr (detail::can_scale<Field, C>()) assign(c * *this, *this);
    return *this;
  }
  template <class C>
  const Field& operator/=(const C& c) const {
    if constexpr (detail::can_scale<Field, C>()) assign(*this / c, *this);
    return *this;
  }

  const Lattice& lattice() const { return handle_.lattice(); }
  const Layout& layout() const { return handle_.layout(blocks); }
  const std::string& name() const { return handle_.name; }
  Subset subset() const { return handle_.subset; }
  int n_components() const { return handle_.n_components; }
  /// Groups of components that share a block of memory, which kernels loop over: see FieldView.
  int n_groups() const { return handle_.n_groups(blocks); }
  SiteRange range() const { return layout().range(subset()); }

  View view() const {
    const SiteRange sites = range();
    View v(data(), sites.first, handle_.stride);
    v.set_extents(sites.n_outer, n_groups(), name());
    return v;
  }
  /// The same memory as sites of Part, of which a site has n: group g is their groups n g, ..., n g + n - 1.  For
  /// kernels that are compiled once for several types of site.
  template <template <class> class Part>
  FieldView<Part, Storage, Lanes> view_of_parts() const requires(View::Codec::is_plain) {
    constexpr int n = detail::parts_of<Part, SiteT>;
    static_assert(n * Part<Real>::n_complex == View::n_complex);
    const SiteRange sites = range();
    FieldView<Part, Storage, Lanes> v(data(), sites.first, n * handle_.stride);
    v.set_extents(sites.n_outer, n * n_groups(), name());
    return v;
  }

  /// Another handle to the same memory.
  Field alias() const { return Field(*this); }
  /// One component, which shares memory with this field.  Not for columns in lanes: copy_components() of
  /// kov/core/field/convert.hpp copies them out.
  Field column(int k) const { return components(k, 1); }
  /// Components k, ..., k + n - 1, which share memory with this field; of columns in lanes, whole packs only.  Throws
  /// InputError for components that do not exist or are not whole packs.
  Field components(int k, int n) const { return Field(handle_.components(k, n, blocks)); }
  /// The sites of one parity, which share memory with this field.
  Field even() const { return half(Subset::even); }
  Field odd() const { return half(Subset::odd); }
  Field half(Subset parity) const { return Field(handle_.half(parity, blocks)); }

  /// A new field of the same shape, zero.
  Field like(const std::string& name) const { return Field(lattice(), name, n_components(), subset()); }
  /// The same for kernels on exec alone: to work in.
  Field like(const std::string& name, const Exec& exec) const {
    return Field(lattice(), name, n_components(), subset(), exec);
  }
  /// A new field with the same data.
  Field clone(const std::string& name) const;
  /// Whether another field has the same lattice, sites and components.
  bool conforms(const Field& other) const { return handle_.conforms(other.handle_); }

  /// Whether the components of this handle are all components in memory, without gaps between sites.
  bool contiguous() const { return n_groups() == handle_.stride; }
  /// Bytes of this handle's sites and components, padding included.
  std::size_t bytes() const {
    return std::size_t(range().n_outer / View::outers) * n_groups() * View::block * sizeof(Stored);
  }
  Stored* data() const { return static_cast<Stored*>(handle_.first); }

 private:
  static constexpr detail::FieldBlocks blocks{.bytes = View::block * sizeof(Stored),
                                              .outers = View::outers,
                                              .width = Lanes::width,
                                              .columns = Lanes::columns,
                                              .in_column_layout = Lanes::holds_columns && has_packs};
  explicit Field(detail::FieldHandle&& handle) : handle_(std::move(handle)) {}

  detail::FieldHandle handle_;
};

/// How host code is going to use a host copy.
enum class HostAccess {
  read_write,
  /// Every site is written before commit(), so the field is not copied to the host first.
  write_all
};

/// A host copy of a field's memory with a view that works on it: how host code reads and writes sites.
template <template <class> class SiteT, class Storage, class Lanes = SiteLanes>
class HostField {
 public:
  /// Copies the field to the host, except for write_all; where kernels run on the host it shares the field's memory.
  /// Throws InputError for a handle to some components of a field.
  explicit HostField(const Field<SiteT, Storage, Lanes>& field, HostAccess access = HostAccess::read_write);
  /// site is a LaneSite of the field's layout.
  typename Field<SiteT, Storage, Lanes>::View view() const { return view_; }
  /// Copies the host copy back to the field.
  void commit() const;

 private:
  Field<SiteT, Storage, Lanes> field_;
  std::shared_ptr<std::byte> copy_;
  typename Field<SiteT, Storage, Lanes>::View view_;
};

/// The four link matrices U_mu(x) per site, mu = 0..3, SU(3), without boundary phases.
template <class Storage>
using GaugeField = Field<ColorMatrix, Storage>;
/// Spinors psi_{s a}(x), spin s = 0..3 and colour a = 0..2: one for each component or, with ColumnLanes, each column.
template <class Storage, class Lanes = SiteLanes>
using SpinorField = Field<Spinor, Storage, Lanes>;

template <template <class> class SiteT, class Storage, class Lanes>
HostField<SiteT, Storage, Lanes>::HostField(const Field<SiteT, Storage, Lanes>& field, HostAccess access)
    : field_(field) {
  require(field.contiguous(), "a host copy of", field.name(),
          "was asked for, which is only some components of a field: copy the whole field");
  const SiteRange range = field.range();
  if constexpr (unified_memory) {
    Kokkos::fence("host field");
    view_ = field.view();
  } else {
    const std::size_t bytes = field.bytes();
    copy_ = detail::allocate_on_host("a host copy of " + field.name(), bytes);
    if (access == HostAccess::read_write) detail::copy_to_host(copy_.get(), field.data(), bytes);
    using Stored = typename Field<SiteT, Storage, Lanes>::Stored;
    view_ = {reinterpret_cast<Stored*>(copy_.get()), range.first, field.n_groups()};
    view_.set_extents(range.n_outer, field.n_groups(), field.name());
    // The last block of a parity may have lanes without a site.
    if (access == HostAccess::write_all)
      for (int last = range.part_outer - 1; last < range.n_outer; last += range.part_outer)
        std::fill_n(view_.address(range.first + last, 0), field.n_groups() * view_.block, Stored(0));
  }
}

template <template <class> class SiteT, class Storage, class Lanes>
void HostField<SiteT, Storage, Lanes>::commit() const {
  if constexpr (!unified_memory) detail::copy_to_device(field_.data(), copy_.get(), field_.bytes());
}

}  // namespace kov
