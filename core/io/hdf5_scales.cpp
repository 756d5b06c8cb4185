// SPDX-License-Identifier: MIT
//
// HDF5 lists of texts, and dimension labels and scales: attributes that the specification of the H5DS interface names,
// written all at once, where the library's high-level functions write each list anew for every dataset that is added.
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/hdf5_impl.hpp"

#include <hdf5.h>
#include <map>

namespace kov {

using namespace detail;

namespace {

/// Where a scale is used; the members of the attribute REFERENCE_LIST.
struct Use {
  hobj_ref_t dataset;
  int dimension;
};

/// Attributes of an object in HDF5's oldest format hold this much; a longer list of uses is left out, which readers of
/// datasets do not miss.
constexpr std::size_t longest_list = 64000;

Hdf5Id use_type() {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Use)), H5Tclose);
  H5Tinsert(type, "dataset", offsetof(Use, dataset), H5T_STD_REF_OBJ);
  H5Tinsert(type, "dimension", offsetof(Use, dimension), H5T_NATIVE_INT);
  return type;
}

/// A text of fixed length, with its end.
Hdf5Id fixed_type(const std::string& text) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size() + 1);
  return type;
}

}  // namespace

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  std::uint64_t bytes = 16 * texts.size();
  for (const std::string& text : texts) bytes += text.size();
  impl_->prepare_write(name, bytes);
  impl_->require_new(name);
  const hsize_t n = texts.size();
  const Hdf5Id space(H5Screate_simple(1, &n, nullptr), H5Sclose), type = hdf5_text_type();
  const Hdf5Id set = impl_->make_dataset(name, type, space, {});
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const bool written = n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0;
  if (!written || H5Dflush(set) < 0) impl_->fail_writing(name);
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
  const Hdf5Id set = impl_->open_dataset(name);
  const Hdf5Id type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const std::vector<std::uint64_t> extent = hdf5_extent(space);
  // Of texts the dataset holds a reference each, 16 bytes in the file.
  require<FormatError>(H5Tget_class(type) == H5T_STRING && extent.size() == 1 && extent[0] <= impl_->stored_bytes(set),
                       impl_->name(), "does not have a list of texts in", name);
  const auto read = [&](hid_t memory, void* out) { return H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out); };
  return impl_->read_texts(type, extent[0], space, name, read);
}

void Hdf5File::set_dimensions(const std::vector<Hdf5Dimensions>& all) {
  const auto reference = [&](const std::string& name) {
    hobj_ref_t result{};
    impl_->prepare_write(name);
    if (H5Rcreate(&result, impl_->file, name.c_str(), H5R_OBJECT, -1) < 0) impl_->fail_writing(name);
    return result;
  };
  std::map<std::string, std::vector<Use>> uses;
  const Hdf5Id list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  for (const Hdf5Dimensions& d : all) {
    const std::size_t n = shape(d.dataset).extent.size();
    require(d.labels.size() == n && d.scales.size() == n, "the dataset", d.dataset, "has", n, "dimensions, and",
            d.labels.size(), "labels and", d.scales.size(), "scales were given");
    set_attribute(d.dataset, "DIMENSION_LABELS", d.labels);
    std::vector<hobj_ref_t> scales(n);
    std::vector<hvl_t> entries(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (d.scales[i].empty()) continue;
      scales[i] = reference(d.scales[i]);
      entries[i] = {1, &scales[i]};
      uses[d.scales[i]].push_back({reference(d.dataset), int(i)});
    }
    impl_->write_attribute(d.dataset, "DIMENSION_LIST", list, n, entries.data());
  }
  const std::string kind = "DIMENSION_SCALE";
  for (const auto& [scale, list_of_uses] : uses) {
    const std::string name = scale.substr(scale.rfind('/') + 1);
    impl_->write_attribute(scale, "CLASS", fixed_type(kind), std::nullopt, kind.c_str());
    impl_->write_attribute(scale, "NAME", fixed_type(name), std::nullopt, name.c_str());
    if (list_of_uses.size() * sizeof(Use) <= longest_list)
      impl_->write_attribute(scale, "REFERENCE_LIST", use_type(), list_of_uses.size(), list_of_uses.data());
  }
}

}  // namespace kov
