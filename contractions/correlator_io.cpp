// SPDX-License-Identifier: MIT
#include "kov/contractions/correlator.hpp"
#include "kov/core/comm.hpp"
#include "kov/core/error.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/version.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace kov {

namespace {

constexpr const char* kFormat = "kovariant correlators";

/// Correlators that differ in their momenta only: one dataset.
struct Table {
  const Correlator* first;
  std::vector<const Correlator*> rows;

  bool takes(const Correlator& c) const {
    return c.kind == first->kind && c.channel == first->channel && c.source == first->source &&
           c.labels == first->labels;
  }
};

void check_names(const Correlator& c) {
  for (const std::string& name : {c.kind, c.channel})
    require(
        !name.empty() && name.find('/') == std::string::npos && name != "." && name != "parameters" && name != "inputs",
        "a correlator has the kind", c.kind, "and channel", c.channel,
        "but these become HDF5 names: they must not be empty, contain a slash or be parameters or inputs");
  for (const auto& [name, text] : c.labels)
    require(!name.empty() && name != "source" && name != "momenta", "a correlator of", c.channel, "has a label named",
            name, "which the file uses itself; choose another name");
}

std::vector<Table> tables(const std::vector<Correlator>& correlators) {
  require(!correlators.empty(), "there are no correlators to write, and a file without any would only mislead");
  std::vector<Table> result;
  for (const Correlator& c : correlators) {
    check_names(c);
    // From the back, because correlators of one table follow each other.
    const auto found = std::find_if(result.rbegin(), result.rend(), [&](const Table& t) { return t.takes(c); });
    if (found == result.rend()) {
      result.push_back({&c, {&c}});
      continue;
    }
    require(found->first->value.size() == c.value.size(), "correlators of", c.channel, "with the same labels have",
            found->first->value.size(), "and", c.value.size(), "times; label those of different lattices");
    for (const Correlator* other : found->rows)
      require(other->momentum != c.momentum, "two correlators of", c.channel, "with the same labels have momentum",
              to_string(c.momentum), "; give them labels that tell them apart");
    found->rows.push_back(&c);
  }
  return result;
}

std::vector<std::int64_t> integers(const auto& list) { return {list.begin(), list.end()}; }

void write_table(Hdf5File& file, const std::string& name, const Table& table) {
  std::vector<std::complex<double>> values;
  std::vector<std::int64_t> momenta;
  for (const Correlator* c : table.rows) {
    values.insert(values.end(), c->value.begin(), c->value.end());
    momenta.insert(momenta.end(), c->momentum.begin(), c->momentum.end());
  }
  file.write<std::complex<double>>(name, values, {table.rows.size(), table.first->value.size()});
  file.set_attribute(name, "source", integers(table.first->source));
  file.set_attribute(name, "momenta", momenta);
  for (const auto& [label, text] : table.first->labels) file.set_attribute(name, label, text);
}

void write_hdf5(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                const CorrelatorProvenance& provenance) {
  const std::vector<Table> list = tables(correlators);
  Hdf5File file = Hdf5File::create(path);
  file.set_attribute("/", "format", std::string(kFormat));
  file.set_attribute("/", "format_version", std::int64_t(1));
  file.set_attribute("/", "extent", integers(provenance.extent));
  file.set_attribute("/", "conventions", correlator_conventions());
  file.set_attribute("/", "version", std::string(version()));
  file.set_attribute("/", "revision", std::string(git_revision()));
  file.set_attribute("/", "build", std::string(build_description()));
  file.set_attribute("/", "hdf5", hdf5_description());
  file.create_group("/parameters");
  for (const auto& [name, text] : provenance.parameters) file.set_attribute("/parameters", name, text);
  file.create_group("/inputs");
  for (const auto& [name, text] : provenance.inputs) file.set_attribute("/inputs", name, text);
  std::map<std::string, int> count;
  for (const Table& table : list) {
    const std::string group = "/" + table.first->kind + "/" + table.first->channel;
    write_table(file, group + "/" + std::to_string(count[group]++), table);
  }
  file.commit();
}

void read_table(const Hdf5File& file, const std::string& name, const Correlator& head, std::vector<Correlator>& out) {
  Correlator c = head;
  std::vector<std::int64_t> momenta;
  for (const std::string& attribute : file.attribute_names(name)) {
    const Hdf5Attribute value = file.attribute(name, attribute);
    if (attribute == "source") {
      const auto* source = std::get_if<std::vector<std::int64_t>>(&value);
      require<FormatError>(source && source->size() == 4, name,
                           "has no source of four integers: the file is damaged or not ours");
      std::copy(source->begin(), source->end(), c.source.begin());
    } else if (attribute == "momenta") {
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) momenta = *list;
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      c.labels[attribute] = *text;
    }
  }
  const auto data = file.read<std::complex<double>>(name);
  require<FormatError>(
      data.extent.size() == 2 && momenta.size() == 3 * data.extent[0], name,
      "is not [momentum][t] with as many momenta as its attribute lists: the file is damaged or not ours");
  for (std::size_t k = 0; k < data.extent[0]; ++k) {
    for (std::size_t i = 0; i < 3; ++i) c.momentum[i] = int(momenta[3 * k + i]);
    const auto row = data.values.begin() + std::ptrdiff_t(k * data.extent[1]);
    c.value.assign(row, row + std::ptrdiff_t(data.extent[1]));
    out.push_back(c);
  }
}

