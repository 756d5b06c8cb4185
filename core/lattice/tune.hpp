// SPDX-License-Identifier: MIT
//
// Tuner: picks the fastest of a few candidates, once per key, and remembers it in a small readable file.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/base/remembered.hpp"
#include "kov/core/comm/comm.hpp"

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kov {

/// The key of a tuned choice: everything that may decide which candidate is the fastest, except the device and the
/// version of the library, which the Tuner adds.  The same on all ranks.
struct TuneKey {
  /// The kernel, and what is chosen about it: "covariant_laplacian", "overlap".  Behind it may stand the names of the
  /// candidates, "launch default 4-turns".
  std::string kernel = {}, choice = {};
  /// Names and values of what else may decide, in the order in which they were added: {"extent", "4 4 4 8"}.
  std::vector<std::pair<std::string, std::string>> entries = {};

  /// value: numbers and texts.
  template <class Value>
  TuneKey& add(const std::string& name, const Value& value) {
    entries.emplace_back(name, sentence(value));
    return *this;
  }

  /// "kernel=covariant_laplacian choice=overlap extent=4 4 4 8 ...": one line, another one for every other key.
  std::string text() const;

  friend auto operator<=>(const TuneKey&, const TuneKey&) = default;
  friend bool operator==(const TuneKey&, const TuneKey&) = default;
};

/// A tuned choice may change the speed of a result, never what it is; nor its bits, except where products and traces of
/// matrices choose (contractions/kernels), whose order of sums is another one then.
class Tuner {
 public:
  /// Seconds since any moment.
  using Clock = std::function<double()>;

  /// Reads the file named by the environment variable KOVARIANT_TUNE where it is set (rank 0 reads, all ranks know):
  /// lines "key<tab>choice" after a first one that says what they are.  A key ends with the device (rank 0's) and the
  /// version of the library.  Lines of another device or version, damaged lines and a file that cannot be read are
  /// ignored.  The variable is that of rank 0.  Collective.
  explicit Tuner(const Comm& comm, const std::string& device = {}, const Clock& clock = steady_seconds);
  /// Adds what was learnt to the file, atomically, from rank 0, and leaves all other lines as they are; a
  /// failure is not an error.  A file that does not begin as one of these is left alone.
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// Whether KOVARIANT_TUNE names a file.  Without one, launches have their default shapes.
  bool has_file() const { return !file_.empty(); }
  /// What of the file is not used, and why; for the user.  The same on all ranks.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// A line for each choice made between candidates that key.choice names: the kernel, the entries of the key, what was
  /// chosen, "wilson, extent 8 8 8 16, order virtual nodes, ..., sites even: launch 4-turns".
  std::vector<std::string> report() const;

  /// What is chosen under one key.
  class Choice {
   public:
    /// Whether every candidate has had its turns, or a file knew the fastest.
    bool is_made() const { return candidate_ >= 0; }
    /// The fastest, or 0 where none is faster by 3 %, when it is made.
    int candidate() const { return candidate_; }

   private:
    friend class Tuner;
    int candidate_ = -1, calls_ = 0;
    std::vector<double> best_;  // seconds, of each candidate
    std::string line_;          // the key as it is in the file
  };
  /// The choice under this key between n_candidates.
  std::shared_ptr<Choice> choice(const TuneKey& key, int n_candidates);

  /// Calls run(candidate) with a candidate of the choice.  Until every candidate has had its turns, a call times the
  /// next one, with fence() at its end; then the ranks agree on the one whose slowest rank was fastest, or keep
  /// candidate 0, the default, where that one gains less than 3 %, and calls run it.  What run throws is passed on;
  /// that turn counts, without a time.  Collective.
  void run_best(
      Choice& choice, const std::function<void(int)>& run, const std::function<void()>& fence = [] {});

  /// The Answer of a choice that is made at once, for the work that `key` describes in values: what find() returned
  /// when this was first asked.  Launches then cost no texts of a TuneKey but the first.  Valid as long as the tuner;
  /// see Remembered.
  template <class Answer, class Key, class Find>
  const Answer& remember(const Key& key, const Find& find) {
    return answers_.find<Answer>(key, find);
  }

  /// The default clock.
  static double steady_seconds();

 private:
  std::string line_of(const TuneKey& key) const;

  Comm comm_;
  std::string file_, device_;
  Clock clock_;
  std::map<std::string, int> remembered_;
  std::map<TuneKey, std::shared_ptr<Choice>> choices_;
  std::map<std::string, int> learnt_;
  Remembered answers_;
  std::vector<std::string> warnings_;
};

}  // namespace kov
