// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/face_exchange.hpp"

#include "kov/core/base/items.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kov::detail {

/// Faces of more bytes are written past the caches to their readers.
constexpr std::size_t past_caches_from = std::size_t(4) << 20;

std::span<std::byte> HaloStage::of(void* memory, std::size_t bytes, bool direct) {
  memory_ = memory;
  direct_ = direct;
  if (direct_) return {static_cast<std::byte*>(memory), bytes};
  if (host_.size() < bytes) host_.resize(bytes);
  return {host_.data(), bytes};
}

void HaloStage::from_device(std::span<std::byte> message) const {
  if (!direct_) copy_to_host(message.data(), memory_, message.size());
}

void HaloStage::to_device(std::span<std::byte> message) const {
  if (!direct_) copy_to_device(memory_, message.data(), message.size());
}

std::span<const std::byte> HaloStage::readable(std::span<std::byte> message) {
  if (unified_memory || !direct_) return message;
  host_.resize(message.size());
  copy_to_host(host_.data(), message.data(), message.size());
  return host_;
}

void HaloStage::flip_a_bit(std::span<std::byte> message) const {
  std::byte* const p = message.data() + message.size() / 2;
  std::byte byte = direct_ ? std::byte{} : *p;
  if (direct_) copy_to_host(&byte, p, 1);
  byte ^= std::byte{4};
  if (direct_)
    copy_to_device(p, &byte, 1);
  else
    *p = byte;
}

template <class T>
FaceExchange<T>::FaceExchange(const Lattice& lattice, const Stencil& stencil, const FaceShape& shape,
                              HaloOptions::Wire wire, const std::vector<int>& read)
    : comm_(lattice.comm()),
      options_(lattice.halo_options()),
      legs_(stencil.legs()),
      plan_(stencil.halo()),
      shape_(shape),
      wire_(std::is_integral_v<T> || (wire == HaloOptions::Wire::single && sizeof(T) == 4) ? HaloOptions::Wire::full
                                                                                           : wire) {
  if (!read.empty())
    std::erase_if(plan_.faces, [&](const auto& face) { return std::count(read.begin(), read.end(), face.leg) == 0; });
  with_wire([&](auto format) { block_bytes_ = decltype(format)::block_bytes(shape_); });
  send_ = Buffer<std::byte>("halo messages out", std::size_t(plan_.n_message_blocks) * site_bytes());
  list_blocks();
  incoming_.resize(plan_.faces.size());
  outgoing_.resize(plan_.faces.size());
  const std::size_t halo_bytes = std::size_t(plan_.n_blocks) * std::size_t(shape.n_components) *
                                 std::size_t(shape.n_numbers()) * std::size_t(shape.lanes) * sizeof(T);
  bool in_place = true;
  for (const auto& face : plan_.faces) in_place = in_place && lands_in_place(face);
  const std::size_t all_bytes = halo_bytes + (in_place ? 0 : send_.size());
  if (is_shared()) shared_ = SharedFaces(all_bytes);
  if (!shared_.data()) memory_ = Buffer<std::byte>("halo", all_bytes);
  std::byte* const memory = shared_.data() ? shared_.data() : memory_.data();
  halo_ = reinterpret_cast<T*>(memory);
  if (!in_place) landing_ = memory + halo_bytes;
  SharedFaces::Places landing, own;
  for (const auto& face : plan_.faces) {
    landing.push_back({landing_place(face, 0), landing_place(face, 1)});
    own.push_back({outgoing_place(face, 0), outgoing_place(face, 1)});
  }
  message_places_ = block_places(own);
  if (is_shared()) {
    writing_ = shared_.connect(comm_, plan_, landing, own);
    shared_places_ = block_places(writing_);
  }
  describe(lattice, stencil, read);
}

template <class T>
void FaceExchange<T>::describe(const Lattice& lattice, const Stencil& stencil, const std::vector<int>& read) {
  tune_key_.local_extent = lattice.geometry().local_extent();
  tune_key_.grid = lattice.geometry().grid();
  tune_key_.order = to_string(lattice.layout().order());
  tune_key_.legs = stencil.name();
  tune_key_.legs_read = in_words(read);
  tune_key_.messages = int(plan_.faces.size());
  tune_key_.components = shape_.n_components;
  tune_key_.complex_numbers = shape_.n_reals / 2;
  tune_key_.real_bytes = sizeof(T);
  tune_key_.lanes = shape_.lanes;
  tune_key_.wire = to_string(wire_);
  tune_key_.transport = transport() + (options_.checked_exchanges < 0 ? " checked" : "");
}

