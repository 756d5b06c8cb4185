// SPDX-License-Identifier: MIT
//
// Private to hdf5*.cpp: an open HDF5 file, declared without hdf5.h.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/hdf5.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kov {

namespace detail {

/// HDF5's hid_t since 1.10.
using Hdf5Handle = std::int64_t;

/// Owns an HDF5 identifier of any sort.
class Hdf5Id {
 public:
  using Close = int (*)(Hdf5Handle);
  Hdf5Id(Hdf5Handle id, Close close) : id_(id), close_(close) {}
  ~Hdf5Id() { reset(); }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator Hdf5Handle() const { return id_; }  // NOLINT: stands for the identifier in every call
  bool valid() const { return id_ >= 0; }
  int reset() { return valid() ? close_(std::exchange(id_, -1)) : 0; }

 private:
  Hdf5Handle id_;
  Close close_;
};

/// The most members of a group, attributes of an object or values of an attribute that we accept.
inline constexpr std::uint64_t most_names = 1 << 20;

/// The error message of the innermost HDF5 function; clears HDF5's error stack.
std::string hdf5_reason();

/// Texts of any length in UTF-8.
Hdf5Id hdf5_text_type();

/// Whether the type is an integer of 1 to 8 bytes or an IEEE real of 4 or 8; a damaged file can describe any other.
bool is_plain_number(Hdf5Handle type);

/// Slowest first.
std::vector<std::uint64_t> hdf5_extent(Hdf5Handle space);

/// The product; nothing when it does not fit.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& extent);

/// "[4 4 4 8]"
std::string extent_text(const std::vector<std::uint64_t>& extent);

}  // namespace detail

/// What is behind an Hdf5File: handles of the HDF5 library, and where the file is written before it is complete.
struct Hdf5File::Impl {
  using Id = detail::Hdf5Id;
  using Handle = detail::Hdf5Handle;

  std::filesystem::path target;
  std::optional<OutputFile> output;
  std::filesystem::path current;
  Id file;
  bool failed = false;
  /// What HDF5 itself writes to an output: an unnamed file, in memory where the system supports that, from where
  /// close() copies it.  For after a write that failed, HDF5 (1.10, 1.14) can neither close a file nor end without a
  /// crash.
  int image = -1;
  /// Bytes of the output that write_plain() writes.
  struct Plain {
    std::uint64_t begin, end;
  };
  std::vector<Plain> plain;
  /// The first error of write_plain(), whichever thread had it; all threads report it.
  std::exception_ptr plain_error;
  std::mutex plain_mutex;

  Impl();
  ~Impl();

  /// Has HDF5 write the image from now on.
  void write_to_image();
  /// Copies the image to the output, but for plain bytes.
  void copy_image();

  std::string name() const { return target.string(); }

  /// An HDF5 call to read `object` failed.
  [[noreturn]] void fail_reading(const char* what, const std::string& object) const;
  /// An HDF5 call to write `object` failed.  The file is lost.
  [[noreturn]] void fail_writing(const std::string& object);
  /// Writing is possible on files that create() made and that are open.
  void require_writable(const std::string& object) const;
  /// The same, and HDF5 may make the file larger by this many bytes; otherwise the file is lost.
  void prepare_write(const std::string& object, std::uint64_t bytes = 0);
  /// The limit on the sizes of files, which images have too, lets the file grow by this many bytes.
  void require_room(const std::string& object, std::uint64_t so_far, std::uint64_t bytes) const;
  void require_open(const std::string& object) const;
  void require_new(const std::string& dataset) const;
  bool contains(const std::string& object) const;
  /// Of the file as it is now, 0 when HDF5 does not know.
  std::uint64_t file_bytes() const;
  /// Of a dataset; never more than the file has, whatever a damaged one says.
  std::uint64_t stored_bytes(const Id& set) const;

  Id open_object(const std::string& object) const;
  Id open_attribute(const Id& object, const std::string& object_name, const std::string& attribute) const;
  void write_attribute(const std::string& object, const std::string& attribute, Handle type,
                       const std::optional<std::uint64_t>& n, const void* data);
  Id open_dataset(const std::string& object) const;
  /// When HDF5 allocates a dataset's place in the file: at a time of its choice, or before anything is written.
  enum class Place { later, now };
  void create_dataset(const std::string& object, Hdf5Kind kind, int bits, const std::vector<std::uint64_t>& extent,
                      const std::vector<std::uint64_t>& chunk, Place place);
  Id make_dataset(const std::string& object, Handle type, Handle space, const std::vector<std::uint64_t>& chunk,
                  Place place = Place::later);
  /// Strings of a dataset or attribute, fixed or variable length.  read: into memory of a type.
  std::vector<std::string> read_texts(Handle type, std::uint64_t n, const Id& space, const std::string& object,
                                      const std::function<int(Handle, void*)>& read) const;
};

}  // namespace kov
