// SPDX-License-Identifier: MIT
//
// Propagators in our own files: what is written is read again, and nothing else is.
#include "kov/contractions/io/propagator_file.hpp"
#include "kov/contractions/io/propagator_io.hpp"
#include "kov/contractions/io/spinor_io.hpp"
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/contractions/published_propagator.hpp"
#include "tests/core/io/io_support.hpp"

#include <numbers>

namespace kov::test {
namespace {

using reference::GlobalArray;

constexpr PropagatorFormat formats[] = {PropagatorFormat::hdf5, PropagatorFormat::scidac};

std::string name_of(PropagatorFormat format) { return format == PropagatorFormat::hdf5 ? "s.h5" : "s.lime"; }
bool is_built(PropagatorFormat format) { return format != PropagatorFormat::hdf5 || has_hdf5(); }

PropagatorLabels some_labels() {
  return {.source = "wall",
          .origin = {1, 0, 3, 6},
          .boundary = {{0, 0.25, 0, std::numbers::pi}},
          .others = {{"kappa", 0.1 + 0.2}, {"hits", std::int64_t(-3)}, {"source_smearing", "F(p2) <= 1 & more"}}};
}

template <class T>
Propagator<T> random_propagator(const Lattice& lattice, std::uint64_t seed = 5) {
  Propagator<T> s = make_propagator<T>(lattice, reference::random_array(lattice.extent(), 144, seed));
  s.labels = some_labels();
  return s;
}

template <class T>
void expect_same_on_any_decomposition(PropagatorFormat format) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 2, 8};
  const Propagator<T> s = random_propagator<T>(Lattice(comm, extent));
  const GlobalArray expected = reference::gather(s);
  for (const Coord& grid : grids(extent, comm.size())) {
    const Lattice lattice(comm, extent, {.grid = grid});
    const PropagatorHeader written =
        write_propagator(random_propagator<T>(lattice), folder / name_of(format), {.format = format});
    comm.barrier();
    EXPECT_EQ(folder.files(), 1u);
    PropagatorHeader found;
    const Propagator<T> read = read_propagator<T>(Lattice(comm, extent), folder / name_of(format), {}, &found);
    EXPECT_EQ(max_difference(read, expected), 0) << to_string(grid);
    EXPECT_EQ(found.checksums, written.checksums);
    comm.barrier();
  }
}

TEST(PropagatorFile, KeepsEveryBitOnAnyDecomposition) {
  for (const PropagatorFormat format : formats) {
    if (!is_built(format)) continue;
    expect_same_on_any_decomposition<double>(format);
    expect_same_on_any_decomposition<float>(format);
  }
}

TEST(PropagatorFile, LabelsAndMetadataComeBackWithTheirTypes) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 8});
  const std::vector<std::pair<std::string, std::string>> metadata{
      {"plaquette", "0.5"}, {"source", "a = b & <c>"}, {"version", "1 "}, {"without", ""}};
  std::vector<std::string> checksums;
  for (const PropagatorFormat format : formats) {
    if (!is_built(format)) continue;
    write_propagator(random_propagator<double>(lattice), folder / name_of(format),
                     {.format = format, .metadata = metadata});
    const PropagatorHeader found = read_propagator_header(comm, folder / name_of(format));
    const PropagatorLabels expected = some_labels();
    EXPECT_EQ(found.extent, lattice.extent());
    EXPECT_EQ(found.bits, 64);
    EXPECT_EQ(found.labels.source, expected.source);
    EXPECT_EQ(found.labels.origin, expected.origin);
    EXPECT_EQ(found.labels.boundary, expected.boundary);
    EXPECT_EQ(found.labels.others, expected.others);
    EXPECT_EQ(found.metadata, metadata);
    ASSERT_EQ(found.checksums.size(), 1u);
    checksums.push_back(found.checksums[0]);
  }
  for (const std::string& sums : checksums) EXPECT_EQ(sums, checksums[0]) << "the same numbers in the same order";
}

TEST(PropagatorFile, AnEmptyValueAtTheEndOfLabelsIsRead) {
  PropagatorHeader found;
  detail::parse_label_lines("metadata plaquette = 0.5\nmetadata revision =", "file", found);
  EXPECT_EQ(found.metadata, (std::vector<std::pair<std::string, std::string>>{{"plaquette", "0.5"}, {"revision", ""}}));
  EXPECT_TRUE(contains(message_of<FormatError>([&] { detail::parse_label_lines("metadata a", "file", found); }),
                       "TYPE NAME = VALUE"));
}

