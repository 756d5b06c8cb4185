// SPDX-License-Identifier: MIT
#include "apps/analyze/analysis_run.hpp"

#include "apps/analyze/analyze_results.hpp"
#include "apps/analyze/disconnected_series.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/program/progress.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"

#include <algorithm>
#include <cmath>

namespace kov::app {

namespace {

std::vector<std::string> picture_kinds(const AnalyzeParameters& p) {
  std::vector<std::string> kinds{".effective", ".correlators", ".dispersion", ".ratio"};
  if (!p.gevp.operators.empty()) kinds.insert(kinds.end(), {".gevp", ".eigenvalues"});
  return kinds;
}

/// Reads every file; the time left is that of the share of files and datasets that is left.
std::vector<CorrelatorSeries> read_series(const Session& session, const AnalysisInput& input,
                                          const AnalyzeParameters& parameters, Coord& extent, std::size_t& n_read) {
  // The elements of a matrix have to stay at the same momenta.
  SeriesCollector collector(parameters.data.average_momenta && parameters.gevp.operators.empty(),
                            parameters.data.channels);
  constexpr int parts = 1000;  // of a file, as long as it is not known how many datasets it has
  Progress progress({{"thousandths of files", int(input.files.size()) * parts, 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  for (const std::string& file : input.files) {
    int shown = 0;
    const auto begin = [&](const Coord& of_file) {
      if (of_file[0] <= 0) return;
      require(extent[0] == 0 || extent == of_file, file, "is of the lattice", to_string(of_file) + ", others are of",
              to_string(extent) + "; analyse lattices one by one");
      extent = of_file;
    };
    const auto take = [&](CorrelatorArray array, std::size_t i, std::size_t n) {
      collector.add(array, file, extent);
      if (const int now = int((i + 1) * parts / n); now > shown) {
        progress.advance(0, now - shown);
        shown = now;
      }
    };
    if (input.mapping)
      input.mapping->visit(file, take);
    else
      visit_correlators(file, take, begin);
    if (shown < parts) progress.advance(0, parts - shown);
  }
  progress.hide();
  n_read = collector.n_read();
  return collector.take();
}

void analyse_all(const Session& session, const AnalyzeParameters& parameters, AnalysisResults& all) {
  Progress progress({{"correlators", int(all.series.size()), 1}},
                    ProgressOutput::standard_error(session.quiet, session.comm.rank()));
  all.results.resize(all.series.size());
  constexpr std::size_t batch = 256;
  for (std::size_t first = 0; first < all.series.size(); first += batch) {
    const std::size_t n = std::min(batch, all.series.size() - first);
    on_host_threads("analyze", std::int64_t(n), [&](std::int64_t i, int) {
      const std::size_t k = first + std::size_t(i);
      all.results[k] = analysed(all.series[k], parameters);
    });
    progress.advance(0, int(n));
  }
  progress.hide();
}

std::string analysis_caption(const AnalysisResults& all, const std::vector<std::string>& files,
                             const AnalyzeParameters& parameters) {
  std::string text = plain(files.front());
  if (files.size() > 1) text += sentence(" and", files.size() - 1, "more files");
  std::size_t n = 0;
  for (const SeriesResult& r : all.results) n = std::max(n, r.n_samples);
  return text + ", " + std::to_string(n) + (parameters.errors.bin > 1 ? " bins" : " samples") +
         ", errors: " + parameters.errors.method + "; kovariant " + version();
}

/// Which of the dispersion relations are drawn.
std::vector<std::size_t> pictured_dispersions(const AnalysisResults& all, const std::vector<std::size_t>& shown) {
  std::vector<std::size_t> which;
  for (std::size_t d = 0; d < all.dispersions.size() && which.size() < 3; ++d)
    for (const std::size_t k : shown)
      if (all.series[all.dispersions[d].members.front()].channel == all.series[k].channel) {
        which.push_back(d);
        break;
      }
  return which;
}

/// The ratio that is drawn: the first with a plateau, of those currents that are named where any is.
const RatioResult* pictured_ratio(const AnalysisResults& all, const std::vector<std::string>& patterns) {
  const RatioResult* found = nullptr;
  for (const RatioResult& r : all.ratios) {
    if (std::none_of(r.sinks.begin(), r.sinks.end(),
                     [](const SinkTimeRatio& s) { return std::isfinite(s.plateau.error); }))
      continue;
    if (matches_any(r.head.channel, patterns)) return &r;
    if (found == nullptr) found = &r;
  }
  return found;
}

void draw(WrittenFiles& written, const AnalysisResults& all, const AnalyzeParameters& parameters,
          const std::string& caption) {
  const std::string& prefix = parameters.output.prefix;
  const std::vector<std::size_t> which = pictured(all, parameters.output.pictures);
  if (which.empty()) {
    written.missing(prefix + ".effective", "output.pictures matches no channel");
    return;
  }
  written.draw(prefix + ".effective",
               effective_mass_plot(all, which, parameters.output.has_symmetric_masses() ? 0 : 0.5, caption));
  written.draw(prefix + ".correlators", correlator_plot(all, which, caption));
  if (const auto d = pictured_dispersions(all, which); !d.empty())
    written.draw(prefix + ".dispersion", dispersion_plot(all, d, caption));
  if (const RatioResult* ratio = pictured_ratio(all, parameters.output.pictures))
    written.draw(prefix + ".ratio", ratio_plot(*ratio, caption));
  if (!all.gevps.empty()) {
    written.draw(prefix + ".gevp", gevp_energy_plot(all.gevps.front(), parameters.gevp.operators, caption));
    written.draw(prefix + ".eigenvalues", gevp_eigenvalue_plot(all.gevps.front(), parameters.gevp.operators, caption));
  }
}

std::string gevp_text(const AnalysisResults& all, const AnalyzeParameters& parameters, int most) {
  std::string text;
  int shown = 0;
  for (const GevpResult& g : all.gevps) {
    if (most > 0 && ++shown > most) break;
    std::string operators;
    for (const std::string& name : parameters.gevp.operators) operators += (operators.empty() ? "" : ", ") + name;
    const std::string labels = g.head.labels_text();
    text += "\nGEVP of {" + operators + "} at momentum " + to_string(g.head.momentum) +
            (labels.empty() ? "" : ", " + labels) + "; E_n between t and t + 1\n\n" + gevp_table(g) + "\n" +
            g.checks.text();
  }
  return text;
}

/// Of the first series with a number that is not finite, and of the first whose samples do not fill their bins.
std::vector<std::string> warnings_of_samples(const std::vector<CorrelatorSeries>& series, int bin) {
  std::vector<std::string> warnings;
  for (const CorrelatorSeries& s : series)
    if (const std::size_t place = s.first_not_finite(); place < s.values.size()) {
      warnings.push_back(sentence(s.kind, s.channel, "at momentum", to_string(s.momentum), "is not finite on",
                                  s.samples[place / s.n_times], "at t =", std::to_string(place % s.n_times) + ",",
                                  "and maybe others: estimates that use such a number are left out; mend that sample, "
                                  "or leave it out"));
      break;
    }
  for (const CorrelatorSeries& s : series)
    if (const std::size_t n = s.samples.size(), size = std::size_t(bin), rest = n % size; n >= 2 * size && rest > 0) {
      warnings.push_back(sentence("of", n, "samples of", s.kind, s.channel, "the last",
                                  rest == 1 ? "one fills" : std::to_string(rest) + " fill", "no bin of", size,
                                  rest == 1 ? "and does not count:" : "and do not count:", "an errors.bin that divides",
                                  n, "takes all"));
      break;
    }
  return warnings;
}

}  // namespace

double analysis_bytes(const AnalysisInput& input, const AnalyzeParameters& parameters) {
  CorrelatorCount all;
  for (const std::string& file : input.files) {
    const auto is_read = [&](const std::string& channel) {
      return parameters.data.channels.empty() || matches_any(channel, parameters.data.channels);
    };
    const CorrelatorCount of_file = input.mapping ? input.mapping->count(file) : count_correlators(file, is_read);
    all.correlators += of_file.correlators;
    all.numbers += of_file.numbers;
    all.series = std::max(all.series, of_file.series);  // other files have other configurations of them
  }
  constexpr double number = sizeof(std::complex<double>);
  // The place of a configuration and source, and its momenta; what is known of a series beside numbers and replicas.
  constexpr double of_correlator = 170, of_series = 2000;
  const double replicas =
      parameters.errors.method == "bootstrap" ? all.series * parameters.errors.replicas : all.correlators;
  return 2 * number * all.numbers + of_correlator * all.correlators + of_series * all.series + 8 * replicas;
}

void add_analysis_outputs(OutputFiles& files, const AnalyzeParameters& p) {
  std::vector<std::string> endings{".txt"};
  if (has_hdf5()) endings.push_back(".h5");
  for (const std::string& kind : picture_kinds(p))
    for (const std::string& ending : picture_endings()) endings.push_back(kind + ending);
  files.add(p.output.prefix, endings);
}

void analyse(const Session& session, const AnalysisInput& input, const AnalyzeParameters& parameters) {
  const std::vector<std::string>& files = input.files;
  AnalysisResults all;
  all.extent = input.extent;
  std::size_t n_read = 0;
  std::string energies, others;
  std::vector<std::string> warnings;
  session.comm.agree([&] {
    if (session.comm.rank() != 0) return;  // one host does it all
    all.series = read_series(session, input, parameters, all.extent, n_read);
    warnings = warnings_of_samples(all.series, parameters.errors.bin);
    add_disconnected(all.series, parameters, all.extent);
    all.ratios = ratios_of(all.series, parameters, all.extent);
    all.common_labels = without_common_labels(all.series);
    for (RatioResult& r : all.ratios)
      for (const auto& [name, value] : all.common_labels) r.head.labels.erase(name);
    analyse_all(session, parameters, all);
    all.dispersions = dispersions_of(all);
    if (!parameters.gevp.operators.empty()) all.gevps = gevp_results(all.series, parameters);
    AnalyzeParameters own = parameters;  // whose keys are those of `kovariant analyze`
    if (has_hdf5())
      write_analysis(parameters.output.prefix + ".h5", all, parameters.gevp.operators, own.settings().typed_values(),
                     files);
  });
  if (session.comm.rank() == 0) {
    energies = energy_table(all, 0);
    if (!all.dispersions.empty()) others += "\n\n" + dispersion_table(all, 0);
    if (!all.ratios.empty()) others += "\n\n" + ratio_table(all, 0);
    others += gevp_text(all, parameters, 0);
  }
  WrittenFiles written(session);
  write_text_file(session.comm, parameters.output.prefix + ".txt",
                  "# kovariant analyze " + std::string(version()) + "\n" + energies + others);
  written.add({parameters.output.prefix + ".txt"});
  if (has_hdf5()) written.add({parameters.output.prefix + ".h5"});
  if (session.comm.rank() == 0) {
    session.say(sentence(n_read, "correlators in", files.size(),
                         files.size() == 1 ? "file:" : "files:", all.series.size(), "averages over",
                         all.series.front().samples.size(), "samples; errors:", parameters.errors.method));
    for (const std::string& warning : warnings) session.warn(warning);
    if (!all.common_labels.empty())
      session.say("labels of all: " + CorrelatorSeries{.labels = all.common_labels}.labels_text());
    session.say();
    session.say(energy_table(all, parameters.output.rows));
    session.say(sentence("effective masses in lattice units",
                         parameters.output.has_symmetric_masses() ? "at t" : "between t and t + 1") +
                "\n");
    session.say(effective_mass_table(all, pictured(all, parameters.output.pictures)));
    if (!all.dispersions.empty())
      session.say("dispersion relations\n\n" + dispersion_table(all, parameters.output.rows));
    if (!all.ratios.empty())
      session.say("matrix elements of currents from ratios\n\n" + ratio_table(all, parameters.output.rows));
    if (const std::string text = gevp_text(all, parameters, 3); !text.empty()) session.say(text);
  }
  if (session.comm.size() == 1)
    draw(written, all, parameters, analysis_caption(all, files, parameters));
  else
    written.missing(parameters.output.prefix + ".effective", "pictures are drawn by a single process");
  written.say();
}

}  // namespace kov::app
