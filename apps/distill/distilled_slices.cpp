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
  for (std::size_t k = 0; k < plan.source_times.size(); ++k) names_[plan.source_times[k]] = files.perambulators[k].name;
}

void DistilledSlices::read_perambulator(int t_sink, int t_source, Complex<double>* to) {
  auto file = perambulators_.find(t_source);
  if (file == perambulators_.end()) file = perambulators_.emplace(t_source, SliceMatrixFile(names_.at(t_source))).first;
  copy_numbers(file->second.read(t_sink), to);
}

SliceReader<double> DistilledSlices::reader(std::vector<int> numbers) {
  return {.slice =
              [this, numbers = std::move(numbers)](int t, std::span<Complex<double>> to) {
                Complex<double>* next = to.data();
                for (const int k : numbers) next = copy_numbers(elementals_.read(t, k), next);
              },
          .perambulator = [this](int t_sink, int t_source,
                                 std::span<Complex<double>> to) { read_perambulator(t_sink, t_source, to.data()); }};
}

DistilledQuarks<double> DistilledSlices::quarks(int n_vectors, int n_times, std::vector<int> numbers) {
  return {.n_vectors = n_vectors,
          .n_times = n_times,
          .elemental =
              [this, numbers = std::move(numbers)](int t, int elemental, std::span<Complex<double>> to) {
                copy_numbers(elementals_.read(t, numbers.at(std::size_t(elemental))), to.data());
              },
          .perambulator = [this](const std::string&, int t_sink, int t_source,
                                 std::span<Complex<double>> to) { read_perambulator(t_sink, t_source, to.data()); },
          .same_as = {{"d", "u"}}};
}

}  // namespace kov::app
