// SPDX-License-Identifier: MIT
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"

#include <thread>

namespace kov::test {
namespace {

using Complexes = std::vector<std::complex<double>>;

class Hdf5 : public testing::Test {
 protected:
  Hdf5() : folder(Comm::self()), path(folder / "file.h5") {}
  void SetUp() override {
    if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  }
  Folder folder;
  std::filesystem::path path;
};

TEST(Hdf5Absent, EverythingThrowsNotBuilt) {
  if (has_hdf5()) GTEST_SKIP() << "does not apply: this build has HDF5";
  EXPECT_THROW(Hdf5File::create("x.h5"), NotBuilt);
  EXPECT_THROW(Hdf5File::open("x.h5"), NotBuilt);
  EXPECT_THROW(Hdf5File::open("x.h5", Comm::self()), NotBuilt);
  EXPECT_EQ(hdf5_description(), "no HDF5");
}

TEST_F(Hdf5, AttributesOfEverySortComeBack) {
  const std::vector<std::pair<std::string, Hdf5Attribute>> attributes{
      {"text", "Umlaut \xc3\xa4, two\nlines"},
      {"nothing", ""},
      {"real", 0.1},
      {"integer", std::int64_t(1) << 40},
      {"texts", std::vector<std::string>{"a", "", "long enough to be elsewhere"}},
      {"reals", std::vector<double>{0.1, -1e300}},
      {"integers", std::vector<std::int64_t>{4, 4, 4, 8}},
      {"none", std::vector<double>{}},
      {"long", std::string(200000, 'x')}};
  Hdf5File file = Hdf5File::create(path);
  file.create_group("/a/b");
  for (const auto& [name, value] : attributes) file.set_attribute("/a/b", name, value);
  file.set_attribute("/a/b", "real", 2.5);  // replaces
  file.set_attribute("/a/b", "real", 0.1);
  file.commit();
  const Hdf5File again = Hdf5File::open(path);
  for (const auto& [name, value] : attributes) {
    EXPECT_TRUE(again.has_attribute("/a/b", name));
    EXPECT_TRUE(again.attribute("/a/b", name) == value) << name;
  }
  EXPECT_EQ(again.attribute_names("/a/b").size(), attributes.size());
  EXPECT_FALSE(again.has_attribute("/a", "real"));
  EXPECT_TRUE(contains(message_of<FormatError>([&] { again.attribute("/a/b", "absent"); }), "absent"));
  EXPECT_TRUE(contains(message_of<FormatError>([&] { again.attribute("/c", "absent"); }), "/c"));
}

TEST_F(Hdf5, DatasetsOfEverySortComeBackWithTheirShape) {
  const std::vector<double> reals{1, 2, 3, 4, 5, 0.1};
  const Complexes complexes{{1, 2}, {0.1, -3}};
  const std::vector<std::int64_t> integers{-1, std::int64_t(1) << 60};
  Hdf5File file = Hdf5File::create(path);
  file.write<double>("/corr/real", reals, {2, 3});
  file.write<std::complex<double>>("/corr/complex", complexes, {2});
  file.write<std::int64_t>("/corr/integer", integers, {2, 1});
  file.write<double>("/corr/empty", {}, {0, 3});
  file.write_text("/input", std::string("key = 1\n"));
  EXPECT_THROW(file.write<double>("/wrong", reals, {2, 2}), InputError);
  EXPECT_THROW(file.write<double>("/corr/real", reals, {2, 3}), InputError);  // there is one already
  file.commit();
  const Hdf5File again = Hdf5File::open(path);
  EXPECT_EQ(again.read<double>("/corr/real").values, reals);
  EXPECT_EQ(again.read<double>("/corr/real").extent, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(again.read<std::complex<double>>("/corr/complex").values, complexes);
  EXPECT_EQ(again.read<std::int64_t>("/corr/integer").values, integers);
  EXPECT_TRUE(again.read<double>("/corr/empty").values.empty());
  EXPECT_EQ(again.read_text("/input"), "key = 1\n");
  EXPECT_EQ(again.shape("/corr/complex").kind, Hdf5Kind::complex);
  EXPECT_EQ(again.shape("/corr/complex").bits, 64);
  EXPECT_EQ(again.list("/corr"), (std::vector<std::string>{"complex", "empty", "integer", "real"}));
  EXPECT_TRUE(again.contains("/corr/real") && again.contains("/corr") && again.contains("/"));
  EXPECT_FALSE(again.contains("/none/real") || again.contains("/corr/none"));
  EXPECT_THROW(again.read<double>("/corr/complex"), FormatError);
  EXPECT_THROW(again.read<std::complex<double>>("/corr/real"), FormatError);
  EXPECT_THROW(again.read<double>("/none"), FormatError);
  EXPECT_THROW(again.read_text("/corr/real"), FormatError);
}

TEST_F(Hdf5, BlocksAreWhereTheyBelong) {
  Hdf5File file = Hdf5File::create(path);
  file.create_dataset("/a", Hdf5Kind::complex, 32, {3, 4}, {1, 4});
  file.write_block<std::complex<double>>("/a", {1, 2}, {2, 2}, Complexes{{1, 1}, {2, 2}, {3, 3}, {4, 4}});
  EXPECT_THROW(file.write_block<double>("/b", {0}, {1}, std::vector<double>{1}), FormatError);
  EXPECT_THROW(file.write_block<std::complex<double>>("/a", {2, 3}, {2, 1}, Complexes(2)), InputError);
  EXPECT_THROW(file.write_block<std::complex<double>>("/a", {0, 0}, {1, 1}, Complexes(2)), InputError);
  EXPECT_THROW(file.write_block<std::complex<double>>("/a", {0}, {1}, Complexes(1)), InputError);
  file.commit();
  const Hdf5File again = Hdf5File::open(path);
  Complexes block(3);
  again.read_block<std::complex<double>>("/a", {0, 3}, {3, 1}, block);
  EXPECT_EQ(block, (Complexes{{0, 0}, {2, 2}, {4, 4}}));
  EXPECT_EQ(again.shape("/a").bits, 32);
}

TEST_F(Hdf5, PlainDatasetsAreWrittenPastTheLibrary) {
  std::vector<double> values(3 * 50000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / double(i + 1);
  std::vector<std::byte> bytes(8 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) store(bytes.data() + 8 * i, values[i], std::endian::little);
  const std::size_t half = bytes.size() / 2;
  {
    Hdf5File file = Hdf5File::create(path);
    const std::uint64_t begin = file.create_plain_dataset("/a/plain", Hdf5Kind::real, 64, {3, 50000});
    file.write_plain(begin + half, std::span(bytes).subspan(half));
    file.set_attribute("/a/plain", "between", std::int64_t(7));
    file.write<double>("/a/other", std::vector<double>{1, 2}, {2});
    file.write_plain(begin, std::span(bytes).first(half));
    file.commit();
  }
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.read<double>("/a/plain").values, values);
  EXPECT_EQ(file.read<double>("/a/other").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(file.attribute("/a/plain", "between"), Hdf5Attribute(std::int64_t(7)));
  EXPECT_THROW(Hdf5File::open(path).create_plain_dataset("/b", Hdf5Kind::real, 64, {3}), InputError);
  EXPECT_THROW(Hdf5File::open(path).write_plain(0, bytes), InputError);
}

TEST_F(Hdf5, NothingRemainsWithoutCommit) {
  {
    Hdf5File file = Hdf5File::create(path);
    file.write<double>("/a", std::vector<double>{1}, {1});
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_FALSE(std::filesystem::exists(path));
    file.close();
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THROW(file.write<double>("/b", std::vector<double>{1}, {1}), InputError);
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Hdf5, AFullDiskIsAnErrorAndLeavesNothing) {
  for (const rlim_t bytes : {rlim_t(0), rlim_t(500), rlim_t(3000), rlim_t(20000), rlim_t(300000)}) {
    Hdf5File file = Hdf5File::create(path);
    {
      const FileSizeLimit limit(bytes);
      EXPECT_THROW(
          {
            for (int i = 0; i < 100; ++i) {
              file.write<double>("/a" + std::to_string(i), std::vector<double>(1000), {1000});
              file.set_attribute("/a" + std::to_string(i), "text", std::string(1000, 'x'));
            }
            file.close();
          },
          InputError);
    }
    EXPECT_THROW(file.write<double>("/b", std::vector<double>(1), {1}), InputError);
    EXPECT_THROW(file.commit(), InputError);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Hdf5, AFullDiskEndsPlainDatasets) {
  {
    Hdf5File file = Hdf5File::create(path);
    const std::vector<std::byte> bytes(800000);
    const std::uint64_t begin = file.create_plain_dataset("/a", Hdf5Kind::real, 64, {100000});
    {
      const FileSizeLimit limit(100000);
      const std::string message = message_of<InputError>([&] { file.write_plain(begin, bytes); });
      EXPECT_TRUE(contains(message, "File too large")) << message;
    }
    EXPECT_THROW(file.write_plain(begin, bytes), InputError);
    EXPECT_THROW(file.close(), InputError);
    EXPECT_THROW(file.commit(), InputError);
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST_F(Hdf5, ThreadsOfOneWriteAllGiveTheReasonOfTheFirstError) {
  constexpr int n_threads = 4, piece = 1000;
  for (int trial = 0; trial < 20; ++trial) {
    Hdf5File file = Hdf5File::create(path);
    const std::vector<std::byte> bytes(piece);
    const std::uint64_t begin = file.create_plain_dataset("/a", Hdf5Kind::real, 64, {100000});
    const FileSizeLimit limit(100000);
    std::vector<std::string> messages(n_threads);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < n_threads; ++thread)
      threads.emplace_back([&, thread] {  // as in on_host_threads(): ends with what it throws
        messages[std::size_t(thread)] = message_of<InputError>([&] {
          for (int i = thread; i < 800; i += n_threads) file.write_plain(begin + std::uint64_t(i) * piece, bytes);
        });
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
    EXPECT_TRUE(contains(messages[0], "File too large")) << messages[0];
    EXPECT_TRUE(contains(message_of<InputError>([&] { file.write<double>("/b", std::vector<double>{1}, {1}); }),
                         "writing failed before"));
  }
}

TEST_F(Hdf5, AFullDiskSaysSo) {
  Hdf5File file = Hdf5File::create(path);
  const FileSizeLimit limit(100000);
  const std::string message =
      message_of<InputError>([&] { file.write<double>("/a", std::vector<double>(100000), {100000}); });
  EXPECT_TRUE(contains(message, "File too large")) << message;
}

/// Bytes that this process has read so far; 0 where the system does not say.
std::int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::int64_t bytes = 0;
  return file >> name >> bytes && name == "rchar:" ? bytes : 0;
}

TEST(Hdf5Together, EachRankComparesItsPartOfTheFile) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder shared(comm);
  const auto good = shared / "good.h5", bad = shared / "bad.h5";
  if (comm.rank() == 0) {
    Hdf5File file = Hdf5File::create(good);
    file.write<double>("/d", std::vector<double>(1 << 20, 0.5), {1 << 20});
    file.commit();
  }
  comm.barrier();
  const std::string bytes = bytes_of(good);
  const std::int64_t before = bytes_read();
  EXPECT_TRUE(Hdf5File::open(good, comm).contains("/d"));
  if (before > 0) {
    EXPECT_LT(bytes_read() - before, std::int64_t(bytes.size()) / comm.size() + (1 << 18));
  }
  comm.barrier();
  for (int part = 0; part < 5; ++part) {  // an error that one rank finds is thrown on all
    std::string flipped = bytes;
    char& byte = flipped[std::min(flipped.size() - 1, 512 + std::size_t(part) * flipped.size() / 4)];
    byte = char(byte ^ 1);
    write_bytes(comm, bad, flipped);
    EXPECT_TRUE(contains(message_of<FormatError>([&] { Hdf5File::open(bad, comm); }), "user block")) << part;
  }
  EXPECT_THROW(Hdf5File::open(shared / "absent.h5", comm), InputError);
  write_bytes(comm, bad, bytes.substr(0, 512));
  EXPECT_THROW(Hdf5File::open(bad, comm), FormatError);
}

TEST_F(Hdf5, FilesOpenedForReadingStayAsTheyAre) {
  Hdf5File::create(path).commit();
  Hdf5File file = Hdf5File::open(path);
  EXPECT_THROW(file.create_group("/a"), InputError);
  EXPECT_THROW(file.set_attribute("/", "a", 1.0), InputError);
  EXPECT_THROW(file.commit(), InputError);
  EXPECT_THROW(Hdf5File::create(folder / "no" / "file.h5"), InputError);
}

TEST_F(Hdf5, DatasetsThatPromiseMoreThanTheyHoldAreRefused) {
  Hdf5File file = Hdf5File::create(path);
  file.create_dataset("/a", Hdf5Kind::real, 64, {std::uint64_t(1) << 40, 1 << 20}, {1, 1024});
  file.commit();
  EXPECT_TRUE(
      contains(message_of<FormatError>([&] { Hdf5File::open(path).read<double>("/a"); }), "/a and holds 0 bytes"));
}

// Damaged files of other programs: no memory is allocated for numbers that are missing or of another kind.
TEST_F(Hdf5, DamagedShapesAreRefusedBeforeMemoryIsTaken) {
  const auto read_changed = [&](const std::string& bytes,
                                std::initializer_list<std::pair<std::string, std::string>> changes) {
    std::string bad = bytes;
    for (const auto& [from, to] : changes) {
      const std::size_t at = bad.find(from);
      EXPECT_NE(at, std::string::npos);
      if (at != std::string::npos) bad.replace(at, to.size(), to);
    }
    write_bytes(Comm::self(), folder / "bad", bad);
    const Hdf5File file = Hdf5File::open(folder / "bad");
    return message_of<FormatError>([&] { file.read<std::complex<double>>("/a"); });
  };
  Hdf5File sparse = Hdf5File::create(path);
  sparse.create_dataset("/a", Hdf5Kind::complex, 64, {std::uint64_t(1) << 40, 1 << 20}, {1, 1024});
  sparse.commit();
  const std::string biased = "\x34\xff\x03", unbiased = "\x34\xfe\x03";  // of an IEEE double's exponent
  EXPECT_TRUE(
      contains(read_changed(bytes_of(path).substr(512), {{biased, unbiased}, {biased, unbiased}}), "another kind"));

  const auto number = [](std::uint64_t n) { return std::string(reinterpret_cast<const char*>(&n), sizeof n); };
  Hdf5File whole = Hdf5File::create(path);
  whole.write<std::complex<double>>("/a", Complexes(7919), {7919});
  whole.commit();
  const std::uint64_t more = std::uint64_t(1) << 40;
  EXPECT_TRUE(contains(
      read_changed(bytes_of(path).substr(512), {{number(7919), number(more)}, {number(16 * 7919), number(16 * more)}}),
      "promises"));
}

TEST_F(Hdf5, BrokenFilesAreRefused) {
  EXPECT_THROW(Hdf5File::open(folder / "none"), InputError);
  EXPECT_THROW(Hdf5File::open(folder.path()), FormatError);
  Hdf5File file = Hdf5File::create(path);
  file.write<double>("/a", std::vector<double>(1000), {1000});
  file.commit();
  const std::string bytes = bytes_of(path);
  for (const std::size_t length :
       {std::size_t(0), std::size_t(7), std::size_t(8), std::size_t(100), bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(folder / "cut", std::ios::binary) << bytes.substr(0, length);
    EXPECT_THROW(Hdf5File::open(folder / "cut"), FormatError) << length;
  }
}

/// A gauge file with something wrong in it.
class GaugeHdf5 : public Hdf5 {
 protected:
  GaugeHdf5() : geometry(extent, {1, 1, 1, 1}, 0, 1), links(random_links(extent)) {}
  std::string refused(const std::filesystem::path& file) {
    return message_of<FormatError>([&] { read_whole(Comm::self(), file); });
  }
  /// Attributes and dataset as the library writes them, except for the shape and one attribute left out.
  std::string refused_make(const std::vector<std::uint64_t>& shape, const std::string& leave_out,
                           Hdf5Kind kind = Hdf5Kind::complex) {
    Hdf5File file = Hdf5File::create(folder / "made");
    file.create_dataset("/gauge/links", kind, 64, shape, std::vector<std::uint64_t>(shape.size(), 1));
    const std::vector<std::pair<std::string, Hdf5Attribute>> attributes{
        {"extent", std::vector<std::int64_t>{2, 2, 2, 2}},
        {"plaquette", 1.0},
        {"link_trace", 1.0},
        {"suma", "0"},
        {"sumb", "0"}};
    for (const auto& [name, value] : attributes) {
      if (name != leave_out) file.set_attribute("/gauge", name, value);
    }
    if (kind == Hdf5Kind::complex && shape == std::vector<std::uint64_t>{2, 2, 2, 2, 4, 3, 3}) {
      file.write_block<std::complex<double>>("/gauge/links", std::vector<std::uint64_t>(7), shape, Complexes(576));
    }
    file.commit();
    return refused(folder / "made");
  }
  Coord extent{4, 2, 2, 4};
  Geometry geometry;
  std::vector<double> links;
};

TEST_F(GaugeHdf5, CutsAndFlippedBitsAreRefused) {
  write_gauge_file(Comm::self(), path, geometry, links, {.format = GaugeFormat::hdf5});
  const std::string good = bytes_of(path);
  for (std::size_t length = 8; length < good.size(); length += 997) {
    write_bytes(Comm::self(), folder / "cut", good.substr(0, length));
    EXPECT_NE(refused(folder / "cut"), "") << length;
  }
  // The links themselves, wherever HDF5 has put them.
  const std::string number(reinterpret_cast<const char*>(&links[1000]), 8);
  const std::size_t at = good.find(number);
  ASSERT_NE(at, std::string::npos);
  std::string bad = good;
  bad[at] = char(bad[at] ^ 4);
  write_bytes(Comm::self(), folder / "flipped", bad);
  EXPECT_TRUE(contains(refused(folder / "flipped"), "in its user block and has"));
  // The same links in a file without the block, as other programs and older versions write them.
  write_bytes(Comm::self(), folder / "elsewhere", good.substr(512));
  EXPECT_EQ(read_whole(Comm::self(), folder / "elsewhere").links, links);
  write_bytes(Comm::self(), folder / "flipped", bad.substr(512));
  EXPECT_TRUE(contains(refused(folder / "flipped"), "records suma"));
}

// A flipped bit anywhere, user block included, is found before the HDF5 library sees the file.
TEST_F(GaugeHdf5, DamageIsNoticedBeforeTheLibraryOpensTheFile) {
  write_gauge_file(Comm::self(), path, geometry, links, {.format = GaugeFormat::hdf5});
  const std::string good = bytes_of(path);
  EXPECT_EQ(good.rfind("Kovariant HDF5 1\nlength " + std::to_string(good.size() - 512) + "\nsuma ", 0), 0u);
  for (std::size_t at = 0; at < good.size(); at += at < 4096 ? 37 : 1009) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 0x10);
    write_bytes(Comm::self(), folder / "bad", bad);
    EXPECT_TRUE(contains(message_of<FormatError>([&] { Hdf5File::open(folder / "bad"); }), "user block")) << at;
    EXPECT_NE(refused(folder / "bad"), "") << at;
  }
  write_bytes(Comm::self(), folder / "bad", good + "x");
  EXPECT_TRUE(contains(refused(folder / "bad"), "user block"));
}

// Number formats that no machine has, in a file without user block, are refused and not given to HDF5's conversions.
TEST_F(GaugeHdf5, UnusualNumbersFromElsewhereAreRefused) {
  write_gauge_file(Comm::self(), path, geometry, links, {.format = GaugeFormat::hdf5});
  const std::string good = bytes_of(path).substr(512);
  // An IEEE double in HDF5's words: class and version, bits, size 8, offset 0, precision 64, exponent at 52 of 11 bits,
  // mantissa at 0 of 52, bias 1023.
  const std::string real("\x08\0\0\0\0\0\x40\0\x34\x0b\0\x34\xff\x03\0\0", 16);
  int changed = 0;
  for (std::size_t at = good.find(real); at != std::string::npos; at = good.find(real, at + 1), ++changed) {
    for (const std::size_t byte : {4, 6, 8, 9, 11, 12}) {
      std::string bad = good;
      bad[at + byte] = char(bad[at + byte] ^ 1);
      write_bytes(Comm::self(), folder / "bad", bad);
      EXPECT_NE(refused(folder / "bad"), "") << at << " " << byte;
    }
  }
  EXPECT_GE(changed, 4) << "two attributes and two parts of complex numbers";
}

TEST_F(GaugeHdf5, OtherShapesAndMissingAttributesAreRefused) {
  EXPECT_TRUE(contains(refused_make({2, 2, 2, 2, 4, 3, 3}, ""), "records suma 00000000"));
  EXPECT_TRUE(contains(refused_make({2, 2, 2, 2, 4, 3, 2}, ""), "is not complex [t][z][y][x][4][3][3]"));
  EXPECT_TRUE(contains(refused_make({2, 2, 2, 2, 4, 3, 3}, "", Hdf5Kind::real), "is not complex"));
  EXPECT_TRUE(contains(refused_make({0, 2, 2, 2, 4, 3, 3}, ""), "extents 2 2 2 0"));
  EXPECT_TRUE(contains(refused_make({std::uint64_t(1) << 40, 2, 2, 2, 4, 3, 3}, ""), "the shape of its dataset"));
  EXPECT_TRUE(contains(refused_make({60000, 60000, 60000, 60000, 4, 3, 3}, ""), "more than 2^64"));
  EXPECT_TRUE(contains(refused_make({2, 2, 2, 4, 4, 3, 3}, ""), "and there are 0"));
  for (const char* name : {"extent", "plaquette", "link_trace", "suma", "sumb"}) {
    EXPECT_TRUE(contains(refused_make({2, 2, 2, 2, 4, 3, 3}, name), std::string("no attribute ") + name));
  }
  Hdf5File::create(folder / "empty").commit();
  EXPECT_TRUE(contains(refused(folder / "empty"), "without the dataset /gauge/links"));
}

TEST_F(GaugeHdf5, LinksAreComplexNumbersByTimeSlice) {
  write_gauge_file(Comm::self(), path, geometry, links,
                   {.format = GaugeFormat::hdf5, .plaquette = 0.5, .metadata = {{"beta", "6.0"}}});
  const Hdf5File file = Hdf5File::open(path);
  const auto array = file.read<std::complex<double>>("/gauge/links");
  EXPECT_EQ(array.extent, (std::vector<std::uint64_t>{4, 2, 2, 4, 4, 3, 3}));
  EXPECT_TRUE(std::equal(links.begin(), links.end(), reinterpret_cast<const double*>(array.values.data())));
  EXPECT_TRUE(file.attribute("/gauge", "extent") == Hdf5Attribute(std::vector<std::int64_t>{4, 2, 2, 4}));
  EXPECT_TRUE(file.attribute("/gauge", "plaquette") == Hdf5Attribute(0.5));
  EXPECT_TRUE(file.attribute("/gauge/metadata", "beta") == Hdf5Attribute("6.0"));
}

}  // namespace
}  // namespace kov::test
