// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/transport_shared.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kov::detail {

namespace {

std::atomic_ref<std::uint64_t> counter(const SharedMemory& memory, std::size_t at) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory.data() + at));
}

}  // namespace

SharedTransport::SharedTransport(const Comm& comm, const std::vector<TransportFace>& faces, std::size_t halo_bytes,
                                 std::size_t n_halos)
    : comm_(comm),
      faces_(faces),
      segment_{faces.size(), n_halos, halo_bytes},
      own_(SharedMemory::make(segment_.bytes())) {
  std::byte* memory = own_.data();
  if (!own_) {
    unshared_ = Buffer<std::byte>("halo", segment_.bytes());
    memory = unshared_.data();
  }
  for (std::size_t h = 0; h < n_halos; ++h) halos_.push_back(memory + segment_.halo(h));
  connect();
  std::vector<char> sends, receives;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    sends.push_back(!writes(f));
    receives.push_back(!is_written(f));
  }
  const auto any = [](const std::vector<char>& of) { return std::count(of.begin(), of.end(), 1) > 0; };
  if (any(sends) || any(receives))
    messages_ = std::make_unique<MessageTransport>(comm_, faces_, halos_, sends, receives);
}

/// Opens the memory of the readers, and finds out who writes into this rank's.
void SharedTransport::connect() {
  const std::size_t n = faces_.size();
  // Every rank tells the others its memory's address, and where each face begins in its halos.
  std::vector<std::uint64_t> landing;
  for (const auto& face : faces_) landing.push_back(face.landing);
  const SharedMemory::Address address = own_.address();
  std::vector<std::byte> mine(sizeof address + n * sizeof(std::uint64_t));
  std::memcpy(mine.data(), &address, sizeof address);
  if (n > 0) std::memcpy(mine.data() + sizeof address, landing.data(), n * sizeof(std::uint64_t));
  const auto all = comm_.all_gather(mine);

  readers_.resize(n);
  landing_.resize(n);
  std::vector<SharedMemory> of_rank(std::size_t(comm_.size()));
  std::vector<char> writing(n);
  for (std::size_t f = 0; f < n; ++f) {
    const int reader = faces_[f].to_rank;
    const auto& of_reader = all[std::size_t(reader)];
    SharedMemory& memory = of_rank[std::size_t(reader)];
    if (!memory && reader == comm_.rank()) memory = own_;
    if (!memory && own_ && of_reader.size() == mine.size()) {
      SharedMemory::Address there;
      std::memcpy(&there, of_reader.data(), sizeof there);
      memory = SharedMemory::open(there);
    }
    if (!memory) continue;
    std::uint64_t at;
    std::memcpy(&at, of_reader.data() + sizeof address + f * sizeof at, sizeof at);
    readers_[f] = memory;
    landing_[f] = at;
    writing[f] = 1;
  }
  const auto written = comm_.all_gather(std::as_bytes(std::span(writing)));
  std::size_t n_faces = 0, n_shared = 0;
  for (const auto& of : written) {
    n_faces += of.size();
    n_shared += of.size() - std::size_t(std::count(of.begin(), of.end(), std::byte{}));
  }
  for (std::size_t f = 0; f < n; ++f) {
    const auto& sender = written[std::size_t(faces_[f].from_rank)];
    is_written_.push_back(f < sender.size() && sender[f] != std::byte{});
  }
  name_ = n_shared == 0         ? to_string(ExchangeOptions::Transport::staged)
          : n_shared == n_faces ? to_string(ExchangeOptions::Transport::shared)
                                : sentence("shared", n_shared, "of", n_faces);
  own_.close();  // all ranks that can open it have done so
}

int SharedTransport::n_written_remotely() const {
  return int(std::count_if(readers_.begin(), readers_.end(), [](const SharedMemory& m) { return bool(m); }));
}

std::byte* SharedTransport::place(std::size_t h, std::size_t f) const {
  return writes(f) ? readers_[f].data() + segment_.halo(h) + landing_[f] : messages_->place(h, f);
}

void SharedTransport::await_places(const HaloTurn& turn, const Exec& exec) {
  exec.fence("halos were read");
  if (own_) counter(own_, segment_.begun()).store(turn.sequence);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    if (writes(f))
      comm_.wait_until([&] { return counter(readers_[f], segment_.begun()).load() + n_halos() > turn.sequence; },
                       faces_[f].to_rank,
                       [&] { return sentence("the signal of a free halo from the receiver of", faces_[f].name); },
                       turn.timeout_seconds);
}

void SharedTransport::publish(const HaloTurn& turn, std::span<const std::size_t> faces) {
  // Makes the faces, which may have been written with stores that bypass the caches, visible before the counters.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const std::size_t f : faces)
    if (writes(f)) counter(readers_[f], segment_.arrived(halo_of(turn), f)).store(turn.sequence);
  if (messages_) messages_->publish(turn, faces);
}

void SharedTransport::await(const HaloTurn& turn, const Exec& exec) {
  if (messages_) messages_->await(turn, exec);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    if (is_written(f))
      comm_.wait_until([&] { return counter(own_, segment_.arrived(halo_of(turn), f)).load() == turn.sequence; },
                       faces_[f].from_rank, [&] { return faces_[f].name; }, turn.timeout_seconds);
}

}  // namespace kov::detail
