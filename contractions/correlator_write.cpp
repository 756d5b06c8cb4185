// SPDX-License-Identifier: MIT
//
// Correlators into HDF5: sorts them into one array for each channel, then writes these.
#include "kov/contractions/correlator.hpp"
#include "kov/contractions/correlator_format.hpp"
#include "kov/core/comm.hpp"
#include "kov/core/error.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/version.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace kov {

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

/// The place of a value in a list without repetitions, in order of appearance.
template <class T>
class Numbering {
 public:
  std::size_t add(const T& value) {
    const auto [at, is_new] = place_.try_emplace(value, list_.size());
    if (is_new) list_.push_back(value);
    return at->second;
  }
  std::size_t at(const T& value) const { return place_.at(value); }
  std::optional<std::size_t> find(const T& value) const {
    const auto found = place_.find(value);
    return found == place_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::vector<T>& list() const { return list_; }
  std::size_t size() const { return list_.size(); }

 private:
  std::map<T, std::size_t> place_;
  std::vector<T> list_;
};

/// Configurations, and the sources of each.
struct Sources {
  Numbering<std::string> configurations;
  std::vector<Numbering<Coord>> of;
  std::size_t most = 0;

  explicit Sources(const std::vector<Correlator>& correlators) {
    for (const Correlator& c : correlators) {
      const std::size_t k = configurations.add(configuration_of(c));
      if (k == of.size()) of.emplace_back();
      of[k].add(c.source);
      most = std::max(most, of[k].size());
    }
  }
};

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
      if (const int order = detail::compare_labels(i->second, j->second)) return order < 0;
      ++i;
      ++j;
    }
  }
};

/// One array [configuration][source][momentum][t].
struct Table {
  const Correlator* first;
  std::vector<const Correlator*> rows = {};
  Numbering<Momentum> momenta = {};
  std::string path = {};

  std::size_t n_times() const { return first->value.size(); }
  std::map<std::string, LabelValue> labels() const {
    std::map<std::string, LabelValue> labels = first->labels;
    labels.erase(configuration_label());
    return labels;
  }
};

void check_names(const Correlator& c) {
  for (const std::string& name : {c.kind, c.channel})
    require(!name.empty() && name.find('/') == std::string::npos && name != "." &&
                !detail::is_among(detail::correlator_groups, name),
            "a correlator has the kind", c.kind, "and channel", c.channel,
            "but these become HDF5 names: they must not be empty, contain a slash or be axes, inputs, parameters or "
            "solves");
  for (const auto& [name, value] : c.labels)
    require(!name.empty() && !detail::is_among(detail::correlator_attributes, name), "a correlator of", c.channel,
            "has a label named", name, "which the file uses itself; choose another name");
}

/// Gives tables of one channel the labels that differ for names.
void name_tables(std::vector<Table>& tables) {
  std::map<std::string, std::vector<Table*>> channels;
  for (Table& table : tables) channels["/" + table.first->kind + "/" + table.first->channel].push_back(&table);
  for (const auto& [path, members] : channels) {
    if (members.size() == 1) {
      members.front()->path = path;
      continue;
    }
    std::map<std::string, Numbering<std::string>> values;
    for (const Table* table : members)
      for (const auto& [name, value] : table->labels()) values[name];
    const auto text_of = [](const Table& table, const std::string& name) {
      const auto labels = table.labels();
      const auto found = labels.find(name);
      return found == labels.end() ? "" : label_text(found->second);
    };
    for (auto& [name, numbering] : values)
      for (const Table* table : members) numbering.add(text_of(*table, name));
    std::map<std::string, int> taken;
    for (Table* table : members) {
      std::string name;
      for (const auto& [label, numbering] : values)
        if (numbering.size() > 1) name += (name.empty() ? "" : ", ") + text_of(*table, label);
      std::replace(name.begin(), name.end(), '/', ':');
      if (name.empty() || name == ".") name = "without";
      const int times = ++taken[name];  // labels may differ in what a name cannot show
      table->path = path + "/" + name + (times > 1 ? " " + std::to_string(times) : "");
    }
  }
}

std::vector<Table> tables_of(const std::vector<Correlator>& correlators) {
  require(!correlators.empty(), "there are no correlators to write, and a file without any would only mislead");
  std::vector<Table> tables;
  std::map<const Correlator*, std::size_t, ByDataset> place;
  for (const Correlator& c : correlators) {
    const auto [at, is_new] = place.try_emplace(&c, tables.size());
    if (is_new) {
      check_names(c);
      tables.push_back({&c});
    }
    Table& table = tables[at->second];
    require(table.n_times() == c.value.size(), "correlators of", c.channel, "with the same labels have",
            table.n_times(), "and", c.value.size(), "times; label those of different lattices");
    table.momenta.add(c.momentum);
    table.rows.push_back(&c);
  }
  name_tables(tables);
  return tables;
}