TEST(PropagatorFile, ThirtyTwoBitsAreRoundedToNearest) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 4});
  const auto s = random_propagator<double>(lattice);
  GlobalArray rounded = reference::gather(s);
  for (reference::Number& z : rounded.data) z = {float(z.real()), float(z.imag())};
  for (const PropagatorFormat format : formats) {
    if (!is_built(format)) continue;
    const auto path = folder / name_of(format);
    EXPECT_EQ(write_propagator(s, path, {.format = format, .bits = 32}).bits, 32);
    EXPECT_EQ(max_difference(read_propagator<double>(lattice, path), rounded), 0);
    EXPECT_EQ(max_difference(read_propagator<float>(lattice, path), rounded), 0);
    EXPECT_LT(std::filesystem::file_size(path), 256u * 1152u + 20000u);
  }
}

/// The bytes of one number.
std::string stored(double value, PropagatorFormat format) {
  std::array<std::byte, 8> bytes;
  store(bytes.data(), value, format == PropagatorFormat::hdf5 ? std::endian::little : std::endian::big);
  return {reinterpret_cast<const char*>(bytes.data()), 8};
}

TEST(PropagatorFile, DamagedAndForeignOnesAreRefused) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 4, 8};
  const Lattice lattice(comm, extent);
  const auto s = random_propagator<double>(lattice);
  const GlobalArray numbers = reference::gather(s);
  const auto bad = folder / "bad";
  const auto refusal = [&](const std::filesystem::path& path) {
    return message_of<FormatError>([&] { read_propagator<double>(lattice, path); });
  };
  for (const PropagatorFormat format : formats) {
    if (!is_built(format)) continue;
    const auto good = folder / name_of(format);
    write_propagator(s, good, {.format = format});
    comm.barrier();
    const std::string bytes = bytes_of(good);
    std::string flipped = bytes;
    const std::size_t at = bytes.find(stored(numbers.at({1, 2, 3, 5})[4].real(), format));
    ASSERT_NE(at, std::string::npos);
    flipped[at + 3] = char(flipped[at + 3] ^ 4);
    write_bytes(comm, bad, flipped);
    EXPECT_TRUE(contains(refusal(bad), "damaged")) << refusal(bad);
    for (const double part : {0.02, 0.5, 0.999}) {
      write_bytes(comm, bad, bytes.substr(0, std::size_t(part * double(bytes.size()))));
      EXPECT_NE(refusal(bad), "") << part;
    }
    EXPECT_TRUE(contains(message_of<InputError>([&] {
                           read_propagator<double>(Lattice(comm, {4, 4, 4, 4}), good);
                         }),
                         "4 4 4 8"));
  }
  write_bytes(comm, bad, "no file of ours");
  EXPECT_TRUE(contains(refusal(bad), "neither HDF5 nor SciDAC"));
  message_of<InputError>([&] { read_propagator<double>(lattice, folder / "absent"); });
  const auto gauge = gauge_field(lattice, reference::random_su3(extent, 4, 1));
  write_gauge(gauge, folder / "links.lime");
  EXPECT_TRUE(contains(refusal(folder / "links.lime"), "holds no propagator")) << refusal(folder / "links.lime");
  if (!has_hdf5()) return;
  write_gauge(gauge, folder / "links.h5", {.format = GaugeFormat::hdf5});
  EXPECT_TRUE(contains(refusal(folder / "links.h5"), "holds no propagator")) << refusal(folder / "links.h5");
}

TEST(PropagatorFile, ACompressedOneIsNotCalledTruncated) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  if (comm.rank() == 0) write_compressed(folder / "s.h5", "/propagator/matrices", {8, 4, 4, 4, 4, 4, 3, 3});
  comm.barrier();
  const std::string message = message_of<FormatError>([&] { read_propagator_header(comm, folder / "s.h5"); });
  EXPECT_TRUE(contains(message, "h5repack")) << message;
}

