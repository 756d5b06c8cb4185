// SPDX-License-Identifier: MIT
//
// The order in which a kernel computes many baryons: each diquark of two quarks is formed once and closed with the
// third quarks of all correlators that need it.
#pragma once

#include "kov/contractions/hadrons/baryon_operator.hpp"
#include "kov/core/base/memory.hpp"

#include <cstddef>
#include <vector>

namespace kov::detail {

/// What a kernel reads.  Blocks are numbers of correlators that are computed one after the other; a diquark is
///   D = sum over its crosses of coefficient eps eps q_x q_y
/// in colour, and is contracted with each of its thirds.  x, y and z are 16 * quark + 4 * spin at the sink + spin at
/// the source.
template <class T>
struct BaryonProgramView {
  struct Cross {
    short x, y;
    Complex<T> coefficient;
  };
  struct Output {
    int value;
    Complex<T> coefficient;
  };
  struct Third {
    int z, first_output, last_output;
  };
  struct Diquark {
    int first_cross, last_cross, first_third, last_third;
  };
  /// Diquarks block_begin[b] to block_begin[b + 1] - 1 and the values 0 to n_values[b] - 1 are of block b.
  const int *block_begin, *n_values;
  const Diquark* diquarks;
  const Cross* crosses;
  const Third* thirds;
  const Output* outputs;
};

/// The program for values in blocks of this many.
template <class T>
class BaryonProgram {
 public:
  using View = BaryonProgramView<T>;

  BaryonProgram(const std::vector<BaryonValue>& values, int block);

  View view() const {
    return {block_begin_.data(), n_values_.data(), diquarks_.data(), crosses_.data(), thirds_.data(), outputs_.data()};
  }
  /// Flops for each site.
  double flops() const { return flops_; }
  int n_blocks() const { return int(n_values_.size()); }
  int n_diquarks() const { return int(diquarks_.size()); }
  int n_crosses() const { return int(crosses_.size()); }

 private:
  Buffer<int> block_begin_, n_values_;
  Buffer<typename View::Diquark> diquarks_;
  Buffer<typename View::Cross> crosses_;
  Buffer<typename View::Third> thirds_;
  Buffer<typename View::Output> outputs_;
  double flops_ = 0;
};

/// What a team of a GPU reads, in which n_parts threads compute a site.  A part's steps add crosses to a diquark; after
/// the last of a diquark it is closed with n_thirds quarks, x, y and thirds numbered as above.  Sums over sites are
/// taken of these closures, and the values are made of the sums.
template <class T>
struct BaryonTeamProgramView {
  struct Step {
    short x, y;
    int n_thirds;
    Complex<T> coefficient;
  };
  /// third: of those of a block.
  struct Output {
    int third;
    Complex<T> coefficient;
  };
  /// The first step and the first third of part p of block b: step_begin[b * n_parts + p], third_begin[...].
  const int *step_begin, *third_begin;
  /// Of each value.
  const int* output_begin;
  const Step* steps;
  const short* thirds;
  const Output* outputs;
};

/// The program for values in blocks of this many, of equal work for the parts.  Of the three pairs of quarks of a
/// contraction the cross is the one that most others share.
template <class T>
class BaryonTeamProgram {
 public:
  using View = BaryonTeamProgramView<T>;

  BaryonTeamProgram(const std::vector<BaryonValue>& values, int block, int n_parts);

  /// In new memory of kernels, which must live as long as the view.
  View view(Buffer<std::byte>& memory) const;
  /// Of all blocks together.
  int n_steps() const { return int(steps_.size()); }
  int n_thirds() const { return int(thirds_.size()); }
  /// Of a block.
  int most_steps() const { return most_steps_; }
  int most_thirds() const { return most_thirds_; }

 private:
  std::vector<int> step_begin_, third_begin_, output_begin_{0};
  std::vector<typename View::Step> steps_;
  std::vector<short> thirds_;
  std::vector<typename View::Output> outputs_;
  int most_steps_ = 0, most_thirds_ = 0;
};

extern template class BaryonTeamProgram<float>;
extern template class BaryonTeamProgram<double>;
extern template class BaryonProgram<float>;
extern template class BaryonProgram<double>;

}  // namespace kov::detail
