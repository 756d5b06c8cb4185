// SPDX-License-Identifier: MIT
#include "apps/analyze/correlator_mapping.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace kov::app {

namespace {

using PathNames = std::map<std::string, std::string>;

std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return parts;
}

/// Whether a part of a path is as a pattern says, "corr_{px}_{py}"; adds what the names stand for.  A name takes the
/// fewest characters that make the rest fit.
bool part_matches(const std::string& text, const std::string& pattern, PathNames& names) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '{')
    return !text.empty() && text[0] == pattern[0] && part_matches(text.substr(1), pattern.substr(1), names);
  const std::size_t end = pattern.find('}');
  const std::string name = pattern.substr(1, end - 1), rest = pattern.substr(end + 1);
  for (std::size_t n = 1; n <= text.size(); ++n) {
    PathNames more = names;
    const std::string value = text.substr(0, n);
    const auto known = more.find(name);
    if (known != more.end() && known->second != value) continue;
    more[name] = value;
    if (!part_matches(text.substr(n), rest, more)) continue;
    names = more;
    return true;
  }
  return false;
}

std::string with_names(const std::string& pattern, const PathNames& names) {
  std::string text = pattern;
  for (const auto& [name, value] : names)
    for (std::size_t at = 0; (at = text.find("{" + name + "}", at)) != text.npos; at += value.size())
      text.replace(at, name.size() + 2, value);
  return text;
}

