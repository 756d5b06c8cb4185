// SPDX-License-Identifier: MIT
#include "kov/stencil/halo.hpp"

#include "kov/stencil/halo_check.hpp"

#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace kov {

namespace detail {

/// Copies sites of one field to slots of another.  A slot is one lane, or, for blocks of columns, a whole outer site.
template <class View, bool whole_outer>
struct CopySites {
  static constexpr int lanes = View::block / (2 * View::n_complex);
  View from, to;
  const int *from_slots, *to_slots;  // absent: item j is slot j
  int n_components;

  KOKKOS_FUNCTION void operator()(int j) const {
    const int a = from_slots ? from_slots[j] : j, b = to_slots ? to_slots[j] : j;
    for (int c = 0; c < n_components; ++c) {
      if constexpr (whole_outer) {
        for (int k = 0; k < View::block; ++k) to.address(b, c)[k] = from.address(a, c)[k];
      } else {
        to.set(LaneSite{b / lanes, b % lanes}, from(LaneSite{a / lanes, a % lanes}, c), c);
      }
    }
  }
};

/// Host memory for a message that lives on a device; where kernels run on the host, the message itself.
class Stage {
 public:
  std::span<std::byte> of(void* device, std::size_t bytes) {
    device_ = device;
    if constexpr (unified_memory) return {static_cast<std::byte*>(device), bytes};
    if (host_.size() < bytes) host_.resize(bytes);
    return {host_.data(), bytes};
  }
  void from_device(std::span<std::byte> host) const {
    if constexpr (!unified_memory) copy_to_host(host.data(), device_, host.size());
  }
  void to_device(std::span<std::byte> host) const {
    if constexpr (!unified_memory) copy_to_device(device_, host.data(), host.size());
  }

 private:
  void* device_ = nullptr;
  std::vector<std::byte> host_;
};

/// The buffers of a halo and the way through them: gather, send, receive, check, scatter.  One message a face, for both
/// parities and all columns.
template <class View, bool whole_outer>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const Stencil& stencil, int n_components)
      : comm_(lattice.comm()),
        options_(lattice.halo_options()),
        legs_(stencil.legs()),
        plan_(stencil.halo()),
        n_components_(n_components),
        block_(std::size_t(n_components) * View::block),
        halo_("halo", std::size_t(plan_.n_blocks) * block_),
        send_("halo messages out", std::size_t(plan_.n_message_blocks) * block_) {
    bool in_place = true;
    for (const auto& face : plan_.faces) {
      in_place = in_place && face.in_place;
      Lists lists;
      for (std::size_t q = 0; q < 2; ++q) {
        lists.send[q] = Buffer<int>("halo list", face.send[q]);
        lists.receive[q] = Buffer<int>("halo list", face.receive[q]);
      }
      lists_.push_back(lists);
    }
    for (std::size_t q = 0; q < 2; ++q) {
      copy_from_[q] = Buffer<int>("halo list", plan_.copy_from[q]);
      copy_to_[q] = Buffer<int>("halo list", plan_.copy_to[q]);
    }
    if (!in_place) landing_ = Buffer<T>("halo messages in", std::size_t(plan_.n_message_blocks) * block_);
    incoming_.resize(plan_.faces.size());
    outgoing_.resize(plan_.faces.size());
  }

  int n_components() const { return n_components_; }

  /// Starts to fetch the neighbours in a subset; they are there after finish().
  View begin(const View& in, Subset subset) {
    require(!messages_, "a halo was asked to exchange while an exchange is going on: finish() that first");
    subset_ = subset;
    ++sequence_;
    checked_ = options_.checked_exchanges < 0 || sequence_ <= std::uint64_t(options_.checked_exchanges);
    const View halo(halo_.data(), 0, n_components_);
    for (std::size_t f = 0; f < plan_.faces.size(); ++f)
      for (std::size_t q = first_parity(); q < end_parity(); ++q)
        copy("halo_gather", plan_.faces[f].send[q].size(), in, blocks(send_, plan_.faces[f].first_block[q]),
             lists_[f].send[q].data(), nullptr);
    for (std::size_t q = first_parity(); q < end_parity(); ++q)
      copy("halo_local", plan_.copy_to[q].size(), in, halo, copy_from_[q].data(), copy_to_[q].data());
    messages_.emplace(comm_);
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_receive(f);
    Kokkos::fence("halo gathered");
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_send(f);
    return halo;
  }

  void finish() {
    const auto name = [&](int tag) { return message_name(std::size_t(tag) / 2); };
    std::optional<Comm::Exchange> messages = std::move(messages_);
    messages_.reset();
    messages->wait(options_.timeout_seconds, name);
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) {
      const auto& face = plan_.faces[f];
      if (checked_)
        verify(incoming_[f].trailer, incoming_[f].host, sequence_, face.leg, leg_name(legs_[std::size_t(face.leg)]),
               face.from_rank, comm_.rank());
      incoming_[f].stage.to_device(incoming_[f].host);
      if (face.in_place) continue;
      for (std::size_t q = first_parity(); q < end_parity(); ++q)
        copy("halo_scatter", face.receive[q].size(), blocks(landing_, face.first_block[q]),
             View(halo_.data(), 0, n_components_), nullptr, lists_[f].receive[q].data());
    }
  }

 private:
  using T = std::remove_pointer_t<decltype(View().address(0, 0))>;
  using Copy = CopySites<View, whole_outer>;
  struct Lists {
    std::array<Buffer<int>, 2> send, receive;
  };
  struct Message {
    Stage stage;
    std::span<std::byte> host;
    HaloTrailer trailer{};
  };

  std::size_t first_parity() const { return subset_ == Subset::odd ? 1 : 0; }
  std::size_t end_parity() const { return subset_ == Subset::even ? 1 : 2; }

  View blocks(const Buffer<T>& buffer, int block) const {
    return {buffer.data() + std::size_t(block) * block_, 0, n_components_};
  }
  /// The part of a message that the subset needs: the blocks of its parities, which lie one after the other.
  std::size_t bytes(const HaloPlan::Face& face) const {
    std::size_t n = 0;
    for (std::size_t q = first_parity(); q < end_parity(); ++q) n += std::size_t(face.n_blocks[q]);
    return n * block_ * sizeof(T);
  }
  void post_receive(std::size_t f) {
    const auto& face = plan_.faces[f];
    const std::size_t q = first_parity();
    const View to = face.in_place ? blocks(halo_, face.halo_block[q]) : blocks(landing_, face.first_block[q]);
    incoming_[f].host = incoming_[f].stage.of(to.address(0, 0), bytes(face));
    messages_->receive(incoming_[f].host, face.from_rank, 2 * int(f));
    if (checked_)
      messages_->receive(std::as_writable_bytes(std::span(&incoming_[f].trailer, 1)), face.from_rank, 2 * int(f) + 1);
  }
  void post_send(std::size_t f) {
    const auto& face = plan_.faces[f];
    Message& out = outgoing_[f];
    out.host = out.stage.of(blocks(send_, face.first_block[first_parity()]).address(0, 0), bytes(face));
    out.stage.from_device(out.host);
    std::optional<HaloFault::Kind> fault;
    if (checked_) {
      fault = take_halo_fault(comm_.rank(), face.leg);
      out.trailer = seal(out.host, fault == HaloFault::Kind::stale ? sequence_ - 1 : sequence_, face.leg);
      if (fault == HaloFault::Kind::flipped) out.host[out.host.size() / 2] ^= std::byte{4};
      messages_->send(std::as_bytes(std::span(&out.trailer, 1)), face.to_rank, 2 * int(f) + 1);
    }
    if (fault != HaloFault::Kind::lost) messages_->send(out.host, face.to_rank, 2 * int(f));
  }
  std::string message_name(std::size_t f) const {
    const auto& face = plan_.faces[f];
    return sentence("the halo message of leg", leg_name(legs_[std::size_t(face.leg)]), "from rank", face.from_rank,
                    "to rank", comm_.rank());
  }
  void copy(const char* name, std::size_t n, const View& from, const View& to, const int* from_slots,
            const int* to_slots) const {
    if (n > 0)
      Kokkos::parallel_for(name, Kokkos::RangePolicy<>(0, int(n)), Copy{from, to, from_slots, to_slots, n_components_});
  }

  Comm comm_;
  HaloOptions options_;
  std::vector<Coord> legs_;
  HaloPlan plan_;
  int n_components_;
  std::size_t block_;  // reals of an outer site with all its components
  Buffer<T> halo_, send_, landing_;
  std::vector<Lists> lists_;
  std::array<Buffer<int>, 2> copy_from_, copy_to_;
  std::vector<Message> incoming_, outgoing_;
  std::optional<Comm::Exchange> messages_;
  Subset subset_ = Subset::all;
  std::uint64_t sequence_ = 0;
  bool checked_ = false;
};

}  // namespace detail