std::string where(const Correlator& c, const Momentum& p, const std::string& configuration, const Coord& source) {
  return sentence(c.channel, "at momentum", to_string(p), "and source", to_string(source)) +
         (configuration.empty() ? "" : " of the configuration " + configuration);
}

/// The array of a table; every source of every configuration must have every momentum.
std::vector<std::complex<double>> values_of(const Table& table, const Sources& sources) {
  const std::size_t n_momenta = table.momenta.size(), n_times = table.n_times();
  std::vector<bool> filled(sources.configurations.size() * sources.most * n_momenta);
  std::vector<std::complex<double>> values(filled.size() * n_times, {nan, nan});
  const auto row = [&](std::size_t k, std::size_t s, std::size_t p) { return (k * sources.most + s) * n_momenta + p; };
  for (const Correlator* c : table.rows) {
    const std::string configuration = configuration_of(*c);
    const std::size_t k = sources.configurations.at(configuration);
    const std::size_t to = row(k, sources.of[k].at(c->source), table.momenta.at(c->momentum));
    if (filled[to])
      throw InputError(sentence("there are two correlators of", where(*c, c->momentum, configuration, c->source),
                                "with the same labels; give them labels that tell them apart"));
    filled[to] = true;
    std::copy(c->value.begin(), c->value.end(), values.begin() + std::ptrdiff_t(to * n_times));
  }
  for (std::size_t k = 0; k < sources.of.size(); ++k)
    for (std::size_t s = 0; s < sources.of[k].size(); ++s)
      for (std::size_t p = 0; p < n_momenta; ++p)
        if (!filled[row(k, s, p)])
          throw InputError(sentence(
              "there is no correlator of",
              where(*table.first, table.momenta.list()[p], sources.configurations.list()[k], sources.of[k].list()[s]),
              "while the file has others there: a channel has every momentum from every source of every configuration;",
              "write another file, or give it labels of its own"));
  return values;
}

std::vector<std::int64_t> integers(const auto& list) { return {list.begin(), list.end()}; }

Hdf5Attribute attribute_of(const LabelValue& value) {
  return std::visit([](const auto& v) { return Hdf5Attribute(v); }, value);
}

class Writer {
 public:
  Writer(Hdf5File& file, const Sources& sources) : file_(file), sources_(sources) {}

  void head(const CorrelatorProvenance& provenance) {
    file_.set_attribute("/", "format", std::string(detail::correlator_format));
    file_.set_attribute("/", "format_version", std::int64_t(2));
    file_.set_attribute("/", "extent", integers(provenance.extent));
    file_.set_attribute("/", "conventions", correlator_conventions());
    file_.set_attribute("/", "version", std::string(version()));
    file_.set_attribute("/", "revision", std::string(git_revision()));
    file_.set_attribute("/", "build", std::string(build_description()));
    file_.set_attribute("/", "hdf5", hdf5_description());
    file_.create_group("/parameters");
    for (const auto& [name, value] : provenance.parameters)
      file_.set_attribute("/parameters", name, attribute_of(value));
    file_.create_group("/inputs");
    file_.create_group("/solves");
    file_.write_texts("/axes/configuration", sources_.configurations.list());
    write_origins();
    write_columns("/inputs/", {"configuration"}, provenance.inputs, [&](const auto& key) { return input_place(key); });
    write_columns("/solves/", {"configuration", "source"}, provenance.solves,
                  [&](const auto& key) { return solve_place(key); });
  }

  void table(const Table& table) {
    const std::vector<std::complex<double>> values = values_of(table, sources_);
    std::vector<std::int64_t> momenta;
    for (const Momentum& p : table.momenta.list()) momenta.insert(momenta.end(), p.begin(), p.end());
    file_.write<std::complex<double>>(table.path, values, {n(0), n(1), table.momenta.size(), table.n_times()});
    file_.set_attribute(table.path, "momenta", momenta);
    for (const auto& [label, value] : table.labels()) file_.set_attribute(table.path, label, attribute_of(value));
    dimensions_.push_back(
        {table.path,
         {"configuration", "source", "momentum", "t"},
         {"/axes/configuration", "/axes/source", momentum_axis(momenta), time_axis(table.n_times())}});
  }

  /// After all tables.
  void finish() { file_.set_dimensions(dimensions_); }

 private:
  /// Configurations, sources.
  std::size_t n(int axis) const { return axis == 0 ? sources_.configurations.size() : sources_.most; }

  static std::vector<std::int64_t> count(std::size_t n) {
    std::vector<std::int64_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = std::int64_t(i);
    return numbers;
  }

