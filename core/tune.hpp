// SPDX-License-Identifier: MIT
//
// Tuner: picks the fastest of a few candidates, once per key, and remembers it in a small readable file.
#pragma once

#include "kov/core/comm.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kov {

/// A tuned choice may change the speed of a result, never its bits.
class Tuner {
 public:
  /// Reads the file named by the environment variable KOVARIANT_TUNE where it is set (rank 0 reads, all ranks know):
  /// lines "key<tab>choice" after a first one that says what they are.  A damaged line, or a file that cannot be read,
  /// is as good as none.  Collective.
  explicit Tuner(const Comm& comm);
  /// Adds what was learnt to the file, atomically, from rank 0; failing to is not an error.  A file that does not begin
  /// as one of these is left alone.
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// The candidate in [0, n_candidates) that was fastest under this key (kernel, shape, precision, device).  The first
  /// call times run(candidate), which must fence, a few times each; the ranks add their times, so that all choose the
  /// same. Collective.
  int choose(const std::string& key, int n_candidates, const std::function<void(int)>& run);

  /// The same for work that may run once only: call it with run = the work itself.  Until every candidate has had its
  /// turns, a call runs and times the next one; then the ranks agree, and calls run the winner.  Collective.
  void run_best(const std::string& key, int n_candidates, const std::function<void(int)>& run);

 private:
  Comm comm_;
  std::string file_;
  std::map<std::string, int> known_;
  std::map<std::string, std::vector<double>> trials_;  // seconds of the calls so far, candidates in turns
  bool changed_ = false;
};

}  // namespace kov
