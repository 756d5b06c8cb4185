// SPDX-License-Identifier: MIT
//
// Buffer: shared memory where kernels run.  On a host it is aligned to huge pages and first touched by the threads that
// will use it; on a GPU it is a plain device allocation.  When the last handle is gone it is kept for the next buffer
// of its size, see kept_memory.hpp.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/base/queue.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kov {

namespace detail {
/// More bytes than these exceed the second-level caches of CPUs, and stores that bypass the caches are faster.
inline constexpr std::size_t most_bytes_in_cache = std::size_t(16) << 20;

/// Zeroed memory of the default execution space; throws InputError when there is not enough.
std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes);
/// The same for kernels on exec alone, until its last handle is gone: zeroed there, and no other instance is waited for
/// where memory that was freed by exec is left.
std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes, const Exec& exec);
/// Uninitialised host memory, its pages near the threads that write them first; throws InputError when there is not
/// enough.
std::shared_ptr<std::byte> allocate_on_host(const std::string& name, std::size_t bytes);
/// Bytes of n objects of this size; the largest 64-bit number where the product overflows, so that allocating it fails.
constexpr std::size_t bytes_of(std::size_t n, std::size_t size) {
  return n > ~std::size_t(0) / size ? ~std::size_t(0) : n * size;
}
/// Blocking copies, after all kernels.
void copy_to_host(void* host, const void* device, std::size_t bytes);
void copy_to_device(void* device, const void* host, std::size_t bytes);
/// The same after what was launched on exec; they wait for no other instance.
void copy_to_host_after(const Exec& exec, void* host, const void* device, std::size_t bytes);
void copy_to_device_after(const Exec& exec, void* device, const void* host, std::size_t bytes);
void copy_on_device(void* to, const void* from, std::size_t bytes);

/// A std::shared_ptr<void> whose special members are compiled once and not wherever a class has such a member.
class Shared {
 public:
  Shared() = default;
  explicit Shared(std::shared_ptr<void> object);
  /// Takes over an object, to which destroy() is applied in the end.
  Shared(void* object, void (*destroy)(void*));
  template <class T>
  static Shared copy_of(const T& object) {
    return Shared(new T(object), [](void* copy) { delete static_cast<T*>(copy); });
  }
  Shared(const Shared& other) noexcept;
  Shared(Shared&& other) noexcept;
  Shared& operator=(const Shared& other) noexcept;
  Shared& operator=(Shared&& other) noexcept;
  ~Shared();

  void* get() const { return object_.get(); }

 private:
  std::shared_ptr<void> object_;
};
}  // namespace detail

/// Whether the host can read the memory of Kokkos::DefaultExecutionSpace.
inline constexpr bool unified_memory =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// n objects T.  Copies are handles to the same memory.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  /// Zero-initialised.  Throws InputError, with the name, when there is not enough memory.
  Buffer(const std::string& name, std::size_t n)
      : size_(n), bytes_(detail::allocate(name, detail::bytes_of(n, sizeof(T)))) {}
  Buffer(const std::string& name, std::span<const T> values) : Buffer(name, values.size()) { copy_from(values); }
  /// The same for kernels on exec alone, until the last handle is gone; waits for exec to copy values, and for no other
  /// instance.
  Buffer(const std::string& name, std::size_t n, const Exec& exec)
      : size_(n), bytes_(detail::allocate(name, detail::bytes_of(n, sizeof(T)), exec)) {}
  Buffer(const std::string& name, std::span<const T> values, const Exec& exec) : Buffer(name, values.size(), exec) {
    detail::copy_to_device_after(exec, data(), values.data(), values.size_bytes());
  }

  T* data() const { return static_cast<T*>(bytes_.get()); }
  std::size_t size() const { return size_; }

  /// Blocking copies between this and host memory; throw InputError unless the lengths are the same.
  void copy_from(std::span<const T> host) const {
    require_length(host.size());
    detail::copy_to_device(data(), host.data(), host.size_bytes());
  }
  void copy_to(std::span<T> host) const {
    require_length(host.size());
    detail::copy_to_host(host.data(), data(), host.size_bytes());
  }
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    copy_to(host);
    return host;
  }
  /// The same, after what was launched on exec; waits for no other instance.
  void copy_to(std::span<T> host, const Exec& exec) const {
    require_length(host.size());
    detail::copy_to_host_after(exec, host.data(), data(), host.size_bytes());
  }
  std::vector<T> to_host(const Exec& exec) const {
    std::vector<T> host(size_);
    copy_to(host, exec);
    return host;
  }

 private:
  void require_length(std::size_t n) const {
    require(n == size_, "a copy of", n, "elements to or from a buffer of", size_, "was asked for: copy all of them");
  }

  std::size_t size_ = 0;
  detail::Shared bytes_;
};

}  // namespace kov
