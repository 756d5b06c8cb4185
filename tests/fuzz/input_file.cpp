// SPDX-License-Identifier: MIT
#include "tests/fuzz/fuzz.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace kov::fuzz {

namespace {

/// In memory, where the system has a folder for that.
std::filesystem::path name_of_own(const std::string& ending) {
  const std::filesystem::path memory = "/dev/shm";
  return (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
         ("kovariant-fuzz-" + std::to_string(::getpid()) + ending);
}

/// A file with a name, which the HDF5 library wants; removed at the end.
class NamedFile {
 public:
  explicit NamedFile(const std::string& ending) : path_(name_of_own(ending)) {
    std::filesystem::create_directories(path_.parent_path());
  }
  ~NamedFile() {
    ::close(handle_);
    ::unlink(path_.c_str());
    ::rmdir(path_.parent_path().c_str());  // where it is empty
  }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;

  const std::filesystem::path& fill(const std::string& bytes) {
    struct stat file {};
    if (handle_ < 0 || ::fstat(handle_, &file) != 0 || file.st_nlink == 0) {  // a reader may have removed it
      if (handle_ >= 0) ::close(handle_);
      handle_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    if (handle_ < 0 || ::ftruncate(handle_, off_t(bytes.size())) != 0 ||
        ::pwrite(handle_, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
      throw std::runtime_error("no memory for a file");
    return path_;
  }

 private:
  std::filesystem::path path_;
  int handle_ = -1;
};

}  // namespace

std::filesystem::path in_memory(const std::string& bytes, const std::string& ending) {
  static std::map<std::string, NamedFile> files;
  return files.try_emplace(ending, ending).first->second.fill(bytes);
}

std::string written(const std::function<void(const std::filesystem::path&)>& write) {
  const auto file = name_of_own(".seed");
  write(file);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(file);
  return bytes;
}

}  // namespace kov::fuzz
