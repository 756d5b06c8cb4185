// SPDX-License-Identifier: MIT
//
// HDF5 datasets: whole, in blocks, and texts.
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/hdf5_impl.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <hdf5.h>
#include <limits>

namespace kov {

using namespace detail;

namespace {

Hdf5Id complex_type(hid_t real) {
  const std::size_t size = H5Tget_size(real);
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
  H5Tinsert(type, "r", 0, real);
  H5Tinsert(type, "i", size, real);
  return type;
}

/// The type of a T in memory.
template <class T>
Hdf5Id memory_type() {
  if constexpr (std::is_same_v<T, double>) {
    return Hdf5Id(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return Hdf5Id(H5Tcopy(H5T_NATIVE_INT64), H5Tclose);
  } else {
    static_assert(std::is_same_v<T, std::complex<double>>);
    return complex_type(H5T_NATIVE_DOUBLE);
  }
}

template <class T>
constexpr Hdf5Kind kind_of() {
  if constexpr (std::is_same_v<T, double>) return Hdf5Kind::real;
  if constexpr (std::is_same_v<T, std::int64_t>) return Hdf5Kind::integer;
  return Hdf5Kind::complex;
}

Hdf5Id file_type(Hdf5Kind kind, int bits) {
  require(bits == 64 || bits == 32 || (bits == 16 && kind == Hdf5Kind::integer),
          "HDF5 numbers are written with 32 or 64 bits, integers also with 16, not", bits);
  require(kind != Hdf5Kind::other, "an HDF5 dataset is written of integers, reals or complex numbers only");
  if (kind == Hdf5Kind::integer)
    return Hdf5Id(H5Tcopy(bits == 16 ? H5T_STD_I16LE : bits == 32 ? H5T_STD_I32LE : H5T_STD_I64LE), H5Tclose);
  const hid_t real = bits == 32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  return kind == Hdf5Kind::real ? Hdf5Id(H5Tcopy(real), H5Tclose) : complex_type(real);
}

bool is_complex(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  constexpr const char* names[] = {"r", "i"};
  for (unsigned i = 0; i < 2; ++i) {
    char* name = H5Tget_member_name(type, i);
    const bool same = name && std::string_view(name) == names[i];
    H5free_memory(name);
    if (!same || H5Tget_member_class(type, i) != H5T_FLOAT) return false;
    const Hdf5Id member(H5Tget_member_type(type, i), H5Tclose);
    const std::size_t size = H5Tget_size(member);
    if (!is_plain_number(member) || H5Tget_member_offset(type, i) != i * size || H5Tget_size(type) != 2 * size)
      return false;
  }
  return true;
}

std::vector<hsize_t> sizes(const std::vector<std::uint64_t>& extent) { return {extent.begin(), extent.end()}; }

/// The selected block in the file; the block must lie inside.
Hdf5Id select(hid_t set, const std::vector<std::uint64_t>& offset, const std::vector<std::uint64_t>& count,
              std::size_t n_values, const std::string& name) {
  Hdf5Id space(H5Dget_space(set), H5Sclose);
  const std::vector<std::uint64_t> extent = hdf5_extent(space);
  bool inside = offset.size() == extent.size() && count.size() == extent.size();
  for (std::size_t i = 0; inside && i < extent.size(); ++i)
    inside = offset[i] <= extent[i] && count[i] <= extent[i] - offset[i];
  require(inside, "the block", extent_text(count), "at", extent_text(offset), "is not inside the dataset", name, "of",
          extent_text(extent));
  require(product(count) == n_values, "the block", extent_text(count), "of the dataset", name, "was given", n_values,
          "values");
  if (!extent.empty() && n_values > 0)
    H5Sselect_hyperslab(space, H5S_SELECT_SET, sizes(offset).data(), nullptr, sizes(count).data(), nullptr);
  return space;
}

/// Integers are read as reals, too.
template <class T>
void require_kind(Hdf5Kind found, const std::string& file, const std::string& dataset) {
  const bool widens = kind_of<T>() == Hdf5Kind::real && found == Hdf5Kind::integer;
  require<FormatError>(found == kind_of<T>() || widens, file, "has numbers of another kind in", dataset + ":",
                       "integers, reals and complex numbers are not mixed");
}

/// Of the file that an object is in, which through an external link is another one.
std::string file_name(hid_t object) {
  const ssize_t size = H5Fget_name(object, nullptr, 0);
  std::string name(std::size_t(std::max<ssize_t>(size, 0)), '\0');
  if (size > 0) H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

/// See Hdf5Shape.
std::uint64_t readable_bytes(hid_t set, hid_t space, hid_t properties, const Hdf5Shape& shape) {
  if (!shape.filtered) return shape.stored_bytes;
  int packed = 0;
  for (int k = 0; k < H5Pget_nfilters(properties); ++k) {
    unsigned flags = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, unsigned(k), &flags, &n_values, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) return 0;
    packed += filter == H5Z_FILTER_DEFLATE;
  }
  if (packed > 1) return 0;
  std::vector<hsize_t> chunk(shape.extent.size());
  if (H5Pget_chunk(properties, int(chunk.size()), chunk.data()) != int(chunk.size())) return 0;
  double needed = 1;
  for (std::size_t k = 0; k < chunk.size(); ++k) needed *= std::ceil(double(shape.extent[k]) / double(chunk[k]));
  hsize_t written = 0;
  if (H5Dget_num_chunks(set, space, &written) < 0 || double(written) < needed) return 0;
  // Of a run of one byte, the most that deflate can pack, 258 take two bits.
  constexpr std::uint64_t most = 1032;
  return packed == 1 ? std::min(shape.stored_bytes, std::numeric_limits<std::uint64_t>::max() / most) * most
                     : shape.stored_bytes;
}

}  // namespace

std::uint64_t Hdf5File::Impl::file_bytes() const {
  hsize_t bytes = 0;
  const bool known = H5Fget_filesize(file, &bytes) >= 0;
  H5Eclear2(H5E_DEFAULT);
  return known ? bytes : 0;
}

std::uint64_t Hdf5File::Impl::stored_bytes(const Id& set) const {
  // Through an external link a dataset may be in another file.
  const Id there(H5Iget_file_id(set), H5Fclose);
  hsize_t bytes = 0;
  if (!there.valid() || H5Fget_filesize(there, &bytes) < 0) {
    H5Eclear2(H5E_DEFAULT);
    bytes = file_bytes();
  }
  return std::min<std::uint64_t>(H5Dget_storage_size(set), bytes);
}

Hdf5Id Hdf5File::Impl::open_dataset(const std::string& object) const {
  require_open(object);
  Hdf5Id set(H5Dopen2(file, object.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) fail_reading("reading the dataset", object);
  return set;
}

Hdf5Id Hdf5File::Impl::make_dataset(const std::string& object, hid_t type, hid_t space,
                                    const std::vector<std::uint64_t>& chunk, Place place) {
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  // Without times, equal data make equal files.
  H5Pset_obj_track_times(properties, false);
  if (!chunk.empty()) H5Pset_chunk(properties, int(chunk.size()), sizes(chunk).data());
  if (place == Place::now) {
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  }
  Hdf5Id set(H5Dcreate2(file, object.c_str(), type, space, links, properties, H5P_DEFAULT), H5Dclose);
  if (!set.valid()) fail_writing(object);
  return set;
}

void Hdf5File::Impl::create_dataset(const std::string& object, Hdf5Kind kind, int bits,
                                    const std::vector<std::uint64_t>& extent, const std::vector<std::uint64_t>& chunk,
                                    Place place) {
  prepare_write(object, product(extent).value_or(0) * std::uint64_t(bits / 8) * (kind == Hdf5Kind::complex ? 2 : 1));
  require(!extent.empty() && (chunk.empty() || chunk.size() == extent.size()), "the dataset", object,
          "needs extents, and a chunk of as many");
  const Hdf5Id space(H5Screate_simple(int(extent.size()), sizes(extent).data(), nullptr), H5Sclose);
  require(space.valid(), "HDF5 has no dataset of the extents", extent_text(extent), "for", object + ":", hdf5_reason());
  make_dataset(object, file_type(kind, bits), space, chunk, place);
}

void Hdf5File::create_dataset(const std::string& name, Hdf5Kind kind, int bits,
                              const std::vector<std::uint64_t>& extent, const std::vector<std::uint64_t>& chunk) {
  impl_->require_new(name);
  impl_->create_dataset(name, kind, bits, extent, chunk, Impl::Place::later);
}

std::uint64_t Hdf5File::create_plain_dataset(const std::string& name, Hdf5Kind kind, int bits,
                                             const std::vector<std::uint64_t>& extent) {
  impl_->require_new(name);
  impl_->create_dataset(name, kind, bits, extent, {}, Impl::Place::now);
  const auto begin = plain_data(name);
  if (!begin) impl_->fail_writing(name);
  const std::uint64_t end = *begin + shape(name).stored_bytes, written = impl_->output->size();
  impl_->plain.push_back({*begin, end});
  if (end > written) impl_->output->extend(end - written);
  return *begin;
}

void Hdf5File::write_plain(std::uint64_t offset, std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(impl_->plain_mutex);
    if (impl_->plain_error) std::rethrow_exception(impl_->plain_error);
    impl_->require_writable("bytes");
  }
  try {
    impl_->output->write_at(offset, bytes);
  } catch (...) {
    const std::lock_guard lock(impl_->plain_mutex);
    if (!impl_->plain_error) impl_->plain_error = std::current_exception();
    impl_->failed = true;
    std::rethrow_exception(impl_->plain_error);
  }
}

template <class T>
void Hdf5File::write(const std::string& name, std::span<const T> values, const std::vector<std::uint64_t>& extent) {
  require(product(extent) == values.size(), "the dataset", name, "of", extent_text(extent), "was given", values.size(),
          "values");
  if (!values.empty() && std::endian::native == std::endian::little) {
    const std::uint64_t begin = create_plain_dataset(name, kind_of<T>(), 64, extent);
    return write_plain(begin, std::as_bytes(values));
  }
  create_dataset(name, kind_of<T>(), 64, extent);
  write_block(name, std::vector<std::uint64_t>(extent.size()), extent, values);
}

template <class T>
Hdf5Array<T> Hdf5File::read(const std::string& name) const {
  const Hdf5Shape found = shape(name);
  require_kind<T>(found.kind, impl_->name(), name);
  const auto n = product(found.extent);
  // Checked before memory is allocated.
  const std::uint64_t bytes = std::uint64_t(found.bits / 8) * (found.kind == Hdf5Kind::complex ? 2 : 1);
  require<FormatError>(n && (*n == 0 || found.readable_bytes / *n >= bytes), impl_->name(), "promises",
                       extent_text(found.extent), "values in", name, "and holds", found.stored_bytes,
                       found.filtered
                           ? "bytes: it is incomplete, so write it again; or compressed by another filter than "
                             "gzip, so unpack it with `h5repack -f NONE` into another file"
                           : "bytes: it is incomplete, or virtual, or lies in files that are not HDF5: "
                             "copy its numbers into one file");
  Hdf5Array<T> array{found.extent, std::vector<T>(std::size_t(*n))};
  read_block(name, std::vector<std::uint64_t>(found.extent.size()), found.extent, std::span<T>(array.values));
  return array;
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  impl_->prepare_write(name, text.size());
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose), type = hdf5_text_type();
  const Hdf5Id set = impl_->make_dataset(name, type, space, {});
  const char* pointer = text.c_str();
  if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer) < 0 || H5Dflush(set) < 0) impl_->fail_writing(name);
}