TEST(PropagatorFile, WhatCannotBeWrittenLeavesNoFile) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 4});
  GlobalArray numbers = reference::random_array(lattice.extent(), 144, 1);
  numbers.at({3, 1, 2, 3})[77] = 1e100;
  const auto large = make_propagator<double>(lattice, numbers);
  numbers.at({1, 0, 2, 2})[3] = std::numeric_limits<double>::quiet_NaN();
  const auto damaged = make_propagator<double>(lattice, numbers);
  for (const PropagatorFormat format : formats) {
    if (!is_built(format)) continue;
    const auto path = folder / name_of(format);
    const auto refusal = [&](const Propagator<double>& s, const WritePropagatorOptions& options) {
      return message_of<InputError>([&] { write_propagator(s, path, options); });
    };
    EXPECT_TRUE(contains(refusal(damaged, {.format = format}), "at site 1 0 2 2"));
    EXPECT_TRUE(contains(refusal(large, {.format = format, .bits = 32}), "at site 3 1 2 3"));
    EXPECT_TRUE(contains(refusal(large, {.format = format, .bits = 16}), "32 or 64"));
    EXPECT_TRUE(contains(refusal(large, {.format = format, .metadata = {{"a", "b\nc"}}}), "line ends"));
    for (const char* name : {"a =", "= a", "a = b", ""})
      EXPECT_TRUE(contains(refusal(large, {.format = format, .metadata = {{name, "b"}}}), "is no name")) << name;
    Propagator<double> labelled = large.alias();
    labelled.labels.others["kappa"] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(contains(refusal(labelled, {.format = format}), "the label kappa"));
    comm.barrier();  // rank 0 has removed what it began
    EXPECT_EQ(folder.files(), 0u);
    comm.barrier();
    write_propagator(large, path, {.format = format});
    EXPECT_TRUE(contains(message_of<FormatError>([&] { read_propagator<float>(lattice, path); }), "3 1 2 3"));
    EXPECT_THROW(write_propagator(large, folder / "absent" / "s", {.format = format}), Error);
    comm.barrier();
    if (comm.rank() == 0) std::filesystem::remove(path);
    comm.barrier();
  }
  EXPECT_TRUE(contains(message_of<InputError>([] { propagator_format("nersc"); }), "hdf5 or scidac"));
}

template <class T>
Propagator<T> with_column_alone(const Propagator<T>& s, int k) {
  Propagator<T> alone = s.like("column alone");
  copy(s.column(k), alone.column(k));
  return alone;
}

template <class T>
void expect_spinor_comes_back() {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 8});
  const auto s = random_propagator<T>(lattice);
  write_spinor(s.column(7), folder / "column", {{"iterations", "12"}});
  const Propagator<T> read = s.like("read");
  const PropagatorHeader found = read_spinor(read.column(7), folder / "column");
  EXPECT_EQ(max_difference(read.columns(), reference::gather(with_column_alone(s, 7))), 0);
  EXPECT_EQ(found.metadata, (std::vector<std::pair<std::string, std::string>>{{"iterations", "12"}}));
  EXPECT_EQ(found.bits, int(8 * sizeof(T)));
  EXPECT_EQ(read_spinor_header(comm, folder / "column").checksums, found.checksums);
  EXPECT_THROW(read_propagator<T>(lattice, folder / "column"), FormatError);
  EXPECT_THROW(write_spinor(s.columns(), folder / "all"), InputError);
  write_propagator(s, folder / "all", {.format = PropagatorFormat::scidac});
  EXPECT_THROW(read_spinor(read.column(7), folder / "all"), FormatError);
}

TEST(PropagatorFile, OfOneColumnKeepsEveryBit) {
  expect_spinor_comes_back<double>();
  expect_spinor_comes_back<float>();
}

/// A random number times 1 in spin and colour at each site.
GlobalArray scalar_source(const Coord& extent) {
  GlobalArray source = reference::random_array(extent, 144, 9);
  for (std::int64_t x = 0; x < volume(extent); ++x) {
    const auto site = source.at(coordinate(x, extent));
    for (std::size_t i = 1; i < 144; ++i) site[i] = i % 13 == 0 ? site[0] : 0;
  }
  return source;
}

