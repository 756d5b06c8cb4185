// SPDX-License-Identifier: MIT
#include "apps/files/picture_files.hpp"
#include "apps/settings/suggest.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/support/drawings.hpp"

#include <filesystem>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

namespace fs = std::filesystem;

/// A picture of one text.
struct Picture {
  std::string text;

  Drawing drawing() const {
    require(!text.empty(), "there is nothing to draw");
    Drawing drawing{100, 100, "picture"};
    drawing.items.emplace_back(DrawnText{.x = 1, .y = 1, .line = {{text}}, .size = 10});
    return drawing;
  }
};

/// What say() prints on rank 0 about a picture: standard error and standard output.
std::pair<std::string, std::string> draw(const std::string& prefix, const Picture& picture) {
  const Session session{.comm = Comm::world(), .log = {}, .log_file = {}, .command_line = {}};
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  WrittenFiles files(session);
  files.add({"results.txt"});
  files.draw(prefix, picture);
  files.say();
  const std::string out = testing::internal::GetCapturedStdout(), error = testing::internal::GetCapturedStderr();
  return {error, out};
}

}  // namespace

TEST(WrittenFiles, APdfThatCannotBeMadeIsAWarning) {
  if (!has_pdf()) GTEST_SKIP() << "NOT TESTED: this build writes no PDF";
  const test::Folder folder(Comm::world());
  const std::string prefix = (folder / "run").string();
  const auto [error, out] = draw(prefix, {"\xff"});
  Comm::world().barrier();
  EXPECT_TRUE(fs::exists(prefix + ".svg"));
  EXPECT_FALSE(fs::exists(prefix + ".pdf"));
  if (Comm::world().rank() != 0) return;
  EXPECT_TRUE(test::has(error, "warning: " + prefix + ".pdf is not drawn: ")) << error;
  EXPECT_TRUE(test::has(out, "wrote results.txt and " + prefix + ".svg\n")) << out;
}

TEST(WrittenFiles, PicturesOfAnEarlierRunAreNamed) {
  const test::Folder folder(Comm::world());
  const std::string prefix = (folder / "run").string();
  EXPECT_EQ(draw(prefix, {"text"}).first, "");
  Comm::world().barrier();
  const auto [error, out] = draw(prefix, {""});
  if (Comm::world().rank() != 0) return;
  EXPECT_TRUE(test::has(error, "run.svg is not drawn: there is nothing to draw; ")) << error;
  EXPECT_TRUE(
      test::has(error, list_text(picture_names(prefix)) + (has_pdf() ? " are" : " is") + " of an earlier run\n"))
      << error;
  EXPECT_EQ(out, "wrote results.txt\n");
}

TEST(WrittenFiles, PicturesThatARunLeavesOutAreNamedIfTheyAreThere) {
  const test::Folder folder(Comm::world());
  const std::string prefix = (folder / "run").string(), other = (folder / "other").string();
  EXPECT_EQ(draw(other, {"text"}).first, "");
  Comm::world().barrier();
  const Session session{.comm = Comm::world(), .log = {}, .log_file = {}, .command_line = {}};
  testing::internal::CaptureStderr();
  WrittenFiles files(session);
  files.draw(prefix, Picture{"text"});
  files.leave({prefix + ".svg", other + ".svg", (folder / "absent.svg").string()});
  files.say();
  const std::string error = testing::internal::GetCapturedStderr();
  if (Comm::world().rank() != 0) return;
  EXPECT_TRUE(test::has(error, "warning: " + other + ".svg is of an earlier run, not of this one\n")) << error;
  EXPECT_FALSE(test::has(error, prefix + ".svg")) << error;
  EXPECT_FALSE(test::has(error, "absent")) << error;
}

}  // namespace kov::app