std::string Hdf5File::read_text(const std::string& name) const {
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Id type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  require<FormatError>(H5Tget_class(type) == H5T_STRING && product(hdf5_extent(space)) == 1u, impl_->name(),
                       "does not have a single text in", name);
  const auto read = [&](hid_t memory, void* out) { return H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out); };
  return impl_->read_texts(type, 1, space, name, read).at(0);
}

template <class T>
void Hdf5File::write_block(const std::string& name, const std::vector<std::uint64_t>& offset,
                           const std::vector<std::uint64_t>& count, std::span<const T> values) {
  impl_->prepare_write(name, values.size_bytes());
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Id space = select(set, offset, count, values.size(), name);
  if (values.empty()) return;
  const Hdf5Id memory(H5Screate_simple(int(count.size()), sizes(count).data(), nullptr), H5Sclose);
  // A variable: a temporary would be closed before the reason of a failure is asked for, and take it along.
  const Hdf5Id type = memory_type<T>();
  // Flushed while the dataset is open, as errors at its close are not reported.
  if (H5Dwrite(set, type, memory, space, H5P_DEFAULT, values.data()) < 0 || H5Dflush(set) < 0) {
    impl_->fail_writing(name);
  }
}

template <class T>
void Hdf5File::read_block(const std::string& name, const std::vector<std::uint64_t>& offset,
                          const std::vector<std::uint64_t>& count, std::span<T> values) const {
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Shape found = shape(name);
  require_kind<T>(found.kind, impl_->name(), name);
  const Hdf5Id space = select(set, offset, count, values.size(), name);
  if (values.empty()) return;
  const Hdf5Id memory(
      count.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(count.size()), sizes(count).data(), nullptr),
      H5Sclose);
  const Hdf5Id type = memory_type<T>();
  if (H5Dread(set, type, memory, space, H5P_DEFAULT, values.data()) < 0)
    impl_->fail_reading("reading the dataset", name);
}

