// SPDX-License-Identifier: MIT
#include "apps/distill/baryons.hpp"

#include "apps/distill/distilled_slices.hpp"
#include "apps/distill/source_sums.hpp"
#include "kov/contractions/distillation/distilled_baryons.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace kov::app {

namespace {

double cube_bytes(const DistillParameters& parameters) { return 16 * std::pow(parameters.eigenvectors.n, 3); }

/// Momenta whose correlators are contracted together, so that perambulators are read and rotated once for them: as many
/// as have room for their elementals at the source in an eighth of the workspace, or one.
std::size_t baryon_momenta_together(const DistillParameters& parameters, std::size_t workspace_bytes) {
  const double fit = double(workspace_bytes) / 8 / cube_bytes(parameters);
  return std::size_t(std::clamp(fit, 1.0, double(parameters.baryon_momenta().size())));
}

}  // namespace

std::vector<std::string> light_baryon_names() {
  std::vector<std::string> names;
  for (const std::string& name : baryon_names()) {
    const auto& quarks = baryon_operators(name).front().quarks;
    if (std::count(quarks.begin(), quarks.end(), "s") == 0) names.push_back(name);
  }
  return names;
}

std::vector<BaryonOperator> wanted_baryon_operators(const DistillParameters& parameters) {
  std::vector<BaryonOperator> operators;
  for (const std::string& name : parameters.correlators.baryons)
    for (BaryonOperator& op : baryon_operators(name)) operators.push_back(std::move(op));
  return operators;
}

std::vector<Correlator> baryon_correlators(const Comm& comm, const DistillParameters& parameters,
                                           const DistillFiles& files, const DistillPlan& plan,
                                           const std::map<std::string, LabelValue>& labels,
                                           const std::function<void(int n)>& advance) {
  const std::vector<Momentum> momenta = parameters.baryon_momenta();
  const auto n_times = std::size_t(plan.gauges.extent[3]);
  const std::vector<BaryonOperator> operators = wanted_baryon_operators(parameters);
  std::vector<BaryonCorrelation> correlations;
  for (const BaryonOperator& op : operators) correlations.push_back({op.name, op, op});

  std::optional<DistilledSlices> slices;
  comm.agree([&] { slices.emplace(files.baryon_elementals, files, plan); });
  const auto contract = [&](std::size_t first, std::size_t n, int time) {
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), int(first));
    return distilled_baryons(
        correlations, int(n),
        slices->quarks(parameters.eigenvectors.n, int(n_times), numbers, parameters.flavours_of(operators)),
        {.sources = {time},
         .boundary = parameters.all_quarks().front().boundary_angles(),
         .workspace_bytes = plan.batches.baryon_bytes});
  };
  const auto sums = sums_over_sources(comm, parameters.output.journal, files.baryons, plan.source_times,
                                      {.sizes = std::vector<std::size_t>(momenta.size(), n_times * correlations.size()),
                                       .contract = contract,
                                       .together = baryon_momenta_together(parameters, plan.batches.baryon_bytes),
                                       .advance = advance});

  std::vector<Correlator> correlators;
  for (std::size_t e = 0; e < correlations.size(); ++e)
    for (std::size_t m = 0; m < momenta.size(); ++m) {
      Correlator c{.kind = "baryon",
                   .channel = correlations[e].name,
                   .momentum = momenta[m],
                   .source = {0, 0, 0, plan.source_times.front()},
                   .labels = labels};
      if (!parameters.quarks.empty())
        c.labels["quarks"] = parameters.quarks.flavour_label(parameters.flavours_of({operators[e]}));
      for (std::size_t t = 0; t < n_times; ++t)
        c.value.push_back(sums[m][t * correlations.size() + e] / double(plan.source_times.size()));
      correlators.push_back(std::move(c));
    }
  return correlators;
}

double baryon_elemental_bytes(const DistillParameters& parameters, int n_slices) {
  if (parameters.correlators.baryons.empty()) return 0;
  // And one slice on its way to the file.
  return cube_bytes(parameters) * (n_slices + 2) * double(parameters.baryon_momenta().size());
}

double baryon_bytes(const DistillParameters& parameters, int n_times, std::size_t workspace_bytes) {
  if (parameters.correlators.baryons.empty()) return 0;
  const double n = parameters.eigenvectors.n, n_sources = double(parameters.source_times(n_times).size());
  const auto& names = parameters.correlators.baryons;
  const auto is_lower = [](const std::string& name) { return name.ends_with("_np"); };
  const double parities = double(std::any_of(names.begin(), names.end(), is_lower)) +
                          double(!std::all_of(names.begin(), names.end(), is_lower));
  // Of each parity and quark four pairs of spins for a first and a third quark, sixteen for two together, of which one
  // at least is kept; elementals at the sink and the source, on the host too, there for each momentum; and one as it is
  // read from the file, whose integers of 16 bits are read as numbers of 64.
  const std::vector<BaryonOperator> operators = wanted_baryon_operators(parameters);
  const double cube = cube_bytes(parameters), n_quarks = double(parameters.quarks_of_baryons().size());
  const double read = parameters.output.precision == 16 ? 2 : 1;
  const double cubes =
      parities * n_quarks * (4 + 4) + 4 + double(baryon_momenta_together(parameters, workspace_bytes)) + read;
  const double workspace =
      std::max(cube, std::min(double(workspace_bytes), parities * n_quarks * n_quarks * 16 * cube));
  const double numbers = double(operators.size()) * n_times * double(parameters.baryon_momenta().size());
  return cube * cubes + workspace + 16 * numbers * (n_sources + 4) + 16 * 16 * n * n * (2 + n_quarks);
}

}  // namespace kov::app
