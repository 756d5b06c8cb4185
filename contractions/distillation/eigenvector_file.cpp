// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/eigenvector_file.hpp"

#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/contractions/distillation/numbers_in_files.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/lattice/slice_gather.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <optional>

namespace kov {

namespace {

const std::string eigenvector_group = "/eigenvectors", eigenvector_labels = "/eigenvectors/labels",
                  eigenvector_numbers = "/eigenvectors/vectors", eigenvector_values = "/eigenvectors/values",
                  eigenvector_residuals = "/eigenvectors/residuals";
constexpr const char* eigenvector_conventions =
    "-Delta v = lambda v on each time slice; vectors[t][n][z][y][x][colour], of norm 1 on each slice; the first number "
    "of "
    "a vector that is not small is real and positive";

using Extents = std::vector<std::uint64_t>;

detail::NumbersInFile vectors_in_file(const Coord& e, int n, int bits) {
  return {eigenvector_numbers,
          bits,
          {std::uint64_t(e[3]), std::uint64_t(n), std::uint64_t(e[2]), std::uint64_t(e[1]), std::uint64_t(e[0]), 3}};
}

EigenvectorHeader header_of_file(const Hdf5File& file, const std::filesystem::path& path) {
  const std::string name = path.string();
  const auto numbers = detail::NumbersInFile::of(file, eigenvector_numbers);
  require<FormatError>(numbers.extent.size() == 6 && numbers.extent[5] == 3, name, "has a dataset", eigenvector_numbers,
                       "that is not [t][n][z][y][x][colour]: it holds no eigenvectors of time slices");
  for (const std::uint64_t size : numbers.extent)
    require<FormatError>(size >= 1 && size <= 65535, name, "has a dataset", eigenvector_numbers, "of the extent", size,
                         "in one direction: it is damaged");
  EigenvectorHeader header{
      .extent = {int(numbers.extent[4]), int(numbers.extent[3]), int(numbers.extent[2]), int(numbers.extent[0])},
      .n = int(numbers.extent[1]),
      .bits = numbers.bits};
  if (file.contains(eigenvector_labels)) header.labels = detail::read_label_attributes(file, eigenvector_labels);
  return header;
}

/// The numbers of one vector of this rank's slices, as export_sites() has them.
template <class T>
std::vector<double> numbers_of_vector(const Field<ColorVector, T>& vectors, int i, const Field<ColorVector, T>& one) {
  copy_components(vectors, i, one, 0, 1);
  return export_sites(one);
}

}  // namespace

template <class T>
void write_eigenvectors(const std::filesystem::path& path, const SliceEigenvectors<T>& eigenvectors, int bits,
                        const std::map<std::string, LabelValue>& labels) {
  const Lattice& lattice = eigenvectors.vectors.lattice();
  const Comm& comm = lattice.comm();
  const Geometry& geometry = lattice.geometry();
  const Coord& e = lattice.extent();
  const int n = eigenvectors.n();
  const auto in_file = vectors_in_file(e, n, bits);
  std::optional<Hdf5File> file;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    file = Hdf5File::create(path);
    in_file.create(*file);
    const Extents of_values{std::uint64_t(e[3]), std::uint64_t(n)};
    file->write<double>(eigenvector_values, eigenvectors.values, of_values);
    file->write<double>(eigenvector_residuals, eigenvectors.residuals, of_values);
    file->set_attribute(eigenvector_group, "extent", std::vector<std::int64_t>(e.begin(), e.end()));
    file->set_attribute(eigenvector_group, "conventions", eigenvector_conventions);
    file->create_group(eigenvector_labels);
    detail::write_label_attributes(*file, eigenvector_labels, labels);
  });
  const Field<ColorVector, T> one(lattice, "an eigenvector", 1);
  SliceGather gather(comm, geometry, 6);
  const int first = geometry.origin()[3], n_here = geometry.local_extent()[3];
  for (int i = 0; i < n; ++i) {
    std::vector<double> mine;
    comm.agree([&] { mine = numbers_of_vector(eigenvectors.vectors, i, one); });
    const std::size_t of_slice = mine.size() / std::size_t(n_here);
    std::string trouble;
    for (int t = 0; t < e[3]; ++t) {
      const bool here = t >= first && t < first + n_here;
      const auto part =
          here ? std::span(mine).subspan(std::size_t(t - first) * of_slice, of_slice) : std::span<const double>();
      const std::span<const double> slice = gather(t, part);
      if (comm.rank() != 0 || !trouble.empty()) continue;
      try {
        in_file.write(*file, {std::uint64_t(t), std::uint64_t(i), 0, 0, 0, 0},
                      {1, 1, std::uint64_t(e[2]), std::uint64_t(e[1]), std::uint64_t(e[0]), 3},
                      {reinterpret_cast<const std::complex<double>*>(slice.data()), slice.size() / 2});
      } catch (const std::exception& error) {  // and std::bad_alloc: the others wait for this rank
        trouble = sentence("the eigenvectors were not written to", path.string() + ":", error.what());
      }
    }
    comm.agree([&] { require(trouble.empty(), trouble); });
  }
  comm.agree([&] {
    if (file) file->commit();
  });
}

