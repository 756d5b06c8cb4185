// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/label_attributes.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"

namespace kov::detail {

std::map<std::string, LabelValue> read_label_attributes(const Hdf5File& file, const std::string& object,
                                                        std::span<const char* const> others) {
  std::map<std::string, LabelValue> labels;
  for (const std::string& name : file.attribute_names(object)) {
    if (is_among(others, name)) continue;
    const Hdf5Attribute value = file.attribute(object, name);
    if (const auto* text = std::get_if<std::string>(&value)) labels[name] = *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) labels[name] = *integer;
    if (const auto* real = std::get_if<double>(&value)) labels[name] = *real;
  }
  return labels;
}

void write_label_attributes(Hdf5File& file, const std::string& object,
                            const std::map<std::string, LabelValue>& labels) {
  for (const auto& [name, value] : labels)
    std::visit([&](const auto& v) { file.set_attribute(object, name, v); }, value);
}

}  // namespace kov::detail
