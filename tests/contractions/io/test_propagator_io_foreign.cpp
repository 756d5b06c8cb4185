// SPDX-License-Identifier: MIT
//
// Propagators as other programs write them with QIO: one record in two orders, and USQCD's records of columns.
#include "kov/contractions/io/propagator_io.hpp"
#include "kov/contractions/io/propagator_usqcd.hpp"
#include "kov/core/io/byte_order.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/lime.hpp"
#include "kov/core/io/text.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/core/io/io_support.hpp"

#include <functional>
#include <numbers>

namespace kov::test {
namespace {

using reference::GlobalArray;
using reference::Number;
using Position = LimeWriter::Position;

const Coord extent{4, 2, 4, 4};

std::string element(const std::string& name, const std::string& content) {
  return "<" + name + ">" + content + "</" + name + ">";
}

/// One number of a site in our order: number(i, x) is the i-th that the file has at x.
using Numbers = std::function<Number(int i, const Coord& x)>;

struct Record {
  std::string datatype, precision, user_xml;
  int n;
  Numbers number;
  bool with_checksum = true;
  std::string record_type = "0";
};

/// A file with these records.
void write_qio(const std::filesystem::path& path, const std::string& file_xml, const std::vector<Record>& records) {
  OutputFile file(path);
  LimeWriter lime(file);
  lime.text("scidac-private-file-xml", Position::first,
            element("scidacFile", element("version", "1.1") + element("spacetime", "4") +
                                      element("dims", to_string(extent) + " ") + element("volfmt", "0")));
  lime.text("scidac-file-xml", Position::last, file_xml);
  for (const Record& record : records) {
    const bool single = record.precision == "F";
    const std::size_t word = single ? 4 : 8, site = 2 * word * std::size_t(record.n);
    lime.text("scidac-private-record-xml", Position::first,
              element("scidacRecord", element("recordtype", record.record_type) + element("datatype", record.datatype) +
                                          element("precision", record.precision) +
                                          element("typesize", std::to_string(site)) + element("datacount", "1")));
    lime.text("scidac-record-xml", Position::middle, record.user_xml);
    std::vector<std::byte> bytes(site * std::size_t(volume(extent)));
    SiteChecksum checksum(ChecksumKind::scidac, std::endian::big);
    for (std::int64_t x = 0; x < volume(extent); ++x) {
      std::byte* at = bytes.data() + std::size_t(x) * site;
      for (int i = 0; i < record.n; ++i) {
        const Number z = record.number(i, coordinate(x, extent));
        for (const double real : {z.real(), z.imag()}) {
          single ? store(at, float(real), std::endian::big) : store(at, real, std::endian::big);
          at += word;
        }
      }
      checksum.add(x, std::span(bytes).subspan(std::size_t(x) * site, site));
    }
    lime.begin("scidac-binary-data", record.with_checksum ? Position::middle : Position::last, bytes.size());
    lime.data(bytes);
    lime.end();
    if (record.with_checksum)
      lime.text("scidac-checksum", Position::last,
                element("scidacChecksum", element("version", "1.0") + element("suma", to_hex(checksum.values()[0])) +
                                              element("sumb", to_hex(checksum.values()[1]))));
  }
  file.commit();
}

class ForeignPropagator : public ::testing::Test {
 protected:
  void write(const std::string& file_xml, const std::vector<Record>& records) const {
    if (comm_.rank() == 0) write_qio(path_, file_xml, records);
    comm_.barrier();
  }
  double difference(const ReadPropagatorOptions& options = {}, PropagatorHeader* header = nullptr) const {
    const double found = max_difference(read_propagator<double>(Lattice(comm_, extent), path_, options, header), s_);
    comm_.barrier();
    return found;
  }
  template <class E>
  std::string refusal() const {
    const std::string text = message_of<E>([&] { read_propagator<double>(Lattice(comm_, extent), path_); });
    comm_.barrier();
    return text;
  }

  /// [sink spin][source spin][sink colour][source colour]
  Numbers chroma() const {
    return
        [this](int i, const Coord& x) { return s_.at(x)[12 * (3 * (i / 9 % 4) + i % 3) + 3 * (i / 36) + i / 3 % 3]; };
  }
  /// [sink colour][sink spin][source colour][source spin]
  Numbers qla() const {
    return
        [this](int i, const Coord& x) { return s_.at(x)[12 * (3 * (i % 4) + i / 4 % 3) + 3 * (i / 12 % 4) + i / 48]; };
  }
  Record column(int spin, int color, const std::string& tag = "usqcdPropInfo") const {
    const int k = 3 * spin + color;
    return {"USQCD_D3_DiracFermion", "D",
            element(tag, element("version", "1.0") + element("spin", std::to_string(spin)) +
                             element("color", std::to_string(color)) + element("info", "")),
            12, [this, k](int i, const Coord& x) { return s_.at(x)[12 * k + i]; }};
  }
  static Record source(int n) {
    return {n == 1 ? "USQCD_D3_Complex" : "USQCD_D3_DiracFermion", "D",
            element("usqcdSourceInfo", element("version", "1.0") + element("info", "")), n,
            [](int, const Coord&) { return Number(1, 0); }};
  }

