// SPDX-License-Identifier: MIT
#include "kov/stencil/halo.hpp"

#include "kov/stencil/halo_check.hpp"
#include "kov/stencil/halo_wire.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace kov {

namespace detail {

/// What MPI gets of a message: the message itself where it takes such memory, else a copy in host memory.
class Stage {
 public:
  /// transport: resolved, not automatic.
  std::span<std::byte> of(void* memory, std::size_t bytes, HaloOptions::Transport transport) {
    memory_ = memory;
    direct_ = unified_memory || transport == HaloOptions::Transport::device;
    if (direct_) return {static_cast<std::byte*>(memory), bytes};
    if (host_.size() < bytes) host_.resize(bytes);
    return {host_.data(), bytes};
  }
  void from_device(std::span<std::byte> message) const {
    if (!direct_) copy_to_host(message.data(), memory_, message.size());
  }
  void to_device(std::span<std::byte> message) const {
    if (!direct_) copy_to_device(memory_, message.data(), message.size());
  }
  /// The message as the host reads it.
  std::span<const std::byte> readable(std::span<std::byte> message) {
    if (unified_memory || !direct_) return message;
    host_.resize(message.size());
    copy_to_host(host_.data(), message.data(), message.size());
    return host_;
  }
  /// Damages the message.
  void flip_a_bit(std::span<std::byte> message) const {
    std::byte* const p = message.data() + message.size() / 2;
    std::byte byte = direct_ ? std::byte{} : *p;
    if (direct_) copy_to_host(&byte, p, 1);
    byte ^= std::byte{4};
    if (direct_)
      copy_to_device(p, &byte, 1);
    else
      *p = byte;
  }

