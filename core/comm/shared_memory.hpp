// SPDX-License-Identifier: MIT
//
// SharedMemory: memory of one process that others on its host can read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kov {

/// Identifies the host and its boot: equal in all processes of one host, different on any other.
std::uint64_t this_host();

/// Copies share the memory; it is freed with the last copy in any process.  On Linux only.
class SharedMemory {
 public:
  /// What another process needs to open the memory, as bytes that can be sent.
  struct Address {
    std::uint64_t host = 0, token = 0, bytes = 0;
    std::int64_t process = 0, file = -1;
  };

  SharedMemory() = default;
  /// Zeroed memory; empty when the system provides none.
  static SharedMemory make(std::size_t bytes);
  /// Memory that another process made; empty where it cannot be reached: on another host, in another container.
  static SharedMemory open(const Address& address);

  /// For open(), until close() is called here.
  Address address() const { return address_; }
  /// From now on no other process can open it.
  void close();

  explicit operator bool() const { return memory_ != nullptr; }
  std::byte* data() const;

 private:
  struct Mapping;
  std::shared_ptr<Mapping> memory_;
  Address address_;
};

}  // namespace kov
