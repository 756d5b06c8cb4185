// SPDX-License-Identifier: MIT
//
// Sums over source times in `kovariant distill`, with a journal of the times that are finished.
#pragma once

#include "apps/distill/distill_plan.hpp"

#include <complex>
#include <functional>
#include <string>
#include <vector>

namespace kov::app {

/// What is contracted from each source time: numbers in groups, of one (total) momentum each.
struct SourceContraction {
  /// How many numbers each group has.
  std::vector<std::size_t> sizes = {};
  /// Those of n groups of a source time, one group after the other; local, on the rank whose turn it is.
  std::function<std::vector<std::complex<double>>(std::size_t first, std::size_t n, int time)> contract;
  /// Groups that are contracted in one call at most: fewer where there is no work for all ranks otherwise.
  std::size_t together = 1;
  /// n contractions more are done; on rank 0.
  std::function<void(int n)> advance;
};

/// The sums over these source times, [group][number], on every rank.  Times that file.parts has are taken from there;
/// the others are divided among the ranks by time and group, as many times together as there is work for all ranks, and
/// then kept in the journal.  They are added in the order of the times: the same bits on any number of ranks, and after
/// a break.  Collective; throws on all ranks what one of them threw.
std::vector<std::vector<std::complex<double>>> sums_over_sources(const Comm& comm, const std::string& journal_folder,
                                                                 const DistillFile& file, const std::vector<int>& times,
                                                                 const SourceContraction& work);

/// Removes the parts of a finished file from the journal, and its folder when nothing else is in it and it is no
/// symbolic link.  Rank 0 works.
void remove_parts(const Comm& comm, const std::string& journal_folder, const DistillFile& file,
                  const std::vector<int>& times);

}  // namespace kov::app
