// SPDX-License-Identifier: MIT
//
// FaceExchange: what is behind every Halo, whatever the type of its sites.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/stencil/halo/halo_check.hpp"
#include "kov/stencil/halo/halo_choice.hpp"
#include "kov/stencil/halo/halo_wire.hpp"
#include "kov/stencil/halo/transport.hpp"
#include "kov/stencil/stencil.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kov::detail {

/// What a halo holds: the shape of the sites of its fields, that of what it keeps of them, and, where that is less, how
/// its reals come from theirs: [variant][leg][real].
struct HeldSites {
  FaceShape site, held;
  std::vector<HeldReal> reals = {};
};

/// The halo of fields of one shape, and the order of steps of an exchange: kernels pack all faces at once into the
/// places of a transport, both parities and all columns of a face one after the other; the transport brings them; a
/// kernel unpacks those that do not land in the halo itself.
///
/// On a GPU all of it is ordered on an instance of this object's own, so that it runs beside what the caller launches
/// on its own instance between begin() and finish().
template <class T>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const Stencil& stencil, const HeldSites& sites, HaloOptions::Wire wire,
               const std::vector<int>& read, HaloChoice::OtherParity other_parity);

  std::vector<std::size_t> message_bytes() const;
  int shared_faces() const { return transport_->n_written_remotely(); }
  /// Outer sites of the halo.
  int n_blocks() const { return plan_.n_blocks; }
  /// Whether such a launch should overlap with this exchange (candidate 1) or come after it (0).
  Tuner::Choice& overlap_choice(Tuner& tuner, const HaloReader& reader);
  const TuneKey& tune_key() const { return tune_key_; }

  /// Starts to fetch the neighbours in a subset, of a field of n_components that errors call `name`; variant: of what
  /// is held of them.  What was launched on exec before comes first: that writes the field, and that reads halos of
  /// earlier exchanges, and what was launched on the last finish()'s exec.  Returns the memory of the halo: blocks in
  /// the field's order.
  T* begin(const SiteBlocks<T>& in, Subset subset, int n_components, const std::string& name, int variant = 0,
           const Exec& exec = {});
  /// The neighbours are there for what is launched on exec from now on, and the field may change.
  void finish(const Exec& exec = {});

 private:
  /// Blocks to work on, for each Subset.
  using BlockLists = std::array<Buffer<int>, 3>;
  /// Where each block goes when it is packed.
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
  /// Of a message, for an outer site with all its components.
  std::size_t site_bytes() const { return block_bytes_ * std::size_t(shape_.n_components); }

  struct TunedReader {
    const Tuner* tuner;
    std::string kernel, codec;
    Subset sites;
    int results;
    std::shared_ptr<Tuner::Choice> choice;
  };

  HaloOptions options_;
  TuneKey tune_key_;  // but for the kernel and what it writes
  std::vector<TunedReader> tuned_;
  std::vector<Coord> legs_;
  HaloPlan plan_;
  FaceShape site_, shape_;  // of the field, of the halo
  HaloOptions::Wire wire_;
  std::size_t block_bytes_ = 0;  // of a block of a message
  std::size_t landing_ = 0;      // where in the halo's memory faces land that do not land in the halo itself
  bool lands_elsewhere_ = false;
  Comm comm_;
  std::vector<TransportFace> faces_;
  std::vector<std::size_t> all_faces_;
  std::unique_ptr<HaloTransport> transport_;
  std::vector<BlockPlaces> places_;  // for each halo of the transport
  std::optional<HaloCheck> check_;   // until no more exchange is checked
  BlockPlaces check_places_;
  bool past_caches_ = false;
  Buffer<int> send_slots_, landing_slots_, local_slots_;
  Buffer<HeldReal> held_reals_;           // [variant][leg][real]
  Buffer<int> message_legs_, halo_legs_;  // of blocks
  BlockLists message_blocks_, landing_blocks_, local_blocks_;
  Exec queue_;
  std::optional<Exec> reader_;  // of the last exchange's halo
  HaloTurn turn_{};
  bool is_going_on_ = false, checked_ = false;
};

}  // namespace kov::detail
