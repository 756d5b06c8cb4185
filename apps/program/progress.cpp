// SPDX-License-Identifier: MIT
#include "apps/program/progress.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace kov::app {

std::string duration_text(double seconds) {
  char text[64];
  const long s = std::lround(std::max(0.0, seconds));
  if (s < 100)
    std::snprintf(text, sizeof(text), "%ld s", s);
  else if (s < 6000)
    std::snprintf(text, sizeof(text), "%ld min %02ld s", s / 60, s % 60);
  else
    std::snprintf(text, sizeof(text), "%ld h %02ld min", s / 3600, s / 60 % 60);
  return text;
}

TimeEstimate::TimeEstimate(std::vector<Task> tasks)
    : tasks_(std::move(tasks)), done_(tasks_.size()), seconds_(tasks_.size()) {}

void TimeEstimate::record(std::size_t task, int n, double seconds) {
  done_.at(task) += n;
  seconds_.at(task) += seconds;
}

double TimeEstimate::seconds_left() const {
  double timed = 0, guessed = 0;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    timed += seconds_[k];
    guessed += done_[k] * tasks_[k].guessed_cost;
  }
  if (guessed <= 0) return -1;
  double left = 0;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const double each = done_[k] > 0 ? seconds_[k] / done_[k] : tasks_[k].guessed_cost * timed / guessed;
    left += std::max(0, tasks_[k].steps - done_[k]) * each;
  }
  return left;
}

ProgressOutput ProgressOutput::standard_error(bool quiet, int rank) {
  ProgressOutput output;
  if (quiet || rank != 0) return output;
  output.stream = &std::cerr;
  output.live = isatty(STDERR_FILENO);
  output.interval = output.live ? 0.1 : 10;
  return output;
}

Progress::Progress(std::vector<Task> tasks, ProgressOutput output)
    : estimate_(std::move(tasks)), output_(std::move(output)) {
  if (!output_.clock)
    output_.clock = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  start_ = last_step_ = last_shown_ = output_.clock();
}

Progress::~Progress() { clear(); }

void Progress::advance(std::size_t task, int n) {
  const double now = output_.clock();
  estimate_.record(task, n, now - last_step_);
  last_step_ = now;
  // The first line comes after a second: what is over by then needs none.
  if (output_.stream && now - last_shown_ >= output_.interval && now - start_ >= 1) {
    last_shown_ = now;
    show(task);
  }
}

void Progress::note(const std::string& line) {
  if (!output_.stream) return;
  clear();
  *output_.stream << line << std::endl;
}

void Progress::show(std::size_t task) {
  clear();
  std::string text = std::to_string(estimate_.done(task)) + " of " + std::to_string(estimate_.tasks()[task].steps) +
                     " " + estimate_.tasks()[task].name;
  text += ", " + duration_text(last_step_ - start_) + " so far";
  if (const double left = estimate_.seconds_left(); left >= 0) text += ", about " + duration_text(left) + " left";
  *output_.stream << text;
  if (output_.live)
    *output_.stream << std::flush;
  else
    *output_.stream << std::endl;
  line_open_ = output_.live;
}

void Progress::clear() {
  if (line_open_) *output_.stream << "\r\033[K" << std::flush;
  line_open_ = false;
}

}  // namespace kov::app