/// Every line of a text after "# ".
std::string comment(const std::string& text) {
  std::string lines = "# ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "# ";
  }
  return lines + "\n";
}

}  // namespace

void write_correlators(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                       const CorrelatorProvenance& provenance, const Comm& comm) {
  comm.agree([&] {
    if (comm.rank() == 0) write_hdf5(path, correlators, provenance);
  });
}

std::vector<Correlator> read_correlators(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  const bool ours =
      file.has_attribute("/", "format") && file.attribute("/", "format") == Hdf5Attribute(std::string(kFormat));
  require<FormatError>(
      ours, path.string(),
      "is an HDF5 file of something else: its attribute format is not \"" + std::string(kFormat) + "\"");
  require<FormatError>(file.attribute("/", "format_version") == Hdf5Attribute(std::int64_t(1)), path.string(),
                       "has a format_version that this release does not know; read it with a newer one");
  std::vector<Correlator> result;
  for (const std::string& kind : file.list("/")) {
    if (kind == "parameters" || kind == "inputs") continue;
    for (const std::string& channel : file.list("/" + kind)) {
      const std::string group = "/" + kind + "/" + channel;
      for (std::size_t k = 0; k < file.list(group).size(); ++k)
        read_table(file, group + "/" + std::to_string(k), {.kind = kind, .channel = channel}, result);
    }
  }
  return result;
}

std::string to_text(const std::vector<Correlator>& correlators, const CorrelatorProvenance& provenance) {
  std::string text = comment(kFormat) + comment(sentence("version", version(), git_revision())) +
                     comment(build_description()) + comment(sentence("extent", to_string(provenance.extent)));
  for (const std::string& line : correlator_conventions()) text += comment(line);
  for (const auto& [name, value] : provenance.parameters) text += comment(sentence("parameter", name, "=", value));
  for (const auto& [name, value] : provenance.inputs) text += comment(sentence("input", name, "=", value));
  for (const Correlator& c : correlators) {
    text += "\n\n" + comment(sentence(c.kind, c.channel)) + comment(sentence("momentum", to_string(c.momentum))) +
            comment(sentence("source", to_string(c.source)));
    for (const auto& [name, value] : c.labels) text += comment(sentence(name, "=", value));
    text += "# t real imag\n";
    for (std::size_t t = 0; t < c.value.size(); ++t) {
      char line[96];
      std::snprintf(line, sizeof line, "%zu %.17g %.17g\n", t, c.value[t].real(), c.value[t].imag());
      text += line;
    }
  }
  return text;
}

void write_correlator_text(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                           const CorrelatorProvenance& provenance, const Comm& comm) {
  comm.agree([&] {
    require(!correlators.empty(), "there are no correlators to write, and a file without any would only mislead");
    if (comm.rank() != 0) return;
    OutputFile file(path);
    file.write(to_text(correlators, provenance));
    file.commit();
  });
}

}  // namespace kov
