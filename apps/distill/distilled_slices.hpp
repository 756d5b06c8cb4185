// SPDX-License-Identifier: MIT
//
// Elementals and perambulators of a configuration, read from the files of `kovariant distill` as contractions take
// them.
#pragma once

#include "apps/distill/distill_plan.hpp"
#include "kov/contractions/distillation/multi_meson.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/contractions/engine/stream.hpp"

#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// Local; a file of perambulators is opened when it is first read.  Throws FormatError for damaged files.
class DistilledSlices {
 public:
  /// elementals: the file of those of mesons, or of baryons.
  DistilledSlices(const DistillFile& elementals, const DistillFiles& files, const DistillPlan& plan);

  /// Slices are the elementals with these numbers in the file, one after the other.  *this is referred to.
  SliceReader<double> reader(std::vector<int> numbers);
  /// Elemental k is that with the number numbers[k] in the file; u and d are the same quark.  *this is referred to.
  DistilledQuarks<double> quarks(int n_vectors, int n_times, std::vector<int> numbers);

 private:
  void read_perambulator(int t_sink, int t_source, Complex<double>* to);

  SliceMatrixFile elementals_;
  std::map<int, std::string> names_;
  std::map<int, SliceMatrixFile> perambulators_;
};

}  // namespace kov::app
