// SPDX-License-Identifier: MIT
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/input_file.hpp"
#include "tests/core/io/io_support.hpp"

namespace kov::test {
namespace {

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() : folder(Comm::self()) {}
  Folder folder;
};

TEST_F(AtomicFile, AppearsWithCommitOnly) {
  {
    OutputFile file(folder / "a");
    file.write("hello");
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    EXPECT_TRUE(std::filesystem::exists(file.temporary()));
  }
  EXPECT_EQ(folder.files(), 0u);
  {
    OutputFile file(folder / "a");
    file.write("hello world");
    file.write_at(6, "there");
    EXPECT_EQ(file.size(), 11u);
    EXPECT_THROW(file.write_at(8, "there"), InputError);
    file.commit();
  }
  EXPECT_EQ(bytes_of(folder / "a"), "hello there");
  EXPECT_EQ(folder.files(), 1u);
}

TEST_F(AtomicFile, ALoopOfLinksIsRefusedAndStays) {
  std::filesystem::create_symlink(folder / "b", folder / "a");
  std::filesystem::create_symlink(folder / "a", folder / "b");
  EXPECT_TRUE(contains(message_of<InputError>([&] { PendingFile(folder / "a"); }), "loop of symbolic links"));
  EXPECT_THROW(OutputFile(folder / "b"), InputError);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "a"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST_F(AtomicFile, ReplacesWhatWasThereAndFollowsLinks) {
  std::ofstream(folder / "real") << "old";
  std::filesystem::create_symlink(folder / "real", folder / "link");
  OutputFile file(folder / "link");
  file.write("new");
  EXPECT_EQ(bytes_of(folder / "real"), "old");
  file.commit();
  EXPECT_EQ(bytes_of(folder / "real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_THROW(file.commit(), InputError);
}

TEST_F(AtomicFile, SeveralAtOnceDoNotMeet) {
  OutputFile first(folder / "a"), second(folder / "a");
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(bytes_of(folder / "a"), "second");
  first.commit();
  EXPECT_EQ(bytes_of(folder / "a"), "first");
}

TEST_F(AtomicFile, ASignalHandlerCanRemoveWhatIsUnfinished) {
  OutputFile finished(folder / "finished"), unfinished(folder / "unfinished");
  finished.write("whole");
  finished.commit();
  unfinished.write("half");
  PendingFile named(folder / "moved"), moved(std::move(named));
  std::ofstream(moved.temporary()) << "half";
  EXPECT_EQ(folder.files(), 3u);
  remove_temporary_files();
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(bytes_of(folder / "finished"), "whole");
  EXPECT_THROW(unfinished.commit(), InputError);
  EXPECT_EQ(folder.files(), 1u);
  // More files at once than the signal handler has places for.
  std::vector<std::unique_ptr<OutputFile>> many;
  for (int k = 0; k < 100; ++k) many.push_back(std::make_unique<OutputFile>(folder / std::to_string(k)));
  for (auto& file : many) file->commit();
  EXPECT_EQ(folder.files(), 101u);
  // Their places are free again afterwards.
  many.clear();
  OutputFile last(folder / "last");
  remove_temporary_files();
  EXPECT_EQ(folder.files(), 101u);
}

TEST_F(AtomicFile, LongNamesFit) {
  const std::string name(255, 'n');
  OutputFile file(folder / name);
  file.write("x");
  file.commit();
  EXPECT_EQ(bytes_of(folder / name), "x");
}

TEST_F(AtomicFile, ImpossibleTargetsAreRefused) {
  EXPECT_TRUE(contains(message_of<InputError>([&] { PendingFile(folder.path()); }), "is a folder"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { PendingFile(folder / "no" / "a"); }), "does not exist"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { PendingFile("/dev/null"); }), "device"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { PendingFile(""); }), "names no file"));
}

TEST_F(AtomicFile, AFullDiskIsAnErrorAndLeavesNothing) {
  const FileSizeLimit limit(4096);
  EXPECT_TRUE(contains(message_of<InputError>([&] {
                         OutputFile file(folder / "a");
                         file.write(std::string(4000, 'x'));
                         file.write(std::string(4000, 'y'));
                       }),
                       "failed at byte 4096"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(AtomicFile, ReadingPastTheEndSaysWhere) {
  std::ofstream(folder / "short") << "0123456789";
  const InputFile file(folder / "short");
  std::array<std::byte, 4> bytes;
  file.read(6, bytes);
  EXPECT_EQ(bytes[0], std::byte{'6'});
  for (const std::uint64_t offset : {std::uint64_t(7), std::uint64_t(11), ~std::uint64_t(0)}) {
    EXPECT_TRUE(contains(message_of<FormatError>([&] { file.read(offset, bytes); }), "ends at byte 10")) << offset;
  }
  EXPECT_EQ(file.text(8, 100), "89");
  EXPECT_EQ(file.text(10, 100), "");
}

}  // namespace
}  // namespace kov::test