  const Comm comm_ = Comm::world();
  const Folder folder_{comm_};
  const std::filesystem::path path_ = folder_ / "s.lime";
  GlobalArray s_ = reference::random_array(extent, 144, 3);
};

TEST_F(ForeignPropagator, OfChromaSaysWhereItsSourceIs) {
  const std::string xml =
      "<Propagator><ForwardProp><FermionAction><Mass>0.2</Mass><boundary>1 1 1 -1</boundary></FermionAction>"
      "</ForwardProp><PropSource><Source><t_srce>1 0 2 3</t_srce></Source></PropSource></Propagator>";
  write("<propagator/>", {{"Lattice", "D", xml, 144, chroma()}});
  PropagatorHeader found;
  EXPECT_EQ(difference({}, &found), 0);
  EXPECT_EQ(found.format, "SciDAC");
  EXPECT_EQ(found.labels.origin, (Coord{1, 0, 2, 3}));
  EXPECT_EQ(found.labels.boundary, BoundaryAngles::antiperiodic_in_time());
  EXPECT_EQ(std::get<double>(found.labels.others.at("mass")), 0.2);
  write("<propagator/>", {{"Lattice", "F", xml, 144, chroma()}});
  EXPECT_LT(difference({}, &found), 1e-6);
  EXPECT_EQ(found.bits, 32);
}

TEST_F(ForeignPropagator, OfAnAmbiguousTypeIsReadInTheOrderThatIsGiven) {
  write("<file/>", {{"QDP_D3_DiracPropagator", "D", "<r/>", 144, qla()}});
  EXPECT_TRUE(contains(refusal<InputError>(), "two orders"));
  EXPECT_EQ(difference({.order = PropagatorOrder::qla}), 0);
  EXPECT_GT(difference({.order = PropagatorOrder::qdpxx}), 0.1);
  write("<file/>", {{"QDP_D3_DiracPropagator", "D", "<r/>", 144, chroma()}});
  EXPECT_EQ(difference({.order = PropagatorOrder::qdpxx}), 0);
}

TEST_F(ForeignPropagator, OfUsqcdHasTwelveColumnsInAnyOrderBesideSources) {
  std::vector<Record> pairs, one_source{source(1)};
  for (int k = 12; k-- > 0;) {
    pairs.push_back(source(12));
    pairs.push_back(column(k / 3, k % 3));
    one_source.push_back(column(k % 4, k / 4, "usqcdInfo"));
  }
  for (const auto& records : {pairs, one_source}) {
    write(element("usqcdPropFile", element("version", "1.0")), records);
    PropagatorHeader found;
    EXPECT_EQ(difference({}, &found), 0);
    EXPECT_EQ(found.format, "USQCD");
    EXPECT_EQ(found.checksums.size(), 12u);
  }
  one_source.pop_back();
  write("<file/>", one_source);
  EXPECT_TRUE(contains(refusal<FormatError>(), "has 11 columns"));
  EXPECT_TRUE(contains(refusal<FormatError>(), "without the column of spin 0 and colour 0")) << refusal<FormatError>();
  one_source.push_back(column(0, 1));
  one_source.push_back(column(0, 1));
  write("<file/>", one_source);
  EXPECT_TRUE(contains(refusal<FormatError>(), "twice"));
  one_source.pop_back();
  one_source.back() = column(4, 0);
  write("<file/>", one_source);
  EXPECT_TRUE(contains(refusal<FormatError>(), "of spin 4"));
}

TEST_F(ForeignPropagator, OfUsqcdHasItsSourceWhereTheTypeOfTheFileSaysSo) {
  const auto typed = [](const std::string& name) {
    return element("usqcdPropFile", element("version", "1.0") + element("type", "USQCD_DiracFermion_" + name));
  };
  const auto source_refusal = [&](const std::string& type, const std::vector<Record>& records) {
    write(typed(type), records);
    EXPECT_EQ(difference(), 0) << "the propagator is read without its source";
    const std::string text =
        message_of<FormatError>([&] { read_propagator_source<double>(Lattice(comm_, extent), path_); });
    comm_.barrier();
    return text;
  };
  const auto expect_ones = [&](const std::string& type, const std::vector<Record>& records, bool all) {
    write(typed(type), records);
    GlobalArray ones(extent, 144);
    for (std::int64_t x = 0; x < volume(extent); ++x)
      for (std::size_t i = 0; i < 144; ++i) ones.at(coordinate(x, extent))[i] = all || i % 13 == 0;
    EXPECT_EQ(max_difference(read_propagator_source<double>(Lattice(comm_, extent), path_), ones), 0);
    comm_.barrier();
  };
  std::vector<Record> one{source(1)}, scalars, spinors, behind;
  for (int k = 0; k < 12; ++k) {
    one.push_back(column(k / 3, k % 3));
    for (auto* pairs : {&scalars, &spinors}) {
      pairs->push_back(source(pairs == &scalars ? 1 : 12));
      pairs->push_back(one.back());
    }
    behind.push_back(one.back());
    behind.push_back(source(12));
  }
  for (const char* name : {"USQCD_D_Complex", "USQCD_D3_Complex", "QLA_D_Complex", ""}) {  // as programs differ
    one[0].datatype = name;
    expect_ones("ScalarSource_TwelveSink", one, false);
  }
  EXPECT_EQ(detail::usqcd_source(std::make_shared<const InputFile>(path_)).parts.size(), 1u) << "read once";
  comm_.barrier();
  expect_ones("ScalarSource_Sink_Pairs", scalars, false);
  expect_ones("Source_Sink_Pairs", spinors, true);
  EXPECT_TRUE(contains(source_refusal("Else", one), "is of the type"));
  EXPECT_TRUE(contains(source_refusal("Source_Sink_Pairs", one), "source of 1 complex"));
  EXPECT_TRUE(contains(source_refusal("ScalarSource_Sink_Pairs", one),
                       "no source before the column of spin 0 and "
                       "colour 1"));
  EXPECT_TRUE(contains(source_refusal("ScalarSource_TwelveSink", scalars), "two sources"));
  EXPECT_TRUE(contains(source_refusal("Source_Sink_Pairs", behind),
                       "no source before the column of spin 0 and colour "
                       "0"));
  std::vector<Record> without(one.begin() + 1, one.end());
  EXPECT_TRUE(contains(source_refusal("ScalarSource_TwelveSink", without), "no source before"));
  spinors[4].precision = "F";
  EXPECT_TRUE(contains(source_refusal("Source_Sink_Pairs", spinors), "sources of 64 and of 32 bits"));
  spinors[4] = source(9);
  EXPECT_TRUE(contains(source_refusal("Source_Sink_Pairs", spinors), "has a source with 144 bytes"));
  one[0].record_type = "1";
  EXPECT_TRUE(contains(source_refusal("ScalarSource_TwelveSink", one), "on a part of the lattice"));
  one[4].precision = "F";
  write(typed("ScalarSource_TwelveSink"), one);
  EXPECT_TRUE(contains(refusal<FormatError>(), "the column of spin 1 and colour 0 with 96 bytes a site in 32 bits"));
}

TEST_F(ForeignPropagator, OfNumbersThatAreNoneOrAnotherSizeIsRefused) {
  const auto nan_there = [number = chroma()](int i, const Coord& x) {
    return i == 17 && x == Coord{3, 1, 2, 0} ? Number(0, std::nan("")) : number(i, x);
  };
  for (const bool with_checksum : {true, false}) {
    write("<file/>", {{"Lattice", "D", "<r/>", 144, nan_there, with_checksum}});
    EXPECT_TRUE(contains(refusal<FormatError>(), "3 1 2 0"));
  }
  write("<file/>", {{"Lattice", "D", "<r/>", 12, [](int, const Coord&) { return Number(1); }}});
  EXPECT_TRUE(contains(refusal<FormatError>(), "0 columns")) << refusal<FormatError>();
  write("<file/>", {{"Lattice", "D", "<r/>", 9, [](int, const Coord&) { return Number(1); }}});
  EXPECT_TRUE(contains(refusal<FormatError>(), "another field")) << refusal<FormatError>();
  const Record good{"Lattice", "D", "<r/>", 144, chroma()};
  write("<file/>", {good, good});
  EXPECT_TRUE(contains(refusal<FormatError>(), "2 records"));
  write("<file/>",
        {{"Lattice", "D", element("kovariantPropagator", element("info", "real kappa = small")), 144, chroma()}});
  EXPECT_TRUE(contains(refusal<FormatError>(), "small"));
}

}  // namespace
}  // namespace kov::test