template <class T>
void expect_usqcd_on_any_decomposition(PropagatorFormat format) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 2, 8};
  const GlobalArray numbers =
      format == PropagatorFormat::usqcd ? scalar_source(extent) : reference::random_array(extent, 144, 2);
  const Propagator<T> s = random_propagator<T>(Lattice(comm, extent)),
                      source = make_propagator<T>(Lattice(comm, extent), numbers);
  const GlobalArray expected = reference::gather(s), expected_source = reference::gather(source);
  const std::vector<std::pair<std::string, std::string>> metadata{
      {"plaquette", "0.5"}, {"a & <b>", "</info> \"c\" & 'd' &amp; ]]>"}};  // which XML has to escape
  std::string bytes;
  for (const Coord& grid : grids(extent, comm.size())) {
    const Lattice lattice(comm, extent, {.grid = grid});
    const PropagatorHeader written =
        write_propagator(random_propagator<T>(lattice), make_propagator<T>(lattice, numbers), folder / "s.lime",
                         {.format = format, .bits = int(8 * sizeof(T)), .metadata = metadata});
    comm.barrier();
    EXPECT_EQ(folder.files(), 1u);
    if (bytes.empty()) bytes = bytes_of(folder / "s.lime");
    EXPECT_TRUE(bytes_of(folder / "s.lime") == bytes) << "the same file on every grid, also on " << to_string(grid);
    PropagatorHeader found;
    const Propagator<T> read = read_propagator<T>(Lattice(comm, extent), folder / "s.lime", {}, &found);
    EXPECT_EQ(max_difference(read, expected), 0) << to_string(grid);
    EXPECT_EQ(max_difference(read_propagator_source<T>(Lattice(comm, extent), folder / "s.lime"), expected_source), 0);
    EXPECT_EQ(found.format, "USQCD");
    EXPECT_EQ(found.bits, int(8 * sizeof(T)));
    EXPECT_EQ(found.checksums, written.checksums);
    EXPECT_EQ(found.checksums.size(), 12u);
    EXPECT_EQ(found.labels.others, some_labels().others);
    EXPECT_EQ(found.labels.origin, some_labels().origin);
    EXPECT_EQ(found.metadata, metadata);
    comm.barrier();
  }
}

TEST(UsqcdPropagatorFile, KeepsEveryBitOfPropagatorAndSourceOnAnyDecomposition) {
  for (const PropagatorFormat format : {PropagatorFormat::usqcd, PropagatorFormat::usqcd_pairs}) {
    expect_usqcd_on_any_decomposition<double>(format);
    expect_usqcd_on_any_decomposition<float>(format);
  }
}

// USQCD's paper: the source, then spins and colours with colour faster; or a source before each.
TEST(UsqcdPropagatorFile, HasTheRecordsOfTheStandardInTheirOrder) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 2, 4, 4};
  const Lattice lattice(comm, extent);
  const Propagator<double> s = random_propagator<double>(lattice),
                           source = make_propagator<double>(lattice, scalar_source(extent));
  const GlobalArray numbers[] = {reference::gather(source), reference::gather(s)};
  for (const bool pairs : {false, true}) {
    const PropagatorFormat format = propagator_format(pairs ? "usqcd-pairs" : "usqcd");
    write_propagator(s, source, folder / "s.lime", {.format = format});
    comm.barrier();
    const InputFile file(folder / "s.lime");
    std::vector<std::string> types, users, kinds;
    std::vector<LimeRecord> data;
    for (const LimeRecord& record : lime_records(file)) {
      types.push_back(record.type);
      if (record.type == "scidac-file-xml" || record.type == "scidac-record-xml")
        users.push_back(lime_text(file, record));
      if (record.type == "scidac-private-record-xml") kinds.push_back(lime_text(file, record));
      if (record.type == "scidac-binary-data") data.push_back(record);
    }
    const std::size_t n = pairs ? 24 : 13;
    ASSERT_EQ(types.size(), 2 + 4 * n);
    ASSERT_EQ(users.size(), 1 + n);
    ASSERT_EQ(data.size(), n);
    EXPECT_TRUE(contains(users[0], pairs ? "<type>USQCD_DiracFermion_Source_Sink_Pairs</type>"
                                         : "<type>USQCD_DiracFermion_ScalarSource_TwelveSink</type>"));
    for (std::size_t r = 0; r < n; ++r) {
      const bool is_source = pairs ? r % 2 == 0 : r == 0;
      const std::size_t column = pairs ? r / 2 : r - std::size_t(!is_source), width = pairs || !is_source ? 12 : 1;
      EXPECT_EQ(std::vector(types.begin() + 2 + 4 * std::ptrdiff_t(r), types.begin() + 6 + 4 * std::ptrdiff_t(r)),
                (std::vector<std::string>{"scidac-private-record-xml", "scidac-record-xml", "scidac-binary-data",
                                          "scidac-checksum"}));
      EXPECT_TRUE(contains(kinds[r], width == 1 ? "<datatype>USQCD_D_Complex</datatype>"
                                                : "<datatype>USQCD_D3_DiracFermion</datatype>"));
      EXPECT_TRUE(contains(users[1 + r], is_source ? "<usqcdSourceInfo><version>1.0</version>"
                                                   : "<usqcdPropInfo><version>1.0</version><spin>" +
                                                         std::to_string(column / 3) + "</spin><color>" +
                                                         std::to_string(column % 3) + "</color>"));
      std::string expected;
      for (std::int64_t x = 0; x < volume(extent); ++x)
        for (std::size_t i = 0; i < width; ++i) {
          const reference::Number z = numbers[is_source ? 0 : 1].at(coordinate(x, extent))[12 * column + i];
          expected += stored(z.real(), PropagatorFormat::scidac) + stored(z.imag(), PropagatorFormat::scidac);
        }
      EXPECT_TRUE(file.text(data[r].data_offset, data[r].length) == expected) << "record " << r;
    }
    comm.barrier();
  }
}