template <template <class> class SiteT, class T>
Halo<SiteT, T>::Halo(const Lattice& lattice, const Stencil& stencil, int n_components) {
  if (stencil.halo().any())
    exchange_ = std::make_shared<detail::FaceExchange<View, false>>(lattice, stencil, n_components);
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T, default_lanes> Halo<SiteT, T>::begin(const Field<SiteT, T>& field) const {
  if (!exchange_) return {field.view(), {}};
  require(field.n_components() == exchange_->n_components(), field.name(), "has", field.n_components(),
          "components where the halo was made for", exchange_->n_components(), ": make a Halo of its shape");
  return {field.view(), exchange_->begin(field.view(), field.subset())};
}

template <template <class> class SiteT, class T>
void Halo<SiteT, T>::finish() const {
  if (exchange_) exchange_->finish();
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T, default_lanes> Halo<SiteT, T>::exchange(const Field<SiteT, T>& field) const {
  const auto neighbours = begin(field);
  finish();
  return neighbours;
}

template <template <class> class SiteT, class T, int W>
BlockHalo<SiteT, T, W>::BlockHalo(const Lattice& lattice, int n_columns) {
  const Stencil& stencil = has_packs ? Stencil::of_columns(lattice) : Stencil::of(lattice);
  const int width = BlockField<SiteT, T, W>::width;
  if (stencil.halo().any())
    exchange_ =
        std::make_shared<detail::FaceExchange<View, has_packs>>(lattice, stencil, (n_columns + width - 1) / width);
}

template <template <class> class SiteT, class T, int W>
BlockNeighbourView<SiteT, T, W> BlockHalo<SiteT, T, W>::begin(const BlockField<SiteT, T, W>& field) const {
  if (!exchange_) return {field.view(), {}};
  require(field.n_groups() == exchange_->n_components(), field.name(), "has", field.n_columns(),
          "columns, but the halo was made for another number: make a BlockHalo of its shape");
  return {field.view(), BlockView<SiteT, T, W>(exchange_->begin(field.view().base(), field.subset()))};
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

template class Halo<Scalar, double>;
template class Halo<ColorVector, float>;
template class Halo<ColorVector, double>;
template class Halo<AdjointVector, float>;
template class Halo<AdjointVector, double>;
template class Halo<ColorMatrix, float>;
template class Halo<ColorMatrix, double>;
template class Halo<Spinor, float>;
template class Halo<Spinor, double>;
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
