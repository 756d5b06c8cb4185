// SPDX-License-Identifier: MIT
//
// Diluted noise in the space of the eigenvectors: the sources of stochastic distillation (stochastic LapH).
#pragma once

#include "kov/core/field/noise.hpp"

#include <complex>
#include <string>
#include <vector>

namespace kov {

/// How an index i < N is divided into classes, each of which has a source of its own.
struct IndexDilution {
  /// How neighbours are divided.
  enum class Kind {
    none,      ///< one class
    full,      ///< N classes
    block,     ///< n classes of neighbours: i n / N
    interlace  ///< n classes with every n-th: i mod n
  };
  Kind kind = Kind::full;
  /// n, for block and interlace.
  int n = 1;

  /// Throws InputError where n is not from 1 to N.
  int classes(int N) const;
  /// From 0 to classes(N) - 1.
  int class_of(int i, int N) const;
};

/// "none", "full", "block 4", "interlace 2"
std::string to_string(const IndexDilution& dilution);
/// The inverse.  Throws InputError, which says what is understood.
IndexDilution dilution(const std::string& text);

/// Dilution in time, spin and eigenvector.
struct DilutionScheme {
  IndexDilution time, spin, eigenvector;
};

/// A source in the space of the eigenvectors: coefficient(t, n, spin), in the spins of the library's basis.
class DilutedNoise {
 public:
  /// rho(t, n, s) for n_times time slices and n_vectors eigenvectors: the number of SiteRandom(noise.seed,
  /// noise.stream, s + 4 (t + n_times n)), so that more eigenvectors leave those of the first unchanged.  Throws
  /// InputError where a dilution does not fit and for Gaussian noise, whose numbers do not have size 1.
  DilutedNoise(const DilutionScheme& scheme, const Noise& noise, int n_times, int n_vectors);

  /// The number of sources: classes in time x eigenvector x spin; number (time * vectors + vector) * spins + spin.
  int size() const { return n_time_ * n_vector_ * n_spin_; }
  /// Those of one class in time, which follow one another.
  int sources_of_a_time() const { return n_vector_ * n_spin_; }
  /// The one that rho(t, n, s) is in.
  int source_of(int t, int n, int spin) const;
  /// rho(t, n, s), whatever the dilution.
  std::complex<double> noise(int t, int n, int spin) const;
  /// rho(t, n, s) where the projector of this source has 1, else 0: Morningstar et al., Phys. Rev. D 83 (2011) 114505,
  /// eq. (31).
  std::complex<double> coefficient(int source, int t, int n, int spin) const;
  const DilutionScheme& scheme() const { return scheme_; }

 private:
  DilutionScheme scheme_;
  Noise noise_;
  int n_times_, n_vectors_, n_time_, n_vector_, n_spin_;
};

}  // namespace kov
