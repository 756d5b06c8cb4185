// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator_read.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"

#include <algorithm>
#include <set>

namespace kov {

namespace {

std::vector<std::int64_t> integers_of(const Hdf5File& file, const std::string& dataset, const std::string& attribute) {
  const Hdf5Attribute value = file.attribute(dataset, attribute);
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  require<FormatError>(list != nullptr, "the attribute", attribute, "of", dataset,
                       "is not a list of integers: the file is damaged, or Kovariant did not write it");
  return *list;
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

std::vector<Momentum> momenta_of(const std::vector<std::int64_t>& list) {
  std::vector<Momentum> momenta(list.size() / 3);
  for (std::size_t p = 0; p < momenta.size(); ++p)
    for (std::size_t i = 0; i < 3; ++i) momenta[p][i] = int(list[3 * p + i]);
  return momenta;
}

using Visit = std::function<void(CorrelatorArray, std::size_t, std::size_t)>;

void visit_version_1(const Hdf5File& file, const Visit& visit) {
  const auto all = datasets(file);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string& path = all[k].first;
    CorrelatorArray array{.head = all[k].second};
    const std::vector<std::int64_t> source = integers_of(file, path, "source"),
                                    momenta = integers_of(file, path, "momenta");
    auto data = values_of(file, path);
    require<FormatError>(
        source.size() == 4 && data.extent.size() == 2 && momenta.size() == 3 * data.extent[0], path,
        "is not [momentum][t] of one source with as many momenta as its attribute lists: the file is damaged");
    array.sources.emplace_back();
    std::copy(source.begin(), source.end(), array.sources[0].begin());
    array.head.labels = detail::read_label_attributes(file, path, detail::correlator_attributes);
    array.configurations.emplace_back();
    if (const auto found = array.head.labels.find("configuration"); found != array.head.labels.end()) {
      array.configurations[0] = label_text(found->second);
      array.head.labels.erase(found);
    }
    array.momenta = momenta_of(momenta);
    array.n_times = data.extent[1];
    array.values = std::move(data.values);
    visit(std::move(array), k, all.size());
  }
}

void visit_version_2(const Hdf5File& file, const Visit& visit) {
  const std::vector<std::string> configurations = file.read_texts("/axes/configuration");
  Hdf5Array<std::int64_t> origins{.extent = {configurations.size(), 0, 4}, .values = {}};
  const std::vector<std::string> inputs = file.list("/inputs");
  if (std::find(inputs.begin(), inputs.end(), "origin") != inputs.end())
    origins = file.read<std::int64_t>("/inputs/origin");
  require<FormatError>(
      origins.extent.size() == 3 && origins.extent[0] == configurations.size() && origins.extent[2] == 4,
      "/inputs/origin is not [configuration][source][4]: the file is damaged");
  const auto all = datasets(file);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string& path = all[k].first;
    CorrelatorArray array{.head = all[k].second};
    const std::vector<std::int64_t> momenta = integers_of(file, path, "momenta");
    auto data = values_of(file, path);
    const bool has_source = data.extent.size() != 3;
    if (!has_source) data.extent.insert(data.extent.begin() + 1, 1);
    require<FormatError>(data.extent.size() == 4 && data.extent[0] == origins.extent[0] &&
                             (!has_source || data.extent[1] == origins.extent[1]) &&
                             momenta.size() == 3 * data.extent[2],
                         path, "is not [configuration][source][momentum][t] of the file's axes: it is damaged");
    array.head.labels = detail::read_label_attributes(file, path, detail::correlator_attributes);
    array.momenta = momenta_of(momenta);
    array.n_times = data.extent[3];
    const std::size_t n_rows = data.extent[0] * data.extent[1], n_values = data.extent[2] * data.extent[3];
    for (std::size_t row = 0; row < n_rows; ++row) {
      Coord origin = no_source;
      if (has_source) std::copy_n(origins.values.data() + 4 * row, 4, origin.begin());
      if (has_source && origin[0] < 0) continue;  // the configuration has fewer sources
      const auto begin = data.values.begin() + std::ptrdiff_t(row * n_values);
      if (array.sources.size() < row)  // rows before were left out
        std::copy(begin, begin + std::ptrdiff_t(n_values),
                  data.values.begin() + std::ptrdiff_t(array.sources.size() * n_values));
      array.sources.push_back(origin);
      array.configurations.push_back(configurations[row / data.extent[1]]);
    }
    data.values.resize(array.sources.size() * n_values);
    array.values = std::move(data.values);
    visit(std::move(array), k, all.size());
  }
}

bool is_ours(const Hdf5File& file) {
  return file.has_attribute("/", "format") &&
         file.attribute("/", "format") == Hdf5Attribute(std::string(detail::correlator_format));
}

/// A file of correlators, and its version.
std::pair<Hdf5File, std::int64_t> open_correlators(const std::filesystem::path& path) {
  Hdf5File file = Hdf5File::open(path);
  require<FormatError>(is_ours(file), path.string(),
                       "is an HDF5 file, but does not hold correlators: its attribute format is not",
                       std::string("\"") + detail::correlator_format + "\"");
  const Hdf5Attribute version = file.attribute("/", "format_version");
  const auto* const number = std::get_if<std::int64_t>(&version);
  require<FormatError>(number != nullptr && (*number == 1 || *number == 2), path.string(),
                       "has a format_version that this release does not know; read it with a newer one");
  return {std::move(file), *number};
}

Coord extent_of(const Hdf5File& file) {
  Coord extent{0, 0, 0, 0};
  if (file.has_attribute("/", "extent"))
    if (const auto list = integers_of(file, "/", "extent"); list.size() == 4)
      for (std::size_t mu = 0; mu < 4; ++mu) extent[mu] = int(list[mu]);
  return extent;
}

}  // namespace

