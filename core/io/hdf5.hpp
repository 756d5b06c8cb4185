// SPDX-License-Identifier: MIT
//
// A small layer over the HDF5 C library: groups, attributes and datasets of one file, which is complete or absent.  But
// for one open() not collective: with several ranks, rank 0 writes what was gathered.  A build without HDF5 has every
// function, and each throws NotBuilt.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/comm/comm.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kov {

/// Whether this build can read and write HDF5.
bool has_hdf5();

/// "HDF5 1.10.8", or "no HDF5".
std::string hdf5_description();

/// The value of an attribute; lists are one-dimensional.
using Hdf5Attribute = std::variant<std::string, double, std::int64_t, std::vector<std::string>, std::vector<double>,
                                   std::vector<std::int64_t>>;

/// What the numbers of a dataset are.  Complex numbers are stored as a compound {r, i}, which h5py reads as complex.
enum class Hdf5Kind { integer, real, complex, other };

/// Type and extents of a dataset.
struct Hdf5Shape {
  /// Of its numbers.
  Hdf5Kind kind = Hdf5Kind::other;
  /// Per real number or integer.
  int bits = 0;
  /// Slowest first.
  std::vector<std::uint64_t> extent;
  /// Bytes that the file really holds, which may be fewer than the extents promise.
  std::uint64_t stored_bytes = 0;
  /// Whether it is compressed or has other filters, so that stored_bytes says nothing.
  bool filtered = false;
  /// At most so many bytes of numbers can be read from those stored.  Zero if a filter is none of gzip (deflate, once),
  /// shuffle and checksum, or if parts of a filtered dataset were never written.
  std::uint64_t readable_bytes = 0;

  /// The product of the extents, which may be more than an integer holds.
  double n_numbers() const {
    double n = 1;
    for (const std::uint64_t length : extent) n *= double(length);
    return n;
  }
};

/// What the dimensions of a dataset are, slowest first: a label each, and the dataset that is its scale (may be empty).
struct Hdf5Dimensions {
  /// Its path.
  std::string dataset;
  /// As many as it has dimensions; scales are paths.
  std::vector<std::string> labels, scales;
};

/// A dataset in memory, slowest extent first.
template <class T>
struct Hdf5Array {
  std::vector<std::uint64_t> extent;
  /// The index of the last extent runs fastest.
  std::vector<T> values;
};

/// One file.  Names are paths as "/group/dataset"; groups on the way are made.  T is double, std::complex<double> or
/// std::int64_t.  Writing throws InputError, reading FormatError that names the object.
class Hdf5File {
 public:
  /// A new file under a temporary name; commit() gives it its own.  Without commit() nothing remains.  close() and
  /// commit() write length and checksum into its user block.
  static Hdf5File create(const std::filesystem::path& path);
  /// Read only.  A file that create() made is compared with the checksum in its user block first (see user_block.hpp).
  /// Others, from elsewhere or of older versions of this library, go to the HDF5 library as they are, which can crash
  /// on damaged ones; what this class reads of them is bounded and of the plain types that it writes.
  static Hdf5File open(const std::filesystem::path& path);
  /// The same on every rank, each of which compares its part of the file.  Collective.
  static Hdf5File open(const std::filesystem::path& path, const Comm& comm);
  ~Hdf5File();
  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;

  /// Where the file is now: its temporary name until commit().
  const std::filesystem::path& path() const;
  /// Ends writing, keeps the temporary name.
  void close();
  /// close(), then the file gets its own name, replacing what was there.
  void commit();

  void create_group(const std::string& name);
  bool contains(const std::string& name) const;
  /// Names of the members of a group, sorted.
  std::vector<std::string> list(const std::string& group) const;

  /// object: a group or dataset.  Replaces an attribute of that name.
  void set_attribute(const std::string& object, const std::string& name, const Hdf5Attribute& value);
  bool has_attribute(const std::string& object, const std::string& name) const;
  Hdf5Attribute attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> attribute_names(const std::string& object) const;

  /// A whole dataset.  extent: slowest first; its product is values.size().
  template <class T>
  void write(const std::string& name, std::span<const T> values, const std::vector<std::uint64_t>& extent);
  template <class T>
  Hdf5Array<T> read(const std::string& name) const;
  /// Real and imaginary parts stored with 32 or 64 bits; chunk: empty for contiguous.
  void create_dataset(const std::string& name, Hdf5Kind kind, int bits, const std::vector<std::uint64_t>& extent,
                      const std::vector<std::uint64_t>& chunk = {});
  /// A contiguous one whose bytes write_plain() writes, in little-endian order, past the HDF5 library; says where in
  /// the file they begin.
  std::uint64_t create_plain_dataset(const std::string& name, Hdf5Kind kind, int bits,
                                     const std::vector<std::uint64_t>& extent);
  /// Threads may call it at the same time, but with nothing else.  Can be read after close().  When it threw, every
  /// later call throws the first error once more, and the file cannot be committed.
  void write_plain(std::uint64_t offset, std::span<const std::byte> bytes);
  /// A text of any length as a scalar dataset.
  void write_text(const std::string& name, const std::string& text);
  std::string read_text(const std::string& name) const;
  /// A list of texts of any length as a dataset of one dimension.
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  std::vector<std::string> read_texts(const std::string& name) const;

  /// Dimension labels and scales as HDF5's H5DS wants them; a scale is known by the name of its dataset.  Once for each
  /// file, when all of these datasets are there.
  void set_dimensions(const std::vector<Hdf5Dimensions>& all);

  /// The block of `count` elements in each direction from `offset` on.
  template <class T>
  void write_block(const std::string& name, const std::vector<std::uint64_t>& offset,
                   const std::vector<std::uint64_t>& count, std::span<const T> values);
  template <class T>
  void read_block(const std::string& name, const std::vector<std::uint64_t>& offset,
                  const std::vector<std::uint64_t>& count, std::span<T> values) const;

  /// Where in the file the numbers of a dataset begin that lie there one after the other, in little-endian order and
  /// whole; nothing for other datasets.
  std::optional<std::uint64_t> plain_data(const std::string& name) const;

  /// Throws FormatError when there is no such dataset.
  Hdf5Shape shape(const std::string& name) const;

 private:
  struct Impl;
  explicit Hdf5File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The value of an attribute; FormatError, with the name of the file, where there is none or it has another type.
template <class Value>
Value required_attribute(const Hdf5File& file, const std::string& object, const std::string& attribute,
                         const std::string& name) {
  require<FormatError>(file.has_attribute(object, attribute), name, "has no attribute", attribute, "of", object + ":",
                       "it is damaged, or Kovariant did not write it");
  const Hdf5Attribute value = file.attribute(object, attribute);
  const Value* const wanted = std::get_if<Value>(&value);
  require<FormatError>(wanted != nullptr, name, "has an attribute", attribute, "of", object,
                       "of the wrong type: it is damaged, or Kovariant did not write it");
  return *wanted;
}

}  // namespace kov
