// SPDX-License-Identifier: MIT
#include "kov/stencil/io/transformation_io.hpp"

#include "kov/core/field/site_map.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/slice_gather.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kov {

namespace {

constexpr std::size_t reals = 18;
constexpr double su3_limit = 1e-4;
const std::string group = "/transformation", dataset = "/transformation/matrices";

std::span<const std::complex<double>> as_complex(std::span<const double> values) {
  return {reinterpret_cast<const std::complex<double>*>(values.data()), values.size() / 2};
}

std::span<std::complex<double>> as_complex(std::span<double> values) {
  return {reinterpret_cast<std::complex<double>*>(values.data()), values.size() / 2};
}

/// Adds a site's numbers in big-endian order.
void add_site(SiteChecksum& checksum, std::int64_t site, const double* values) {
  std::array<std::byte, reals * 8> bytes;
  detail::encode_links(values, {}, 1, bytes.data());
  checksum.add(site, bytes);
}

std::vector<std::uint64_t> extent_of(const Coord& box) {
  return {std::uint64_t(box[3]), std::uint64_t(box[2]), std::uint64_t(box[1]), std::uint64_t(box[0]), 3, 3};
}

/// The largest element of g g^+ - 1 and of det g - 1.
double su3_deviation(std::span<const double> matrices) {
  double worst = 0;
  for (std::size_t i = 0; i < matrices.size(); i += reals) {
    const auto m = as_complex(matrices.subspan(i, reals));
    const auto at = [&](std::size_t a, std::size_t b) { return m[3 * a + b]; };
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        std::complex<double> sum = a == b ? -1 : 0;
        for (std::size_t c = 0; c < 3; ++c) sum += at(a, c) * std::conj(at(b, c));
        worst = max_or_nan(worst, std::abs(sum));
      }
    std::complex<double> det = -1;
    for (std::size_t a = 0; a < 3; ++a)
      det += at(0, a) * (at(1, (a + 1) % 3) * at(2, (a + 2) % 3) - at(1, (a + 2) % 3) * at(2, (a + 1) % 3));
    worst = max_or_nan(worst, std::abs(det));
  }
  return worst;
}

/// The whole file under the name it has now.
void write_slices(const Field<ColorMatrix, double>& g, std::optional<Hdf5File>& file) {
  const Lattice& lattice = g.lattice();
  const Geometry& geometry = lattice.geometry();
  const Comm& comm = lattice.comm();
  const Coord &extent = geometry.extent(), &local = geometry.local_extent(), &origin = geometry.origin();
  const std::vector<double> mine = export_sites(g);
  const Coord slice{extent[0], extent[1], extent[2], 1};
  const std::size_t local_slice = mine.size() / std::size_t(local[3]);
  SiteChecksum checksum(ChecksumKind::scidac, std::endian::big);
  SliceGather gather(comm, geometry, int(reals));
  for (int t = 0; t < extent[3]; ++t) {
    const int here = t - origin[3];
    const bool has = here >= 0 && here < local[3];
    const std::span<const double> all = gather(
        t, has ? std::span(mine).subspan(std::size_t(here) * local_slice, local_slice) : std::span<const double>());
    comm.agree([&] {
      if (!file) return;
      for (std::int64_t i = 0; i < volume(slice); ++i)
        add_site(checksum, lexicographic({0, 0, 0, t}, extent) + i, all.data() + std::size_t(i) * reals);
      file->write_block(dataset, {std::uint64_t(t), 0, 0, 0, 0, 0}, extent_of(slice), as_complex(all));
    });
  }
  comm.agree([&] {
    if (!file) return;
    const auto names = checksum_names(ChecksumKind::scidac);
    for (std::size_t i = 0; i < 2; ++i) file->set_attribute(group, names[i], to_hex(checksum.values()[i]));
    file->close();
  });
}

