// SPDX-License-Identifier: MIT
#include "kov/core/io/hdf5_impl.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <hdf5.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kov {

static_assert(std::is_same_v<hid_t, detail::Hdf5Handle> && std::is_same_v<herr_t, int>, "HDF5 1.10.5 or newer is needed");

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
  // "file write failed: time = ..., error message = 'No space left on device', buf = ..."
  if (const std::size_t details = text.find(": time = "); details != text.npos) {
    constexpr std::string_view of_system = "error message = '";
    const std::size_t begin = text.find(of_system, details);
    const std::string message = begin == text.npos ? "" : text.substr(begin + of_system.size());
    text = message.empty() ? text.substr(0, details) : message.substr(0, message.find('\''));
  }
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
  return ::memfd_create("hdf5", MFD_CLOEXEC);
#else
  std::FILE* file = std::tmpfile();
  const int handle = file ? ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
  if (file) std::fclose(file);
  return handle;
#endif
}

}  // namespace

Hdf5File::Impl::Impl() : file(-1, H5Fclose) {}

Hdf5File::Impl::~Impl() {
  if (output && file.valid()) file.reset();
  H5Eclear2(H5E_DEFAULT);
  if (image >= 0) ::close(image);
}

void Hdf5File::Impl::write_to_image() {
  image = unnamed_file();
  void* handle = nullptr;
  const bool replaced = image >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle &&
                        ::dup2(image, *static_cast<int*>(handle)) >= 0;
  const int error = errno;
  require(replaced, "cannot write", name() + ":", "the system has no temporary memory for it:", std::strerror(error));
  ::fcntl(*static_cast<int*>(handle), F_SETFD, FD_CLOEXEC);
}

void Hdf5File::Impl::copy_image() {
  std::sort(plain.begin(), plain.end(), [](const Plain& a, const Plain& b) { return a.begin < b.begin; });
  struct ::stat status {};
  require(::fstat(image, &status) == 0, "cannot read what was to be written to", name());
  const std::uint64_t end = std::uint64_t(status.st_size);
  if (end > output->size()) output->extend(end - output->size());
  std::vector<std::byte> some(std::size_t(1) << 20);
  std::size_t next = 0;
  for (std::uint64_t at = 0; at < end;) {
    if (next < plain.size() && at == plain[next].begin) {
      at = plain[next++].end;
      continue;
    }
    const std::uint64_t until = std::min(next < plain.size() ? plain[next].begin : end, at + some.size());
    const ssize_t n = ::pread(image, some.data(), std::size_t(until - at), off_t(at));
    require(n > 0, "cannot read what was to be written to", name(), "at byte", std::to_string(at));
    output->write_at(at, std::span(some).first(std::size_t(n)));
    at += std::uint64_t(n);
  }
}

void Hdf5File::Impl::fail_reading(const char* what, const std::string& object) const {
  throw FormatError(sentence(what, object, "of", name(), "failed:", hdf5_reason()));
}

void Hdf5File::Impl::fail_writing(const std::string& object) {
  const std::string why = hdf5_reason();
  failed = true;
  file.reset();
  H5Eclear2(H5E_DEFAULT);
  throw InputError(sentence("writing", object, "to", name(), "failed:", why));
}

void Hdf5File::Impl::require_writable(const std::string& object) const {
  require(output.has_value(), "cannot write", object, "to", name() + ":", "it was opened for reading");
  require(!failed, "cannot write", object, "to", name() + ":", "writing failed before");
  require_open(object);
}

void Hdf5File::Impl::prepare_write(const std::string& object, std::uint64_t bytes) {
  require_writable(object);
  failed = true;
  require_room(object, file_bytes(), bytes);
  failed = false;
}

void Hdf5File::Impl::require_room(const std::string& object, std::uint64_t so_far, std::uint64_t bytes) const {
  constexpr std::uint64_t beside = 65536;  // tables and headers
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::uint64_t most = limit.rlim_cur;
  require(so_far <= most && bytes <= most - so_far && beside <= most - so_far - bytes, "writing", object, "to", name(),
          "failed:", reason_of_write(EFBIG));
}

void Hdf5File::Impl::require_new(const std::string& dataset) const {
  require(!contains(dataset), "cannot write the dataset", dataset, "to", name() + ":",
          "it has one of that name already");
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
