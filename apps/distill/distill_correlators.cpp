// SPDX-License-Identifier: MIT
#include "apps/distill/distill_correlators.hpp"

#include "apps/distill/distilled_slices.hpp"
#include "kov/contractions/engine/engine_group.hpp"
#include "kov/contractions/hadrons/meson.hpp"

#include <algorithm>

namespace kov::app {

namespace {

Gamma gamma_of(const std::string& meson) { return Gamma::number(meson_number(meson).value()); }

/// The numbers of the elementals of some momenta, all displacements of one after the other.
std::vector<int> elementals_of(const DistillParameters& parameters, std::size_t n_momenta,
                               const std::vector<int>& momenta) {
  std::vector<int> numbers;
  for (const int momentum : momenta)
    for (std::size_t d = 0; d < parameters.elementals.displacements.size(); ++d)
      numbers.push_back(int(d * n_momenta) + momentum);
  return numbers;
}

/// What an engine takes for a sink.
double sink_bytes(const DistillParameters& parameters) {
  const double n = parameters.eigenvectors.n, e = double(parameters.elementals.displacements.size());
  return 16 * (2 * 16 * e * n * n + 2 * 256 * e * e);
}

/// Momenta that are contracted in one pass through the perambulators: as many engines as have room to work, with one
/// sink at a time.
int momenta_in_a_pass(const DistillParameters& parameters, int n_momenta, const DistillBatches& batches) {
  const double room = 4 * double(batches.meson_bytes);
  return int(std::clamp(room / sink_bytes(parameters), 1.0, double(std::max(n_momenta, 1))));
}

/// The most that a rank contracts in one pass.
int momenta_of_a_rank(const DistillParameters& parameters, int n_ranks, const DistillBatches& batches) {
  const int n_momenta = int(momenta_up_to(parameters.elementals.max_momentum).size());
  return momenta_in_a_pass(parameters, (n_momenta + n_ranks - 1) / n_ranks, batches);
}

/// The elementals of a pass on one slice.
double slice_bytes(const DistillParameters& parameters, int n_momenta) {
  const double n = parameters.eigenvectors.n, e = double(parameters.elementals.displacements.size());
  return 16 * e * n * n * n_momenta;
}

}  // namespace

std::vector<MesonOperator> meson_operators(const DistillParameters& parameters) {
  std::vector<MesonOperator> operators;
  for (const std::string& meson : parameters.correlators.mesons)
    for (const std::string& displacement : parameters.elementals.displacements)
      operators.push_back({meson, displacement});
  return operators;
}

int conjugate_sign(const std::string& meson) {
  const Gamma adjoint = gamma_of(meson).adjoint(), g4 = Gamma::direction(3);
  return g4 * adjoint * g4 == adjoint ? -1 : 1;
}

std::vector<Correlator> distilled_correlators(const Comm& comm, const DistillParameters& parameters,
                                              const DistillFiles& files, const DistillPlan& plan,
                                              const std::array<std::size_t, 2>& pair,
                                              const std::map<std::string, LabelValue>& labels, Tuner& tuner) {
  const std::vector<MesonOperator> operators = meson_operators(parameters);
  const std::vector<Momentum> momenta = momenta_up_to(parameters.elementals.max_momentum);
  const int n_displacements = int(parameters.elementals.displacements.size()), n_times = plan.gauges.extent[3];
  std::vector<FactorisedOperator> factorised;
  for (const std::string& meson : parameters.correlators.mesons)
    for (int d = 0; d < n_displacements; ++d) factorised.push_back({d, gamma_of(meson)});

  const std::vector<std::array<std::size_t, 2>> all_lines = parameters.quark_lines(pair);
  const std::size_t n = operators.size(), of_momentum = std::size_t(n_times) * n * n;
  std::vector<double> numbers(2 * of_momentum * momenta.size());
  EngineOptions options;
  if (comm.size() == 1 && tuner.has_file()) {
    options.blas = Blas::load();
    options.tuner = &tuner;
  }
  comm.agree([&] {
    DistilledSlices slices(files.elementals, files, plan);
    std::vector<int> mine;
    for (int m = comm.rank(); m < int(momenta.size()); m += comm.size()) mine.push_back(m);
    const auto at_once = std::size_t(momenta_in_a_pass(parameters, int(mine.size()), plan.batches));
    for (std::size_t first = 0; first < mine.size(); first += at_once) {
      const std::vector<int> some(mine.begin() + std::ptrdiff_t(first),
                                  mine.begin() + std::ptrdiff_t(std::min(mine.size(), first + at_once)));
      options.workspace_bytes = plan.batches.meson_bytes / some.size();
      std::vector<FactorisedEngine<double>> engines;
      for (std::size_t k = 0; k < some.size(); ++k)
        engines.emplace_back(factorised, n_displacements, parameters.eigenvectors.n, n_times, options);
      EngineGroup<FactorisedEngine<double>> group(std::move(engines));
      for (const std::array<std::size_t, 2>& lines : all_lines)
        add_correlators(group, slices.reader(elementals_of(parameters, momenta.size(), some), lines),
                        {.sources = plan.source_times, .slice_bytes = plan.batches.slice_bytes});
      for (std::size_t k = 0; k < some.size(); ++k) {
        double* to = numbers.data() + 2 * of_momentum * std::size_t(some[k]);
        for (const std::complex<double>& z : group.engines()[k].correlators()) {
          *to++ = z.real();
          *to++ = z.imag();
        }
      }
    }
  });
  comm.sum(numbers);

  std::vector<Correlator> correlators;
  for (std::size_t m = 0; m < momenta.size(); ++m)
    for (std::size_t e = 0; e < n * n; ++e) {
      const MesonOperator &sink = operators[e / n], &source = operators[e % n];
      const double factor = conjugate_sign(source.meson) / double(plan.source_times.size() * all_lines.size());
      Correlator c{.kind = "meson",
                   .channel = sink.name() + "-" + source.name(),
                   .momentum = momenta[m],
                   .source = {0, 0, 0, plan.source_times.front()},
                   .labels = labels};
      if (const std::string quarks = parameters.pair_label(pair); !quarks.empty()) c.labels["quarks"] = quarks;
      for (std::size_t t = 0; t < std::size_t(n_times); ++t) {
        const double* z = numbers.data() + 2 * (of_momentum * m + t * n * n + e);
        c.value.push_back({factor * z[0], factor * z[1]});
      }
      correlators.push_back(std::move(c));
    }
  return correlators;
}

bool keeps_elementals(const DistillParameters& parameters, int n_times, int n_ranks, const DistillBatches& batches) {
  const int at_once = momenta_of_a_rank(parameters, n_ranks, batches);
  return slice_bytes(parameters, at_once) * n_times <= double(batches.slice_bytes);
}

double correlator_bytes(const DistillParameters& parameters, int n_times, int n_ranks, const DistillBatches& batches) {
  const double n = parameters.eigenvectors.n;
  const double operators =
      double(parameters.elementals.displacements.size()) * double(parameters.correlators.mesons.size());
  if (operators == 0) return 0;
  const int at_once = momenta_of_a_rank(parameters, n_ranks, batches);
  const double results =
      64 * operators * operators * n_times * double(momenta_up_to(parameters.elementals.max_momentum).size());
  const double of_sink = sink_bytes(parameters), slice = slice_bytes(parameters, at_once), tau = 16 * 16 * n * n;
  const double sinks = std::clamp(double(batches.meson_bytes) / at_once / of_sink, 1.0, double(n_times));
  // Twice what is read for some sinks, of the quark and the antiquark, and one perambulator as it comes from its file.
  const bool keeps = keeps_elementals(parameters, n_times, n_ranks, batches);
  const double streamed = 2 * (2 * tau * sinks + (keeps ? 0 : slice * (sinks + 1))) + 2 * tau;
  return at_once * sinks * of_sink + (keeps ? slice * (n_times + 1) : 0) + streamed + results;
}

}  // namespace kov::app
