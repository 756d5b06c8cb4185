// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/shared_faces.hpp"

#include <cstdint>
#include <cstring>

namespace kov::detail {

SharedFaces::Places SharedFaces::connect(const Comm& comm, const HaloPlan& plan, const Places& landing,
                                         const Places& own) {
  using Offsets = std::array<std::uint64_t, 2>;
  const std::size_t n = plan.faces.size();
  // Every rank tells its memory, and where there each face begins.
  std::vector<std::byte> mine(sizeof(SharedMemory::Address) + n * sizeof(Offsets));
  const SharedMemory::Address address = memory_.address();
  std::memcpy(mine.data(), &address, sizeof address);
  for (std::size_t f = 0; f < n; ++f) {
    Offsets at{};
    for (std::size_t q = 0; q < 2 && memory_; ++q) at[q] = std::uint64_t(landing[f][q] - data());
    std::memcpy(mine.data() + sizeof address + f * sizeof at, &at, sizeof at);
  }
  const auto all = comm.all_gather(mine);

  Places places = own;
  writes_.assign(n, 0);
  is_written_.assign(n, 0);
  tokens_.resize(2 * n);
  std::vector<SharedMemory> of_rank(std::size_t(comm.size()));
  for (std::size_t f = 0; f < n; ++f) {
    const auto& face = plan.faces[f];
    const auto& reader = all[std::size_t(face.to_rank)];
    SharedMemory& memory = of_rank[std::size_t(face.to_rank)];
    if (!memory && face.to_rank == comm.rank()) memory = memory_;
    if (!memory && memory_ && reader.size() == mine.size()) {
      SharedMemory::Address there;
      std::memcpy(&there, reader.data(), sizeof there);
      memory = SharedMemory::open(there);
    }
    if (!memory) continue;
    writes_[f] = 1;
    Offsets at;
    std::memcpy(&at, reader.data() + sizeof address + f * sizeof at, sizeof at);
    for (std::size_t q = 0; q < 2; ++q) places[f][q] = memory.data() + at[q];
  }
  for (auto& memory : of_rank)
    if (memory) readers_.push_back(memory);
  const auto written = comm.all_gather(std::as_bytes(std::span(writes_)));
  for (std::size_t f = 0; f < n; ++f) {
    const auto& sender = written[std::size_t(plan.faces[f].from_rank)];
    is_written_[f] = f < sender.size() && sender[f] != std::byte{};
  }
  all_ = all_shared_ = 0;
  for (const auto& faces : written) {
    all_ += faces.size();
    all_shared_ += faces.size() - std::size_t(std::count(faces.begin(), faces.end(), std::byte{}));
  }
  memory_.close();  // all ranks that can have opened it
  return places;
}

void SharedFaces::await_readers(const Comm& comm, const HaloPlan& plan, double timeout_seconds,
                                const std::function<std::string(std::size_t)>& name_of) {
  constexpr int ready = 1 << 14;
  Comm::Exchange tokens(comm);
  for (std::size_t f = 0; f < plan.faces.size(); ++f) {
    const auto& face = plan.faces[f];
    if (writes(f) && face.to_rank != comm.rank())
      tokens.receive(std::span(&tokens_[2 * f], 1), face.to_rank, ready + int(f));
    if (is_written(f) && face.from_rank != comm.rank())
      tokens.send(std::span(&tokens_[2 * f + 1], 1), face.from_rank, ready + int(f));
  }
  tokens.wait(timeout_seconds, [&](int tag) {
    return sentence("word that its halo is free from the receiver of", name_of(std::size_t(tag - ready)));
  });
}

}  // namespace kov::detail