/// This rank's sites of a file, verified.
std::vector<double> read_sites(const Lattice& lattice, const std::filesystem::path& path, const std::string& name) {
  const Geometry& geometry = lattice.geometry();
  const Coord &local = geometry.local_extent(), &origin = geometry.origin();
  std::vector<double> values(std::size_t(geometry.local_volume()) * reals);
  SiteChecksum checksum(ChecksumKind::scidac, std::endian::big);
  std::array<std::string, 2> recorded;
  const Hdf5File file = Hdf5File::open(path, lattice.comm());
  lattice.comm().agree([&] {
    require<FormatError>(file.contains(dataset), name, "has no dataset",
                         dataset + ", so it holds no gauge transformation that Kovariant wrote");
    const Hdf5Shape shape = file.shape(dataset);
    require<FormatError>(shape.kind == Hdf5Kind::complex && shape.bits == 64 && shape.extent.size() == 6 &&
                             shape.extent[4] == 3 && shape.extent[5] == 3,
                         name, "has a dataset", dataset,
                         "that is not complex [t][z][y][x][3][3]: Kovariant did not write it");
    require(shape.extent == extent_of(lattice.extent()), name, "holds a transformation of the lattice", shape.extent[3],
            shape.extent[2], shape.extent[1], shape.extent[0], "and the links have",
            to_string(lattice.extent()) + ": take the file that was made with them");
    require<FormatError>(shape.stored_bytes >= std::uint64_t(lattice.volume()) * reals * 8, name,
                         "is cut short: the file was not copied to its end");
    const auto names = checksum_names(ChecksumKind::scidac);
    for (std::size_t i = 0; i < 2; ++i) recorded[i] = required_attribute<std::string>(file, group, names[i], name);
    file.read_block(
        dataset,
        {std::uint64_t(origin[3]), std::uint64_t(origin[2]), std::uint64_t(origin[1]), std::uint64_t(origin[0]), 0, 0},
        extent_of(local), as_complex(std::span<double>(values)));
  });
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i)
    add_site(checksum, lexicographic(geometry.global(coordinate(i, local)), geometry.extent()),
             values.data() + std::size_t(i) * reals);
  checksum.combine(lattice.comm());
  const std::string found = to_hex(checksum.values()[0]) + " " + to_hex(checksum.values()[1]);
  require<FormatError>(recorded[0] + " " + recorded[1] == found, name, "records the checksums", recorded[0],
                       recorded[1], "and its matrices have", found + ": it is damaged; make or fetch it again");
  std::array<double, 1> deviation{su3_deviation(values)};
  if (!std::isfinite(deviation[0])) deviation[0] = HUGE_VAL;
  lattice.comm().max(deviation);
  require<FormatError>(deviation[0] <= su3_limit, name, "holds matrices that are not in SU(3) by", deviation[0],
                       "where", su3_limit, "is allowed: Kovariant did not write them");
  return values;
}

}  // namespace

void write_transformation(const Field<ColorMatrix, double>& g, const std::filesystem::path& path,
                          const std::vector<std::pair<std::string, std::string>>& metadata) {
  require(g.n_components() == 1 && g.subset() == Subset::all, g.name(),
          "is not a gauge transformation: it needs one matrix on every site");
  const Lattice& lattice = g.lattice();
  const Coord& extent = lattice.extent();
  std::optional<Hdf5File> file;
  std::string temporary;
  lattice.comm().agree([&] {
    if (lattice.comm().rank() != 0) return;
    file = Hdf5File::create(path);
    temporary = file->path().string();
    const auto shape = extent_of(extent);
    file->create_dataset(dataset, Hdf5Kind::complex, 64, shape, {1, shape[1], shape[2], shape[3], 3, 3});
    file->set_attribute(group, "extent", std::vector<std::int64_t>(extent.begin(), extent.end()));
    file->set_attribute(
        group, "conventions",
        "U_mu(x) -> g(x) U_mu(x) g(x + mu)^+, psi(x) -> g(x) psi(x); matrices [row][column]; suma, sumb "
        "as SciDAC's over the sites' bytes in big-endian order");
    for (const auto& [name, value] : metadata) file->set_attribute(group, name, value);
  });
  write_slices(g, file);
  temporary = lattice.comm().broadcast(temporary);
  const std::vector<double> written = export_sites(g), read = read_sites(lattice, temporary, path.string());
  std::array<double, 1> difference{0};
  for (std::size_t i = 0; i < written.size(); ++i)
    difference[0] = std::max(difference[0], std::abs(read[i] - written[i]));
  lattice.comm().max(difference);
  require<FormatError>(difference[0] == 0, path.string(), "reads back differently by", difference[0],
                       ": the disk or its connection is faulty; nothing was kept, write elsewhere");
  lattice.comm().agree([&] {
    if (file) file->commit();
  });
}

Field<ColorMatrix, double> read_transformation(const Lattice& lattice, const std::filesystem::path& path) {
  const std::vector<double> values = read_sites(lattice, path, path.string());
  const Field<ColorMatrix, double> g(lattice, path.filename().string());
  import_sites(values, g);
  return g;
}

}  // namespace kov
