// SPDX-License-Identifier: MIT
#include "kov/contractions/correlators/correlator_write.hpp"

#include "kov/contractions/correlators/correlator_format.hpp"
#include "kov/contractions/correlators/correlator_tables.hpp"
#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/io/hdf5.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace kov {

namespace {

using detail::Numbering;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> integers(const auto& list) { return {list.begin(), list.end()}; }

class Writer {
 public:
  Writer(Hdf5File& file, const detail::CorrelatorSources& sources) : file_(file), sources_(sources) {}

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
    detail::write_label_attributes(file_, "/parameters", provenance.parameters);
    file_.create_group("/inputs");
    file_.create_group("/solves");
    file_.write_texts("/axes/configuration", sources_.configurations.list());
    write_origins();
    write_columns("/inputs/", {"configuration"}, provenance.inputs, [&](const auto& key) { return input_place(key); });
    write_columns("/solves/", {"configuration", "source"}, provenance.solves,
                  [&](const auto& key) { return solve_place(key); });
  }

  void table(const detail::CorrelatorTable& table) {
    const std::vector<std::complex<double>> values = values_of(table, sources_);
    std::vector<std::int64_t> momenta;
    for (const Momentum& p : table.momenta.list()) momenta.insert(momenta.end(), p.begin(), p.end());
    std::vector<std::uint64_t> extent{n(0), table.momenta.size(), table.n_times()};
    std::vector<std::string> names{"configuration", "momentum", "t"},
        axes{"/axes/configuration", momentum_axis(momenta), time_axis(table.n_times())};
    if (table.has_source()) {
      extent.insert(extent.begin() + 1, n(1));
      names.insert(names.begin() + 1, "source");
      axes.insert(axes.begin() + 1, "/axes/source");
    }
    file_.write<std::complex<double>>(table.path, values, extent);
    file_.set_attribute(table.path, "momenta", momenta);
    detail::write_label_attributes(file_, table.path, table.labels());
    dimensions_.push_back({table.path, names, axes});
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
    if (n(1) == 0) return;  // correlators without source alone
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
              "would be a text for each source of a configuration, but only numbers can be "
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
  const detail::CorrelatorSources& sources_;
  std::vector<Hdf5Dimensions> dimensions_;
  Numbering<std::vector<std::int64_t>> momenta_;
  Numbering<std::size_t> times_;
};

void write_hdf5(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                const CorrelatorProvenance& provenance) {
  const std::vector<detail::CorrelatorTable> tables = detail::tables_of(correlators);
  const detail::CorrelatorSources sources(correlators);
  Hdf5File file = Hdf5File::create(path);
  Writer writer(file, sources);
  writer.head(provenance);
  for (const detail::CorrelatorTable& table : tables) writer.table(table);
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
