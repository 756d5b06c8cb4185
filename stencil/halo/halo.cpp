// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo.hpp"

#include "kov/stencil/halo/face_exchange.hpp"

namespace kov {

namespace {

/// The view of a field's halo; empty without an exchange.
template <class View, class T>
View halo_view(T* data, const detail::FaceExchange<T>* exchange, int n_components,
               [[maybe_unused]] const std::string& field) {
  View halo(data, 0, n_components);
  if constexpr (detail::checks_bounds)
    halo.set_extents(exchange ? exchange->n_outer() : 0, n_components, "the halo of " + field);
  return halo;
}

/// Checks that all ranks ask for the same halo and makes its exchange; null if no neighbour is in a halo.
template <class T>
std::shared_ptr<detail::FaceExchange<T>> make_exchange(const Lattice& lattice, const Stencil& stencil,
                                                       const detail::HeldSites& sites, bool as_it_is,
                                                       const HaloChoice& choice) {
  const detail::FaceShape& shape = sites.held;
  const auto wire = choice.wire.value_or(as_it_is ? ExchangeOptions::Wire::full : lattice.exchange_options().wire);
  lattice.comm().require_same(
      "a halo",
      sentence(stencil.name(), "numbers", shape.n_reals, "bytes", sizeof(T), "components", shape.n_components, "wire",
               int(wire), "legs read", to_text(choice.legs), "other parity", int(choice.other_parity)),
      lattice.exchange_options().timeout_seconds);
  for (const int leg : choice.legs)
    require(0 <= leg && leg < int(stencil.legs().size()), "a halo was asked for leg", leg, "of a stencil of",
            stencil.legs().size(), "legs: they count from 0");
  if (!stencil.halo().any()) return nullptr;
  return std::make_shared<detail::FaceExchange<T>>(lattice, stencil, sites, wire, choice.legs, choice.other_parity);
}

/// The numbers that a site with n_components is stored as.
template <template <class> class SiteT, class Storage, class Lanes>
detail::FaceShape face_shape(int n_components) {
  using Codec = kov::Codec<SiteT, Storage>;
  using View = FieldView<SiteT, Storage, Lanes>;
  return {Codec::n_stored - Codec::shape.n_scale,
          Codec::shape.n_scale,
          View::row,
          View::outers,
          has_packs && Lanes::holds_columns,
          (n_components + Lanes::width - 1) / Lanes::width};
}

/// The reals that a compressor keeps of a site: [variant][leg][real].
template <class Compressor>
std::vector<detail::HeldReal> held_reals(const Stencil& stencil) {
  std::vector<detail::HeldReal> all;
  for (int variant = 0; variant < Compressor::n_variants; ++variant)
    for (int leg = 0; leg < int(stencil.legs().size()); ++leg) {
      const auto reals = Compressor::held(leg, variant);
      all.insert(all.end(), reals.begin(), reals.end());
    }
  return all;
}

}  // namespace

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
Halo<SiteT, Storage, Lanes, Compressor>::Halo(const Lattice& lattice, const Stencil& stencil, int n_components,
                                              const HaloChoice& choice) {
  using Stored = typename F::Stored;
  constexpr bool matrices = std::is_same_v<SiteT<float>, ColorMatrix<float>>;
  detail::HeldSites sites{.site = face_shape<SiteT, Storage, Lanes>(n_components),
                          .held = face_shape<SiteT, Storage, Lanes>(n_components)};
  if constexpr (!Compressor::is_whole) {
    require(Compressor::fits(stencil.legs()), "a halo of projected spinors was asked for the", stencil.name(),
            ": it needs eight straight legs in the order +x -x +y -y +z -z +t -t");
    sites.held = face_shape<Compressor::template Held, Storage, Lanes>(n_components);
    sites.reals = held_reals<Compressor>(stencil);
  }
  exchange_ = make_exchange<Stored>(lattice, stencil, sites, matrices || !Codec<SiteT, Storage>::is_plain, choice);
  if constexpr (!Compressor::is_whole)
    zeros_ =
        Buffer<Stored>("zeros", std::size_t(View::block - FieldView<Compressor::template Held, Storage, Lanes>::block));
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
std::vector<std::size_t> Halo<SiteT, Storage, Lanes, Compressor>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
int Halo<SiteT, Storage, Lanes, Compressor>::shared_faces() const {
  return exchange_ ? exchange_->shared_faces() : 0;
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
std::string Halo<SiteT, Storage, Lanes, Compressor>::transport_name() const {
  return exchange_->transport_name();
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
const HaloLaunches& Halo<SiteT, Storage, Lanes, Compressor>::launches(Tuner& tuner, const HaloReader& reader) const {
  return exchange_->launches(tuner, reader);
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
auto Halo<SiteT, Storage, Lanes, Compressor>::begin(const F& field, int variant, const Exec& exec) const -> Neighbours {
  using Stored = typename F::Stored;
  require(0 <= variant && variant < Compressor::n_variants, "a halo was asked for variant", variant,
          "of its compressor, which has", Compressor::n_variants, ": variants count from 0");
  const View view = field.view();
  const int n = field.n_groups();
  Stored* halo = nullptr;
  if (exchange_)
    halo = exchange_->begin(detail::SiteBlocks<Stored>::of(view), field.subset(), n, field.name(), variant, exec);
  if constexpr (Compressor::is_whole)
    return {view, halo_view<View>(halo, exchange_.get(), n, field.name())};
  else
    return {view, halo_view<typename Neighbours::HalfView>(halo, exchange_.get(), n, field.name()), zeros_.data()};
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
void Halo<SiteT, Storage, Lanes, Compressor>::finish(const Exec& exec) const {
  if (exchange_) exchange_->finish(exec);
}

template <template <class> class SiteT, class Storage, class Lanes, class Compressor>
auto Halo<SiteT, Storage, Lanes, Compressor>::exchange(const F& field, int variant, const Exec& exec) const
    -> Neighbours {
  const auto neighbours = begin(field, variant, exec);
  finish(exec);
  return neighbours;
}

template class Halo<Scalar, float>;
template class Halo<Scalar, double>;
#define KOV_INSTANTIATE(T, Lanes)               \
  template class Halo<AdjointVector, T, Lanes>; \
  template class Halo<ColorVector, T, Lanes>;   \
  template class Halo<Spinor, T, Lanes>;        \
  template class Halo<Spinor, T, Lanes, SpinProjection>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template class Halo<ColorMatrix, float>;
template class Halo<ColorMatrix, double>;
template class Halo<HalfSpinor, float>;
template class Halo<HalfSpinor, double>;
template class Halo<SpinMatrix, float>;
template class Halo<SpinMatrix, double>;
template class Halo<ColorMatrix, Links12<float>>;
template class Halo<ColorMatrix, Links12<double>>;
template class Halo<ColorMatrix, Links8<float>>;
template class Halo<ColorMatrix, Links8<double>>;
template class Halo<ColorMatrix, Links12<Fixed16>>;
template class Halo<ColorMatrix, Links8<Fixed16>>;
template class Halo<ColorMatrix, Fixed16>;
template class Halo<ColorVector, Fixed16>;
template class Halo<Spinor, Fixed16>;
template class Halo<Spinor, Fixed16, SiteLanes, SpinProjection>;
template class Halo<Spinor, Fixed8, SiteLanes, SpinProjection>;

}  // namespace kov
