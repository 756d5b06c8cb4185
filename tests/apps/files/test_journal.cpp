// SPDX-License-Identifier: MIT
#include "apps/files/journal.hpp"
#include "apps/files/text_file.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kov::app {

namespace {

JournalEntry entry() {
  JournalEntry e;
  e.notes = {{"plaquette", "0.594"}, {"empty", ""}, {"lines", "a\nb 3\n"}};
  Correlator c{.kind = "meson", .channel = "pion-pion", .momentum = {0, -1, 2}, .source = {1, 2, 3, 4}};
  c.labels = {{"sink_smearing", "none"}, {"configuration", "a b"}, {"kappa", 0.1}, {"n", std::int64_t(-3)}};
  c.value = {{0.1, -0.0}, {std::nextafter(1.0, 2.0), 1e-300}, {-INFINITY, 5}};
  e.correlators = {c, c};
  e.correlators[1].channel = "nucleon";
  return e;
}

/// A folder of this run, the same on all ranks.
std::filesystem::path folder() {
  const Comm comm = Comm::world();
  return comm.broadcast("test_journal." + std::to_string(getpid()));
}

}  // namespace

TEST(JournalEntry, ReadsBackBitForBit) {
  const JournalEntry e = entry(), back = JournalEntry::parse(e.text());
  EXPECT_EQ(back.notes, e.notes);
  ASSERT_EQ(back.correlators.size(), 2u);
  EXPECT_EQ(back.correlators[0].momentum, e.correlators[0].momentum);
  EXPECT_EQ(back.correlators[0].source, e.correlators[0].source);
  EXPECT_EQ(back.correlators[0].labels, e.correlators[0].labels);
  EXPECT_EQ(back.correlators[0].value, e.correlators[0].value);
  EXPECT_TRUE(std::signbit(back.correlators[0].value[0].imag()));
  EXPECT_EQ(back.correlators[1].channel, "nucleon");
}

TEST(JournalEntry, EveryCutAndEveryFlippedBitIsNoticed) {
  const std::string text = entry().text();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(JournalEntry::parse(text.substr(0, length)), FormatError) << length;
  for (std::size_t at = 0; at < text.size() - 1; ++at) {
    std::string damaged = text;
    damaged[at] = char(damaged[at] ^ 1);
    EXPECT_THROW(JournalEntry::parse(damaged), FormatError) << at;
  }
}

TEST(Journal, FindsWhatWasAddedUnderTheSameIdentityAndKey) {
  const Comm comm = Comm::world();
  const auto place = folder();
  const Journal journal(comm, place, "kappa = 0.15");
  EXPECT_FALSE(journal.find("conf.1000 0 0 0 0"));
  journal.add("conf.1000 0 0 0 0", entry());
  const auto found = journal.find("conf.1000 0 0 0 0");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text(), entry().text());
  EXPECT_FALSE(journal.find("conf.1000 0 0 0 8"));
  const Journal other(comm, place, "kappa = 0.16");
  EXPECT_FALSE(other.find("conf.1000 0 0 0 0"));
  other.add("conf.1000 0 0 0 0", JournalEntry());
  ASSERT_TRUE(journal.find("conf.1000 0 0 0 0")) << "a job with other parameters took its place";
  EXPECT_TRUE(journal.rejected_entries().empty());
  comm.barrier();
  if (comm.rank() == 0) {
    std::ofstream(journal.file("conf.1000 0 0 0 0"), std::ios::app) << "x";  // damaged
  }
  comm.barrier();
  EXPECT_FALSE(journal.find("conf.1000 0 0 0 0"));
  EXPECT_EQ(journal.rejected_entries().size(), comm.rank() == 0 ? 1u : 0u);
  JournalEntry large = entry();
  large.notes["twenty MiB"] = std::string(20 << 20, 'x');
  journal.add("conf.1001 0 0 0 0", large);
  const auto again = journal.find("conf.1001 0 0 0 0");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->notes.at("twenty MiB").size(), std::size_t(20) << 20);
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::remove_all(place);
}

}  // namespace kov::app
