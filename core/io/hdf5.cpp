// SPDX-License-Identifier: MIT
//
// HDF5 files and groups; hdf5_attribute.cpp, hdf5_dataset.cpp and hdf5_scales.cpp have the rest.  These sources and
// hdf5_impl.cpp are the only ones that include hdf5.h; a build without HDF5 compiles hdf5_absent.cpp instead.
#include "kov/core/io/hdf5.hpp"

#include "kov/core/io/hdf5_impl.hpp"
#include "kov/core/io/user_block.hpp"

#include <hdf5.h>

namespace kov {

using namespace detail;

namespace {

/// HDF5 prints its errors unless told not to; they are in our exceptions instead.
void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace

bool has_hdf5() { return true; }

std::string hdf5_description() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return "HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

Hdf5File::Hdf5File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hdf5File::~Hdf5File() = default;
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  be_quiet();
  auto impl = std::make_unique<Impl>();
  impl->target = path;
  impl->require_room("anything", 0, 0);
  impl->output.emplace(path);
  impl->current = impl->output->temporary();
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_fapl_sec2(access);  // whatever the environment says: write_to_image() needs its handle
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_userblock(creation, user_block_bytes);
  impl->file = Hdf5Id(H5Fcreate(impl->current.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  require(impl->file.valid(), "cannot create", impl->current.string() + ":", hdf5_reason(),
          "- make room there, or name outputs elsewhere");
  impl->write_to_image();
  return Hdf5File(std::move(impl));
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) { return open(path, Comm::self()); }

Hdf5File Hdf5File::open(const std::filesystem::path& path, const Comm& comm) {
  verify_user_block(comm, path);
  be_quiet();
  auto impl = std::make_unique<Impl>();
  impl->target = impl->current = path;
  comm.agree([&] {
    impl->file = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    require<FormatError>(impl->file.valid(), path.string(), "is not a complete HDF5 file:", hdf5_reason());
  });
  return Hdf5File(std::move(impl));
}

const std::filesystem::path& Hdf5File::path() const { return impl_->current; }

void Hdf5File::close() {
  if (!impl_->file.valid()) return;
  require(!impl_->failed, "cannot complete", impl_->name() + ":", "writing failed before");
  if (impl_->output && H5Fflush(impl_->file, H5F_SCOPE_GLOBAL) < 0) impl_->fail_writing("the last bytes");
  const int code = impl_->file.reset();
  require(code >= 0, "closing", impl_->name(), "failed:", hdf5_reason());
  if (!impl_->output) return;
  impl_->failed = true;  // until all is there
  impl_->copy_image();
  write_user_block(impl_->current, impl_->name());
  impl_->failed = false;
}

void Hdf5File::commit() {
  require(impl_->output.has_value(), "cannot commit", impl_->name() + ":", "it was opened for reading");
  require(!impl_->failed, "cannot commit", impl_->name() + ":", "writing failed before");
  close();
  impl_->output->commit();
  impl_->current = impl_->output->target();
}

void Hdf5File::create_group(const std::string& name) {
  impl_->prepare_write(name);
  if (contains(name)) return;
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id group(H5Gcreate2(impl_->file, name.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.valid()) impl_->fail_writing(name);
}

bool Hdf5File::contains(const std::string& name) const { return impl_->contains(name); }

bool Hdf5File::Impl::contains(const std::string& name) const {
  require_open(name);
  // H5Lexists fails where a group on the way is missing, so each is asked for.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (part != "/" && !part.empty()) {
      const bool exists = H5Lexists(file, part.c_str(), H5P_DEFAULT) > 0;
      H5Eclear2(H5E_DEFAULT);
      if (!exists) return false;
    }
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> Hdf5File::list(const std::string& group) const {
  const Hdf5Id id(H5Gopen2(impl_->file, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!id.valid()) impl_->fail_reading("reading the group", group);
  H5G_info_t info{};
  H5Gget_info(id, &info);
  require<FormatError>(info.nlinks <= most_names, impl_->name(), "has", info.nlinks, "members in", group + ":",
                       "too many for a gauge configuration or correlators");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t length = H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length < 0) impl_->fail_reading("reading the group", group);
    std::string name(std::size_t(length) + 1, '\0');
    H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT);
    name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace kov
