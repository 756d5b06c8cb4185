// SPDX-License-Identifier: MIT
#include "apps/files/chain_files.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/plot/plot.hpp"
#include "kov/core/io/text.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <sstream>

namespace kov::app {

namespace {

const char* ending(GaugeFormat format) {
  return format == GaugeFormat::ildg ? ".lime" : format == GaugeFormat::hdf5 ? ".h5" : ".nersc";
}

/// The options in `theirs` that are not in `ours`: "--beta 6 --seed 2".
std::string difference(const std::string& theirs, const std::string& ours) {
  const auto options = [](const std::string& text) {
    std::vector<std::string> list;
    for (const std::string& word : words(text))
      if (word.rfind("--", 0) == 0 || list.empty())
        list.push_back(word);
      else
        list.back() += " " + word;
    return list;
  };
  const std::vector<std::string> known = options(ours);
  std::string text;
  for (const std::string& option : options(theirs))
    if (std::find(known.begin(), known.end(), option) == known.end()) text += (text.empty() ? "" : " ") + option;
  return text;
}

}  // namespace

ChainFiles::ChainFiles(const Comm& comm, std::string prefix, GaugeFormat format, std::string chain)
    : comm_(comm), prefix_(std::move(prefix)), ending_(ending(format)), chain_(std::move(chain)) {}

std::string ChainFiles::file(int k) const {
  char number[16];
  std::snprintf(number, sizeof(number), ".%04d", k);
  return prefix_ + number + ending_;
}

std::vector<bool> ChainFiles::on_disk(int n) const {
  std::string found(std::size_t(n), '0');
  comm_.agree([&] {
    for (int k = 1; comm_.rank() == 0 && k <= n; ++k) {
      std::error_code none;
      if (!std::filesystem::exists(file(k), none)) continue;
      const auto chain =
          recorded_metadata(header_of(Comm::self(), file(k), {.syntax = OptionSyntax::chain}), record().first);
      require(chain.has_value(), file(k), "exists already, but no chain of this program made it: name another --output",
              "or move it away");
      require(*chain == chain_, file(k), "exists already, made with", difference(*chain, chain_) + ", and",
              difference(chain_, *chain), "is asked for: repeat its options to go on with that chain, name another",
              "--output, or move the files away");
      found[std::size_t(k - 1)] = '1';
    }
  });
  found = comm_.broadcast(found);
  std::vector<bool> there;
  for (const char c : found) there.push_back(c == '1');
  return there;
}

GaugeField<double> ChainFiles::read(const Lattice& lattice, int k) const {
  GaugeReport report;
  return read_configuration(lattice, file(k), {.syntax = OptionSyntax::chain}, report);
}

ChainHistory::ChainHistory(const Comm& comm, std::string prefix, std::string chain)
    : comm_(comm), prefix_(std::move(prefix)), chain_(std::move(chain)) {}

void ChainHistory::add(int update, double plaquette) { plaquettes_[update] = twelve_digits(plaquette); }

void ChainHistory::read() {
  std::error_code none;
  const std::string name = prefix_ + ".history.txt";
  bool exists = false;
  comm_.agree([&] { exists = std::filesystem::is_regular_file(name, none); });
  std::vector<std::int64_t> everywhere{exists ? 0 : 1};
  comm_.max(everywhere);
  if (everywhere[0] != 0) return;
  std::istringstream text(read_text_file(comm_, name, std::uint64_t(1) << 30));
  std::string line;
  if (!std::getline(text, line) || line != "# kovariant generate " + chain_) return;
  while (std::getline(text, line)) {
    const std::vector<std::string> parts = words(line);
    const auto update = parts.size() == 2 ? parse_integer(parts[0]) : std::nullopt;
    const auto plaquette = update ? parse_real(parts[1]) : std::nullopt;
    if (plaquette && *update >= 1 && *update <= std::numeric_limits<int>::max()) add(int(*update), *plaquette);
  }
}

std::string ChainHistory::write() const {
  std::string text = "# kovariant generate " + chain_ + "\n# update, plaquette\n";
  PlotSeries series{.name = "", .x = {}, .y = {}, .error = {}, .style = PlotSeries::Style::line};
  for (const auto& [update, plaquette] : plaquettes_) {
    text += std::to_string(update) + " " + plaquette + "\n";
    series.x.push_back(update);
    series.y.push_back(*parse_real(plaquette));
  }
  write_text_file(comm_, prefix_ + ".history.txt", text);
  if (plaquettes_.empty()) return "";
  const Plot plot{.title = "Plaquette along the chain",
                  .x_label = "update",
                  .y_label = "mean $Re tr P / 3$",
                  .series = {series},
                  .caption = plain(chain_),
                  .integer_x = true};
  return write_picture(comm_, prefix_ + ".history", plot.drawing()).pdf_problem;
}

}  // namespace kov::app
