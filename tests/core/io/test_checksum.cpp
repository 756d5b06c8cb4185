// SPDX-License-Identifier: MIT
#include "kov/core/io/checksum.hpp"
#include "tests/core/io/io_support.hpp"

namespace kov::test {
namespace {

std::vector<std::byte> random_bytes(std::size_t n) {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = std::byte(random() & 0xff);
  return bytes;
}

TEST(Checksum, Crc32OfTheCheckStringIsTheStandards) {
  EXPECT_EQ(crc32(std::as_bytes(std::span("123456789", 9))), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Checksum, NerscIsTheSumOfWordsInTheFilesOrder) {
  const std::byte bytes[] = {std::byte{0},    std::byte{0},    std::byte{0},    std::byte{5},
                             std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  SiteChecksum big(ChecksumKind::nersc, std::endian::big), little(ChecksumKind::nersc, std::endian::little);
  big.add(0, bytes);
  little.add(0, bytes);
  EXPECT_EQ(big.values()[0], 4u);
  EXPECT_EQ(little.values()[0], 0x05000000u - 1);
}

TEST(Checksum, ScidacRotatesBySiteAndMilcByWord) {
  const auto bytes = std::as_bytes(std::span("123456789abc", 12));
  SiteChecksum scidac(ChecksumKind::scidac, std::endian::big), milc(ChecksumKind::milc, std::endian::little);
  scidac.add(33, bytes);
  EXPECT_EQ(scidac.values()[0], std::rotl(crc32(bytes), 4));
  EXPECT_EQ(scidac.values()[1], std::rotl(crc32(bytes), 2));
  // Site 10 has words 30, 31 and 32.
  milc.add(10, bytes);
  EXPECT_EQ(milc.values()[0], std::rotl(0x34333231u, 1) ^ std::rotl(0x38373635u, 2) ^ std::rotl(0x63626139u, 3));
  EXPECT_EQ(milc.values()[1], std::rotl(0x34333231u, 30) ^ 0x38373635u ^ std::rotl(0x63626139u, 1));
}

TEST(Checksum, AnyOrderAndAnyShareOfTheSitesGivesTheSame) {
  const Comm comm = Comm::world();
  constexpr std::size_t site_bytes = 288, sites = 257;
  const std::vector<std::byte> bytes = random_bytes(site_bytes * sites);
  for (const ChecksumKind kind : {ChecksumKind::nersc, ChecksumKind::scidac, ChecksumKind::milc, ChecksumKind::none}) {
    SiteChecksum whole(kind, std::endian::big), share(kind, std::endian::big);
    for (std::size_t i = 0; i < sites; ++i)
      whole.add(std::int64_t(i), std::span(bytes).subspan(i * site_bytes, site_bytes));
    for (std::size_t i = sites; i-- > 0;) {
      if (int(i) % comm.size() == comm.rank())
        share.add(std::int64_t(i), std::span(bytes).subspan(i * site_bytes, site_bytes));
    }
    share.combine(comm);
    EXPECT_EQ(share.values(), whole.values());
    EXPECT_EQ(kind == ChecksumKind::none, whole.values()[0] == 0);
  }
}

TEST(Checksum, ExchangedSitesAreNoticedByScidacAndMilc) {
  const std::vector<std::byte> bytes = random_bytes(2 * 72);
  const auto a = std::span(bytes).first(72), b = std::span(bytes).last(72);
  for (const ChecksumKind kind : {ChecksumKind::scidac, ChecksumKind::milc}) {
    SiteChecksum straight(kind, std::endian::big), exchanged(kind, std::endian::big);
    straight.add(0, a);
    straight.add(1, b);
    exchanged.add(0, b);
    exchanged.add(1, a);
    EXPECT_NE(straight.values(), exchanged.values());
  }
}

}  // namespace
}  // namespace kov::test
