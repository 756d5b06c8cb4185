// SPDX-License-Identifier: MIT
//
// Attributes of HDF5 objects, and texts of attributes and datasets.
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/hdf5_impl.hpp"
#include "kov/core/io/text.hpp"

#include <hdf5.h>

namespace kov {

using namespace detail;

Hdf5Id Hdf5File::Impl::open_attribute(const Hdf5Id& object, const std::string& object_name,
                                      const std::string& attribute) const {
  Hdf5Id id(H5Aopen(object, attribute.c_str(), H5P_DEFAULT), H5Aclose);
  if (!id.valid()) fail_reading("reading an attribute of", object_name + ", " + attribute + ",");
  return id;
}

void Hdf5File::Impl::write_attribute(const std::string& object, const std::string& attribute, hid_t type,
                                     const std::optional<std::uint64_t>& n, const void* data) {
  prepare_write(object);
  const Hdf5Id target = open_object(object);
  if (H5Aexists(target, attribute.c_str()) > 0) H5Adelete(target, attribute.c_str());
  const hsize_t length = n.value_or(0);
  const Hdf5Id space(n ? H5Screate_simple(1, &length, nullptr) : H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id id(H5Acreate2(target, attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!id.valid() || ((!n || *n > 0) && H5Awrite(id, type, data) < 0))
    fail_writing("the attribute of " + object + ", " + attribute + ",");
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, const Hdf5Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const char* pointer = text->c_str();
    impl_->write_attribute(object, name, hdf5_text_type(), std::nullopt, &pointer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    impl_->write_attribute(object, name, H5T_NATIVE_DOUBLE, std::nullopt, real);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    impl_->write_attribute(object, name, H5T_NATIVE_INT64, std::nullopt, integer);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<const char*> pointers;
    for (const std::string& t : *texts) pointers.push_back(t.c_str());
    impl_->write_attribute(object, name, hdf5_text_type(), pointers.size(), pointers.data());
  } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    impl_->write_attribute(object, name, H5T_NATIVE_DOUBLE, reals->size(), reals->data());
  } else {
    const auto& integers = std::get<std::vector<std::int64_t>>(value);
    impl_->write_attribute(object, name, H5T_NATIVE_INT64, integers.size(), integers.data());
  }
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return H5Aexists(impl_->open_object(object), name.c_str()) > 0;
}

std::vector<std::string> Hdf5File::Impl::read_texts(hid_t type, std::uint64_t n, const Hdf5Id& space,
                                                    const std::string& object,
                                                    const std::function<int(Handle, void*)>& read) const {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(std::size_t(n), nullptr);
    Hdf5Id memory = hdf5_text_type();
    H5Tset_cset(memory, H5Tget_cset(type));
    if (n > 0 && read(memory, pointers.data()) < 0) fail_reading("reading", object);
    for (const char* p : pointers) texts.emplace_back(p ? p : "");
    if (n > 0) H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
  } else {
    const std::size_t size = H5Tget_size(type);
    require<FormatError>(size < (std::size_t(1) << 24) && n < (std::uint64_t(1) << 24) / (size + 1), name(),
                         "has texts in", object, "that are too long: the file is damaged");
    std::vector<char> bytes(size * std::size_t(n));
    if (n > 0 && read(type, bytes.data()) < 0) fail_reading("reading", object);
    for (std::size_t i = 0; i < std::size_t(n); ++i)
      texts.push_back(trim(std::string_view(bytes.data() + i * size, size)));
  }
  return texts;
}

Hdf5Attribute Hdf5File::attribute(const std::string& object, const std::string& name) const {
  const Hdf5Id target = impl_->open_object(object);
  const Hdf5Id id = impl_->open_attribute(target, object, name);
  const Hdf5Id type(H5Aget_type(id), H5Tclose), space(H5Aget_space(id), H5Sclose);
  const bool scalar = H5Sget_simple_extent_ndims(space) == 0;
  const std::uint64_t n = scalar ? 1 : product(hdf5_extent(space)).value_or(UINT64_MAX);
  const std::string where = "the attribute " + name + " of " + object;
  // Attributes live in object headers, and their heap is in the file as well.
  require<FormatError>(n <= most_names, impl_->name(), "has", n, "values in",
                       where + ": too many for a gauge configuration or correlators");
  const H5T_class_t kind = H5Tget_class(type);
  require<FormatError>(kind == H5T_STRING || is_plain_number(type), impl_->name(),
                       "has neither text nor integers nor reals of 32 or 64 bits in", where);
  if (kind == H5T_STRING) {
    const auto read = [&](hid_t memory, void* out) { return H5Aread(id, memory, out); };
    std::vector<std::string> texts = impl_->read_texts(type, n, space, where, read);
    return scalar ? Hdf5Attribute(texts.at(0)) : Hdf5Attribute(std::move(texts));
  }
  if (kind == H5T_INTEGER) {
    std::vector<std::int64_t> values(std::size_t{n});
    if (n > 0 && H5Aread(id, H5T_NATIVE_INT64, values.data()) < 0) impl_->fail_reading("reading", where);
    return scalar ? Hdf5Attribute(values.at(0)) : Hdf5Attribute(std::move(values));
  }
  std::vector<double> values(std::size_t{n});
  if (n > 0 && H5Aread(id, H5T_NATIVE_DOUBLE, values.data()) < 0) impl_->fail_reading("reading", where);
  return scalar ? Hdf5Attribute(values.at(0)) : Hdf5Attribute(std::move(values));
}

std::vector<std::string> Hdf5File::attribute_names(const std::string& object) const {
  const Hdf5Id id = impl_->open_object(object);
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    auto& found = *static_cast<std::vector<std::string>*>(out);
    found.emplace_back(name);
    return found.size() > most_names;
  };
  hsize_t from = 0;
  if (H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, &from, collect, &names) < 0)
    impl_->fail_reading("reading the attributes of", object);
  require<FormatError>(names.size() <= most_names, impl_->name(), "has more than", most_names, "attributes of",
                       object + ":", "too many for a gauge configuration or correlators");
  return names;
}

}  // namespace kov