EigenvectorHeader read_eigenvector_header(const Comm& comm, const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path, comm);
  EigenvectorHeader header;
  comm.agree([&] { header = header_of_file(file, path); });
  return header;
}

template <class T>
SliceEigenvectors<T> read_eigenvectors(const Lattice& lattice, const std::filesystem::path& path) {
  const Comm& comm = lattice.comm();
  const Hdf5File file = Hdf5File::open(path, comm);
  EigenvectorHeader header;
  std::vector<double> values, residuals;
  comm.agree([&] {
    header = header_of_file(file, path);
    require(header.extent == lattice.extent(), path.string(), "has eigenvectors of the lattice",
            to_string(header.extent) + ", not of", to_string(lattice.extent()), ": take the file that was made on it");
    values = file.read<double>(eigenvector_values).values;
    residuals = file.read<double>(eigenvector_residuals).values;
    const std::size_t wanted = std::size_t(header.extent[3]) * std::size_t(header.n);
    require<FormatError>(values.size() == wanted && residuals.size() == wanted, path.string(), "has", values.size(),
                         "eigenvalues and", residuals.size(), "residuals for", wanted, "vectors: it is damaged");
  });
  const int n = header.n;
  SliceEigenvectors<T> result{.vectors = Field<ColorVector, T>(lattice, "eigenvectors of time slices", n),
                              .values = values,
                              .residuals = residuals,
                              .report = {}};
  for (const double r : residuals) result.report.residual = max_or_nan(result.report.residual, r);
  const Coord origin = lattice.geometry().origin(), box = lattice.geometry().local_extent();
  const auto in_file = vectors_in_file(header.extent, n, header.bits);
  const Field<ColorVector, T> one(lattice, "an eigenvector", 1);
  std::vector<std::complex<double>> mine(std::size_t(volume(box)) * 3);
  for (int i = 0; i < n; ++i) {
    comm.agree([&] {
      in_file.read(file,
                   {std::uint64_t(origin[3]), std::uint64_t(i), std::uint64_t(origin[2]), std::uint64_t(origin[1]),
                    std::uint64_t(origin[0]), 0},
                   {std::uint64_t(box[3]), 1, std::uint64_t(box[2]), std::uint64_t(box[1]), std::uint64_t(box[0]), 3},
                   mine);
    });
    import_sites(std::span(reinterpret_cast<const double*>(mine.data()), 2 * mine.size()), one);
    copy_components(one, 0, result.vectors, i, 1);
  }
  return result;
}

template void write_eigenvectors(const std::filesystem::path&, const SliceEigenvectors<float>&, int,
                                 const std::map<std::string, LabelValue>&);
template void write_eigenvectors(const std::filesystem::path&, const SliceEigenvectors<double>&, int,
                                 const std::map<std::string, LabelValue>&);
template SliceEigenvectors<float> read_eigenvectors(const Lattice&, const std::filesystem::path&);
template SliceEigenvectors<double> read_eigenvectors(const Lattice&, const std::filesystem::path&);

}  // namespace kov