TEST(UsqcdPropagatorFile, WhatCannotBeWrittenLeavesNoFile) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 4});
  GlobalArray numbers = scalar_source(lattice.extent());
  const auto scalar = make_propagator<double>(lattice, numbers);
  numbers.at({2, 1, 3, 1})[26] += 1e-3;
  const auto other = make_propagator<double>(lattice, numbers);
  GlobalArray damaged = reference::random_array(lattice.extent(), 144, 1);
  damaged.at({3, 1, 2, 3})[77] = 1e100;
  const auto large = make_propagator<double>(lattice, damaged);
  const auto path = folder / "s.lime";
  const auto refusal = [&](const Propagator<double>& s, const Propagator<double>& source, PropagatorFormat format) {
    return message_of<InputError>([&] { write_propagator(s, source, path, {.format = format, .bits = 32}); });
  };
  const std::string text = refusal(other, other, PropagatorFormat::usqcd);
  EXPECT_TRUE(contains(text, "2 1 3 1") && contains(text, "usqcd-pairs")) << text;
  EXPECT_TRUE(contains(refusal(large, scalar, PropagatorFormat::usqcd), "at site 3 1 2 3"));
  EXPECT_TRUE(contains(refusal(scalar, large, PropagatorFormat::usqcd_pairs), "at site 3 1 2 3"));
  EXPECT_TRUE(contains(refusal(scalar, scalar, PropagatorFormat::scidac), "leave the source out"));
  EXPECT_TRUE(contains(
      message_of<InputError>([&] { write_propagator(scalar, path, {.format = PropagatorFormat::usqcd}); }), "source"));
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
  write_propagator(scalar, path, {.format = PropagatorFormat::scidac});
  EXPECT_TRUE(contains(message_of<FormatError>([&] { read_propagator_source<double>(lattice, path); }),
                       "those that have sources"));
  comm.barrier();
}

// The published file is what Chroma's library has in memory, element by element, which it also writes to SciDAC files.
TEST(PropagatorFile, HasTheBytesOfAPublishedOneInTheOrderOfChroma) {
  KOV_SKIP_WITHOUT_DATA("lalibe/test_propagator_t4.h5");
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED against the published propagator: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 8});
  const auto file = data_folder() / "lalibe" / "test_propagator_t4.h5";
  const std::string dataset = "sh_sig2p0_n5/PS_dn_4";
  const GlobalArray published = published_propagator(file, dataset, lattice.extent());
  const auto s = make_propagator<double>(lattice, published);
  std::string expected;
  for (const reference::Number& z : read_arrays(file, dataset, published.data.size()))
    expected += stored(z.real(), PropagatorFormat::scidac) + stored(z.imag(), PropagatorFormat::scidac);
  write_propagator(s, folder / "s.lime", {.format = PropagatorFormat::scidac});
  comm.barrier();
  const InputFile written(folder / "s.lime");
  for (const LimeRecord& record : lime_records(written)) {
    if (record.type != "scidac-binary-data") continue;
    EXPECT_TRUE(written.text(record.data_offset, record.length) == expected) << "byte for byte";
  }
  write_propagator(s, folder / "s.h5");
  EXPECT_EQ(max_difference(read_propagator<double>(lattice, folder / "s.h5"), published), 0);
}

}  // namespace
}  // namespace kov::test
