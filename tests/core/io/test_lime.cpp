// SPDX-License-Identifier: MIT
#include "kov/core/io/lime.hpp"
#include "tests/core/io/io_support.hpp"

namespace kov::test {
namespace {

/// A record header as the format has it, with whatever length and magic.
std::string header(const std::string& type, std::uint64_t length, const std::string& magic = "\x45\x67\x89\xab") {
  std::string bytes = magic + std::string("\x00\x01\x80\x00", 4);
  for (int shift = 56; shift >= 0; shift -= 8) bytes += char(length >> shift);
  return bytes + type + std::string(128 - type.size(), '\0');
}

class Lime : public testing::Test {
 protected:
  Lime() : folder(Comm::self()), path(folder / "file.lime") {}
  std::string refused(const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return message_of<FormatError>([&] { lime_records(InputFile(path)); });
  }
  Folder folder;
  std::filesystem::path path;
};

TEST_F(Lime, RecordsComeBack) {
  {
    OutputFile file(path);
    LimeWriter writer(file);
    writer.text("first", LimeWriter::Position::first, "<a/>");
    writer.begin("second", LimeWriter::Position::last, 10);
    writer.data(std::as_bytes(std::span("01234", 5)));
    writer.data(std::as_bytes(std::span("56789", 5)));
    writer.end();
    writer.text("third", LimeWriter::Position::only, "1234567");  // 8 bytes with its NUL: no padding
    file.commit();
  }
  const InputFile file(path);
  EXPECT_TRUE(is_lime(file));
  const std::vector<LimeRecord> records = lime_records(file);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].type, "first");
  EXPECT_EQ(lime_text(file, records[0]), "<a/>");
  EXPECT_TRUE(records[0].message_begin && !records[0].message_end);
  EXPECT_EQ(lime_text(file, records[1]), "0123456789");
  EXPECT_EQ(lime_text(file, records[1], 3), "012");
  EXPECT_TRUE(!records[1].message_begin && records[1].message_end);
  EXPECT_EQ(lime_text(file, records[2]), "1234567");
  EXPECT_EQ(file.size(), 3 * 144 + 8 + 16 + 8u);
}

TEST_F(Lime, TheWriterKeepsItsPromises) {
  OutputFile file(path);
  LimeWriter writer(file);
  EXPECT_THROW(writer.begin(std::string(128, 'x'), LimeWriter::Position::only, 1), InputError);
  writer.begin("a", LimeWriter::Position::only, 4);
  EXPECT_THROW(writer.data(std::as_bytes(std::span("01234", 5))), InputError);
  writer.data(std::as_bytes(std::span("0", 1)));
  EXPECT_THROW(writer.end(), InputError);
  EXPECT_THROW(writer.begin("b", LimeWriter::Position::only, 4), InputError);
}

TEST_F(Lime, HostileLengthsAreRefused) {
  for (const std::uint64_t length :
       {std::uint64_t(9), std::uint64_t(1) << 40, ~std::uint64_t(0), ~std::uint64_t(0) - 143, ~std::uint64_t(0) - 7}) {
    const std::string message = refused(header("data", length) + "12345678");
    EXPECT_TRUE(contains(message, "'data' at byte 0 promises " + std::to_string(length) + " bytes")) << message;
  }
}

TEST_F(Lime, DamagedHeadersAreRefusedWithTheirOffset) {
  const std::string good = header("a", 8) + "12345678";
  EXPECT_TRUE(contains(refused(good + header("b", 0, "LIME")), "byte 152: the magic number there is 4c494d45"));
  EXPECT_TRUE(contains(refused(good + header("b", 0).substr(0, 100)), "record at byte 152"));
  EXPECT_TRUE(contains(refused(good + "junk"), "record at byte 152"));
  EXPECT_TRUE(contains(refused(header("a", 0).substr(0, 143)), "record at byte 0"));
  std::string version = good;
  version[5] = 7;
  EXPECT_TRUE(contains(refused(version), "version 7"));
  EXPECT_TRUE(contains(refused(header("a\x01\n", 99)), "a\\x01\\x0a"));
  std::string many;
  for (int i = 0; i <= 65536; ++i) many += header("", 0);
  EXPECT_TRUE(contains(refused(many), "more than 65536"));
}

TEST_F(Lime, PaddingAtTheEndIsOptionalAndATypeMayFillItsField) {
  std::ofstream(path, std::ios::binary) << header(std::string(128, 'y'), 3) + "abc";
  EXPECT_EQ(lime_records(InputFile(path)).at(0).type, std::string(128, 'y'));
  std::ofstream(path, std::ios::binary) << header("z", 3) + "abc" + std::string(37, '\0');
  EXPECT_EQ(lime_records(InputFile(path)).size(), 1u);
}

}  // namespace
}  // namespace kov::test