 private:
  void* memory_ = nullptr;
  bool direct_ = true;
  std::vector<std::byte> host_;
};

/// The buffers of a halo and the way through them: gather, send, receive, check, scatter.  One message a face, for both
/// parities and all columns; one kernel for all faces.
template <class View, bool whole_outer>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const Stencil& stencil, int n_components, HaloOptions::Wire wire,
               const std::vector<int>& read)
      : comm_(lattice.comm()),
        options_(lattice.halo_options()),
        legs_(stencil.legs()),
        plan_(stencil.halo()),
        n_components_(n_components),
        wire_(wire == HaloOptions::Wire::single && sizeof(T) == 4 ? HaloOptions::Wire::full : wire),
        halo_("halo", std::size_t(plan_.n_blocks) * std::size_t(n_components) * View::block) {
    if (!read.empty())
      std::erase_if(plan_.faces, [&](const auto& face) { return std::count(read.begin(), read.end(), face.leg) == 0; });
    with_wire([&](auto format) { block_bytes_ = std::size_t(n_components) * decltype(format)::block_bytes; });
    send_ = Buffer<std::byte>("halo messages out", std::size_t(plan_.n_message_blocks) * block_bytes_);
    list_blocks();
    bool in_place = true;
    for (const auto& face : plan_.faces) in_place = in_place && lands_in_place(face);
    if (!in_place) landing_ = Buffer<std::byte>("halo messages in", send_.size());
    incoming_.resize(plan_.faces.size());
    outgoing_.resize(plan_.faces.size());
  }

  int n_components() const { return n_components_; }
  std::vector<std::size_t> message_bytes() const {
    std::vector<std::size_t> all;
    for (const auto& face : plan_.faces) all.push_back(bytes(face, 0, 2));
    return all;
  }

  /// Starts to fetch the neighbours in a subset; they are there after finish().
  View begin(const View& in, Subset subset, int n_components, const std::string& name) {
    require(!messages_, "a halo was asked to exchange while an exchange is going on: finish() that first");
    checked_ = options_.checked_exchanges < 0 || sequence_ < std::uint64_t(options_.checked_exchanges);
    if (checked_)
      comm_.require_same("the field whose neighbours are wanted",
                         sentence("components", n_components, "subset", int(subset)), options_.timeout_seconds);
    require(n_components == n_components_, name, "has", n_components, "components where the halo was made for",
            n_components_, ": make a Halo of its shape");
    subset_ = subset;
    ++sequence_;
    const View halo(halo_.data(), 0, n_components_);
    const std::size_t s = std::size_t(subset);
    with_wire([&](auto format) {
      const PackFaces<View, decltype(format), whole_outer> pack{blocks(send_slots_, message_blocks_[s]), in,
                                                                send_.data()};
      run("halo_gather", pack);
    });
    messages_.emplace(comm_);
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_receive(f);
    Kokkos::fence("halo gathered");
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_send(f);
    run("halo_local", CopyLocalLanes<View, whole_outer>{blocks(local_slots_, local_blocks_[s]), in, halo});
    return halo;
  }

  void finish() {
    const auto name = [&](int tag) { return message_name(std::size_t(tag) / 2); };
    std::optional<Comm::Exchange> messages = std::move(messages_);
    messages_.reset();
    messages->wait(options_.timeout_seconds, name);
    for (std::size_t f = 0; f < plan_.faces.size(); ++f) {
      const auto& face = plan_.faces[f];
      Message& in = incoming_[f];
      if (checked_)
        verify(in.trailer, in.stage.readable(in.bytes), sequence_, face.leg, leg_name(legs_[std::size_t(face.leg)]),
               face.from_rank, comm_.rank());
      in.stage.to_device(in.bytes);
    }
    if (landing_.size() > 0)
      with_wire([&](auto format) {
        const UnpackFaces<View, decltype(format), whole_outer> unpack{
            blocks(landing_slots_, landing_blocks_[std::size_t(subset_)]), View(halo_.data(), 0, n_components_),
            landing_.data()};
        run("halo_scatter", unpack);
      });
  }

 private:
  using T = typename View::Real;
  using Blocks = FaceBlocks<View, whole_outer>;
  struct Message {
    Stage stage;
    std::span<std::byte> bytes;
    HaloTrailer trailer{};
  };
  /// Blocks to work on, for each Subset.
  using BlockLists = std::array<Buffer<int>, 3>;

  /// Calls f with an object of the wire format.
  template <class F>
  void with_wire(const F& f) const {
    constexpr int n = Blocks::n_reals, lanes = Blocks::lanes;
    if (wire_ == HaloOptions::Wire::full) f(PlainWire<T, T, n, lanes>{});
    if constexpr (sizeof(T) == 8)
      if (wire_ == HaloOptions::Wire::single) f(PlainWire<T, float, n, lanes>{});
    if (wire_ == HaloOptions::Wire::fixed16) f(Fixed16Wire<T, n, lanes>{});
  }
  bool lands_in_place(const HaloPlan::Face& face) const { return face.in_place && wire_ == HaloOptions::Wire::full; }

  /// The slots of every block of messages and halo, -1 where a lane is padding or not concerned.
  void list_blocks() {
    constexpr std::size_t n = Blocks::n_slots;
    std::vector<int> send(std::size_t(plan_.n_message_blocks) * n, -1), receive = send,
                                                                        local(std::size_t(plan_.n_blocks) * n, -1);
    std::array<std::vector<int>, 2> sent, landed, copied;  // blocks of each parity
    for (std::size_t q = 0; q < 2; ++q) {
      for (const auto& face : plan_.faces) {
        const std::size_t first = std::size_t(face.first_block[q]) * n;
        std::copy(face.send[q].begin(), face.send[q].end(), send.begin() + std::ptrdiff_t(first));
        std::copy(face.receive[q].begin(), face.receive[q].end(), receive.begin() + std::ptrdiff_t(first));
        for (int b = 0; b < face.n_blocks[q]; ++b) {
          sent[q].push_back(face.first_block[q] + b);
          if (!lands_in_place(face)) landed[q].push_back(face.first_block[q] + b);
        }
      }
      for (std::size_t j = 0; j < plan_.copy_to[q].size(); ++j) {
        const int to = plan_.copy_to[q][j];
        local[std::size_t(to)] = plan_.copy_from[q][j];
        copied[q].push_back(to / int(n));
      }
      std::sort(copied[q].begin(), copied[q].end());
      copied[q].erase(std::unique(copied[q].begin(), copied[q].end()), copied[q].end());
    }
    send_slots_ = Buffer<int>("halo list", send);
    landing_slots_ = Buffer<int>("halo list", receive);
    local_slots_ = Buffer<int>("halo list", local);
    message_blocks_ = lists(sent);
    landing_blocks_ = lists(landed);
    local_blocks_ = lists(copied);
  }
  static BlockLists lists(const std::array<std::vector<int>, 2>& parities) {
    std::vector<int> all = parities[0];
    all.insert(all.end(), parities[1].begin(), parities[1].end());
    return {Buffer<int>("halo list", all), Buffer<int>("halo list", parities[0]),
            Buffer<int>("halo list", parities[1])};
  }

  Blocks blocks(const Buffer<int>& slots, const Buffer<int>& list) const {
    return {slots.data(), list.data(), int(list.size()), n_components_};
  }
  template <class Kernel>
  static void run(const char* name, const Kernel& kernel) {
    if (kernel.faces.items() > 0) Kokkos::parallel_for(name, Kokkos::RangePolicy<>(0, kernel.faces.items()), kernel);
  }

  std::size_t first_parity() const { return subset_ == Subset::odd ? 1 : 0; }
  std::size_t end_parity() const { return subset_ == Subset::even ? 1 : 2; }
  /// The part of a message that parities need: their blocks, which lie one after the other.
  std::size_t bytes(const HaloPlan::Face& face, std::size_t first, std::size_t end) const {
    std::size_t n = 0;
    for (std::size_t q = first; q < end; ++q) n += std::size_t(face.n_blocks[q]);
    return n * block_bytes_;
  }
  std::span<std::byte> part(Message& message, std::byte* buffer, int block, const HaloPlan::Face& face) const {
    return message.stage.of(buffer + std::size_t(block) * block_bytes_, bytes(face, first_parity(), end_parity()),
                            options_.transport);
  }
  void post_receive(std::size_t f) {
    const auto& face = plan_.faces[f];
    const std::size_t q = first_parity();
    Message& in = incoming_[f];
    in.bytes = lands_in_place(face) ? part(in, reinterpret_cast<std::byte*>(halo_.data()), face.halo_block[q], face)
                                    : part(in, landing_.data(), face.first_block[q], face);
    messages_->receive(in.bytes, face.from_rank, 2 * int(f));
    if (checked_) messages_->receive(std::as_writable_bytes(std::span(&in.trailer, 1)), face.from_rank, 2 * int(f) + 1);
  }
  void post_send(std::size_t f) {
    const auto& face = plan_.faces[f];
    Message& out = outgoing_[f];
    out.bytes = part(out, send_.data(), face.first_block[first_parity()], face);
    out.stage.from_device(out.bytes);
    std::optional<HaloFault::Kind> fault;
    if (checked_) {
      fault = take_halo_fault(comm_.rank(), face.leg);
      out.trailer =
          seal(out.stage.readable(out.bytes), fault == HaloFault::Kind::stale ? sequence_ - 1 : sequence_, face.leg);
      if (fault == HaloFault::Kind::flipped) out.stage.flip_a_bit(out.bytes);
      messages_->send(std::as_bytes(std::span(&out.trailer, 1)), face.to_rank, 2 * int(f) + 1);
    }
    if (fault != HaloFault::Kind::lost) messages_->send(out.bytes, face.to_rank, 2 * int(f));
  }
  std::string message_name(std::size_t f) const {
    const auto& face = plan_.faces[f];
    return sentence("the halo message of leg", leg_name(legs_[std::size_t(face.leg)]), "from rank", face.from_rank,
                    "to rank", comm_.rank());
  }

  Comm comm_;
  HaloOptions options_;
  std::vector<Coord> legs_;
  HaloPlan plan_;
  int n_components_;
  HaloOptions::Wire wire_;
  std::size_t block_bytes_ = 0;  // of a block of a message with all its components
  Buffer<T> halo_;
  Buffer<std::byte> send_, landing_;
  Buffer<int> send_slots_, landing_slots_, local_slots_;
  BlockLists message_blocks_, landing_blocks_, local_blocks_;
  std::vector<Message> incoming_, outgoing_;
  std::optional<Comm::Exchange> messages_;
  Subset subset_ = Subset::all;
  std::uint64_t sequence_ = 0;
  bool checked_ = false;
};

