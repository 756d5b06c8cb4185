// SPDX-License-Identifier: MIT
#include "kov/core/io/gauge/gauge_hdf5.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/io/user_block.hpp"

#include <algorithm>
#include <array>

namespace kov::detail {

namespace {

const std::string group = "/gauge", dataset = "/gauge/links", metadata_group = "/gauge/metadata";
constexpr const char* conventions =
    "U_mu(x) connects x to x + mu; mu = 0..3 is x, y, z, t; links without boundary phases; plaquette = mean Re tr P / "
    "3, link_trace = mean "
    "Re tr U / 3; suma, sumb as SciDAC's over the sites' bytes in big-endian order";

using Extent = std::vector<std::uint64_t>;

std::span<std::complex<double>> as_complex(std::span<double> reals) {
  return {reinterpret_cast<std::complex<double>*>(reals.data()), reals.size() / 2};
}

/// The extents (x y z t) from the dataset's shape.
Coord extent_of_links(const Hdf5Shape& shape, const std::string& name) {
  const Extent& e = shape.extent;
  require<FormatError>(shape.kind == Hdf5Kind::complex && (shape.bits == 32 || shape.bits == 64) && e.size() == 7 &&
                           e[4] == 4 && e[5] == 3 && e[6] == 3,
                       name, "has a dataset", dataset,
                       "that is not complex [t][z][y][x][4][3][3], so it holds no gauge configuration");
  // What does not fit becomes 0, which checked_extent() refuses.
  const auto fit = [](std::uint64_t n) { return n <= 65535 ? std::int64_t(n) : std::int64_t(0); };
  return checked_extent({fit(e[3]), fit(e[2]), fit(e[1]), fit(e[0])}, name, "the shape of its dataset " + dataset);
}

std::string metadata_text(const Hdf5Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return print_real(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return "(a list)";
}

/// Reads through the HDF5 library, on one thread and slowly: for chunked files, which older versions wrote, and
/// compressed ones.
OpenBox library_reader(const std::shared_ptr<const Hdf5File>& file, const Coord& extent, int bits) {
  const auto read_box = [file](const Coord& origin, const Coord& box, std::span<double> links) {
    const std::int64_t sites = volume(box) / box[3];
    for (int t = 0; t < box[3]; ++t) {
      const std::span<double> slice =
          links.subspan(std::size_t(t * sites * reals_per_site), std::size_t(sites * reals_per_site));
      const auto at = [](int a, int b = 0) { return std::uint64_t(a + b); };
      file->read_block(dataset, {at(origin[3], t), at(origin[2]), at(origin[1]), at(origin[0]), 0, 0, 0},
                       {1, at(box[2]), at(box[1]), at(box[0]), 4, 3, 3}, as_complex(slice));
    }
  };
  return memory_reader(read_box, {.bits = bits, .order = std::endian::big}, extent);
}

}  // namespace

bool is_hdf5(const InputFile& file) { return file.text(0, 8) == "\x89HDF\r\n\x1a\n" || has_user_block(file); }

GaugeSource hdf5_source(const SharedFile& input, const std::shared_ptr<const Hdf5File>& file) {
  const std::string name = input->name();
  require<FormatError>(file->contains(dataset), name, "is an HDF5 file without the dataset",
                       dataset + ", so it holds no gauge configuration that Kovariant wrote");
  const Hdf5Shape shape = file->shape(dataset);

  GaugeSource source;
  GaugeHeader& header = source.header;
  header.format = "Kovariant HDF5";
  header.extent = extent_of_links(shape, name);
  header.bits = shape.bits;
  header.big_endian = false;
  require_data(header.extent, SiteFormat{.bits = shape.bits}.bytes(), 0, shape.stored_bytes, DataLength::at_least,
               name + " (dataset " + dataset + ")");
  const auto extent = required_attribute<std::vector<std::int64_t>>(*file, group, "extent", name);
  require<FormatError>(std::equal(extent.begin(), extent.end(), header.extent.begin(), header.extent.end()), name,
                       "contradicts itself: the attribute extent of", group, "is not",
                       to_string(header.extent) + ", the shape of", dataset, "; it is damaged, fetch it again");
  header.plaquette = required_attribute<double>(*file, group, "plaquette", name);
  header.link_trace = required_attribute<double>(*file, group, "link_trace", name);
  header.recorded_tolerance = shape.bits == 32 ? 1e-6 : 1e-11;
  source.kind = ChecksumKind::scidac;
  const std::vector<std::string> names = checksum_names(source.kind);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string text = required_attribute<std::string>(*file, group, names[i], name);
    const auto value = parse_hex(text);
    require<FormatError>(value.has_value(), name, "has the attribute", names[i], "=", in_quotes(text) + ":",
                         "not a 32-bit hexadecimal number; it is damaged, fetch it again");
    source.expected[i] = *value;
    header.checksums.emplace_back(names[i], to_hex(*value));
  }
  for (const std::string& object : {group, metadata_group}) {
    if (!file->contains(object)) continue;
    for (const std::string& attribute : file->attribute_names(object)) {
      if (attribute != "extent")
        header.metadata.emplace_back(attribute, metadata_text(file->attribute(object, attribute)));
    }
  }
  const SiteFormat stored{.bits = shape.bits, .order = std::endian::little};
  const auto offset = file->plain_data(dataset);
  source.open_box = offset ? lexicographic_reader(input, *offset, stored, header.extent, std::endian::big)
                           : library_reader(file, header.extent, shape.bits);
  return source;
}

namespace {

class Hdf5Sink : public GaugeSink {
 public:
  Hdf5Sink(const std::filesystem::path& path, const Coord& extent, const WriteOptions& options)
      : file_(Hdf5File::create(path)),
        extent_(extent),
        format_{.bits = options.bits, .order = std::endian::big},
        checksum_(ChecksumKind::scidac, std::endian::big) {
    const auto e = [&](int mu) { return std::uint64_t(extent[mu]); };
    data_ = file_.create_plain_dataset(dataset, Hdf5Kind::complex, options.bits, {e(3), e(2), e(1), e(0), 4, 3, 3});
    file_.set_attribute(group, "extent", std::vector<std::int64_t>(extent.begin(), extent.end()));
    file_.set_attribute(group, "bits", std::int64_t(options.bits));
    file_.set_attribute(group, "plaquette", options.plaquette);
    file_.set_attribute(group, "link_trace", options.link_trace);
    file_.set_attribute(group, "conventions", conventions);
    file_.set_attribute(group, "date", date(options));
    file_.create_group(metadata_group);
    for (const auto& [key, value] : options.metadata) file_.set_attribute(metadata_group, key, value);
  }

