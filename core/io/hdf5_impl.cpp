// SPDX-License-Identifier: MIT
#include "kov/core/io/hdf5_impl.hpp"

#include <algorithm>
#include <cstdio>
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kov {

static_assert(std::is_same_v<hid_t, detail::Hdf5Handle> && std::is_same_v<herr_t, int>, "HDF5 1.10 or newer is needed");

namespace detail {

std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "HDF5 gives no reason" : text;
}

Hdf5Id hdf5_text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool is_plain_number(Hdf5Handle type) {
  const hid_t plain[] = {H5T_STD_I8LE,  H5T_STD_I16LE,  H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U8LE,
                         H5T_STD_U16LE, H5T_STD_U32LE,  H5T_STD_U64LE,  H5T_STD_I8BE,   H5T_STD_I16BE,
                         H5T_STD_I32BE, H5T_STD_I64BE,  H5T_STD_U8BE,   H5T_STD_U16BE,  H5T_STD_U32BE,
                         H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
  return std::any_of(std::begin(plain), std::end(plain), [&](hid_t t) { return H5Tequal(type, t) > 0; });
}

std::vector<std::uint64_t> hdf5_extent(Hdf5Handle space) {
  const int n = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extent(std::size_t(std::max(n, 0)));
  if (n > 0) H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& extent) {
  std::uint64_t n = 1;
  for (const std::uint64_t e : extent) {
    if (e != 0 && n > UINT64_MAX / e) return std::nullopt;
    n *= e;
  }
  return n;
}

std::string extent_text(const std::vector<std::uint64_t>& extent) {
  std::string text = "[";
  for (const std::uint64_t e : extent) {
    if (text.size() > 1) text += ' ';
    text += std::to_string(e);
  }
  return text += ']';
}

}  // namespace detail

using namespace detail;

namespace {

/// A handle of an unnamed file, in memory where the system supports that, or -1.
int unnamed_file() {
#ifdef MFD_CLOEXEC
  return ::memfd_create("abandoned", MFD_CLOEXEC);
#else
  std::FILE* file = std::tmpfile();
  return file ? ::dup(::fileno(file)) : -1;
#endif
}

/// Closes a file that is given up, with every object open in it.  After a failed write HDF5 (1.10, 1.14) keeps what it
/// could not write, fails to close the file, and crashes when the process ends; so its last writes go to an unnamed
/// file, where they succeed.
void abandon(Hdf5Id& file) {
  void* handle = nullptr;
  const int elsewhere = unnamed_file();
  if (elsewhere >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
    ::dup2(elsewhere, *static_cast<int*>(handle));
  if (elsewhere >= 0) ::close(elsewhere);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit open{before.rlim_max, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &open);
  file.reset();
  ::setrlimit(RLIMIT_FSIZE, &before);
  H5Eclear2(H5E_DEFAULT);
}

}  // namespace

Hdf5File::Impl::Impl() : file(-1, H5Fclose) {}

Hdf5File::Impl::~Impl() {
  if (pending && file.valid()) abandon(file);
}

void Hdf5File::Impl::fail_reading(const char* what, const std::string& object) const {
  throw FormatError(sentence(what, object, "of", name(), "failed:", hdf5_reason()));
}

void Hdf5File::Impl::fail_writing(const std::string& object) {
  const std::string why = hdf5_reason();
  failed = true;
  abandon(file);
  throw InputError(sentence("writing", object, "to", name(), "failed:", why));
}

void Hdf5File::Impl::require_writable(const std::string& object) const {
  require(pending.has_value(), "cannot write", object, "to", name() + ":", "it was opened for reading");
  require(!failed, "cannot write", object, "to", name() + ":", "writing failed before");
  require_open(object);
}

void Hdf5File::Impl::require_open(const std::string& object) const {
  require(file.valid(), "cannot use", object, "of", name() + ":", "the file is closed");
}

Hdf5Id Hdf5File::Impl::open_object(const std::string& object) const {
  require_open(object);
  Hdf5Id id(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!id.valid()) fail_reading("opening", object);
  return id;
}

}  // namespace kov