/// Checks that all ranks make the same halo, and makes it where there is one.
template <class View, bool whole_outer>
std::shared_ptr<FaceExchange<View, whole_outer>> make_exchange(const Lattice& lattice, const Stencil& stencil,
                                                               int n_components, const HaloChoice& choice) {
  constexpr bool matrices = View::n_complex == ColorMatrix<double>::n_complex;
  const auto wire = choice.wire.value_or(matrices ? HaloOptions::Wire::full : lattice.halo_options().wire);
  lattice.comm().require_same(
      "a halo",
      sentence(stencil.name(), "complex numbers", View::n_complex, "bytes", sizeof(typename View::Real), "components",
               n_components, "wire", int(wire), "legs read", in_words(choice.legs)),
      lattice.halo_options().timeout_seconds);
  for (const int leg : choice.legs)
    require(0 <= leg && leg < int(stencil.legs().size()), "a halo was asked for leg", leg, "of a stencil of",
            stencil.legs().size(), "legs: they count from 0");
  if (!stencil.halo().any()) return nullptr;
  return std::make_shared<FaceExchange<View, whole_outer>>(lattice, stencil, n_components, wire, choice.legs);
}

}  // namespace detail

template <template <class> class SiteT, class T>
Halo<SiteT, T>::Halo(const Lattice& lattice, const Stencil& stencil, int n_components, const HaloChoice& choice)
    : exchange_(detail::make_exchange<View, false>(lattice, stencil, n_components, choice)) {}

