// SPDX-License-Identifier: MIT
//
// Elementals and perambulators of a configuration, read from the files of `kovariant distill` as contractions take
// them.
#pragma once

#include "apps/distill/distill_plan.hpp"
#include "kov/contractions/distillation/multi_meson.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/contractions/engine/stream.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kov::app {

/// Local; a file of perambulators is opened when it is first read.  Throws FormatError for damaged files.
class DistilledSlices {
 public:
  /// elementals: the file of those of mesons, or of baryons.
  DistilledSlices(const DistillFile& elementals, const DistillFiles& files, const DistillPlan& plan);

  /// Slices are the elementals with these numbers in the file, one after the other, and perambulators those of a quark
  /// and an antiquark, by their places in DistillFiles::perambulators; with noise sum_d phi_d rho_d^+ of its sources
  /// rho_d and their solutions phi_d.  *this is referred to.
  SliceReader<double> reader(std::vector<int> numbers, const std::array<std::size_t, 2>& lines);
  /// Elemental k is that with the number numbers[k] in the file; flavours: the places of "u", "d" and "s".  *this is
  /// referred to.
  DistilledQuarks<double> quarks(int n_vectors, int n_times, std::vector<int> numbers,
                                 std::map<std::string, std::size_t> flavours);

 private:
  void read_perambulator(std::size_t line, int t_sink, int t_source, Complex<double>* to);

  SliceMatrixFile elementals_;
  /// By line and source time.
  std::map<std::pair<std::size_t, int>, std::string> names_;
  std::map<std::string, SliceMatrixFile> perambulators_;
  std::vector<DilutedNoise> noises_;
};

}  // namespace kov::app
