// SPDX-License-Identifier: MIT
//
// FaceExchange: the implementation of Halo, for sites of any type.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/stencil/halo/halo_check.hpp"
#include "kov/stencil/halo/halo_choice.hpp"
#include "kov/stencil/halo/halo_wire.hpp"
#include "kov/stencil/halo/transport.hpp"
#include "kov/stencil/stencil.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kov::detail {

/// What a halo holds.  site: the shape of a field's sites; held: the shape of what the halo keeps of them; reals: how
/// the held reals follow from a site's, [variant][leg][real], empty if whole sites are kept.
struct HeldSites {
  FaceShape site, held;
  std::vector<HeldReal> reals = {};
};

/// The halo of fields of one shape, and the sequence of steps of an exchange: a kernel packs all faces into the places
/// of a transport, both parities and all components of a face one after the other; the transport delivers them; a
/// kernel unpacks the faces that are not received directly into the halo.
///
/// On a GPU all steps are ordered on an execution space instance of this object, so that they run concurrently with
/// what the caller launches on its own instance between begin() and finish().
template <class T>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const Stencil& stencil, const HeldSites& sites, ExchangeOptions::Wire wire,
               const std::vector<int>& read, HaloChoice::OtherParity other_parity);

  std::vector<std::size_t> message_bytes() const;
  int shared_faces() const { return transport_->n_written_remotely(); }
  /// Outer sites of the halo.
  int n_outer() const { return plan_.n_blocks * shape_.outers; }
  std::string transport_name() const { return transport_->name(); }
  /// Valid as long as this object.
  const HaloLaunches& launches(Tuner& tuner, const HaloReader& reader);

  /// Starts to fetch the neighbours in `subset` of a field with n_components.  name: of the field, for errors; variant:
  /// of the compressor.  Ordered after everything launched before on exec and on the exec of the last finish(), such as
  /// kernels that write the field or read the halo of an earlier exchange.  Returns the memory of the halo: blocks in
  /// the field's order.
  T* begin(const SiteBlocks<T>& in, Subset subset, int n_components, const std::string& name, int variant = 0,
           const Exec& exec = {});
  /// Kernels launched on exec from now on see the neighbours, and the field may change.
  void finish(const Exec& exec = {});

 private:
  /// Blocks to work on, for each Subset.
  using BlockLists = std::array<Buffer<int>, 3>;
  /// Where each block is packed to.
  using BlockPlaces = Buffer<std::byte*>;

  template <class F>
  void with_wire(const F& f) const;
  bool lands_in_place(const HaloPlan::Face& face) const;
  void list_blocks();
  std::vector<TransportFace> transport_faces(std::size_t halo_bytes) const;
  void describe(const Lattice& lattice, const Stencil& stencil, const std::vector<int>& read);
  template <class PlaceOf>
  BlockPlaces block_places(const PlaceOf& place_of) const;
  void pack(const SiteBlocks<T>& in, int variant, const BlockPlaces& places, bool past_caches) const;
  HeldReals held(int variant, const Buffer<int>& block_legs) const;
  void unpack() const;
  void publish();
  static BlockLists lists(const std::array<std::vector<int>, 2>& parities);
  FaceBlocks<T> blocks(const Buffer<int>& slots, const Buffer<int>& list) const;
  std::byte* halo() const { return transport_->halo(transport_->halo_of(turn_)); }
  SiteBlocks<T> halo_blocks() const;
  /// The bytes in a message of a block with all its components.
  std::size_t site_bytes() const { return block_bytes_ * std::size_t(shape_.n_components); }

  struct KnownReader {
    const Tuner* tuner;
    std::string kernel, codec;
    Subset sites;
    int results;
    HaloLaunches launches;
  };

  ExchangeOptions options_;
  TuneKey tune_key_;                 // without the entries that HaloReader sets
  std::deque<KnownReader> readers_;  // whose places do not change
  std::vector<Coord> legs_;
  HaloPlan plan_;
  FaceShape site_, shape_;  // of the field, of the halo
  ExchangeOptions::Wire wire_;
  std::size_t block_bytes_ = 0;  // of a block of a message
  std::size_t landing_ = 0;      // where, behind the halo, faces are received that must be unpacked
  bool lands_elsewhere_ = false;
  Comm comm_;
  std::vector<TransportFace> faces_;
  std::vector<std::size_t> all_faces_;
  std::unique_ptr<HaloTransport> transport_;
  std::vector<BlockPlaces> places_;  // for each halo of the transport
  std::optional<HaloCheck> check_;   // while exchanges are checked
  BlockPlaces check_places_;
  bool past_caches_ = false;
  Buffer<int> send_slots_, landing_slots_, local_slots_;
  Buffer<HeldReal> held_reals_;           // [variant][leg][real]
  Buffer<int> message_legs_, halo_legs_;  // of blocks
  BlockLists message_blocks_, landing_blocks_, local_blocks_;
  Exec queue_;
  std::optional<Exec> reader_;  // exec of the last finish()
  HaloTurn turn_{};
  bool is_going_on_ = false, checked_ = false;
};

}  // namespace kov::detail
