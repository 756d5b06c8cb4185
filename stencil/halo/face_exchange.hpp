// SPDX-License-Identifier: MIT
//
// FaceExchange: what is behind every Halo, whatever the type of its sites.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/stencil/halo/halo_check.hpp"
#include "kov/stencil/halo/halo_wire.hpp"
#include "kov/stencil/halo/shared_faces.hpp"
#include "kov/stencil/stencil.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// What MPI gets of a message: the message itself where it takes such memory, else a copy in host memory.
class HaloStage {
 public:
  /// What MPI gets for a message at `memory`, where kernels run.  direct: MPI takes that memory, and none of this
  /// reads or writes it but readable() and flip_a_bit().
  std::span<std::byte> of(void* memory, std::size_t bytes, bool direct);
  void from_device(std::span<std::byte> message) const;
  void to_device(std::span<std::byte> message) const;
  /// The message as the host reads it.
  std::span<const std::byte> readable(std::span<std::byte> message);
  /// Damages the message.
  void flip_a_bit(std::span<std::byte> message) const;

 private:
  void* memory_ = nullptr;
  bool direct_ = true;
  std::vector<std::byte> host_;
};

/// The buffers of a halo and the way through them: gather, send, receive, check, scatter.  One message a face, for both
/// parities and all columns; one kernel for all faces.
///
/// Between ranks of one host, where the transport is shared, the kernel gathers into the halo of the rank that wants
/// the face: one pass over the sites, where a message takes two or three.  The receiver says before that its last halo
/// is done with, the sender after it that the new one is there.
///
/// A checked exchange goes the same way, and a trailer follows each face.  The trailer of a shared face is the word
/// that it is there, and its checksum is of the same face gathered once more, into the memory of messages.
template <class T>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const Stencil& stencil, const FaceShape& shape, HaloOptions::Wire wire,
               const std::vector<int>& read);

  std::vector<std::size_t> message_bytes() const;
  int shared_faces() const { return shared_.count(); }
  /// Outer sites of the halo.
  int n_blocks() const { return plan_.n_blocks; }
  /// For choices about work that waits for this exchange: all but the kernel and what it writes.
  const TuneKey& tune_key() const { return tune_key_; }

  /// Starts to fetch the neighbours in a subset, of a field of n_components that errors call `name`; they are there
  /// after finish().  Returns the memory of the halo: blocks in the field's order.
  T* begin(const SiteBlocks<T>& in, Subset subset, int n_components, const std::string& name);
  void finish();

 private:
  struct Message {
    HaloStage stage;
    std::span<std::byte> bytes;
    HaloTrailer trailer{};
    std::byte word{};  // of a rank that says something about a shared face
  };
  /// Blocks to work on, for each Subset.
  using BlockLists = std::array<Buffer<int>, 3>;

  template <class F>
  void with_wire(const F& f) const;
  bool lands_in_place(const HaloPlan::Face& face) const;
  void list_blocks();
  void describe(const Lattice& lattice, const Stencil& stencil, const std::vector<int>& read);
  std::string transport() const;
  bool is_shared() const { return options_.transport == HaloOptions::Transport::shared; }
  void gather(const SiteBlocks<T>& in, const Buffer<std::byte*>& places, bool past_caches) const;
  static BlockLists lists(const std::array<std::vector<int>, 2>& parities);
  FaceBlocks<T> blocks(const Buffer<int>& slots, const Buffer<int>& list) const;
  SiteBlocks<T> halo_blocks() const;
  std::size_t first_parity() const { return subset_ == Subset::odd ? 1 : 0; }
  std::size_t end_parity() const { return subset_ == Subset::even ? 1 : 2; }
  /// Of a message, for an outer site with all its components.
  std::size_t site_bytes() const { return block_bytes_ * std::size_t(shape_.n_components); }
  std::size_t bytes(const HaloPlan::Face& face, std::size_t first, std::size_t end) const;
  std::span<std::byte> part(Message& message, std::byte* first, const HaloPlan::Face& face) const;
  std::byte* landing_place(const HaloPlan::Face& face, std::size_t q) const;
  std::byte* outgoing_place(const HaloPlan::Face& face, std::size_t q) const;
  Buffer<std::byte*> block_places(const SharedFaces::Places& of_faces) const;
  void post_receive(std::size_t f);
  void post_send(std::size_t f);
  std::string message_name(std::size_t f) const;

  Comm comm_;
  HaloOptions options_;
  TuneKey tune_key_;
  std::vector<Coord> legs_;
  HaloPlan plan_;
  FaceShape shape_;
  HaloOptions::Wire wire_;
  std::size_t block_bytes_ = 0;  // of a block of a message
  Buffer<std::byte> memory_, send_;
  SharedFaces shared_;            // in the place of memory_
  T* halo_ = nullptr;             // in memory_ or shared_, as landing_
  std::byte* landing_ = nullptr;  // of faces that do not land in the halo itself, where there are any
  SharedFaces::Places writing_;   // where shared faces go
  // Where each block goes: in messages, and where faces are shared.
  Buffer<std::byte*> message_places_, shared_places_;
  Buffer<int> send_slots_, landing_slots_, local_slots_;
  BlockLists message_blocks_, landing_blocks_, local_blocks_;
  std::vector<Message> incoming_, outgoing_;
  std::optional<Comm::Exchange> messages_;
  Subset subset_ = Subset::all;
  std::uint64_t sequence_ = 0;
  bool checked_ = false;
};

}  // namespace kov::detail