template <template <class> class SiteT, class T>
std::vector<std::size_t> Halo<SiteT, T>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T, default_lanes> Halo<SiteT, T>::begin(const Field<SiteT, T>& field) const {
  if (!exchange_) return {field.view(), {}};
  return {field.view(), exchange_->begin(field.view(), field.subset(), field.n_components(), field.name())};
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
BlockHalo<SiteT, T, W>::BlockHalo(const Lattice& lattice, int n_columns, const HaloChoice& choice) {
  const Stencil& stencil = has_packs ? Stencil::of_columns(lattice) : Stencil::of(lattice);
  const int width = BlockField<SiteT, T, W>::width;
  exchange_ = detail::make_exchange<View, has_packs>(lattice, stencil, (n_columns + width - 1) / width, choice);
}

template <template <class> class SiteT, class T, int W>
std::vector<std::size_t> BlockHalo<SiteT, T, W>::message_bytes() const {
  return exchange_ ? exchange_->message_bytes() : std::vector<std::size_t>{};
}

template <template <class> class SiteT, class T, int W>
BlockNeighbourView<SiteT, T, W> BlockHalo<SiteT, T, W>::begin(const BlockField<SiteT, T, W>& field) const {
  if (!exchange_) return {field.view(), {}};
  const auto halo = exchange_->begin(field.view().base(), field.subset(), field.n_groups(), field.name());
  return {field.view(), BlockView<SiteT, T, W>(halo)};
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
