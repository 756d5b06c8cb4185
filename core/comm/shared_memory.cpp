// SPDX-License-Identifier: MIT
#include "kov/core/comm/shared_memory.hpp"

#include "kov/core/base/hash.hpp"

#if defined(__linux__)
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace kov {

#if defined(__linux__)

namespace {

/// How memory files of this run alone are recognised: their name, and a token in their first page.
constexpr const char* file_name = "kovariant";
constexpr std::size_t header = 4096;

}  // namespace

std::uint64_t this_host() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return hash(id);
}

struct SharedMemory::Mapping {
  void* memory = MAP_FAILED;
  std::size_t bytes = 0;
  int file = -1;

  Mapping(int descriptor, std::size_t length) : bytes(length), file(descriptor) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) madvise(memory, bytes, MADV_HUGEPAGE);
  }
  ~Mapping() {
    if (memory != MAP_FAILED) munmap(memory, bytes);
    close();
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  void close() {
    if (file >= 0) ::close(file);
    file = -1;
  }
};

SharedMemory SharedMemory::make(std::size_t bytes) {
  SharedMemory made;
  const int file = memfd_create(file_name, MFD_CLOEXEC);
  if (file < 0) return made;
  const std::size_t length = header + bytes;
  if (ftruncate(file, off_t(length)) != 0) {
    ::close(file);
    return made;
  }
  auto mapping = std::make_shared<Mapping>(file, length);
  if (mapping->memory == MAP_FAILED) return made;
  std::random_device random;
  made.address_ = {this_host(), std::uint64_t(random()) << 32 | random(), length, getpid(), file};
  std::memset(mapping->memory, 0, length);  // the pages should lie near this process, not near who writes first
  std::memcpy(mapping->memory, &made.address_.token, sizeof made.address_.token);
  made.memory_ = std::move(mapping);
  return made;
}

SharedMemory SharedMemory::open(const Address& address) {
  SharedMemory opened;
  if (address.file < 0 || address.host != this_host()) return opened;
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  char target[64] = "";
  const ssize_t length = readlink(path.c_str(), target, sizeof target - 1);
  if (length <= 0 || std::string(target, std::size_t(length)).find(file_name) == std::string::npos) return opened;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return opened;
  struct stat status {};
  if (fstat(file, &status) != 0 || std::size_t(status.st_size) != address.bytes) {
    ::close(file);
    return opened;
  }
  auto mapping = std::make_shared<Mapping>(file, address.bytes);
  if (mapping->memory == MAP_FAILED || std::memcmp(mapping->memory, &address.token, sizeof address.token) != 0)
    return opened;
  mapping->close();
  opened.address_ = address;
  opened.memory_ = std::move(mapping);
  return opened;
}

void SharedMemory::close() {
  if (memory_) memory_->close();
}

std::byte* SharedMemory::data() const { return memory_ ? static_cast<std::byte*>(memory_->memory) + header : nullptr; }

#else

std::uint64_t this_host() { return 0; }
struct SharedMemory::Mapping {};
SharedMemory SharedMemory::make(std::size_t) { return {}; }
SharedMemory SharedMemory::open(const Address&) { return {}; }
void SharedMemory::close() {}
std::byte* SharedMemory::data() const { return nullptr; }

#endif

}  // namespace kov
