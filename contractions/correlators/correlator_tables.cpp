// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator_tables.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <limits>

namespace kov::detail {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::string& configuration_label() {
  static const std::string name = "configuration";
  return name;
}

std::string configuration_of(const Correlator& c) {
  const auto found = c.labels.find(configuration_label());
  return found == c.labels.end() ? "" : label_text(found->second);
}

/// Sorts by everything that makes a dataset: kind, channel, and labels other than the configuration.
struct ByDataset {
  bool operator()(const Correlator* a, const Correlator* b) const {
    if (const int order = a->channel.compare(b->channel)) return order < 0;
    if (const int order = a->kind.compare(b->kind)) return order < 0;
    auto i = a->labels.begin(), j = b->labels.begin();
    while (true) {
      if (i != a->labels.end() && i->first == configuration_label()) ++i;
      if (j != b->labels.end() && j->first == configuration_label()) ++j;
      if (i == a->labels.end() || j == b->labels.end()) return i == a->labels.end() && j != b->labels.end();
      if (const int order = i->first.compare(j->first)) return order < 0;
      if (const int order = compare_labels(i->second, j->second)) return order < 0;
      ++i;
      ++j;
    }
  }
};

void check_names(const Correlator& c) {
  for (const std::string& name : {c.kind, c.channel})
    require(!name.empty() && name.find('/') == std::string::npos && name != "." && !is_among(correlator_groups, name),
            "a correlator has the kind", c.kind, "and channel", c.channel,
            "but these become HDF5 names: they must not be empty, contain a slash or be axes, inputs, parameters or "
            "solves");
  for (const auto& [name, value] : c.labels)
    require(!name.empty() && !is_among(correlator_attributes, name), "a correlator of", c.channel, "has a label named",
            name, "which the file uses itself; choose another name");
}

/// Gives tables of one channel the labels that differ for names.
void name_tables(std::vector<CorrelatorTable>& tables) {
  std::map<std::string, std::vector<CorrelatorTable*>> channels;
  for (CorrelatorTable& table : tables)
    channels["/" + table.first->kind + "/" + table.first->channel].push_back(&table);
  for (const auto& [path, members] : channels) {
    if (members.size() == 1) {
      members.front()->path = path;
      continue;
    }
    std::map<std::string, Numbering<std::string>> values;
    for (const CorrelatorTable* table : members)
      for (const auto& [name, value] : table->labels()) values[name];
    const auto text_of = [](const CorrelatorTable& table, const std::string& name) {
      const auto labels = table.labels();
      const auto found = labels.find(name);
      return found == labels.end() ? "" : label_text(found->second);
    };
    for (auto& [name, numbering] : values)
      for (const CorrelatorTable* table : members) numbering.add(text_of(*table, name));
    std::map<std::string, int> taken;
    for (CorrelatorTable* table : members) {
      std::string name;
      for (const auto& [label, numbering] : values)
        if (numbering.size() > 1) name += (name.empty() ? "" : ", ") + text_of(*table, label);
      std::replace(name.begin(), name.end(), '/', ':');
      if (name.empty() || name == ".") name = "without";
      const int times = ++taken[name];  // different labels may give the same name
      table->path = path + "/" + name + (times > 1 ? " " + std::to_string(times) : "");
    }
  }
}

std::string where(const Correlator& c, const Momentum& p, const std::string& configuration, const Coord& source) {
  return sentence(c.channel, "at momentum", to_string(p)) +
         (source == no_source ? "" : " and source " + to_string(source)) +
         (configuration.empty() ? "" : " of the configuration " + configuration);
}

}  // namespace

CorrelatorSources::CorrelatorSources(const std::vector<Correlator>& correlators) {
  for (const Correlator& c : correlators) {
    const std::size_t k = configurations.add(configuration_of(c));
    if (k == of.size()) of.emplace_back();
    if (c.source != no_source) of[k].add(c.source);
    most = std::max(most, of[k].size());
  }
}

std::map<std::string, LabelValue> CorrelatorTable::labels() const {
  std::map<std::string, LabelValue> labels = first->labels;
  labels.erase(configuration_label());
  return labels;
}

std::vector<CorrelatorTable> tables_of(const std::vector<Correlator>& correlators) {
  require(!correlators.empty(), "there are no correlators to write, and a file without any would only mislead");
  std::vector<CorrelatorTable> tables;
  std::map<const Correlator*, std::size_t, ByDataset> place;
  for (const Correlator& c : correlators) {
    const auto [at, is_new] = place.try_emplace(&c, tables.size());
    if (is_new) {
      check_names(c);
      tables.push_back({&c});
    }
    CorrelatorTable& table = tables[at->second];
    require(table.n_times() == c.value.size(), "correlators of", c.channel, "with the same labels have",
            table.n_times(), "and", c.value.size(), "times; label those of different lattices");
    require(table.has_source() == (c.source != no_source), "correlators of", c.channel,
            "with the same labels have a source and none; label those that differ");
    table.momenta.add(c.momentum);
    table.rows.push_back(&c);
  }
  name_tables(tables);
  return tables;
}

std::vector<std::complex<double>> values_of(const CorrelatorTable& table, const CorrelatorSources& sources) {
  const std::size_t n_momenta = table.momenta.size(), n_times = table.n_times();
  const std::size_t most = table.has_source() ? sources.most : 1;
  std::vector<bool> filled(sources.configurations.size() * most * n_momenta);
  std::vector<std::complex<double>> values(filled.size() * n_times, {nan, nan});
  const auto row = [&](std::size_t k, std::size_t s, std::size_t p) { return (k * most + s) * n_momenta + p; };
  for (const Correlator* c : table.rows) {
    const std::string configuration = configuration_of(*c);
    const std::size_t k = sources.configurations.at(configuration);
    const std::size_t to = row(k, table.has_source() ? sources.of[k].at(c->source) : 0, table.momenta.at(c->momentum));
    if (filled[to])
      throw InputError(sentence("there are two correlators of", where(*c, c->momentum, configuration, c->source),
                                "with the same labels; give them labels that tell them apart"));
    filled[to] = true;
    std::copy(c->value.begin(), c->value.end(), values.begin() + std::ptrdiff_t(to * n_times));
  }
  for (std::size_t k = 0; k < sources.of.size(); ++k)
    for (std::size_t s = 0; s < (table.has_source() ? sources.of[k].size() : 1); ++s)
      for (std::size_t p = 0; p < n_momenta; ++p)
        if (!filled[row(k, s, p)])
          throw InputError(sentence(
              "there is no correlator of",
              where(*table.first, table.momenta.list()[p], sources.configurations.list()[k],
                    table.has_source() ? sources.of[k].list()[s] : no_source),
              "while the file has others there: a channel has every momentum from every source of every configuration;",
              "write another file, or give it labels of its own"));
  return values;
}

}  // namespace kov::detail