bool is_dataset(const Hdf5File& file, const std::string& path) {
  try {
    file.shape(path);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

/// Paths of a file that match a pattern, with what its names stand for.
void find_matches(const Hdf5File& file, const std::string& group, const std::vector<std::string>& pattern,
                  std::size_t depth, const PathNames& names, std::vector<std::pair<std::string, PathNames>>& found) {
  const std::string prefix = group == "/" ? "/" : group + "/";
  const auto go_on = [&](const std::string& member, const PathNames& known) {
    if (depth + 1 == pattern.size()) {
      if (is_dataset(file, prefix + member)) found.emplace_back(prefix + member, known);
    } else {
      find_matches(file, prefix + member, pattern, depth + 1, known, found);
    }
  };
  if (pattern[depth].find('{') == std::string::npos) {
    if (file.contains(prefix + pattern[depth])) go_on(pattern[depth], names);
    return;
  }
  std::vector<std::string> members;
  try {
    members = file.list(group);
  } catch (const FormatError&) {
    return;  // a dataset where the pattern has a group
  }
  for (const std::string& member : members) {
    PathNames known = names;
    if (part_matches(member, pattern[depth], known)) go_on(member, known);
  }
}

int integer_of(const PathNames& names, const std::string& name, const std::string& path) {
  const auto value = parse_integer(names.at(name));
  require(value && std::abs(*value) < 1000000, "the part {" + name + "} of the path", path, "is", names.at(name),
          "- a momentum must be an integer");
  return int(*value);
}

/// The numbers of a dataset as complex ones, and its extents.
Hdf5Array<std::complex<double>> complex_numbers(const Hdf5File& file, const std::string& path,
                                                const std::string& imaginary) {
  const Hdf5Shape shape = file.shape(path);
  require<FormatError>(shape.kind != Hdf5Kind::other, file.path().string(), "has numbers in", path,
                       "that are neither integers, reals nor complex numbers {r, i}");
  if (shape.kind == Hdf5Kind::complex) return file.read<std::complex<double>>(path);
  const auto real = file.read<double>(path);
  Hdf5Array<std::complex<double>> result{real.extent, {real.values.begin(), real.values.end()}};
  if (imaginary.empty()) return result;
  const auto other = file.read<double>(imaginary);
  require<FormatError>(other.extent == real.extent, file.path().string(), "has datasets", path, "and", imaginary,
                       "of different extents, but they are said to be parts of one number");
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = {real.values[i], other.values[i]};
  return result;
}

/// The index along one axis of every number, and what it takes to cut a dataset into arrays.
struct Axes {
  explicit Axes(const MappedDatasets& table, const std::vector<std::uint64_t>& extent) : extents(extent) {
    for (std::size_t k = 0; k < table.axes.size(); ++k) index[table.axes[k]] = k;
    strides.assign(extent.size(), 1);
    for (std::size_t k = extent.size(); k-- > 1;) strides[k - 1] = strides[k] * extent[k];
  }
  std::uint64_t size(const std::string& axis) const { return index.count(axis) ? extents[index.at(axis)] : 1; }
  std::uint64_t stride(const std::string& axis) const { return index.count(axis) ? strides[index.at(axis)] : 0; }

  std::vector<std::uint64_t> extents, strides;
  std::map<std::string, std::size_t> index;
};

const std::vector<std::string> known_axes{"t", "configuration", "source", "part", "momentum"};

/// The arrays of a dataset, one for each index of axes that are labels.
std::vector<CorrelatorArray> arrays_of(const MappedDatasets& table, const PathNames& names,
                                       const Hdf5Array<std::complex<double>>& data, const std::string& path,
                                       const std::string& file) {
  const Axes axes(table, data.extent);
  CorrelatorArray head{.head = {.kind = table.kind, .channel = table.channel}};
  Momentum momentum = table.momentum;
  std::string configuration = axes.index.count("configuration") ? "" : file;
  for (const auto& [name, value] : names) {
    if (name == "kind")
      head.head.kind = value;
    else if (name == "channel")
      head.head.channel = value;
    else if (name == "configuration")
      configuration = value;
    else if (name == "px" || name == "py" || name == "pz")
      momentum[std::size_t(name[1] - 'x')] = integer_of(names, name, path);
    else if (name != "source")
      head.head.labels[name] = value;
  }
  if (head.head.channel.empty()) head.head.channel = path_parts(path).back();
  head.momenta = axes.index.count("momentum") ? table.momenta : std::vector{momentum};
  head.n_times = axes.size("t");
  require<FormatError>(head.momenta.size() == axes.size("momentum"), file, "has", axes.size("momentum"), "momenta in",
                       path + ", but the mapping lists", head.momenta.size());
  const std::uint64_t n_configurations = axes.size("configuration"), n_sources = axes.size("source");
  int named_source = 0;
  if (const auto found = names.find("source"); found != names.end()) {
    const auto number = parse_integer(found->second);
    require(number.has_value(), "the part {source} of the path", path, "is", found->second,
            "- it must be an integer, a time or a number of the source");
    named_source = int(*number);
  }
  for (std::uint64_t c = 0; c < n_configurations; ++c)
    for (std::uint64_t s = 0; s < n_sources; ++s) {
      head.configurations.push_back(axes.index.count("configuration") ? std::to_string(c) : configuration);
      head.sources.push_back({0, 0, 0, axes.index.count("source") ? int(s) : named_source});
    }
  // Indices of labels.
  std::vector<std::string> labels;
  std::uint64_t n_arrays = 1;
  for (const std::string& axis : table.axes)
    if (std::find(known_axes.begin(), known_axes.end(), axis) == known_axes.end()) {
      labels.push_back(axis);
      n_arrays *= axes.size(axis);
    }
  const bool parts = axes.index.count("part") > 0;
  const std::uint64_t of_configuration = axes.stride("configuration"), of_source = axes.stride("source"),
                      of_momentum = axes.stride("momentum"), of_t = axes.stride("t"), of_part = axes.stride("part");
  std::vector<CorrelatorArray> arrays;
  for (std::uint64_t a = 0; a < n_arrays; ++a) {
    CorrelatorArray array = head;
    std::uint64_t rest = a, offset = 0;
    for (const std::string& label : labels) {
      const std::uint64_t i = rest % axes.size(label);
      rest /= axes.size(label);
      array.head.labels[label] = std::int64_t(i);
      offset += i * axes.stride(label);
    }
    for (std::uint64_t c = 0; c < n_configurations; ++c)
      for (std::uint64_t s = 0; s < n_sources; ++s)
        for (std::uint64_t p = 0; p < head.momenta.size(); ++p)
          for (std::uint64_t t = 0; t < head.n_times; ++t) {
            const std::uint64_t at = offset + c * of_configuration + s * of_source + p * of_momentum + t * of_t;
            const std::complex<double> z =
                parts ? std::complex<double>(data.values[at].real(), data.values[at + of_part].real())
                      : data.values[at];
            array.values.push_back(table.factor * z);
          }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void check_table(const MappedDatasets& table, const std::string& origin) {
  require(!table.dataset.empty(), origin, "is empty, but each [[correlator]] names the datasets it is about");
  for (const std::string& pattern : {table.dataset, table.imaginary})
    for (std::size_t at = 0; (at = pattern.find('{', at)) != pattern.npos; ++at)
      require(pattern.find('}', at) < pattern.find('/', at) && pattern.find('}', at) != at + 1, origin, "is", pattern,
              "with a { that does not begin a name such as {channel}");
  for (std::size_t k = 0; k < table.axes.size(); ++k)
    require(std::find(table.axes.begin(), table.axes.begin() + std::ptrdiff_t(k), table.axes[k]) ==
                table.axes.begin() + std::ptrdiff_t(k),
            origin, "has two axes", table.axes[k], "- each index is something else");
  require(std::find(table.axes.begin(), table.axes.end(), "t") != table.axes.end(), origin,
          "has no axis \"t\", but a correlator has times");
}

}  // namespace

CorrelatorMapping::CorrelatorMapping(const std::string& toml, const std::string& file) : file_(file) {
  Settings settings;
  settings.add_tables("correlator", [this](Settings& s, const std::string& section) {
    MappedDatasets& table = *tables_.emplace_back(std::make_unique<MappedDatasets>());
    s.add(section + ".dataset", &table.dataset, "path of datasets, with {name} for parts");
    s.add(section + ".imaginary", &table.imaginary, "path of imaginary parts that are datasets of their own");
    s.add(section + ".axes", &table.axes,
          "what each index is: 't', 'configuration', 'source', 'part', 'momentum', or a label");
    s.add(section + ".kind", &table.kind, "of hadron: folding leaves 'baryon' alone");
    s.add(section + ".channel", &table.channel, "its name, where {channel} is not in the path");
    s.add(section + ".momentum", &table.momentum, "where {px}, {py}, {pz} are not in the path");
    s.add(section + ".momenta", &table.momenta, "of the index 'momentum'");
    s.add(section + ".factor", &table.factor, "by which numbers are multiplied");
  });
  settings.read(toml, file);
  require(!tables_.empty(), file, "has no [[correlator]], so it maps nothing");
  for (std::size_t k = 0; k < tables_.size(); ++k)
    check_table(*tables_[k], settings.origin("correlator." + std::to_string(k) + ".dataset"));
}

std::vector<CorrelatorMapping::Found> CorrelatorMapping::datasets(const Hdf5File& file) const {
  std::vector<Found> all;
  for (const auto& table : tables_) {
    std::vector<std::pair<std::string, PathNames>> found;
    find_matches(file, "/", path_parts(table->dataset), 0, {}, found);
    for (auto& [dataset, names] : found) all.push_back({std::move(dataset), std::move(names), table.get()});
  }
  require(!all.empty(), file.path().string(), "has no dataset", tables_.front()->dataset, "or another that", file_,
          "names; h5ls -r lists what it has");
  return all;
}

CorrelatorCount CorrelatorMapping::count(const std::string& path) const {
  const Hdf5File file = Hdf5File::open(path);
  CorrelatorCount count;
  std::set<std::pair<const MappedDatasets*, PathNames>> seen;
  for (Found& found : datasets(file)) {
    const Hdf5Shape shape = file.shape(found.dataset);
    if (shape.extent.size() != found.table->axes.size()) continue;  // refused where it is read
    const Axes axes(*found.table, shape.extent);
    const double numbers = shape.n_numbers() / double(axes.size("part")),
                 correlators = numbers / std::max(1.0, double(axes.size("t")));
    count.numbers += numbers;
    count.correlators += correlators;
    found.names.erase("configuration");
    found.names.erase("source");
    if (seen.emplace(found.table, found.names).second)
      count.series += correlators / std::max(1.0, double(axes.size("configuration") * axes.size("source")));
  }
  return count;
}

void CorrelatorMapping::visit(
    const std::string& path,
    const std::function<void(CorrelatorArray array, std::size_t i, std::size_t n)>& visit) const {
  const Hdf5File file = Hdf5File::open(path);
  const std::vector<Found> found = datasets(file);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto& [dataset, names, of_table] = found[k];
    const MappedDatasets& table = *of_table;
    const auto data = complex_numbers(file, dataset, with_names(table.imaginary, names));
    const auto part = std::find(table.axes.begin(), table.axes.end(), "part");
    require<FormatError>(part == table.axes.end() || file.shape(dataset).kind != Hdf5Kind::complex, path,
                         "has complex numbers in", dataset + ", but", file_, "says that an index is their part");
    require<FormatError>(data.extent.size() == table.axes.size(), path, "has", data.extent.size(), "indices in",
                         dataset + ", but", file_, "says", table.axes.size());
    require<FormatError>(!data.values.empty(), path, "has no numbers in", dataset + ": leave it out of", file_);
    require<FormatError>(part == table.axes.end() || data.extent[std::size_t(part - table.axes.begin())] == 2, path,
                         "has in", dataset, "an index that", file_,
                         "calls \"part\", which must have two values: a real and an imaginary part");
    const std::string name = std::filesystem::path(path).filename().string();
    for (CorrelatorArray& array : arrays_of(table, names, data, dataset, name))
      visit(std::move(array), k, found.size());
  }
}

}  // namespace kov::app
