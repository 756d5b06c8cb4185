// SPDX-License-Identifier: MIT
#include "apps/distill/distilled_slices.hpp"

#include <span>

namespace kov::app {

namespace {

Complex<double>* copy_numbers(const std::vector<std::complex<double>>& from, Complex<double>* to) {
  for (const std::complex<double>& z : from) *to++ = {z.real(), z.imag()};
  return to;
}

}  // namespace

DistilledSlices::DistilledSlices(const DistillFile& elementals, const DistillFiles& files, const DistillPlan& plan)
    : elementals_(elementals.name) {
  for (std::size_t q = 0; q < files.perambulators.size(); ++q)
    for (std::size_t k = 0; k < plan.source_times.size(); ++k)
      names_[{q, plan.source_times[k]}] = files.perambulators[q][k].name;
}

void DistilledSlices::read_perambulator(std::size_t quark, int t_sink, int t_source, Complex<double>* to) {
  const std::pair key(quark, t_source);
  auto file = perambulators_.find(key);
  if (file == perambulators_.end()) file = perambulators_.emplace(key, SliceMatrixFile(names_.at(key))).first;
  copy_numbers(file->second.read(t_sink), to);
}

SliceReader<double> DistilledSlices::reader(std::vector<int> numbers, const std::array<std::size_t, 2>& pair) {
  const auto reads = [this](std::size_t quark) {
    return [this, quark](int t_sink, int t_source, std::span<Complex<double>> to) {
      read_perambulator(quark, t_sink, t_source, to.data());
    };
  };
  SliceReader<double> reader{.slice =
                                 [this, numbers = std::move(numbers)](int t, std::span<Complex<double>> to) {
                                   Complex<double>* next = to.data();
                                   for (const int k : numbers) next = copy_numbers(elementals_.read(t, k), next);
                                 },
                             .perambulator = reads(pair[0])};
  if (pair[1] != pair[0]) reader.antiquark = reads(pair[1]);
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
