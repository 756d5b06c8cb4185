// SPDX-License-Identifier: MIT
#include "kov/core/field/field.hpp"

namespace kov::detail {

FieldHandle::FieldHandle(const Lattice& lattice, const std::string& name, int n_components, Subset subset,
                         const FieldBlocks& blocks, const Exec* exec)
    : name(name), subset(subset), n_components(n_components), lattice_(Shared::copy_of(lattice)) {
  require(n_components > 0, "a field of", n_components, "components holds nothing: ask for at least one");
  stride = n_groups(blocks);
  const std::size_t n_blocks = std::size_t(layout(blocks).range(subset).n_outer / blocks.outers) * std::size_t(stride);
  const std::size_t bytes = bytes_of(n_blocks, blocks.bytes);
  data_ = Shared(exec ? allocate(name, bytes, *exec) : allocate(name, bytes));
  first = data_.get();
}

FieldHandle::FieldHandle(const FieldHandle&) = default;
FieldHandle::FieldHandle(FieldHandle&&) noexcept = default;
FieldHandle& FieldHandle::operator=(FieldHandle&&) noexcept = default;
FieldHandle::~FieldHandle() = default;

const Lattice& FieldHandle::lattice() const {
  if (!lattice_.get())
    throw InputError(
        "an empty field was used, which has no memory: make it on a lattice, with like() of another field or from an "
        "expression first");
  return *static_cast<const Lattice*>(lattice_.get());
}

FieldHandle FieldHandle::components(int k, int n, const FieldBlocks& blocks) const {
  lattice();
  require(k >= 0 && n > 0 && k + n <= n_components, "components", k, "to", k + n - 1, "of", name,
          "do not exist: it has", n_components);
  require(k % blocks.columns == 0 && (n % blocks.columns == 0 || k + n == n_components), "components", k, "to",
          k + n - 1, "of", name, "do not fill packs of", blocks.columns,
          "columns, so they cannot be a field of their own: copy them with copy_components()");
  FieldHandle part(*this);
  part.n_components = n;
  part.first = static_cast<std::byte*>(first) + std::size_t(k / blocks.width) * blocks.bytes;
  return part;
}

FieldHandle FieldHandle::half(Subset parity, const FieldBlocks& blocks) const {
  require(subset == Subset::all || subset == parity, name,
          "has only one parity and was asked for the other: take the one that it has, or a full field");
  const Layout& all = layout(blocks);
  const int skipped = (all.range(parity).first - all.range(subset).first) / blocks.outers;
  FieldHandle part(*this);
  part.subset = parity;
  part.first = static_cast<std::byte*>(first) + std::size_t(skipped) * std::size_t(stride) * blocks.bytes;
  return part;
}

bool FieldHandle::conforms(const FieldHandle& other) const {
  return lattice() == other.lattice() && subset == other.subset && n_components == other.n_components;
}

}  // namespace kov::detail
