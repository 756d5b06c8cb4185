// SPDX-License-Identifier: MIT
//
// Progress of a job whose parts take long, with an estimate of the time left: one line that is rewritten on a terminal,
// a line now and then elsewhere.  On standard error, so that results can be piped.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace kov::app {

/// "7 s", "2 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

/// Steps of one kind in a job.
struct Task {
  /// Plural, as in "12 of 96 solves".
  std::string name;
  int steps = 0;
  /// Relative to the other tasks of the job; used until a step of this kind has been timed.
  double guessed_cost = 1;
};

/// Counts steps of several kinds and knows how long the rest takes.  Prints nothing.
class TimeEstimate {
 public:
  explicit TimeEstimate(std::vector<Task> tasks);

  /// n steps of a task took this long.
  void record(std::size_t task, int n, double seconds);
  const std::vector<Task>& tasks() const { return tasks_; }
  int done(std::size_t task) const { return done_[task]; }
  /// Each kind's mean time so far, or its guess in units of those measured, times the steps left.  Negative before
  /// anything was timed.
  double seconds_left() const;

 private:
  std::vector<Task> tasks_;
  std::vector<int> done_;
  std::vector<double> seconds_;
};

/// Where a Progress goes.  The default says nothing.
struct ProgressOutput {
  std::ostream* stream = nullptr;
  /// Rewrites one line.
  bool live = false;
  /// Between two lines, in seconds.
  double interval = 10;
  /// Seconds on some clock; a test brings its own.
  std::function<double()> clock;

  /// Standard error; nothing when quiet or not rank 0.
  static ProgressOutput standard_error(bool quiet, int rank);
};

/// A line about the tasks of a run, drawn anew in a terminal, or a line from time to time, with the time that is left.
class Progress {
 public:
  Progress(std::vector<Task> tasks, ProgressOutput output);
  /// Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// n more steps of a task are done; the time since the last call was theirs.
  void advance(std::size_t task, int n = 1);
  /// A line that stays, between the others.
  void note(const std::string& line);
  /// Takes the line away until the next step: before something else is printed.
  void hide() { clear(); }

 private:
  void show(std::size_t task);
  void clear();

  TimeEstimate estimate_;
  ProgressOutput output_;
  double start_, last_step_, last_shown_;
  bool line_open_ = false;
};

}  // namespace kov::app