/// How faces do travel: what was to be shared is staged between ranks that cannot reach each other's memory.  The same
/// on all ranks.
template <class T>
std::string FaceExchange<T>::transport() const {
  if (!is_shared()) return to_string(options_.transport);
  if (shared_.all_shared() == 0) return to_string(HaloOptions::Transport::staged);
  if (shared_.all_shared() == shared_.all()) return to_string(HaloOptions::Transport::shared);
  return sentence("shared", shared_.all_shared(), "of", shared_.all());
}

/// Where each block of the messages goes when its faces begin there.
template <class T>
Buffer<std::byte*> FaceExchange<T>::block_places(const SharedFaces::Places& of_faces) const {
  std::vector<std::byte*> all(std::size_t(plan_.n_message_blocks), nullptr);
  for (std::size_t f = 0; f < plan_.faces.size(); ++f)
    for (std::size_t q = 0; q < 2; ++q)
      for (int b = 0; b < plan_.faces[f].n_blocks[q]; ++b)
        all[std::size_t(plan_.faces[f].first_block[q] + b)] = of_faces[f][q] + std::size_t(b) * site_bytes();
  return Buffer<std::byte*>("halo list", all);
}

template <class T>
std::byte* FaceExchange<T>::outgoing_place(const HaloPlan::Face& face, std::size_t q) const {
  return send_.data() + std::size_t(face.first_block[q]) * site_bytes();
}

template <class T>
std::byte* FaceExchange<T>::landing_place(const HaloPlan::Face& face, std::size_t q) const {
  return lands_in_place(face) ? reinterpret_cast<std::byte*>(halo_) + std::size_t(face.halo_block[q]) * site_bytes()
                              : landing_ + std::size_t(face.first_block[q]) * site_bytes();
}

template <class T>
std::vector<std::size_t> FaceExchange<T>::message_bytes() const {
  std::vector<std::size_t> all;
  for (const auto& face : plan_.faces) all.push_back(bytes(face, 0, 2));
  return all;
}

template <class T>
T* FaceExchange<T>::begin(const SiteBlocks<T>& in, Subset subset, int n_components, const std::string& name) {
  require(!messages_, "a halo was asked to exchange while an exchange is going on: finish() that first");
  checked_ = options_.checked_exchanges < 0 || sequence_ < std::uint64_t(options_.checked_exchanges);
  if (checked_)
    comm_.require_same("the field whose neighbours are wanted",
                       sentence("components", n_components, "subset", int(subset)), options_.timeout_seconds);
  require(n_components == shape_.n_components, name, "has", n_components, "components where the halo was made for",
          shape_.n_components, ": make a Halo of its shape");
  subset_ = subset;
  ++sequence_;
  if (is_shared())
    shared_.await_readers(comm_, plan_, options_.timeout_seconds, [&](std::size_t f) { return message_name(f); });
  gather(in, is_shared() ? shared_places_ : message_places_, is_shared() && send_.size() > past_caches_from);
  if (is_shared() && checked_) gather(in, message_places_, false);
  // Before receives as well: kernels may still read the halo of the last exchange, and a message may come at once.
  Kokkos::fence("halo gathered");
  if (is_shared()) std::atomic_thread_fence(std::memory_order_seq_cst);
  messages_.emplace(comm_);
  for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_receive(f);
  for (std::size_t f = 0; f < plan_.faces.size(); ++f) post_send(f);
  const CopyLocalLanes<T> copy{blocks(local_slots_, local_blocks_[std::size_t(subset)]), in, halo_blocks()};
  for_each_item("halo_local", copy.faces.items(), copy);
  return halo_;
}

template <class T>
void FaceExchange<T>::gather(const SiteBlocks<T>& in, const Buffer<std::byte*>& places, bool past_caches) const {
  with_wire([&](auto format) {
    const PackFaces<T, decltype(format)> pack{blocks(send_slots_, message_blocks_[std::size_t(subset_)]), in,
                                              places.data(), block_bytes_, past_caches};
    for_each_item("halo_gather", pack.faces.items(), pack);
  });
}

template <class T>
void FaceExchange<T>::finish() {
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
  if (landing_)
    with_wire([&](auto format) {
      const UnpackFaces<T, decltype(format)> unpack{blocks(landing_slots_, landing_blocks_[std::size_t(subset_)]),
                                                    halo_blocks(), landing_, block_bytes_};
      for_each_item("halo_scatter", unpack.faces.items(), unpack);
    });
}

