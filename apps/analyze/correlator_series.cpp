// SPDX-License-Identifier: MIT
#include "apps/analyze/correlator_series.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fnmatch.h>

namespace kov::app {

namespace {

/// A key that orders nothing, but is one for each series.
std::string series_key(const CorrelatorArray& array, const Momentum& momentum) {
  std::string key = array.head.kind + '\n' + array.head.channel + '\n' + to_string(momentum);
  for (const auto& [name, value] : array.head.labels)
    key += '\n' + name + '\n' + std::to_string(value.index()) + label_text(value);
  return key;
}

/// Correlators of two different operators may be odd in the momentum: their average would be noise.  So may the matrix
/// elements of currents: those in three-point functions, and quark loops, are not averaged either.  Files of other
/// codes have "correlator" where their mapping does not say a kind.
bool is_even_in_momentum(const CorrelatorArray& array) {
  const std::string& kind = array.head.kind;
  if (kind != "meson" && kind != "baryon" && kind != "correlator") return false;
  const std::string& channel = array.head.channel;
  return channel.find('-') == channel.npos || !equal_operator(channel).empty();
}

}  // namespace

std::string CorrelatorSeries::labels_text() const {
  std::string text;
  for (const auto& [name, value] : labels) text += (text.empty() ? "" : ", ") + name + " = " + label_text(value);
  return text;
}

std::size_t CorrelatorSeries::first_not_finite() const {
  const auto finite = [](const std::complex<double>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  return std::size_t(std::find_if_not(values.begin(), values.end(), finite) - values.begin());
}

bool has_energy(const std::string& kind) { return kind != "three-point" && kind != "loop"; }

std::string equal_operator(const std::string& channel) {
  const std::size_t half = channel.size() / 2;
  const bool equal =
      channel.size() % 2 == 1 && channel[half] == '-' && channel.compare(0, half, channel, half + 1, half) == 0;
  return equal ? channel.substr(0, half) : "";
}

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

SeriesCollector::Rows& SeriesCollector::rows_of(const CorrelatorArray& array, const Momentum& momentum) {
  const auto [found, fresh] = place_.try_emplace(series_key(array, momentum), all_.size());
  if (fresh) {
    all_.emplace_back();
    all_.back().head = {array.head.kind, array.head.channel, momentum, array.head.labels, array.n_times, {}, {}};
  }
  return all_[found->second];
}

Coord known_extent(Coord extent) {
  for (int& n : extent)
    if (n <= 0) n = 1 << 20;
  return extent;
}

bool is_at_rest(const Momentum& p, const Coord& extent) {
  return p[0] % extent[0] == 0 && p[1] % extent[1] == 0 && p[2] % extent[2] == 0;
}

void SeriesCollector::add(const CorrelatorArray& array, const std::string& file, const Coord& extent) {
  if (!channels_.empty() && !matches_any(array.head.channel, channels_)) return;
  require(extent[3] <= 0 || array.n_times == std::size_t(extent[3]), file, "has correlators of", array.head.channel,
          "at", array.n_times, "times, but the lattice", to_string(extent), "has", std::to_string(extent[3]) + ":",
          "give data.extent of the lattice that they are of, and correlators at all of its times");
  const Coord box = known_extent(extent);
  const bool averages = average_momenta_ && is_even_in_momentum(array);
  std::vector<int> numbers;
  for (const std::string& name : array.configurations) {
    const auto [number, new_name] = number_.try_emplace(name, int(names_.size()));
    if (new_name) names_.push_back(name);
    numbers.push_back(number->second);
  }
  for (std::size_t p = 0; p < array.momenta.size(); ++p) {
    const Momentum& momentum = array.momenta[p];
    Rows& rows = rows_of(array, averages ? representative(momentum, box) : momentum);
    require(rows.head.n_times == array.n_times, "correlators of", array.head.channel, "have", rows.head.n_times, "and",
            array.n_times, "times, the latter in", file + ": analyse lattices one by one");
    for (std::size_t row = 0; row < array.sources.size(); ++row) {
      const auto [place, fresh] = rows.place.try_emplace({numbers[row], array.sources[row]}, rows.sources.size());
      if (fresh) {
        rows.configurations.push_back(numbers[row]);
        rows.sources.push_back(array.sources[row]);
        rows.members.emplace_back();
        rows.sums.resize(rows.sums.size() + array.n_times);
      }
      std::vector<Momentum>& members = rows.members[place->second];
      require(std::find(members.begin(), members.end(), momentum) == members.end(), file, "has a correlator of",
              array.head.channel, "on the configuration", array.configurations[row],
              "that was read before, and it would count twice; name each file once");
      members.push_back(momentum);
      const std::complex<double>* in = array.values.data() + (row * array.momenta.size() + p) * array.n_times;
      std::complex<double>* out = rows.sums.data() + place->second * array.n_times;
      for (std::size_t t = 0; t < array.n_times; ++t) out[t] += in[t];
      ++n_read_;
    }
  }
}

std::vector<CorrelatorSeries> SeriesCollector::take() {
  require(!all_.empty(), "there is no correlator to analyse" +
                             std::string(channels_.empty() ? " in these files"
                                                           : ": data.channels matches none of those in the files"));
  constexpr std::size_t none = std::size_t(-1);
  // A sample is a configuration; where all correlators are of a single one, a source.
  bool one = true;
  for (const Rows& rows : all_)
    for (const int name : rows.configurations) one = one && name == all_.front().configurations.front();
  std::vector<CorrelatorSeries> series;
  for (Rows& rows : all_) {
    CorrelatorSeries s = std::move(rows.head);
    // Of a configuration or, where there is one, of a source.
    std::map<Coord, std::size_t> of_source;
    std::vector<std::size_t> of_configuration(one ? 0 : names_.size(), none);
    std::vector<int> members;
    for (std::size_t row = 0; row < rows.sources.size(); ++row) {
      const std::size_t number = std::size_t(rows.configurations[row]);
      std::size_t& place =
          one ? of_source.try_emplace(rows.sources[row], none).first->second : of_configuration[number];
      if (place == none) {
        place = s.samples.size();
        s.samples.push_back(one ? to_string(rows.sources[row]) : names_[number]);
        members.push_back(0);
        s.values.resize(s.values.size() + s.n_times);
      }
      for (std::size_t t = 0; t < s.n_times; ++t) s.values[place * s.n_times + t] += rows.sums[row * s.n_times + t];
      members[place] += int(rows.members[row].size());
    }
    for (std::size_t i = 0; i < s.values.size(); ++i) s.values[i] /= members[i / s.n_times];
    series.push_back(std::move(s));
    rows = {};
  }
  all_.clear();
  place_.clear();
  return series;
}

}  // namespace kov::app