std::optional<std::uint64_t> Hdf5File::plain_data(const std::string& name) const {
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Shape found = shape(name);
  if (found.kind == Hdf5Kind::other || (found.bits != 32 && found.bits != 64)) return std::nullopt;
  const Hdf5Id type(H5Dget_type(set), H5Tclose), properties(H5Dget_create_plist(set), H5Pclose);
  if (H5Pget_layout(properties) != H5D_CONTIGUOUS || H5Pget_external_count(properties) != 0 ||
      H5Tequal(type, file_type(found.kind, found.bits)) <= 0 || file_name(set) != file_name(impl_->file))
    return std::nullopt;
  const haddr_t offset = H5Dget_offset(set);
  const std::uint64_t size = impl_->file_bytes();
  if (offset == HADDR_UNDEF || offset > size || found.stored_bytes > size - offset) return std::nullopt;
  return offset;
}

Hdf5Shape Hdf5File::shape(const std::string& name) const {
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Id type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const Hdf5Id properties(H5Dget_create_plist(set), H5Pclose);
  Hdf5Shape result;
  result.filtered = H5Pget_nfilters(properties) > 0;
  const H5T_class_t kind = H5Tget_class(type);
  const int bits = int(8 * H5Tget_size(type));
  if (is_complex(type)) {
    result.kind = Hdf5Kind::complex;
    result.bits = bits / 2;
  } else if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && is_plain_number(type)) {
    result.kind = kind == H5T_INTEGER ? Hdf5Kind::integer : Hdf5Kind::real;
    result.bits = bits;
  }
  result.extent = hdf5_extent(space);
  result.stored_bytes = impl_->stored_bytes(set);
  result.readable_bytes = readable_bytes(set, space, properties, result);
  return result;
}

