// SPDX-License-Identifier: MIT
#include "apps/quarks/gauge_visits.hpp"

#include "apps/program/tuner_report.hpp"

#include <optional>

namespace kov::app {

namespace {

void visit_generated(const Lattice& lattice, const GaugeChoice& choice, const GaugeVisits& visits) {
  std::size_t end = 0;  // of the chain
  for (std::size_t k = 0; k < visits.n; ++k)
    if (visits.has_work(k)) end = k + 1;
  std::optional<QuenchedEnsemble<double>> chain;
  for (std::size_t k = 0; k < visits.n; ++k) {
    if (k < end) {
      if (!chain) chain.emplace(lattice, choice.chain);
      const auto gauge = chain->next([&](int, int) { visits.updated(); });
      if (visits.has_work(k)) visits.work(k, gauge, describe_gauge(gauge, chain->description()));
    }
    visits.done(k);
  }
}

void visit_files(const Session& session, const Lattice& lattice, const GaugeFileOptions& options,
                 const GaugeVisits& visits) {
  for (std::size_t k = 0; k < visits.n; ++k) {
    if (visits.has_work(k)) {
      const PlannedGauge& planned = visits.planned(k);
      GaugeReport report;
      const auto gauge = read_configuration(lattice, planned.name, options, report);
      visits.hide_progress();
      const bool is_planned = identity_of_file(planned.name, report.header) == planned.identity &&
                              (planned.links.empty() || planned.links == report.links_checksum);
      require(is_planned, planned.name, "was replaced by other links while this run was under way:", "run it again;",
              visits.kept);
      warn_overridden(session, report);
      visits.work(k, gauge, report);
    }
    visits.done(k);
  }
}

}  // namespace

void visit_gauges(const Session& session, const Lattice& lattice, const GaugeChoice& choice, const Settings& settings,
                  const GaugeVisits& visits) {
  warn_of_tune_file(session, lattice);
  if (choice.files.empty())
    visit_generated(lattice, choice, visits);
  else
    visit_files(session, lattice, choice.file_options(settings), visits);
  report_tuned(session, lattice, ReportTo::log);
}

}  // namespace kov::app
