// SPDX-License-Identifier: MIT
#include "kov/stencil/halo/halo_check.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/checksum.hpp"

namespace kov {

namespace {
std::optional<HaloFault> waiting_fault;
}

HaloTrailer seal(std::span<const std::byte> message, std::uint64_t sequence, int leg) {
  return {sequence, message.size(), crc32(message), leg};
}

void verify(const HaloTrailer& trailer, std::span<const std::byte> message, std::uint64_t sequence, int leg,
            const std::string& name, int from_rank, int to_rank) {
  const std::string which = sentence("the halo message of leg", name, "from rank", from_rank, "to rank", to_rank);
  require<CommError>(trailer.leg == leg && trailer.bytes == message.size(), which, "is for leg", trailer.leg, "with",
                     trailer.bytes, "bytes where leg", leg, "with", message.size(),
                     "was due: the ranks disagree about the field; give all the same input");
  require<CommError>(trailer.sequence == sequence, which, "belongs to exchange", trailer.sequence, "but exchange",
                     sequence, "is going on: an old message was delivered; run again, on other hosts if it comes back");
  require<CommError>(trailer.crc32 == crc32(message), which,
                     "was damaged on its way: its checksum does not fit; run again, on other hosts if it comes back");
}

void inject_halo_fault(const HaloFault& fault) { waiting_fault = fault; }

std::optional<HaloFault::Kind> take_halo_fault(int rank, int leg) {
  if (!waiting_fault || waiting_fault->rank != rank || waiting_fault->leg != leg) return {};
  const HaloFault::Kind kind = waiting_fault->kind;
  waiting_fault.reset();
  return kind;
}

}  // namespace kov
