// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator_read.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"

#include <algorithm>

namespace kov {

namespace {

std::vector<std::int64_t> integers_of(const Hdf5File& file, const std::string& dataset, const std::string& attribute) {
  const Hdf5Attribute value = file.attribute(dataset, attribute);
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  require<FormatError>(list != nullptr, "the attribute", attribute, "of", dataset,
                       "is not a list of integers: the file is damaged, or Kovariant did not write it");
  return *list;
}

/// The attributes of a dataset that are labels.
std::map<std::string, LabelValue> labels_of(const Hdf5File& file, const std::string& dataset) {
  std::map<std::string, LabelValue> labels;
  for (const std::string& name : file.attribute_names(dataset)) {
    if (detail::is_among(detail::correlator_attributes, name)) continue;
    const Hdf5Attribute value = file.attribute(dataset, name);
    if (const auto* text = std::get_if<std::string>(&value)) labels[name] = *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) labels[name] = *integer;
    if (const auto* real = std::get_if<double>(&value)) labels[name] = *real;
  }
  return labels;
}

/// Datasets under /<kind>/<channel>, itself or its members, with the correlator's kind and channel filled in.
std::vector<std::pair<std::string, Correlator>> datasets(const Hdf5File& file) {
  std::vector<std::pair<std::string, Correlator>> list;
  for (const std::string& kind : file.list("/")) {
    if (detail::is_among(detail::correlator_groups, kind)) continue;
    for (const std::string& channel : file.list("/" + kind)) {
      const std::string path = "/" + kind + "/" + channel;
      const Correlator head{.kind = kind, .channel = channel};
      if (file.has_attribute(path, "momenta")) {
        list.emplace_back(path, head);
        continue;
      }
      for (const std::string& member : file.list(path)) list.emplace_back(path + "/" + member, head);
    }
  }
  return list;
}

/// The numbers of a dataset.  An empty one is refused, because its shape could promise more correlators than there is
/// memory for.
Hdf5Array<std::complex<double>> values_of(const Hdf5File& file, const std::string& dataset) {
  auto data = file.read<std::complex<double>>(dataset);
  require<FormatError>(!data.values.empty(), dataset, "has no values: the file is damaged");
  return data;
}

/// Adds the correlators of consecutive rows [momentum][t] to a list.
void add_rows(Correlator c, const std::vector<std::int64_t>& momenta, const std::complex<double>* rows,
              std::size_t n_times, std::vector<Correlator>& out) {
  for (std::size_t p = 0; p < momenta.size() / 3; ++p) {
    for (std::size_t i = 0; i < 3; ++i) c.momentum[i] = int(momenta[3 * p + i]);
    c.value.assign(rows + p * n_times, rows + (p + 1) * n_times);
    out.push_back(c);
  }
}

std::vector<Correlator> read_version_1(const Hdf5File& file) {
  std::vector<Correlator> result;
  for (auto& [path, c] : datasets(file)) {
    const std::vector<std::int64_t> source = integers_of(file, path, "source"),
                                    momenta = integers_of(file, path, "momenta");
    const auto data = values_of(file, path);
    require<FormatError>(
        source.size() == 4 && data.extent.size() == 2 && momenta.size() == 3 * data.extent[0], path,
        "is not [momentum][t] of one source with as many momenta as its attribute lists: the file is damaged");
    std::copy(source.begin(), source.end(), c.source.begin());
    c.labels = labels_of(file, path);
    add_rows(c, momenta, data.values.data(), data.extent[1], result);
  }
  return result;
}

std::vector<Correlator> read_version_2(const Hdf5File& file) {
  const std::vector<std::string> configurations = file.read_texts("/axes/configuration");
  const auto origins = file.read<std::int64_t>("/inputs/origin");
  require<FormatError>(
      origins.extent.size() == 3 && origins.extent[0] == configurations.size() && origins.extent[2] == 4,
      "/inputs/origin is not [configuration][source][4]: the file is damaged");
  std::vector<Correlator> result;
  for (auto& [path, c] : datasets(file)) {
    const std::vector<std::int64_t> momenta = integers_of(file, path, "momenta");
    const auto data = values_of(file, path);
    require<FormatError>(data.extent.size() == 4 && data.extent[0] == origins.extent[0] &&
                             data.extent[1] == origins.extent[1] && momenta.size() == 3 * data.extent[2],
                         path, "is not [configuration][source][momentum][t] of the file's axes: it is damaged");
    const std::map<std::string, LabelValue> labels = labels_of(file, path);
    const std::size_t n_rows = data.extent[0] * data.extent[1], n_values = data.extent[2] * data.extent[3];
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int64_t* origin = origins.values.data() + 4 * row;
      if (origin[0] < 0) continue;  // the configuration has fewer sources
      std::copy(origin, origin + 4, c.source.begin());
      c.labels = labels;
      const std::string& configuration = configurations[row / data.extent[1]];
      if (!configuration.empty()) c.labels["configuration"] = configuration;
      add_rows(c, momenta, data.values.data() + row * n_values, data.extent[3], result);
    }
  }
  return result;
}

}  // namespace

std::vector<Correlator> read_correlators(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  const bool ours = file.has_attribute("/", "format") &&
                    file.attribute("/", "format") == Hdf5Attribute(std::string(detail::correlator_format));
  require<FormatError>(ours, path.string(),
                       "is an HDF5 file, but does not hold correlators: its attribute format is not",
                       std::string("\"") + detail::correlator_format + "\"");
  const Hdf5Attribute version = file.attribute("/", "format_version");
  if (version == Hdf5Attribute(std::int64_t(1))) return read_version_1(file);
  require<FormatError>(version == Hdf5Attribute(std::int64_t(2)), path.string(),
                       "has a format_version that this release does not know; read it with a newer one");
  return read_version_2(file);
}

}  // namespace kov
