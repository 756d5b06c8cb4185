// SPDX-License-Identifier: MIT
//
// SharedMemory: memory of one process that others on its host can read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kov {

/// Which boot of which machine this is: the same in all processes of a host, and different from that of any other.
std::uint64_t this_host();

/// Copies share the memory, which goes with the last of them in all processes.  Linux; elsewhere there is none.
class SharedMemory {
 public:
  /// What another process needs to know, as bytes that may travel.
  struct Address {
    std::uint64_t host = 0, token = 0, bytes = 0;
    std::int64_t process = 0, file = -1;
  };

  SharedMemory() = default;
  /// Zeroed memory; empty where the system gives none.
  static SharedMemory make(std::size_t bytes);
  /// Memory that another process made; empty where it cannot be reached: on another host, in another container.
  static SharedMemory open(const Address& address);

  /// For open(), until close() is called here.
  Address address() const { return address_; }
  /// Nobody else can open it from now on.
  void close();

  explicit operator bool() const { return memory_ != nullptr; }
  std::byte* data() const;

 private:
  struct Mapping;
  std::shared_ptr<Mapping> memory_;
  Address address_;
};

}  // namespace kov
