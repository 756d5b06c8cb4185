// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo.hpp"

#include "kov/stencil/halo/face_exchange.hpp"

namespace kov {

namespace {

/// The halo of a field as kernels read it; without an exchange there is none.
template <class View, class T>
View halo_view(T* data, const detail::FaceExchange<T>* exchange, int n_components,
               [[maybe_unused]] const std::string& field) {
  View halo(data, 0, n_components);
  if constexpr (detail::checks_bounds)
    halo.set_extents(exchange ? exchange->n_blocks() : 0, n_components, "the halo of " + field);
  return halo;
}

/// Checks that all ranks make the same halo, and makes it where there is one.
template <class T>
std::shared_ptr<detail::FaceExchange<T>> make_exchange(const Lattice& lattice, const Stencil& stencil,
                                                       const detail::FaceShape& shape, const HaloChoice& choice) {
  const bool matrices = shape.n_reals == 2 * ColorMatrix<T>::n_complex;
  const auto wire = choice.wire.value_or(matrices ? HaloOptions::Wire::full : lattice.halo_options().wire);
  lattice.comm().require_same(
      "a halo",
      sentence(stencil.name(), "complex numbers", shape.n_reals / 2, "bytes", sizeof(T), "components",
               shape.n_components, "wire", int(wire), "legs read", in_words(choice.legs)),
      lattice.halo_options().timeout_seconds);
  for (const int leg : choice.legs)
    require(0 <= leg && leg < int(stencil.legs().size()), "a halo was asked for leg", leg, "of a stencil of",
            stencil.legs().size(), "legs: they count from 0");
  if (!stencil.halo().any()) return nullptr;
  return std::make_shared<detail::FaceExchange<T>>(lattice, stencil, shape, wire, choice.legs);
}

}  // namespace

template <template <class> class SiteT, class T>
Halo<SiteT, T>::Halo(const Lattice& lattice, const Stencil& stencil, int n_components, const HaloChoice& choice)
    : exchange_(make_exchange<T>(lattice, stencil, {2 * View::n_complex, default_lanes, false, n_components}, choice)) {
}

template <template <class> class SiteT, class T>
std::vector<std::size_t> Halo<SiteT, T>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class T>
int Halo<SiteT, T>::shared_faces() const {
  return exchange_ ? exchange_->shared_faces() : 0;
}

template <template <class> class SiteT, class T>
const TuneKey& Halo<SiteT, T>::tune_key() const {
  return exchange_->tune_key();
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T> Halo<SiteT, T>::begin(const Field<SiteT, T>& field) const {
  const View view = field.view();
  T* halo = nullptr;
  if (exchange_)
    halo = exchange_->begin(detail::SiteBlocks<T>::of(view), field.subset(), field.n_components(), field.name());
  return {view, halo_view<View>(halo, exchange_.get(), field.n_components(), field.name())};
}

template <template <class> class SiteT, class T>
void Halo<SiteT, T>::finish() const {
  if (exchange_) exchange_->finish();
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T> Halo<SiteT, T>::exchange(const Field<SiteT, T>& field) const {
  const auto neighbours = begin(field);
  finish();
  return neighbours;
}

template <template <class> class SiteT, class T, int W>
BlockHalo<SiteT, T, W>::BlockHalo(const Lattice& lattice, int n_columns, const HaloChoice& choice) {
  const Stencil& stencil = has_packs ? Stencil::of_columns(lattice) : Stencil::of(lattice);
  const int width = BlockField<SiteT, T, W>::width;
  const int n_groups = (n_columns + width - 1) / width;
  exchange_ = make_exchange<T>(lattice, stencil,
                               {2 * View::n_complex, BlockView<SiteT, T, W>::lanes, has_packs, n_groups}, choice);
}

template <template <class> class SiteT, class T, int W>
std::vector<std::size_t> BlockHalo<SiteT, T, W>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class T, int W>
const TuneKey& BlockHalo<SiteT, T, W>::tune_key() const {
  return exchange_->tune_key();
}

template <template <class> class SiteT, class T, int W>
BlockNeighbourView<SiteT, T, W> BlockHalo<SiteT, T, W>::begin(const BlockField<SiteT, T, W>& field) const {
  const BlockView<SiteT, T, W> view = field.view();
  T* halo = nullptr;
  if (exchange_)
    halo = exchange_->begin(detail::SiteBlocks<T>::of(view.base()), field.subset(), field.n_groups(), field.name());
  return {view, BlockView<SiteT, T, W>(halo_view<View>(halo, exchange_.get(), field.n_groups(), field.name()))};
}

template <template <class> class SiteT, class T, int W>
void BlockHalo<SiteT, T, W>::finish() const {
  if (exchange_) exchange_->finish();
}

template <template <class> class SiteT, class T, int W>
BlockNeighbourView<SiteT, T, W> BlockHalo<SiteT, T, W>::exchange(const BlockField<SiteT, T, W>& field) const {
  const auto neighbours = begin(field);
  finish();
  return neighbours;
}

template class Halo<Scalar, float>;
template class Halo<Scalar, double>;
template class Halo<ColorVector, float>;
template class Halo<ColorVector, double>;
template class Halo<AdjointVector, float>;
template class Halo<AdjointVector, double>;
template class Halo<ColorMatrix, float>;
template class Halo<ColorMatrix, double>;
template class Halo<Spinor, float>;
template class Halo<Spinor, double>;
template class Halo<HalfSpinor, float>;
template class Halo<HalfSpinor, double>;
template class Halo<SpinMatrix, float>;
template class Halo<SpinMatrix, double>;
template class BlockHalo<ColorVector, float, 4>;
template class BlockHalo<ColorVector, float, 8>;
template class BlockHalo<ColorVector, double, 4>;
template class BlockHalo<ColorVector, double, 8>;
template class BlockHalo<Spinor, float, 4>;
template class BlockHalo<Spinor, float, 8>;
template class BlockHalo<Spinor, float, 16>;
template class BlockHalo<Spinor, double, 4>;
template class BlockHalo<Spinor, double, 8>;
#if defined(KOKKOS_ENABLE_CUDA)
template class BlockHalo<ColorVector, float, 32>;
template class BlockHalo<ColorVector, double, 32>;
template class BlockHalo<Spinor, float, 32>;
template class BlockHalo<Spinor, double, 32>;
#endif

}  // namespace kov