/// Calls f with an object of the wire format.
template <class T>
template <class F>
void FaceExchange<T>::with_wire(const F& f) const {
  if (wire_ == HaloOptions::Wire::full) f(PlainWire<T, T>{});
  if constexpr (sizeof(T) == 8)
    if (wire_ == HaloOptions::Wire::single) f(PlainWire<T, float>{});
  if constexpr (std::is_floating_point_v<T>)
    if (wire_ == HaloOptions::Wire::fixed16) f(Fixed16Wire<T>{});
}

template <class T>
bool FaceExchange<T>::lands_in_place(const HaloPlan::Face& face) const {
  return face.in_place && wire_ == HaloOptions::Wire::full;
}

/// The slots of every block of messages and halo, -1 where a lane is padding or not concerned.
template <class T>
void FaceExchange<T>::list_blocks() {
  const std::size_t n = std::size_t(shape_.n_slots());
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

template <class T>
typename FaceExchange<T>::BlockLists FaceExchange<T>::lists(const std::array<std::vector<int>, 2>& parities) {
  std::vector<int> all = parities[0];
  all.insert(all.end(), parities[1].begin(), parities[1].end());
  return {Buffer<int>("halo list", all), Buffer<int>("halo list", parities[0]), Buffer<int>("halo list", parities[1])};
}

template <class T>
FaceBlocks<T> FaceExchange<T>::blocks(const Buffer<int>& slots, const Buffer<int>& list) const {
  return {shape_, slots.data(), list.data(), int(list.size())};
}

template <class T>
SiteBlocks<T> FaceExchange<T>::halo_blocks() const {
  const int block = shape_.n_numbers() * shape_.lanes;
  return {halo_, std::ptrdiff_t(block) * shape_.n_components, block};
}

/// The part of a message that parities need: their blocks, which lie one after the other.
template <class T>
std::size_t FaceExchange<T>::bytes(const HaloPlan::Face& face, std::size_t first, std::size_t end) const {
  std::size_t n = 0;
  for (std::size_t q = first; q < end; ++q) n += std::size_t(face.n_blocks[q]);
  return n * site_bytes();
}

template <class T>
std::span<std::byte> FaceExchange<T>::part(Message& message, std::byte* first, const HaloPlan::Face& face) const {
  const bool direct = unified_memory || options_.transport == HaloOptions::Transport::device;
  return message.stage.of(first, bytes(face, first_parity(), end_parity()), direct);
}

template <class T>
void FaceExchange<T>::post_receive(std::size_t f) {
  const auto& face = plan_.faces[f];
  Message& in = incoming_[f];
  in.bytes = part(in, landing_place(face, first_parity()), face);
  if (checked_) messages_->receive(std::as_writable_bytes(std::span(&in.trailer, 1)), face.from_rank, 2 * int(f) + 1);
  if (!shared_.is_written(f))
    messages_->receive(in.bytes, face.from_rank, 2 * int(f));
  else if (!checked_ && face.from_rank != comm_.rank())
    messages_->receive(std::span(&in.word, 1), face.from_rank, 2 * int(f));
}

template <class T>
void FaceExchange<T>::post_send(std::size_t f) {
  const auto& face = plan_.faces[f];
  Message& out = outgoing_[f];
  const bool shared = shared_.writes(f);
  if (shared && !checked_) {
    if (face.to_rank != comm_.rank()) messages_->send(std::span(&out.word, 1), face.to_rank, 2 * int(f));
    return;
  }
  out.bytes = part(out, outgoing_place(face, first_parity()), face);
  out.stage.from_device(out.bytes);
  std::optional<HaloFault::Kind> fault;
  if (checked_) {
    fault = take_halo_fault(comm_.rank(), face.leg);
    out.trailer =
        seal(out.stage.readable(out.bytes), fault == HaloFault::Kind::stale ? sequence_ - 1 : sequence_, face.leg);
    if (fault == HaloFault::Kind::flipped)
      out.stage.flip_a_bit(shared ? std::span(writing_[f][first_parity()], out.bytes.size()) : out.bytes);
    if (!shared || fault != HaloFault::Kind::lost)
      messages_->send(std::as_bytes(std::span(&out.trailer, 1)), face.to_rank, 2 * int(f) + 1);
  }
  if (!shared && fault != HaloFault::Kind::lost) messages_->send(out.bytes, face.to_rank, 2 * int(f));
}

template <class T>
std::string FaceExchange<T>::message_name(std::size_t f) const {
  const auto& face = plan_.faces[f];
  return sentence("the halo message of leg", leg_name(legs_[std::size_t(face.leg)]), "from rank", face.from_rank,
                  "to rank", comm_.rank());
}

template class FaceExchange<float>;
template class FaceExchange<double>;
template class FaceExchange<std::int16_t>;

}  // namespace kov::detail