Coord extent_of_correlators(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  return is_ours(file) ? extent_of(file) : Coord{0, 0, 0, 0};
}

CorrelatorCount count_correlators(const std::filesystem::path& path,
                                  const std::function<bool(const std::string& channel)>& counts) {
  const auto [file, version] = open_correlators(path);
  CorrelatorCount count;
  std::set<std::string> channels;
  for (const auto& [dataset, head] : datasets(file)) {
    if (!counts(head.channel)) continue;
    const Hdf5Shape shape = file.shape(dataset);
    const std::vector<std::uint64_t>& extent = shape.extent;
    if (extent.size() < 2 || extent.back() == 0) continue;  // damaged, which is said where it is read
    const double numbers = shape.n_numbers();
    count.correlators += numbers / double(extent.back());
    // In version 1 each configuration has datasets of its own.
    const bool fresh = channels.insert(head.kind + "/" + head.channel).second;
    if (version > 1 || fresh) count.series += double(extent[extent.size() - 2]);
    count.numbers += numbers;
  }
  return count;
}

void visit_correlators(const std::filesystem::path& path, const Visit& visit,
                       const std::function<void(const Coord&)>& begin) {
  const auto [file, version] = open_correlators(path);
  begin(extent_of(file));
  (version == 1 ? visit_version_1 : visit_version_2)(file, visit);
}

std::vector<Correlator> read_correlators(const std::filesystem::path& path) {
  std::vector<Correlator> result;
  visit_correlators(path, [&](const CorrelatorArray& array, std::size_t, std::size_t) {
    const std::complex<double>* values = array.values.data();
    for (std::size_t row = 0; row < array.sources.size(); ++row) {
      Correlator c = array.head;
      c.source = array.sources[row];
      if (!array.configurations[row].empty()) c.labels["configuration"] = array.configurations[row];
      for (const Momentum& p : array.momenta) {
        c.momentum = p;
        c.value.assign(values, values + array.n_times);
        values += array.n_times;
        result.push_back(c);
      }
    }
  });
  return result;
}

}  // namespace kov
