// SPDX-License-Identifier: MIT
#include "apps/program/progress.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace kov::app {

TEST(Duration, HasUnitsThatPeopleRead) {
  EXPECT_EQ(duration_text(7.2), "7 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
  EXPECT_EQ(duration_text(-1), "0 s");
}

TEST(TimeEstimate, ScalesGuessesByWhatWasMeasured) {
  TimeEstimate estimate({{"sweeps", 10, 1}, {"solves", 4, 5}});
  EXPECT_LT(estimate.seconds_left(), 0);  // nothing known yet
  estimate.record(0, 5, 10);              // 2 s a sweep, so 10 s a solve
  EXPECT_DOUBLE_EQ(estimate.seconds_left(), 5 * 2 + 4 * 10);
  estimate.record(1, 1, 3);  // a solve takes 3 s after all
  EXPECT_DOUBLE_EQ(estimate.seconds_left(), 5 * 2 + 3 * 3);
  estimate.record(0, 5, 10);
  estimate.record(1, 3, 9);
  EXPECT_DOUBLE_EQ(estimate.seconds_left(), 0);
}

namespace {

struct Recorded {
  std::ostringstream stream;
  double now = 0;
  ProgressOutput output(bool live, double interval) {
    return {.stream = &stream, .live = live, .interval = interval, .clock = [this] { return now; }};
  }
};

}  // namespace

TEST(Progress, ShortJobsSayNothing) {
  Recorded r;
  {
    Progress progress({{"steps", 3, 1}}, r.output(true, 0.1));
    for (int k = 0; k < 3; ++k) {
      r.now += 0.3;
      progress.advance(0);
    }
  }
  EXPECT_EQ(r.stream.str(), "");
}

TEST(Progress, SparseLinesElsewhereThanOnATerminal) {
  Recorded r;
  {
    Progress progress({{"solves", 40, 1}}, r.output(false, 10));
    for (int k = 0; k < 40; ++k) {
      r.now += 1;
      progress.advance(0);
    }
  }
  EXPECT_EQ(r.stream.str(),
            "10 of 40 solves, 10 s so far, about 30 s left\n"
            "20 of 40 solves, 20 s so far, about 20 s left\n"
            "30 of 40 solves, 30 s so far, about 10 s left\n"
            "40 of 40 solves, 40 s so far, about 0 s left\n");
}

TEST(Progress, OneLineOnATerminalIsRewrittenAndCleared) {
  Recorded r;
  {
    Progress progress({{"solves", 4, 1}}, r.output(true, 0.1));
    r.now = 2;
    progress.advance(0);
    progress.note("a note");
    r.now = 4;
    progress.advance(0);
  }
  EXPECT_EQ(r.stream.str(),
            "1 of 4 solves, 2 s so far, about 6 s left\r\033[Ka note\n"
            "2 of 4 solves, 4 s so far, about 4 s left\r\033[K");
}

TEST(Progress, QuietAndOtherRanksSayNothing) {
  EXPECT_EQ(ProgressOutput::standard_error(true, 0).stream, nullptr);
  EXPECT_EQ(ProgressOutput::standard_error(false, 1).stream, nullptr);
  EXPECT_NE(ProgressOutput::standard_error(false, 0).stream, nullptr);
}

}  // namespace kov::app
