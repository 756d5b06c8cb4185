// SPDX-License-Identifier: MIT
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/io/xml.hpp"

#include <array>
#include <gtest/gtest.h>

namespace kov {
namespace {

TEST(ByteOrder, BigEndianNumbersAreThoseOfTheStandard) {
  std::array<std::byte, 8> bytes;
  store(bytes.data(), 1.0, std::endian::big);
  EXPECT_EQ(bytes[0], std::byte{0x3f});
  EXPECT_EQ(bytes[1], std::byte{0xf0});
  EXPECT_EQ(bytes[7], std::byte{0});
  store(bytes.data(), std::uint32_t(0x456789ab), std::endian::big);
  EXPECT_EQ(bytes[0], std::byte{0x45});
  EXPECT_EQ(bytes[3], std::byte{0xab});
  store(bytes.data(), std::uint16_t(0x1234), std::endian::little);
  EXPECT_EQ(bytes[0], std::byte{0x34});
}

TEST(ByteOrder, LoadingUndoesStoring) {
  std::array<std::byte, 8> bytes;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    store(bytes.data(), -0.1, order);
    EXPECT_EQ(load<double>(bytes.data(), order), -0.1);
    store(bytes.data(), 1e-30f, order);
    EXPECT_EQ(load<float>(bytes.data(), order), 1e-30f);
    store(bytes.data(), std::int32_t(-7), order);
    EXPECT_EQ(load<std::int32_t>(bytes.data(), order), -7);
    store(bytes.data(), std::uint64_t(1) << 40, order);
    EXPECT_EQ(load<std::uint64_t>(bytes.data(), order), std::uint64_t(1) << 40);
  }
  EXPECT_EQ(byte_swap(std::uint64_t(0x0102030405060708)), 0x0807060504030201u);
}

TEST(Text, OnlyCompleteNumbersAreParsed) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("1099511627776"), std::int64_t(1) << 40);
  for (const char* text : {"", " 4", "4 ", "4.0", "four", "0x4", "9223372036854775808", "+4"})
    EXPECT_FALSE(parse_integer(text)) << text;
  EXPECT_EQ(parse_real("0.5038664469"), 0.5038664469);
  EXPECT_EQ(parse_real("-1.5e-3"), -1.5e-3);
  for (const char* text : {"", "nan", "inf", "1.0x", "1e999", " 1", "1,5"}) EXPECT_FALSE(parse_real(text)) << text;
  EXPECT_EQ(parse_hex("b379560a"), 0xb379560au);
  EXPECT_EQ(parse_hex("0x1F"), 0x1fu);
  for (const char* text : {"", "0x", "g", "123456789", "-1", "1 "}) EXPECT_FALSE(parse_hex(text)) << text;
  EXPECT_EQ(to_hex(0xabc), "00000abc");
}

TEST(Text, PrintedUnitIsOneInTheLastDigit) {
  EXPECT_DOUBLE_EQ(printed_unit("0.994765"), 1e-6);
  EXPECT_DOUBLE_EQ(printed_unit("0.5038664469"), 1e-10);
  EXPECT_DOUBLE_EQ(printed_unit("1.5e-8"), 1e-9);
  EXPECT_DOUBLE_EQ(printed_unit("1"), 1);
  EXPECT_EQ(printed_unit("one"), 0);
}

TEST(Text, TrimRemovesBlanksWordsSplitAndPrintableEscapes) {
  EXPECT_EQ(trim(std::string_view(" \t a b\r\n\0", 9)), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(words(" 4 4\t4\n8 "), (std::vector<std::string>{"4", "4", "4", "8"}));
  EXPECT_TRUE(words("").empty());
  EXPECT_EQ(printable("a\x01\xff", 10), "a\\x01\\xff");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

std::optional<std::string> element(const std::string& xml, const std::string& name) {
  return XmlRecord(xml).element(name);
}

TEST(Xml, ElementsAreFoundByLocalName) {
  EXPECT_EQ(element("<a><lx>4</lx></a>", "lx"), "4");
  EXPECT_EQ(element("<ildg:lx unit='1>0'>\n 4 </ildg:lx >", "lx"), "4");
  EXPECT_EQ(element("<?xml version=\"1.0\"?><!-- <lx>9</lx> --><lx>4</lx>", "lx"), "4");
  EXPECT_EQ(element("<a><![CDATA[<lx>9</lx>]]><lx>4</lx></a>", "lx"), "4");
  EXPECT_EQ(element("<a><lxx>9</lxx><lx>4</lx><lx>5</lx></a>", "lx"), "4");
  EXPECT_EQ(element("<lx/>", "lx"), "");
  EXPECT_EQ(element("<lx a=\"b\" />", "lx"), "");
  EXPECT_FALSE(element("<a>lx</a>", "lx"));
  EXPECT_EQ(element("<info>a &lt; b &amp; c</info>", "info"), "a < b & c");
}

// Elements are found by searching the text when it does not parse, unless the element is not closed.
TEST(Xml, BrokenMarkupIsReadAsQioDoes) {
  const XmlRecord broken("<f a=\"1 b=\"2\"><lx> 4 </lx><lxx>9</lxx><ly>5</f>");
  EXPECT_FALSE(broken.problem().empty());
  EXPECT_EQ(broken.element("lx"), "4");
  EXPECT_FALSE(broken.element("ly"));
  EXPECT_FALSE(broken.element("lz"));
  EXPECT_TRUE(XmlRecord("<lx>4</lx>").problem().empty());
  for (const char* text : {"", "<", "<lx", "<lx>", "<lx>4", "</lx>", "<lx>4</lxx>", "<!-- <lx>4</lx>", "lx", "<>"})
    EXPECT_NO_THROW(element(text, "lx")) << text;
}

TEST(Xml, UnescapingUndoesEscaping) {
  const std::string text = "a<b&c>d \"e\" 'f' &amp;";
  EXPECT_EQ(xml_escape("a<b&"), "a&lt;b&amp;");
  EXPECT_EQ(element("<t>" + xml_escape(text) + "</t>", "t"), text);
}

}  // namespace
}  // namespace kov