  void slice(int t, std::span<const double> links) override {
    const std::int64_t first = lexicographic({0, 0, 0, t}, extent_);
    const std::uint64_t begin = data_ + std::uint64_t(first) * format_.bytes();
    encode_slice(links, first, format_, checksum_, [&](std::uint64_t offset, std::span<std::byte> bytes) {
      swap_order(bytes, format_.bits);
      file_.write_plain(begin + offset, bytes);
    });
  }
  void finish() override {
    const std::vector<std::string> names = checksum_names(ChecksumKind::scidac);
    for (std::size_t i = 0; i < 2; ++i) file_.set_attribute(group, names[i], to_hex(checksum_.values()[i]));
    file_.close();
  }
  const std::filesystem::path& temporary() const override { return file_.path(); }
  void commit() override { file_.commit(); }

 private:
  Hdf5File file_;
  Coord extent_;
  SiteFormat format_;
  SiteChecksum checksum_;
  /// Where the links begin in the file.
  std::uint64_t data_ = 0;
};

}  // namespace

std::unique_ptr<GaugeSink> hdf5_sink(const std::filesystem::path& path, const Coord& extent,
                                     const WriteOptions& options) {
  return std::make_unique<Hdf5Sink>(path, extent, options);
}

}  // namespace kov::detail
