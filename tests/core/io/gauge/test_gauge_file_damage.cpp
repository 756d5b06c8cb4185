// SPDX-License-Identifier: MIT
//
// Files that are not what they claim to be are refused: with a FormatError that says where and what, at once, without
// asking for memory, and with the same verdict on every rank.
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "tests/core/io/io_support.hpp"

#include <ctime>
#include <sys/resource.h>
#include <sys/stat.h>

namespace kov::test {
namespace {

/// Reading throws an E whose text has these words, within a second of a processor and 64 MiB.
template <class E = FormatError>
void expect_refused(const Comm& comm, const std::filesystem::path& path, const std::vector<std::string>& parts) {
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const long before = peak();
  const std::clock_t start = std::clock();
  const std::string message = message_of<E>([&] { read_whole(comm, path); });
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_FALSE(message.empty()) << path << " was accepted";
  for (const std::string& part : parts)
    EXPECT_TRUE(contains(message, part)) << "'" << part << "' is not in: " << message;
  EXPECT_TRUE(contains(message, path.filename().string())) << message;
  // Ranks that share a core wait for each other.
  EXPECT_LT(seconds, comm.size() == 1 ? 1.0 : 10.0);
  EXPECT_LT(peak() - before, 64 * 1024);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// One good file of every format that is written, and made-up ones of the formats that are only read.
class GaugeDamage : public testing::Test {
 protected:
  GaugeDamage()
      : comm(Comm::world()),
        folder(comm),
        extent{4, 4, 2, 4},
        geometry(geometry_on(comm, extent)),
        links(random_links(extent)) {}

  std::string written(GaugeFormat format, int bits = 64) {
    const WriteOptions options{.format = format, .bits = bits, .date = "today"};
    write_gauge_file(comm, folder / "good", geometry, box_of(links, geometry), options);
    return bytes_of(folder / "good");
  }
  void expect_bytes_refused(const std::string& bytes, const std::vector<std::string>& parts) {
    write_bytes(comm, folder / "damaged", bytes);
    expect_refused(comm, folder / "damaged", parts);
    comm.barrier();
  }

  Comm comm;
  Folder folder;
  Coord extent;
  Geometry geometry;
  std::vector<double> links;
};

TEST_F(GaugeDamage, BrokenPublishedFilesAreRefused) {
  KOV_SKIP_WITHOUT_DATA("derived/bad_checksum.lime", "derived/bad_checksum.milc", "derived/truncated.nersc");
  expect_refused(comm, data_folder() / "derived/bad_checksum.lime",
                 {"records suma a2c41090, sumb 11193c39", "have suma", "fetch"});
  expect_refused(comm, data_folder() / "derived/bad_checksum.milc", {"sum29 13f3b413", "sum31 161f7dde", "damaged"});
  expect_refused(comm, data_folder() / "derived/truncated.nersc", {"truncated", "4 4 4 4", "49152", "48152"});
}

TEST_F(GaugeDamage, MissingAndUnreadableFilesAreInputErrors) {
  expect_refused<InputError>(comm, folder / "nothing", {"No such file"});
  if (::geteuid() != 0) {
    write_bytes(comm, folder / "secret", "x");
    if (comm.rank() == 0) ::chmod((folder / "secret").c_str(), 0);
    comm.barrier();
    expect_refused<InputError>(comm, folder / "secret", {"Permission denied"});
  }
}

TEST_F(GaugeDamage, EmptyFilesFoldersPipesAndTextsAreRefused) {
  expect_bytes_refused("", {"is empty"});
  expect_refused(comm, folder.path(), {"is a folder"});
  if (comm.rank() == 0) {
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  }
  comm.barrier();
  expect_refused(comm, folder / "pipe", {"device or pipe"});
  expect_bytes_refused("x", {"is not a gauge configuration", "'x'"});
  expect_bytes_refused("A letter to a friend about lattices, long enough to have a header's length.\n",
                       {"is not a gauge configuration", "A letter"});
  expect_bytes_refused(std::string(4096, '\0'), {"is not a gauge configuration", "\\x00"});
  expect_bytes_refused("BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n", {"END_HEADER"});
  expect_bytes_refused("BEGIN_HEADER\n" + std::string(1 << 22, 'a'), {"END_HEADER"});
}

TEST_F(GaugeDamage, EveryCutOfEveryFormatIsRefused) {
  std::vector<GaugeFormat> formats{GaugeFormat::nersc, GaugeFormat::nersc_two_rows, GaugeFormat::ildg};
  for (const GaugeFormat format : formats) {
    const std::string good = written(format, 32);
    for (const std::size_t length :
         {std::size_t(1), std::size_t(10), std::size_t(100), std::size_t(143), std::size_t(200), std::size_t(400),
          good.size() / 2, good.size() - 1000, good.size() - 300, good.size() - 73}) {
      SCOPED_TRACE(length);
      expect_bytes_refused(good.substr(0, length), {});
    }
  }
}

TEST_F(GaugeDamage, AFlippedBitAnywhereInTheLinksIsNoticed) {
  for (const GaugeFormat format : {GaugeFormat::nersc, GaugeFormat::nersc_two_rows, GaugeFormat::ildg}) {
    for (const int bits : {32, 64}) {
      const std::string good = written(format, bits);
      for (const double where : {0.3, 0.5, 0.9}) {
        std::string bad = good;
        // Well behind the header and before the trailing record: a mantissa bit, so that the number stays finite.
        std::size_t at = std::size_t(double(good.size()) * where);
        if (format == GaugeFormat::ildg) at = 2000 + std::size_t(double(good.size() - 2600) * where);
        bad[at] = char(bad[at] ^ 1);
        expect_bytes_refused(bad, {"records", format == GaugeFormat::ildg ? "suma" : "CHECKSUM"});
      }
    }
  }
}

TEST_F(GaugeDamage, AnIgnoredChecksumIsRemembered) {
  std::string bad = written(GaugeFormat::ildg);
  bad[bad.size() / 2] = char(bad[bad.size() / 2] ^ 1);
  write_bytes(comm, folder / "damaged", bad);
  const WholeFile file = read_whole(comm, folder / "damaged", {.ignore_checksums = true});
  ASSERT_EQ(file.header.overridden.size(), 1u);
  EXPECT_TRUE(contains(file.header.overridden[0], "suma " + file.header.checksums[0].second))
      << file.header.overridden[0];
  EXPECT_TRUE(read_whole(comm, folder / "good", {.ignore_checksums = true}).header.overridden.empty());
}

TEST_F(GaugeDamage, AbsurdExtentsAreRefused) {
  const std::string nersc = written(GaugeFormat::nersc), ildg = written(GaugeFormat::ildg);
  for (const char* extent : {"0", "-4", "1099511627776", "9223372036854775807", "65536"}) {
    expect_bytes_refused(replaced(nersc, "DIMENSION_2 = 4", std::string("DIMENSION_2 = ") + extent),
                         {"DIMENSION", extent});
    expect_bytes_refused(replaced(ildg, "<ly>4<", std::string("<ly>") + extent + "<"), {"LIME record"});
  }
  for (const char* extent : {"", "4x", "1e3", "99999999999999999999", "0x4"}) {
    expect_bytes_refused(replaced(nersc, "DIMENSION_2 = 4", std::string("DIMENSION_2 = ") + extent),
                         {"DIMENSION_2", "not an integer"});
  }
  // Each extent is allowed, but all together have more bytes than 64 bits can count.
  std::string huge = nersc;
  for (const char* from : {"DIMENSION_1 = 4", "DIMENSION_2 = 4", "DIMENSION_3 = 2", "DIMENSION_4 = 4"}) {
    huge = replaced(huge, from, std::string(from).substr(0, 14) + "65535");
  }
  expect_bytes_refused(huge, {"65535 65535 65535 65535", "more than 2^64"});
}

TEST_F(GaugeDamage, AHeaderThatPromisesMoreThanThereIsIsRefused) {
  const std::string nersc = written(GaugeFormat::nersc), ildg = written(GaugeFormat::ildg);
  expect_bytes_refused(replaced(nersc, "DIMENSION_4 = 4", "DIMENSION_4 = 8"), {"4 4 2 8", "147456", "73728"});
  expect_bytes_refused(replaced(nersc, "IEEE64BIG", "IEEE80BIG"), {"FLOATING_POINT", "IEEE80BIG"});
  expect_bytes_refused(replaced(nersc, "4D_SU3_GAUGE_3x3", "4D_SU2_GAUGE_3x3"), {"DATATYPE"});
  expect_bytes_refused(replaced(nersc, "CHECKSUM = ", "CHECKSUM = z"), {"CHECKSUM", "hexadecimal"});
  expect_bytes_refused(replaced(nersc, "PLAQUETTE = 0", "PLAQUETTE = nan"), {"plaquette", "nan"});
  expect_bytes_refused(replaced(nersc, "DATATYPE", "DATATIPE"), {"no DATATYPE"});
  // ILDG's two descriptions must agree with each other and with the data.
  expect_bytes_refused(replaced(ildg, "<lt>4<", "<lt>8<"), {"contradicts itself", "4 4 2 8"});
  expect_bytes_refused(replaced(replaced(ildg, "<lt>4<", "<lt>8<"), "4 4 2 4 ", "4 4 2 8 "),
                       {"truncated", "147456", "73728"});
  expect_bytes_refused(replaced(ildg, "<precision>64", "<precision>32"), {"contradicts itself"});
  expect_bytes_refused(replaced(ildg, "<precision>64", "<precision>80"), {"precision"});
  expect_bytes_refused(replaced(ildg, "su3gauge", "su2gauge"), {"su2gauge"});
  expect_bytes_refused(replaced(ildg, "<datacount>4", "<datacount>1"), {"scidac-private-record-xml"});
  expect_bytes_refused(replaced(ildg, "<volfmt>0", "<volfmt>1"), {"volfmt"});
  expect_bytes_refused(replaced(ildg, "ildg-binary-data", "ildg-bynary-data"), {"ildg-bynary-data"});
  expect_bytes_refused(replaced(ildg, "<lz>2</lz>", "<l_>2</l_>"), {"lz", "ildg-format"});
  expect_bytes_refused(replaced(ildg, "<suma>", "<suma>x"), {"suma", "hexadecimal"});
}

TEST_F(GaugeDamage, LinksThatAreNotFiniteAreRefusedBySite) {
  // The checksum is right: the file was written that way.
  for (const GaugeFormat format : {GaugeFormat::nersc, GaugeFormat::nersc_two_rows, GaugeFormat::ildg}) {
    std::string bytes = written(format);
    const std::size_t link_bytes = format == GaugeFormat::nersc_two_rows ? 96 : 144;
    const std::size_t data = format == GaugeFormat::ildg
                                 ? bytes.find("ildg-binary-data") - 16 + 144
                                 : bytes.find("END_HEADER\n") + std::string("END_HEADER\n").size();
    const std::int64_t site = lexicographic({1, 2, 1, 3}, extent);
    std::byte nan[8];
    store(nan, std::nan(""), std::endian::big);
    bytes.replace(data + (std::size_t(site) * 4 + 2) * link_bytes + 8, 8, reinterpret_cast<const char*>(nan), 8);
    expect_bytes_refused(bytes, {"records"});
    write_bytes(comm, folder / "damaged", bytes);
    const std::string message =
        message_of<FormatError>([&] { read_whole(comm, folder / "damaged", {.ignore_checksums = true}); });
    EXPECT_TRUE(contains(message, "not finite, in direction 2 at site 1 2 1 3")) << message;
    comm.barrier();
  }
}

/// A MILC or openQCD header as bytes.
template <class T>
std::string raw(std::initializer_list<T> values, std::endian order) {
  std::string bytes;
  for (const T value : values) {
    std::byte word[sizeof(T)];
    store(word, value, order);
    bytes.append(reinterpret_cast<const char*>(word), sizeof(T));
  }
  return bytes;
}

TEST_F(GaugeDamage, HostileMilcHeadersAreRefused) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto v5 = [&](std::initializer_list<std::int32_t> numbers) {
      return raw<std::int32_t>(numbers, order) + std::string(76 + 4608, '\0');
    };
    expect_bytes_refused(raw<std::int32_t>({20103}, order), {"ends at byte 4"});
    expect_bytes_refused(v5({20103, 0, 4, 4, 4}), {"extents 0 4 4 4", "MILC"});
    expect_bytes_refused(v5({20103, 4, -4, 4, 4}), {"extents 4 -4 4 4"});
    expect_bytes_refused(v5({20103, 65535, 65535, 65535, 65535}), {"more than 2^64"});
    expect_bytes_refused(v5({20103, 4, 4, 4, 4}), {"truncated", "73728", "4608"});
    expect_bytes_refused(raw<std::int32_t>({59354, 2, 2, 2, 2, 0, 0}, order) + std::string(4608 + 1, '\0'),
                         {"exactly 4608"});
    std::string node_order = v5({20103, 2, 2, 2, 2});
    node_order.replace(84, 4, raw<std::int32_t>({1}, order));
    expect_bytes_refused(node_order, {"node order"});
    // Version 4 has no checksum, so only the numbers can reveal the damage.
    std::string nan = raw<std::int32_t>({59354, 2, 2, 2, 4, 0, 0}, order) + std::string(9216, '\0');
    nan.replace(28 + 288 * 5 + 72, 4, raw<float>({std::nanf("")}, order));
    expect_bytes_refused(nan, {"direction 1 at site 1 0 1 0"});
  }
}

TEST_F(GaugeDamage, HostileOpenQcdFilesAreRefused) {
  const std::string header =
      raw<std::int32_t>({4, 4, 4, 4}, std::endian::little) + raw<double>({1.5}, std::endian::little);
  expect_bytes_refused(header, {"truncated", "147456"});
  expect_bytes_refused(header + std::string(147456 - 1, '\0'), {"truncated"});
  expect_bytes_refused(header + std::string(147456 + 1, '\0'), {"exactly"});
  expect_bytes_refused(
      raw<std::int32_t>({65534, 65534, 65534, 65534}, std::endian::little) + raw<double>({1.5}, std::endian::little),
      {"more than 2^64"});
  expect_bytes_refused(raw<std::int32_t>({4, 4, 4, 4}, std::endian::little) + raw<double>({4.5}, std::endian::little),
                       {"is not a gauge configuration"});
  std::string nan = header + std::string(147456, '\0');
  nan.replace(24 + 1152 * 10 + 144 * 3, 8, raw<double>({std::nan("")}, std::endian::little));
  expect_bytes_refused(nan, {"not finite"});
}

}  // namespace
}  // namespace kov::test
