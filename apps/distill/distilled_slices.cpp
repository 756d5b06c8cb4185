// SPDX-License-Identifier: MIT
#include "apps/distill/distilled_slices.hpp"

#include <algorithm>
#include <numeric>
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

std::vector<std::vector<std::complex<double>>> sums_over_sources(
    const Comm& comm, const std::vector<std::size_t>& sizes, const std::vector<int>& times,
    const std::function<std::vector<std::complex<double>>(std::size_t group, int time)>& contract,
    const std::function<void(int n)>& advance) {
  const std::size_t n_groups = sizes.size(), n_items = n_groups * times.size();
  const std::size_t of_time = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
  std::vector<double> numbers(2 * of_time * times.size());
  comm.agree([&] {
    double* to = numbers.data();
    for (std::size_t item = 0; item < n_items; ++item) {
      const std::size_t group = item % n_groups;
      if (item % std::size_t(comm.size()) == std::size_t(comm.rank())) {
        const std::vector<std::complex<double>> found = contract(group, times[item / n_groups]);
        for (std::size_t k = 0; k < sizes[group]; ++k) {
          to[2 * k] = found[k].real();
          to[2 * k + 1] = found[k].imag();
        }
        if (comm.rank() == 0) advance(int(std::min(n_items - item, std::size_t(comm.size()))));
      }
      to += 2 * sizes[group];
    }
  });
  comm.sum(numbers);
  std::vector<std::vector<std::complex<double>>> sums;
  for (const std::size_t size : sizes) sums.emplace_back(size);
  const double* from = numbers.data();
  for (std::size_t item = 0; item < n_items; ++item)
    for (std::complex<double>& z : sums[item % n_groups]) {
      z += std::complex<double>(from[0], from[1]);
      from += 2;
    }
  return sums;
}

}  // namespace kov::app