  void write_origins() {
    std::vector<std::int64_t> origins(n(0) * n(1) * 4, -1);
    for (std::size_t k = 0; k < n(0); ++k)
      for (std::size_t s = 0; s < sources_.of[k].size(); ++s)
        std::copy(sources_.of[k].list()[s].begin(), sources_.of[k].list()[s].end(),
                  origins.begin() + std::ptrdiff_t((k * n(1) + s) * 4));
    file_.write<std::int64_t>("/axes/source", count(n(1)), {n(1)});
    file_.write<std::int64_t>("/inputs/origin", origins, {n(0), n(1), 4});
    dimensions_.push_back(
        {"/inputs/origin", {"configuration", "source", "x y z t"}, {"/axes/configuration", "/axes/source", ""}});
  }

  std::optional<std::size_t> input_place(const std::string& configuration) const {
    return sources_.configurations.find(configuration);
  }
  std::optional<std::size_t> solve_place(const std::pair<std::string, Coord>& key) const {
    const auto k = input_place(key.first);
    const auto s = k ? sources_.of[*k].find(key.second) : std::nullopt;
    return s ? std::optional(*k * n(1) + *s) : std::nullopt;
  }

  /// A dataset for each name of a table of values, of the sort that all of its values are.
  void write_columns(const std::string& group, const std::vector<std::string>& axes, const auto& rows,
                     const auto& place_of) {
    const std::size_t length = axes.size() == 1 ? n(0) : n(0) * n(1);
    std::map<std::string, std::vector<const LabelValue*>> columns;
    for (const auto& [key, values] : rows) {
      const std::optional<std::size_t> place = place_of(key);
      if (!place) continue;  // of a configuration without correlators
      for (const auto& [name, value] : values) {
        auto& column = columns[name];
        column.resize(length);
        column[*place] = &value;
      }
    }
    for (const auto& [name, column] : columns) write_column(group + name, axes, column);
  }

  void write_column(const std::string& path, const std::vector<std::string>& axes,
                    const std::vector<const LabelValue*>& column) {
    const auto all = [&](auto&& test) { return std::all_of(column.begin(), column.end(), test); };
    std::vector<std::uint64_t> extent{n(0)};
    if (axes.size() > 1) extent.push_back(n(1));
    if (all([](const LabelValue* v) { return v && std::holds_alternative<std::int64_t>(*v); })) {
      std::vector<std::int64_t> values;
      for (const LabelValue* v : column) values.push_back(std::get<std::int64_t>(*v));
      file_.write<std::int64_t>(path, values, extent);
    } else if (all([](const LabelValue* v) { return !v || !std::holds_alternative<std::string>(*v); })) {
      std::vector<double> values;
      for (const LabelValue* v : column) {
        const auto* integer = v ? std::get_if<std::int64_t>(v) : nullptr;
        values.push_back(!v ? nan : integer ? double(*integer) : std::get<double>(*v));
      }
      file_.write<double>(path, values, extent);
    } else {
      require(axes.size() == 1, path,
              "would be a text for each source of a configuration, and only numbers can be "
              "that; add it to the inputs");
      std::vector<std::string> values;
      for (const LabelValue* v : column) values.push_back(v ? label_text(*v) : "");
      file_.write_texts(path, values);
    }
    std::vector<std::string> scales;
    for (const std::string& axis : axes) scales.push_back("/axes/" + axis);
    dimensions_.push_back({path, axes, scales});
  }

  std::string momentum_axis(const std::vector<std::int64_t>& momenta) {
    const std::size_t before = momenta_.size(), k = momenta_.add(momenta);
    const std::string path = numbered("/axes/momentum", k);
    if (k == before) file_.write<std::int64_t>(path, momenta, {momenta.size() / 3, 3});
    return path;
  }
  std::string time_axis(std::size_t n_times) {
    const std::size_t before = times_.size(), k = times_.add(n_times);
    const std::string path = numbered("/axes/t", k);
    if (k == before) file_.write<std::int64_t>(path, count(n_times), {n_times});
    return path;
  }
  static std::string numbered(const std::string& name, std::size_t k) {
    return k == 0 ? name : name + "_" + std::to_string(k + 1);
  }

  Hdf5File& file_;
  const Sources& sources_;
  std::vector<Hdf5Dimensions> dimensions_;
  Numbering<std::vector<std::int64_t>> momenta_;
  Numbering<std::size_t> times_;
};

void write_hdf5(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                const CorrelatorProvenance& provenance) {
  const std::vector<Table> tables = tables_of(correlators);
  const Sources sources(correlators);
  Hdf5File file = Hdf5File::create(path);
  Writer writer(file, sources);
  writer.head(provenance);
  for (const Table& table : tables) writer.table(table);
  writer.finish();
  file.commit();
}

}  // namespace

void write_correlators(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                       const CorrelatorProvenance& provenance, const Comm& comm) {
  comm.agree([&] {
    if (comm.rank() == 0) write_hdf5(path, correlators, provenance);
  });
}

}  // namespace kov
