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
                                                       const detail::FaceShape& shape, bool as_it_is,
                                                       const HaloChoice& choice) {
  const auto wire = choice.wire.value_or(as_it_is ? HaloOptions::Wire::full : lattice.halo_options().wire);
  lattice.comm().require_same(
      "a halo",
      sentence(stencil.name(), "numbers", shape.n_reals, "bytes", sizeof(T), "components", shape.n_components, "wire",
               int(wire), "legs read", in_words(choice.legs), "other parity", int(choice.other_parity)),
      lattice.halo_options().timeout_seconds);
  for (const int leg : choice.legs)
    require(0 <= leg && leg < int(stencil.legs().size()), "a halo was asked for leg", leg, "of a stencil of",
            stencil.legs().size(), "legs: they count from 0");
  if (!stencil.halo().any()) return nullptr;
  return std::make_shared<detail::FaceExchange<T>>(lattice, stencil, shape, wire, choice.legs, choice.other_parity);
}

}  // namespace

template <template <class> class SiteT, class Storage, class Lanes>
Halo<SiteT, Storage, Lanes>::Halo(const Lattice& lattice, const Stencil& stencil, int n_components,
                                  const HaloChoice& choice) {
  using Codec = kov::Codec<SiteT, Storage>;
  using Stored = typename F::Stored;
  const int n_groups = (n_components + Lanes::width - 1) / Lanes::width;
  const detail::FaceShape shape{Codec::n_stored - Codec::shape.n_scale, Codec::shape.n_scale, Lanes::lanes,
                                has_packs && Lanes::holds_columns, n_groups};
  const bool matrices = std::is_same_v<SiteT<float>, ColorMatrix<float>>;
  exchange_ = make_exchange<Stored>(lattice, stencil, shape, matrices || !Codec::is_plain, choice);
}

template <template <class> class SiteT, class Storage, class Lanes>
std::vector<std::size_t> Halo<SiteT, Storage, Lanes>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class Storage, class Lanes>
int Halo<SiteT, Storage, Lanes>::shared_faces() const {
  return exchange_ ? exchange_->shared_faces() : 0;
}

template <template <class> class SiteT, class Storage, class Lanes>
const TuneKey& Halo<SiteT, Storage, Lanes>::tune_key() const {
  return exchange_->tune_key();
}

template <template <class> class SiteT, class Storage, class Lanes>
typename Halo<SiteT, Storage, Lanes>::Neighbours Halo<SiteT, Storage, Lanes>::begin(const F& field,
                                                                                    const Exec& exec) const {
  using Stored = typename F::Stored;
  const View view = field.view();
  Stored* halo = nullptr;
  if (exchange_)
    halo = exchange_->begin(detail::SiteBlocks<Stored>::of(view), field.subset(), field.n_groups(), field.name(), exec);
  return {view, halo_view<View>(halo, exchange_.get(), field.n_groups(), field.name())};
}

template <template <class> class SiteT, class Storage, class Lanes>
void Halo<SiteT, Storage, Lanes>::finish(const Exec& exec) const {
  if (exchange_) exchange_->finish(exec);
}

template <template <class> class SiteT, class Storage, class Lanes>
typename Halo<SiteT, Storage, Lanes>::Neighbours Halo<SiteT, Storage, Lanes>::exchange(const F& field,
                                                                                       const Exec& exec) const {
  const auto neighbours = begin(field, exec);
  finish(exec);
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
template class Halo<ColorMatrix, Links12<float>>;
template class Halo<ColorMatrix, Links12<double>>;
template class Halo<ColorMatrix, Fixed16>;
template class Halo<ColorVector, Fixed16>;
template class Halo<Spinor, Fixed16>;
template class Halo<ColorVector, float, ColumnLanes<4>>;
template class Halo<ColorVector, float, ColumnLanes<8>>;
template class Halo<ColorVector, float, ColumnLanes<16>>;
template class Halo<ColorVector, double, ColumnLanes<4>>;
template class Halo<ColorVector, double, ColumnLanes<8>>;
template class Halo<ColorVector, double, ColumnLanes<16>>;
template class Halo<Spinor, float, ColumnLanes<4>>;
template class Halo<Spinor, float, ColumnLanes<8>>;
template class Halo<Spinor, float, ColumnLanes<16>>;
template class Halo<Spinor, double, ColumnLanes<4>>;
template class Halo<Spinor, double, ColumnLanes<8>>;
template class Halo<Spinor, double, ColumnLanes<16>>;

}  // namespace kov
