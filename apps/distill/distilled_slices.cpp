// SPDX-License-Identifier: MIT
#include "apps/distill/distilled_slices.hpp"

#include <algorithm>
#include <span>

namespace kov::app {

namespace {

Complex<double>* copy_numbers(const std::vector<std::complex<double>>& from, Complex<double>* to) {
  for (const std::complex<double>& z : from) *to++ = {z.real(), z.imag()};
  return to;
}

}  // namespace

DistilledSlices::DistilledSlices(const DistillFile& elementals, const DistillFiles& files, const DistillPlan& plan)
    : elementals_(elementals.name), noises_(files.noises) {
  for (std::size_t line = 0; line < files.perambulators.size(); ++line)
    for (std::size_t k = 0; k < plan.source_times.size(); ++k) {
      const int t = plan.source_times[k];
      std::size_t place = k;
      if (!noises_.empty()) {
        const int of_time = noises_.front().scheme().time.class_of(t, plan.gauges.extent[3]);
        place = std::size_t(std::find(plan.time_classes.begin(), plan.time_classes.end(), of_time) -
                            plan.time_classes.begin());
      }
      names_[{line, t}] = files.perambulators[line].at(place).name;
    }
}

void DistilledSlices::read_perambulator(std::size_t line, int t_sink, int t_source, Complex<double>* to) {
  const std::string& name = names_.at({line, t_source});
  auto file = perambulators_.find(name);
  if (file == perambulators_.end()) file = perambulators_.emplace(name, SliceMatrixFile(name)).first;
  const std::vector<std::complex<double>> numbers = file->second.read(t_sink);
  if (noises_.empty()) {
    copy_numbers(numbers, to);
    return;
  }
  // A source has one number of the noise for each spin and eigenvector of its class.
  const DilutedNoise& noise = noises_[line % noises_.size()];
  const int rows = file->second.header().rows, n = rows / 4, sources = noise.sources_of_a_time();
  for (int spin = 0; spin < 4; ++spin)
    for (int i = 0; i < n; ++i) {
      const int source = noise.source_of(t_source, i, spin) % sources;
      const std::complex<double> conjugate = std::conj(noise.noise(t_source, i, spin));
      for (int row = 0; row < rows; ++row) {
        const std::complex<double> z =
            numbers[std::size_t(row) * std::size_t(sources) + std::size_t(source)] * conjugate;
        to[std::size_t(row) * std::size_t(rows) + std::size_t(spin * n + i)] = {z.real(), z.imag()};
      }
    }
}

SliceReader<double> DistilledSlices::reader(std::vector<int> numbers, const std::array<std::size_t, 2>& lines) {
  const auto reads = [this](std::size_t line) {
    return [this, line](int t_sink, int t_source, std::span<Complex<double>> to) {
      read_perambulator(line, t_sink, t_source, to.data());
    };
  };
  SliceReader<double> reader{.slice =
                                 [this, numbers = std::move(numbers)](int t, std::span<Complex<double>> to) {
                                   Complex<double>* next = to.data();
                                   for (const int k : numbers) next = copy_numbers(elementals_.read(t, k), next);
                                 },
                             .perambulator = reads(lines[0])};
  if (lines[1] != lines[0]) reader.antiquark = reads(lines[1]);
  return reader;
}

DistilledQuarks<double> DistilledSlices::quarks(int n_vectors, int n_times, std::vector<int> numbers,
                                                std::map<std::string, std::size_t> flavours) {
  // Of flavours that are one quark the last by name is read.
  std::map<std::string, std::string> same_as;
  for (auto flavour = flavours.rbegin(); flavour != flavours.rend(); ++flavour)
    for (auto other = std::next(flavour); other != flavours.rend(); ++other)
      if (flavour->second == other->second) same_as.emplace(other->first, flavour->first);
  return {.n_vectors = n_vectors,
          .n_times = n_times,
          .elemental =
              [this, numbers = std::move(numbers)](int t, int elemental, std::span<Complex<double>> to) {
                copy_numbers(elementals_.read(t, numbers.at(std::size_t(elemental))), to.data());
              },
          .perambulator =
              [this, flavours = std::move(flavours)](const std::string& quark, int t_sink, int t_source,
                                                     std::span<Complex<double>> to) {
                read_perambulator(flavours.at(quark), t_sink, t_source, to.data());
              },
          .same_as = same_as};
}

}  // namespace kov::app
