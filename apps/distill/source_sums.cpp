// SPDX-License-Identifier: MIT
#include "apps/distill/source_sums.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

namespace kov::app {

namespace {

/// Of some source times: a journal entry each, with a "correlator" for the numbers of each group.
std::map<int, JournalEntry> contract_sources(const Comm& comm, const std::vector<int>& times,
                                             const SourceContraction& work) {
  const std::size_t n_groups = work.sizes.size(), n_items = n_groups * times.size(), n_ranks = std::size_t(comm.size());
  const std::size_t of_time = std::accumulate(work.sizes.begin(), work.sizes.end(), std::size_t(0));
  const std::size_t together = std::clamp((n_items + n_ranks - 1) / n_ranks, std::size_t(1), work.together);
  std::vector<double> numbers(2 * of_time * times.size());
  comm.agree([&] {
    double* to = numbers.data();
    std::size_t turn = 0, done = 0;
    for (const int time : times)
      for (std::size_t first = 0; first < n_groups; first += together, ++turn) {
        const std::size_t n = std::min(together, n_groups - first);
        const std::size_t size = std::accumulate(work.sizes.begin() + std::ptrdiff_t(first),
                                                 work.sizes.begin() + std::ptrdiff_t(first + n), std::size_t(0));
        if (turn % n_ranks == std::size_t(comm.rank())) {
          const std::vector<std::complex<double>> found = work.contract(first, n, time);
          for (std::size_t k = 0; k < size; ++k) {
            to[2 * k] = found[k].real();
            to[2 * k + 1] = found[k].imag();
          }
          // The other ranks' meanwhile, about as many each.
          const std::size_t now = std::min(n_items, done + n * n_ranks);
          if (comm.rank() == 0) work.advance(int(now - done));
          done = now;
        }
        to += 2 * size;
      }
    if (comm.rank() == 0 && done < n_items) work.advance(int(n_items - done));
  });
  comm.sum(numbers);
  std::map<int, JournalEntry> entries;
  const double* from = numbers.data();
  for (std::size_t item = 0; item < n_items; ++item) {
    Correlator part{.kind = "part", .channel = std::to_string(item % n_groups)};
    for (std::size_t k = 0; k < work.sizes[item % n_groups]; ++k, from += 2) part.value.emplace_back(from[0], from[1]);
    entries[times[item / n_groups]].correlators.push_back(std::move(part));
  }
  return entries;
}

bool has_numbers(const JournalEntry& entry, const SourceContraction& work) {
  return std::equal(entry.correlators.begin(), entry.correlators.end(), work.sizes.begin(), work.sizes.end(),
                    [](const Correlator& part, std::size_t size) { return part.value.size() == size; });
}

}  // namespace

std::vector<std::vector<std::complex<double>>> sums_over_sources(const Comm& comm, const std::string& journal_folder,
                                                                 const DistillFile& file, const std::vector<int>& times,
                                                                 const SourceContraction& work) {
  std::map<int, JournalEntry> entries;
  std::vector<int> missing;
  for (const int t : times) {
    const auto part = file.parts.find(t);
    if (part != file.parts.end() && has_numbers(part->second, work))
      entries[t] = part->second;
    else
      missing.push_back(t);
  }
  const Journal journal(comm, journal_folder, file.job);
  const auto at_once =
      std::size_t(std::max(1, int((std::size_t(comm.size()) + work.sizes.size() - 1) / work.sizes.size())));
  for (std::size_t first = 0; first < missing.size(); first += at_once) {
    const std::vector<int> some(missing.begin() + std::ptrdiff_t(first),
                                missing.begin() + std::ptrdiff_t(std::min(missing.size(), first + at_once)));
    for (auto& [t, entry] : contract_sources(comm, some, work)) {
      journal.add(file.part_key(t), entry);
      entries[t] = std::move(entry);
    }
  }
  std::vector<std::vector<std::complex<double>>> sums;
  for (const std::size_t size : work.sizes) sums.emplace_back(size);
  for (const int t : times)
    for (std::size_t group = 0; group < sums.size(); ++group)
      for (std::size_t k = 0; k < sums[group].size(); ++k) sums[group][k] += entries.at(t).correlators[group].value[k];
  return sums;
}

void remove_parts(const Comm& comm, const std::string& journal_folder, const DistillFile& file,
                  const std::vector<int>& times) {
  std::error_code none;
  if (comm.rank() != 0 || !std::filesystem::is_directory(journal_folder, none)) return;
  const Journal journal(Comm::self(), journal_folder, file.job);
  for (const int t : times) std::filesystem::remove(journal.file(file.part_key(t)), none);
  // A link to a folder is the user's, and stays; a folder stays where something else is in it.
  if (std::filesystem::is_directory(std::filesystem::symlink_status(journal_folder, none)))
    std::filesystem::remove(journal_folder, none);
}

}  // namespace kov::app
