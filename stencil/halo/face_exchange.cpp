// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/face_exchange.hpp"

#include "kov/core/launch/for_each_item.hpp"
#include "kov/core/launch/tuned_candidate.hpp"

#include <algorithm>
#include <numeric>

namespace kov::detail {

/// If all faces together have more bytes, they are written into their readers' memory with stores that bypass the
/// caches.
constexpr std::size_t past_caches_from = std::size_t(4) << 20;

template <class T>
FaceExchange<T>::FaceExchange(const Lattice& lattice, const Stencil& stencil, const HeldSites& sites,
                              ExchangeOptions::Wire wire, const std::vector<int>& read,
                              HaloChoice::OtherParity other_parity)
    : options_(lattice.exchange_options()),
      legs_(stencil.legs()),
      plan_(stencil.halo().in_blocks_of(sites.held.outers)),
      site_(sites.site),
      shape_(sites.held),
      wire_(std::is_integral_v<T> || (wire == ExchangeOptions::Wire::single && sizeof(T) == 4)
                ? ExchangeOptions::Wire::full
                : wire),
      comm_(lattice.comm()),
      held_reals_("what halos hold", sites.reals),
      queue_(instance_beside(Exec())) {
  if (!read.empty())
    std::erase_if(plan_.faces, [&](const auto& face) { return std::count(read.begin(), read.end(), face.leg) == 0; });
  with_wire([&](auto format) { block_bytes_ = decltype(format)::block_bytes(shape_); });
  list_blocks();
  landing_ = std::size_t(plan_.n_blocks) * std::size_t(shape_.n_components) * std::size_t(shape_.n_numbers()) *
             std::size_t(shape_.lanes) * sizeof(T);
  for (const auto& face : plan_.faces) lands_elsewhere_ = lands_elsewhere_ || !lands_in_place(face);
  const std::size_t message_bytes = std::size_t(plan_.n_message_blocks) * site_bytes();
  faces_ = transport_faces(landing_);
  all_faces_.resize(faces_.size());
  std::iota(all_faces_.begin(), all_faces_.end(), std::size_t(0));
  // A rank that writes only to itself never writes before its kernels have read, so that one halo is enough.
  const bool to_itself =
      std::all_of(faces_.begin(), faces_.end(), [&](const auto& face) { return face.to_rank == comm_.rank(); });
  transport_ = make_transport(comm_, options_.transport, faces_, landing_ + (lands_elsewhere_ ? message_bytes : 0),
                              to_itself || other_parity == HaloChoice::OtherParity::kept ? 1 : 2);
  for (std::size_t h = 0; h < transport_->n_halos(); ++h)
    places_.push_back(block_places([&](std::size_t f) { return transport_->place(h, f); }));
  past_caches_ = transport_->n_written_remotely() > 0 && message_bytes > past_caches_from;
  if (options_.checked_exchanges != 0) {
    check_.emplace(comm_, faces_);
    check_places_ = block_places([&](std::size_t f) { return check_->place(f); });
  }
  describe(lattice, stencil, read);
}

/// The faces of the plan, which are received directly in a halo or in the memory behind it, from where they are
/// unpacked.
template <class T>
std::vector<TransportFace> FaceExchange<T>::transport_faces(std::size_t halo_bytes) const {
  std::vector<TransportFace> all;
  for (const auto& face : plan_.faces) {
    const std::size_t block = std::size_t(lands_in_place(face) ? face.halo_block[0] : face.first_block[0]);
    all.push_back(
        {.leg = face.leg,
         .to_rank = face.to_rank,
         .from_rank = face.from_rank,
         .bytes = {std::size_t(face.n_blocks[0]) * site_bytes(), std::size_t(face.n_blocks[1]) * site_bytes()},
         .landing = (lands_in_place(face) ? 0 : halo_bytes) + block * site_bytes(),
         .name = sentence("the halo message of leg", leg_name(legs_[std::size_t(face.leg)]), "from rank",
                          face.from_rank, "to rank", comm_.rank())});
  }
  return all;
}

template <class T>
void FaceExchange<T>::describe(const Lattice& lattice, const Stencil& stencil, const std::vector<int>& read) {
  tune_key_.add("extent", to_string(lattice.geometry().local_extent()))
      .add("grid", to_string(lattice.geometry().grid()))
      .add("order", to_string(lattice.layout().order()))
      .add("legs", stencil.name())
      .add("read", to_text(read))
      .add("messages", plan_.faces.size())
      .add("components", shape_.n_components)
      .add("complex", shape_.n_reals / 2)
      .add("bytes", sizeof(T))
      .add("lanes", shape_.lanes)
      .add("columns", shape_.whole_outer)
      .add("wire", to_string(wire_))
      .add("transport", transport_->name() + (options_.checked_exchanges < 0 ? " checked" : ""));
}

/// Called for every launch, so keys are made only for readers that are not in the list yet.
template <class T>
const HaloLaunches& FaceExchange<T>::launches(Tuner& tuner, const HaloReader& reader) {
  for (const KnownReader& r : readers_)
    if (r.tuner == &tuner && r.kernel == reader.kernel && r.sites == reader.sites && r.results == reader.results &&
        r.codec == reader.codec)
      return r.launches;
  TuneKey key = tune_key_;
  key.kernel = reader.kernel;
  key.add("sites", to_string(reader.sites)).add("results", reader.results).add("codec", std::string(reader.codec));
  HaloLaunches launches;
  if (tuner.has_file())
    for (const int overlapped : {0, 1})
      launches.shape[std::size_t(overlapped)] =
          shape_choice(tuner, TuneKey(key).add("exchange", overlapped ? "overlapped" : "blocking"));
  key.choice = "overlap";
  launches.overlap = tuner.choice(key, 2);
  launches.interior = key.kernel + "_interior";
  launches.surface = key.kernel + "_surface";
  readers_.push_back({&tuner, key.kernel, std::string(reader.codec), reader.sites, reader.results, launches});
  return readers_.back().launches;
}

/// Where each block of the messages goes when face f begins at place_of(f).
template <class T>
template <class PlaceOf>
typename FaceExchange<T>::BlockPlaces FaceExchange<T>::block_places(const PlaceOf& place_of) const {
  std::vector<std::byte*> all(std::size_t(plan_.n_message_blocks), nullptr);
  for (std::size_t f = 0; f < plan_.faces.size(); ++f) {
    std::byte* place = place_of(f);
    for (std::size_t q = 0; q < 2; ++q)
      for (int b = 0; b < plan_.faces[f].n_blocks[q]; ++b, place += site_bytes())
        all[std::size_t(plan_.faces[f].first_block[q] + b)] = place;
  }
  return BlockPlaces("halo list", all);
}

template <class T>
std::vector<std::size_t> FaceExchange<T>::message_bytes() const {
  std::vector<std::size_t> all;
  for (const auto& face : faces_) all.push_back(face.bytes[0] + face.bytes[1]);
  return all;
}

template <class T>
T* FaceExchange<T>::begin(const SiteBlocks<T>& in, Subset subset, int n_components, const std::string& name,
                          int variant, const Exec& exec) {
  require(!is_going_on_, "a halo was asked to exchange while an exchange is going on: finish() that first");
  checked_ = options_.checked_exchanges < 0 || turn_.sequence < std::uint64_t(options_.checked_exchanges);
  if (checked_)
    comm_.require_same("the field whose neighbours are wanted",
                       sentence("components", n_components, "subset", int(subset)), options_.timeout_seconds);
  require(n_components == shape_.n_components, name, "has", n_components, "components where the halo was made for",
          shape_.n_components, ": make a Halo of its shape");
  if (!checked_ && check_) {
    check_.reset();
    check_places_ = {};
  }
  turn_ = {turn_.sequence + 1, subset, options_.timeout_seconds};
  if (kernels_are_asynchronous)
    order_after(queue_, exec);
  else
    queue_ = exec;
  if (reader_) order_after(queue_, *reader_);  // kernels there may still read the halo

  transport_->await_places(turn_, queue_);
  pack(in, variant, places_[transport_->halo_of(turn_)], past_caches_);
  if (checked_) {
    pack(in, variant, check_places_, false);
    queue_.fence("checked halo packed");
    check_->seal_faces(turn_, *transport_);
  }
  transport_->packed(turn_, queue_);
  if (!kernels_are_asynchronous) publish();
  const CopyLocalLanes<T> copy{blocks(local_slots_, local_blocks_[std::size_t(subset)]), in, halo_blocks(),
                               held(variant, halo_legs_)};
  for_each_item("halo_local", copy.faces.items(), copy, queue_);
  is_going_on_ = true;
  return reinterpret_cast<T*>(halo());
}

/// On hosts begin() calls this as soon as faces are packed.  On a GPU begin() would have to wait for the packing, so
/// finish() calls this, when the caller's kernels are launched.
template <class T>
void FaceExchange<T>::publish() {
  queue_.fence("halo packed");
  if (checked_)
    check_->publish(turn_, *transport_);
  else
    transport_->publish(turn_, all_faces_);
}

template <class T>
void FaceExchange<T>::finish(const Exec& exec) {
  require(is_going_on_, "a halo was asked to finish an exchange that was not begun: begin() it first");
  is_going_on_ = false;
  if (kernels_are_asynchronous) publish();
  if (checked_)
    check_->await(turn_, *transport_, queue_);
  else
    transport_->await(turn_, queue_);
  if (lands_elsewhere_) unpack();
  order_after(exec, queue_);
  reader_ = exec;
}

template <class T>
void FaceExchange<T>::pack(const SiteBlocks<T>& in, int variant, const BlockPlaces& places, bool past_caches) const {
  with_wire([&](auto format) {
    const PackFaces<T, decltype(format)> pack{blocks(send_slots_, message_blocks_[std::size_t(turn_.subset)]),
                                              in,
                                              held(variant, message_legs_),
                                              places.data(),
                                              block_bytes_,
                                              past_caches};
    for_each_item("halo_pack", pack.faces.items(), pack, queue_);
  });
}

template <class T>
void FaceExchange<T>::unpack() const {
  with_wire([&](auto format) {
    const UnpackFaces<T, decltype(format)> unpack{blocks(landing_slots_, landing_blocks_[std::size_t(turn_.subset)]),
                                                  halo_blocks(), halo() + landing_, block_bytes_};
    for_each_item("halo_unpack", unpack.faces.items(), unpack, queue_);
  });
}

/// Calls f with an object of the wire format.
template <class T>
template <class F>
void FaceExchange<T>::with_wire(const F& f) const {
  if (wire_ == ExchangeOptions::Wire::full) f(PlainWire<T, T>{});
  if constexpr (sizeof(T) == 8)
    if (wire_ == ExchangeOptions::Wire::single) f(PlainWire<T, float>{});
  if constexpr (std::is_floating_point_v<T>)
    if (wire_ == ExchangeOptions::Wire::fixed16) f(Fixed16Wire<T>{});
}

template <class T>
bool FaceExchange<T>::lands_in_place(const HaloPlan::Face& face) const {
  return face.in_place && wire_ == ExchangeOptions::Wire::full;
}

/// Lists the slots of every block of the messages and of the halo, -1 for lanes that are padding or not exchanged.
template <class T>
void FaceExchange<T>::list_blocks() {
  const std::size_t n = std::size_t(shape_.n_slots());
  std::vector<int> send(std::size_t(plan_.n_message_blocks) * n, -1), receive = send,
                                                                      local(std::size_t(plan_.n_blocks) * n, -1);
  std::array<std::vector<int>, 2> sent, landed, copied;  // blocks of each parity
  std::vector<int> message_legs(std::size_t(plan_.n_message_blocks), 0);
  for (std::size_t q = 0; q < 2; ++q) {
    for (const auto& face : plan_.faces) {
      const std::size_t first = std::size_t(face.first_block[q]) * n;
      std::copy(face.send[q].begin(), face.send[q].end(), send.begin() + std::ptrdiff_t(first));
      std::copy(face.receive[q].begin(), face.receive[q].end(), receive.begin() + std::ptrdiff_t(first));
      for (int b = 0; b < face.n_blocks[q]; ++b) {
        sent[q].push_back(face.first_block[q] + b);
        message_legs[std::size_t(face.first_block[q] + b)] = face.leg;
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
  message_legs_ = Buffer<int>("halo list", message_legs);
  halo_legs_ = Buffer<int>("halo list", plan_.block_legs);
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
HeldReals FaceExchange<T>::held(int variant, const Buffer<int>& block_legs) const {
  const std::size_t first = std::size_t(variant) * legs_.size() * std::size_t(shape_.n_reals);
  return {held_reals_.size() > 0 ? held_reals_.data() + first : nullptr, block_legs.data(), site_};
}

template <class T>
SiteBlocks<T> FaceExchange<T>::halo_blocks() const {
  const int block = shape_.n_numbers() * shape_.lanes;
  return {reinterpret_cast<T*>(halo()), std::ptrdiff_t(block) * shape_.n_components, block};
}

template class FaceExchange<float>;
template class FaceExchange<double>;
template class FaceExchange<std::int16_t>;
template class FaceExchange<std::int8_t>;

}  // namespace kov::detail
