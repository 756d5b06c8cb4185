// SPDX-License-Identifier: MIT
//
// Messages go where the log says, from rank 0 alone, or nowhere.
#include "kov/core/runtime/log.hpp"
#include "tests/core/io/io_support.hpp"

#include <regex>
#include <sstream>
#include <sys/stat.h>

namespace kov::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Logs, WithoutADestinationDiscard) {
  const Log log;
  EXPECT_FALSE(log.wants(LogLevel::warning));
  ::testing::internal::CaptureStderr();
  log.warning("nobody", "hears this");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Logs, WriteTimedLinesOfTheirLevelToAFileFromRankZero) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const auto path = folder / "run.log";
  {
    const Log log = Log::to_file(comm, path, LogLevel::info);
    EXPECT_EQ(log.wants(LogLevel::info), comm.rank() == 0);
    EXPECT_FALSE(log.wants(LogLevel::debug));
    log.debug("too fine");
    log.info("plaquette", 0.5, "of rank", comm.rank());
    const Log handle = log;
    handle.warning("100 % {} %s");
  }
  comm.barrier();
  const auto lines = lines_of(bytes_of(path));
  ASSERT_EQ(lines.size(), 2u);
  const std::string time = R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} )";
  EXPECT_TRUE(std::regex_match(lines[0], std::regex(time + "info: plaquette 0\\.5 of rank 0"))) << lines[0];
  EXPECT_TRUE(std::regex_match(lines[1], std::regex(time + "warning: 100 % \\{\\} %s"))) << lines[1];
}

TEST(Logs, AppendToAFileThatIsThere) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  for (int k = 0; k < 2; ++k) Log::to_file(comm, folder / "run.log", LogLevel::debug).debug("run", k);
  comm.barrier();
  EXPECT_EQ(lines_of(bytes_of(folder / "run.log")).size(), 2u);
}

TEST(Logs, ThatAreOpenedLaterLeaveNoFileBeforeAndLoseNoLine) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const auto path = folder / "run.log";
  {
    const Log refused = Log::to_file(comm, path, LogLevel::info, LogOpening::later);
    refused.info("nothing comes of this");
  }
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(path));
  comm.barrier();
  const Log log = Log::to_file(comm, path, LogLevel::info, LogOpening::later);
  const Log handle = log;
  handle.info("first");
  log.debug("too fine");
  log.open(comm);
  log.warning("second");
  handle.open(comm);
  comm.barrier();
  const auto lines = lines_of(bytes_of(path));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(contains(lines[0], " info: first")) << lines[0];
  EXPECT_TRUE(contains(lines[1], " warning: second")) << lines[1];
  EXPECT_NO_THROW(Log().open(comm));
}

TEST(Logs, AFileThatCannotBeOpenedIsAnErrorOnEveryRank) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  try {
    Log::to_file(comm, folder.path());  // a folder
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "cannot be opened")) << error.what();
    EXPECT_TRUE(contains(error.what(), "name another file")) << error.what();
  }
}

// Opening a pipe that nobody reads would wait for a reader.
TEST(Logs, APipeIsRefused) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const auto path = folder / "pipe";
  if (comm.rank() == 0) {
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  }
  comm.barrier();
  try {
    Log::to_file(comm, path);
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(dynamic_cast<const InputError*>(&error) != nullptr, comm.rank() == 0) << error.what();
    EXPECT_TRUE(contains(error.what(), "pipe")) << error.what();
    EXPECT_TRUE(contains(error.what(), "name another file")) << error.what();
  }
}

TEST(Logs, LinesThatAreLostAreAnErrorInTheEnd) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "NOT TESTED: there is no /dev/full here";
  const Comm comm = Comm::world();
  const Log log = Log::to_file(comm, "/dev/full", LogLevel::info);
  EXPECT_NO_THROW(log.require_written());
  ::testing::internal::CaptureStderr();
  log.info("nobody reads this");
  log.info("nor this");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  if (comm.rank() == 0)
    EXPECT_THROW(log.require_written(), InputError);
  else
    EXPECT_NO_THROW(log.require_written());
  EXPECT_NO_THROW(Log().require_written());
}

TEST(Logs, ToTheTerminalAreLinesOnStandardErrorOfRankZero) {
  const Comm comm = Comm::world();
  ::testing::internal::CaptureStderr();
  {
    const Log log = Log::to_terminal(comm, LogLevel::warning);
    log.info("not important enough");
    log.warning("hot:", 99);
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  if (comm.rank() == 0)
    EXPECT_TRUE(std::regex_match(text, std::regex(R"(\[\d\d:\d\d:\d\d\.\d{3}\] warning: hot: 99\n)"))) << text;
  else
    EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace kov::test
