// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_hdf5.hpp"

#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"

#include <mutex>

namespace kov::detail {

namespace {

const std::string propagator_group = "/propagator", matrices = "/propagator/matrices",
                  label_group = "/propagator/labels", propagator_metadata = "/propagator/metadata";
constexpr const char* propagator_conventions =
    "S = M^-1 source without factors of kappa; matrices[t][z][y][x][sink spin][source spin][sink colour][source "
    "colour]; spins in DeGrand and Rossi's basis; boundary_angles: psi(x + L_mu) = e^{i angle_mu} psi(x); suma, sumb "
    "as SciDAC's over the sites' bytes in big-endian order";

Coord extent_of_matrices(const Hdf5Shape& shape, const std::string& name) {
  const auto& e = shape.extent;
  require<FormatError>(shape.kind == Hdf5Kind::complex && (shape.bits == 32 || shape.bits == 64) && e.size() == 8 &&
                           e[4] == 4 && e[5] == 4 && e[6] == 3 && e[7] == 3,
                       name, "has a dataset", matrices,
                       "that is not complex [t][z][y][x][4][4][3][3], so it holds no propagator");
  const auto fit = [](std::uint64_t n) { return n <= 65535 ? std::int64_t(n) : std::int64_t(0); };
  return checked_extent({fit(e[3]), fit(e[2]), fit(e[1]), fit(e[0])}, name, "the shape of its dataset " + matrices);
}

PropagatorLabels labels_of_file(const Hdf5File& file, const std::string& name) {
  PropagatorLabels labels;
  labels.source = required_attribute<std::string>(file, propagator_group, "source", name);
  const auto origin = required_attribute<std::vector<std::int64_t>>(file, propagator_group, "origin", name);
  const auto angles = required_attribute<std::vector<double>>(file, propagator_group, "boundary_angles", name);
  require<FormatError>(origin.size() == 4 && angles.size() == 4, name,
                       "has an attribute origin or boundary_angles without four numbers: it is damaged");
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require<FormatError>(origin[mu] >= 0 && origin[mu] <= 65535, name, "has the origin", origin[mu],
                         "in one direction, which is no site: it is damaged");
    labels.origin[mu] = int(origin[mu]);
    labels.boundary.angle[mu] = angles[mu];
  }
  if (!file.contains(label_group)) return labels;
  for (const std::string& label : file.attribute_names(label_group)) {
    const Hdf5Attribute value = file.attribute(label_group, label);
    if (const auto* text = std::get_if<std::string>(&value)) labels.others[label] = *text;
    if (const auto* real = std::get_if<double>(&value)) labels.others[label] = *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) labels.others[label] = *integer;
  }
  return labels;
}

/// Numbers that lie in the file as we write them.
ReadSites plain_reader(const SharedInput& file, std::uint64_t offset, int bits, const Coord& extent) {
  return [=](const Coord& start, std::int64_t, std::span<std::byte> bytes) {
    file->read(offset + std::uint64_t(lexicographic(start, extent)) * propagator_bytes(bits), bytes);
    swap_order(bytes, bits);
  };
}

/// Through the HDF5 library, one thread at a time and slowly: for files that other programs have packed anew.
ReadSites packed_reader(const std::shared_ptr<const Hdf5File>& file, int bits) {
  const auto one_at_a_time = std::make_shared<std::mutex>();
  return [=](const Coord& x, std::int64_t n, std::span<std::byte> bytes) {
    std::vector<double> numbers(std::size_t(n) * propagator_reals);
    {
      const std::lock_guard<std::mutex> guard(*one_at_a_time);
      file->read_block(matrices,
                       {std::uint64_t(x[3]), std::uint64_t(x[2]), std::uint64_t(x[1]), std::uint64_t(x[0]), 0, 0, 0, 0},
                       {1, 1, 1, std::uint64_t(n), 4, 4, 3, 3},
                       std::span(reinterpret_cast<std::complex<double>*>(numbers.data()), numbers.size() / 2));
    }
    encode_reals(numbers.data(), {.bits = bits}, std::int64_t(numbers.size()), bytes.data());
  };
}

