// SPDX-License-Identifier: MIT
#include "kov/core/comm/exchange_options.hpp"

#include "kov/core/base/memory.hpp"

namespace kov {

ExchangeOptions ExchangeOptions::resolved(const Comm& comm) const {
  ExchangeOptions result = *this;
  const bool shared = transport == Transport::shared, automatic = transport == Transport::automatic;
  if (unified_memory || shared || transport == Transport::staged) {
    result.transport = unified_memory && (shared || automatic) ? Transport::shared : Transport::staged;
    return result;
  }
  const bool possible = comm.takes_device_memory();
  require<NotBuilt>(possible || automatic,
                    "messages from device memory were asked for, but this MPI cannot send them: use an MPI with CUDA "
                    "support, or the staged transport");
  result.transport = possible ? Transport::device : Transport::staged;
  return result;
}

std::string to_string(const ExchangeOptions& options) {
  return sentence("overlap", int(options.overlap), "wire", int(options.wire), "transport", int(options.transport),
                  "checked exchanges", options.checked_exchanges, "timeout", options.timeout_seconds);
}

std::string to_string(ExchangeOptions::Wire wire) {
  constexpr const char* names[] = {"full", "single", "fixed16"};
  return names[int(wire)];
}

std::string to_string(ExchangeOptions::Transport transport) {
  constexpr const char* names[] = {"automatic", "staged", "device", "shared"};
  return names[int(transport)];
}

}  // namespace kov
