// SPDX-License-Identifier: MIT
//
// Tuner: picks the fastest of a few candidates, once per key, and remembers it in a small readable file.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/geometry.hpp"

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kov {

/// The key of a tuned choice: everything that may decide which candidate is the fastest, except the device and the
/// version of the library, which the Tuner adds.  The same on all ranks.
struct TuneKey {
  /// The kernel, and what is chosen about it: "covariant_laplacian", "overlap".
  std::string kernel = {}, choice = {};
  /// The sublattice of a rank, the ranks in each direction and the order of sites.
  Coord local_extent{}, grid{};
  std::string order = {};
  /// The displacements of the stencil, the numbers of those whose halo is read (none: all), and its messages.
  std::string legs = {}, legs_read = {};
  int messages = 0;
  /// The field that is read: components (groups of columns), complex numbers of each per site, bytes of their real
  /// type, and lanes of a block.
  int components = 0, complex_numbers = 0, real_bytes = 0, lanes = 0;
  /// The sites that are written, and their components.
  std::string sites = {};
  int results = 0;
  /// How neighbours travel, and how the kernel's own fields are stored.
  std::string wire = {}, transport = {}, codec = {};

  /// "kernel=covariant_laplacian choice=overlap extent=4 4 4 8 ...": one line, another one for every other key.
  std::string text() const;

  friend auto operator<=>(const TuneKey&, const TuneKey&) = default;
  friend bool operator==(const TuneKey&, const TuneKey&) = default;
};

/// A tuned choice may change the speed of a result, never its bits.
class Tuner {
 public:
  /// Seconds since any moment.
  using Clock = std::function<double()>;

  /// Reads the file named by the environment variable KOVARIANT_TUNE where it is set (rank 0 reads, all ranks know):
  /// lines "key<tab>choice" after a first one that says what they are.  A key ends with the device (rank 0's) and the
  /// version of the library.  A line of another device or version, a damaged line and a file that cannot be read are
  /// as good as none.  Collective.
  explicit Tuner(const Comm& comm, const std::string& device = {}, const Clock& clock = steady_seconds);
  /// Adds what was learnt to the file, atomically, from rank 0, and leaves all other lines as they are; failing to is
  /// not an error.  A file that does not begin as one of these is left alone.
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// Calls run(candidate), which must fence, with a candidate in [0, n_candidates).  Until every candidate has had its
  /// turns under this key, a call times the next one; then the ranks agree on the one whose slowest rank was fastest,
  /// and calls run that.  What run throws is passed on; that turn counts, without a time.  Collective.
  void run_best(const TuneKey& key, int n_candidates, const std::function<void(int)>& run);

  /// The default clock.
  static double steady_seconds();

 private:
  struct Trials {
    int choice = -1, calls = 0;
    std::vector<double> best;  // seconds
  };
  /// A key as it is in the file.
  std::string line_of(const TuneKey& key) const;
  Trials& trials_of(const TuneKey& key, int n_candidates);

  Comm comm_;
  std::string file_, device_;
  Clock clock_;
  std::map<std::string, int> remembered_;
  std::map<TuneKey, Trials> trials_;
  std::map<std::string, int> learnt_;
};

}  // namespace kov