PropagatorSource source_of_file(const SharedInput& input, const std::shared_ptr<const Hdf5File>& file) {
  const std::string name = input->name();
  require<FormatError>(file->contains(matrices), name, "is an HDF5 file without the dataset",
                       matrices + ", so it holds no propagator that Kovariant wrote");
  const Hdf5Shape shape = file->shape(matrices);
  PropagatorSource source;
  PropagatorHeader& header = source.header;
  header.format = "Kovariant HDF5";
  header.extent = extent_of_matrices(shape, name);
  header.bits = shape.bits;
  const double needed = double(volume(header.extent)) * double(propagator_bytes(header.bits));
  require<FormatError>(!shape.filtered || double(shape.stored_bytes) >= needed, name, "holds", matrices,
                       "compressed, which is not read: unpack it with `h5repack -f NONE -l CONTI` into another file");
  require_data(header.extent, propagator_bytes(header.bits), 0, shape.stored_bytes, DataLength::at_least,
               name + " (dataset " + matrices + ")");
  header.labels = labels_of_file(*file, name);
  header.has_origin = header.has_boundary = true;
  if (file->contains(propagator_metadata))
    for (const std::string& key : file->attribute_names(propagator_metadata)) {
      const Hdf5Attribute value = file->attribute(propagator_metadata, key);
      if (const auto* text = std::get_if<std::string>(&value)) header.metadata.emplace_back(key, *text);
    }
  PropagatorPart part{.elements = propagator_elements(PropagatorOrder::qdpxx), .read = {}};
  const std::vector<std::string> names = checksum_names(ChecksumKind::scidac);
  part.sums.emplace();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string text = required_attribute<std::string>(*file, propagator_group, names[i], name);
    const auto value = parse_hex(text);
    require<FormatError>(value.has_value(), name, "has the attribute", names[i], "=", in_quotes(text) + ":",
                         "not a 32-bit hexadecimal number; it is damaged, make or fetch it again");
    (*part.sums)[i] = *value;
  }
  header.checksums.push_back(sums_text(*part.sums));
  const auto offset = file->plain_data(matrices);
  part.read = offset ? plain_reader(input, *offset, header.bits, header.extent) : packed_reader(file, header.bits);
  source.parts.push_back(std::move(part));
  return source;
}

class Hdf5PropagatorSink : public PropagatorSink {
 public:
  Hdf5PropagatorSink(const std::filesystem::path& path, const PropagatorHeader& header)
      : file_(Hdf5File::create(path)), bits_(header.bits) {
    const auto e = [&](std::size_t mu) { return std::uint64_t(header.extent[mu]); };
    next_ = file_.create_plain_dataset(matrices, Hdf5Kind::complex, header.bits, {e(3), e(2), e(1), e(0), 4, 4, 3, 3});
    const PropagatorLabels& labels = header.labels;
    file_.set_attribute(propagator_group, "extent",
                        std::vector<std::int64_t>(header.extent.begin(), header.extent.end()));
    file_.set_attribute(propagator_group, "bits", std::int64_t(header.bits));
    file_.set_attribute(propagator_group, "conventions", propagator_conventions);
    file_.set_attribute(propagator_group, "source", labels.source);
    file_.set_attribute(propagator_group, "origin",
                        std::vector<std::int64_t>(labels.origin.begin(), labels.origin.end()));
    file_.set_attribute(propagator_group, "boundary_angles",
                        std::vector<double>(labels.boundary.angle.begin(), labels.boundary.angle.end()));
    file_.create_group(label_group);
    for (const auto& [name, value] : labels.others)
      std::visit([&](const auto& v) { file_.set_attribute(label_group, name, v); }, value);
    file_.create_group(propagator_metadata);
    for (const auto& [name, value] : header.metadata) file_.set_attribute(propagator_metadata, name, value);
  }

  void begin_slice(std::uint64_t bytes) override {
    begin_ = next_;
    next_ += bytes;
  }
  void write(std::uint64_t offset, std::span<std::byte> bytes) override {
    swap_order(bytes, bits_);
    file_.write_plain(begin_ + offset, bytes);
  }
  void finish(const std::array<std::uint32_t, 2>& sums) override {
    const std::vector<std::string> names = checksum_names(ChecksumKind::scidac);
    for (std::size_t i = 0; i < 2; ++i) file_.set_attribute(propagator_group, names[i], to_hex(sums[i]));
    file_.close();
  }
  const std::filesystem::path& temporary() const override { return file_.path(); }
  void commit() override { file_.commit(); }

 private:
  Hdf5File file_;
  int bits_;
  /// Where the present and the next slice begin in the file.
  std::uint64_t begin_ = 0, next_ = 0;
};

}  // namespace

PropagatorSource hdf5_propagator(const Comm& comm, const SharedInput& file) {
  const auto hdf5 = std::make_shared<const Hdf5File>(Hdf5File::open(file->path(), comm));
  PropagatorSource source;
  comm.agree([&] { source = source_of_file(file, hdf5); });
  return source;
}

std::unique_ptr<PropagatorSink> hdf5_propagator_sink(const std::filesystem::path& path,
                                                     const PropagatorHeader& header) {
  return std::make_unique<Hdf5PropagatorSink>(path, header);
}

}  // namespace kov::detail
