// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon_sums.hpp"

#include "kov/contractions/hadrons/baryon_program.hpp"
#include "kov/contractions/hadrons/cuda/baryon_teams.hpp"
#include "kov/contractions/hadrons/cuda/baryon_tiles.hpp"
#include "kov/contractions/hadrons/cuda/staged_quarks.hpp"
#include "kov/contractions/hadrons/rotated_quarks.hpp"
#include "kov/core/site/spin_color_matrix.hpp"

#include <cmath>
#include <numbers>

namespace kov::detail {

/// Runs a program at a site.  Every quark has a factor 2 that the sums are divided by later.
template <class T>
struct BaryonKernel {
  static constexpr bool takes_pairs = RotatedQuarks<T>::View::outers == 2;

  RotatedQuarks<T> quarks;
  BaryonProgramView<T> program;

#if !defined(KOKKOS_ENABLE_CUDA)
  template <class SiteIndex, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(SiteIndex x, int b, Complex<R>* value) const {
    run(quarks.at(x), b, 0, 1, value);
  }
#else
  /// As StagesSites wants it: a matrix is used in many diquarks, which the threads of a site share.
  KOKKOS_FORCEINLINE_FUNCTION int sites_at_once() const { return quarks.n == 1 ? 16 : quarks.n == 2 ? 8 : 4; }
  KOKKOS_FORCEINLINE_FUNCTION int n_staged() const { return StagedQuarks<T>::size(quarks.n, sites_at_once()); }
  KOKKOS_FORCEINLINE_FUNCTION void stage(LaneSite x, const StagedPart<T>& at) const {
    StagedQuarks<T>(at.numbers, at.n_sites, at.site).write(quarks, x, at.part, at.n_parts);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const StagedPart<T>& at, int b, Complex<T>* value) const {
    run(StagedQuarks<T>(at.numbers, at.n_sites, at.site), b, at.part, at.n_parts, value);
  }
#endif

 private:
  /// What part number `part` of the n_parts of a block's diquarks gives.
  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Site& site, int b, int part, int n_parts, Complex<R>* value) const {
    using Matrix = ColorMatrix<R>;
    for (int v = 0; v < program.n_values[b]; ++v) value[v] = {R(T(0)), R(T(0))};
    for (int i = program.block_begin[b] + part; i < program.block_begin[b + 1]; i += n_parts) {
      const auto d = program.diquarks[i];
      Matrix diquark = zero<Matrix>();
      for (int n = d.first_cross; n < d.last_cross; ++n) {
        const auto cross = program.crosses[n];
        add_cross(diquark, scaled(cross.coefficient, site(cross.x)), site(cross.y));
      }
      for (int n = d.first_third; n < d.last_third; ++n) {
        const auto third = program.thirds[n];
        const Matrix& q = site(third.z);
        Complex<R> z{R(T(0)), R(T(0))};
        for (int k = 0; k < 9; ++k) multiply_add(z, diquark.z[k], q.z[k]);
        for (int o = third.first_output; o < third.last_output; ++o) {
          const auto output = program.outputs[o];
          multiply_add(value[output.value], output.coefficient, z);
        }
      }
    }
  }
};

std::complex<double> wrap_phase_of_baryons(const BoundaryAngles& boundary) {
  using std::numbers::pi;
  const double total = std::remainder(3 * boundary.angle[3], 2 * pi);
  if (std::abs(total) < 1e-12) return 1;
  if (std::abs(std::abs(total) - pi) < 1e-12) return -1;
  return std::polar(1.0, total);
}

template <class T>
std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<T>*>& quarks,
                                              const std::vector<BaryonValue>& values,
                                              const std::vector<Momentum>& momenta, const PropagatorLabels& labels,
                                              const Exec& exec) {
  const Lattice& lattice = quarks.front()->lattice();
  RotatedQuarks<T> rotated{{}, int(quarks.size())};
  for (std::size_t q = 0; q < quarks.size(); ++q) rotated.s[q] = quarks[q]->columns().view();
  SliceSums sums;
  bool done = false;
  if constexpr (has_baryon_teams) done = sum_by_teams(rotated, values, lattice, momenta, labels.origin, sums, exec);
  if (!done) {
    // On hosts all values are one block, which shares most diquarks.
    const ValueBlocks blocks = value_blocks<BaryonKernel<T>>(int(values.size()));
    const BaryonProgram<T> program(values, blocks.block);
    sums = slice_sums<T>("baryon", lattice, momenta, labels.origin, BaryonKernel<T>{rotated, program.view()}, blocks,
                         SliceTable::of(lattice), exec);
  }
  sums.sum_over_ranks(lattice.comm());

  const int n_times = sums.n_slices, t0 = labels.origin[3];
  const std::complex<double> wrapped = wrap_phase_of_baryons(labels.boundary);
  std::vector<std::complex<double>> result;
  result.reserve(sums.z.size());
  for (int v = 0; v < sums.n_values; ++v)
    for (int k = 0; k < sums.n_momenta; ++k)
      for (int t = t0; t < t0 + n_times; ++t)
        result.push_back(sums.at(k, t % n_times)[v] * (t < n_times ? 1.0 : wrapped) * 0.125);
  return result;
}

template std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<float>*>&,
                                                       const std::vector<BaryonValue>&, const std::vector<Momentum>&,
                                                       const PropagatorLabels&, const Exec&);
template std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<double>*>&,
                                                       const std::vector<BaryonValue>&, const std::vector<Momentum>&,
                                                       const PropagatorLabels&, const Exec&);

}  // namespace kov::detail