using Extent = std::vector<std::uint64_t>;
template void Hdf5File::write<double>(const std::string&, std::span<const double>, const Extent&);
template Hdf5Array<double> Hdf5File::read<double>(const std::string&) const;
template void Hdf5File::write_block<double>(const std::string&, const Extent&, const Extent&, std::span<const double>);
template void Hdf5File::read_block<double>(const std::string&, const Extent&, const Extent&, std::span<double>) const;
template void Hdf5File::write<std::int64_t>(const std::string&, std::span<const std::int64_t>, const Extent&);
template Hdf5Array<std::int64_t> Hdf5File::read<std::int64_t>(const std::string&) const;
template void Hdf5File::write_block<std::int64_t>(const std::string&, const Extent&, const Extent&,
                                                  std::span<const std::int64_t>);
template void Hdf5File::read_block<std::int64_t>(const std::string&, const Extent&, const Extent&,
                                                 std::span<std::int64_t>) const;
template void Hdf5File::write<std::complex<double>>(const std::string&, std::span<const std::complex<double>>,
                                                    const Extent&);
template Hdf5Array<std::complex<double>> Hdf5File::read<std::complex<double>>(const std::string&) const;
template void Hdf5File::write_block<std::complex<double>>(const std::string&, const Extent&, const Extent&,
                                                          std::span<const std::complex<double>>);
template void Hdf5File::read_block<std::complex<double>>(const std::string&, const Extent&, const Extent&,
                                                         std::span<std::complex<double>>) const;

}  // namespace kov
