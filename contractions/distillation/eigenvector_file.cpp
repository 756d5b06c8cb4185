// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/eigenvector_file.hpp"

#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/contractions/distillation/numbers_in_files.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/lattice/slice_gather.hpp"
#include "kov/core/site/max_or_nan.hpp"

#include <numeric>
#include <optional>
#include <utility>

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

/// Reads vectors of a file.
class EigenvectorReader {
 public:
  EigenvectorReader(const Lattice& lattice, const std::filesystem::path& path)
      : lattice_(lattice), path_(path.string()), file_(Hdf5File::open(path, lattice.comm())) {
    lattice.comm().agree([&] {
      header_ = header_of_file(file_, path);
      require(header_.extent == lattice.extent(), path_, "has eigenvectors of the lattice",
              to_string(header_.extent) + ", not of", to_string(lattice.extent()),
              ": take the file that was made on it");
    });
  }

  int n() const { return header_.n; }
  /// Eigenvalues and residuals.  Collective.
  std::pair<std::vector<double>, std::vector<double>> values_and_residuals() const {
    std::vector<double> values, residuals;
    lattice_.comm().agree([&] {
      values = file_.read<double>(eigenvector_values).values;
      residuals = file_.read<double>(eigenvector_residuals).values;
      const std::size_t wanted = std::size_t(header_.extent[3]) * std::size_t(header_.n);
      require<FormatError>(values.size() == wanted && residuals.size() == wanted, path_, "has", values.size(),
                           "eigenvalues and", residuals.size(), "residuals for", wanted, "vectors: it is damaged");
    });
    return {values, residuals};
  }
  /// Sets the components of `vectors` to those from `first` on.  Collective.
  template <class T>
  void read(int first, const Field<ColorVector, T>& vectors) const {
    const Coord origin = lattice_.geometry().origin(), box = lattice_.geometry().local_extent();
    const auto in_file = vectors_in_file(header_.extent, header_.n, header_.bits);
    const Field<ColorVector, T> one(lattice_, "an eigenvector", 1);
    std::vector<std::complex<double>> mine(std::size_t(volume(box)) * 3);
    for (int i = 0; i < vectors.n_components(); ++i) {
      lattice_.comm().agree([&] {
        in_file.read(file_,
                     {std::uint64_t(origin[3]), std::uint64_t(first + i), std::uint64_t(origin[2]),
                      std::uint64_t(origin[1]), std::uint64_t(origin[0]), 0},
                     {std::uint64_t(box[3]), 1, std::uint64_t(box[2]), std::uint64_t(box[1]), std::uint64_t(box[0]), 3},
                     mine);
      });
      import_sites(std::span(reinterpret_cast<const double*>(mine.data()), 2 * mine.size()), one);
      copy_components(one, 0, vectors, i, 1);
    }
  }

 private:
  Lattice lattice_;
  std::string path_;
  Hdf5File file_;
  EigenvectorHeader header_;
};

}  // namespace

struct EigenvectorWriter::State {
  std::filesystem::path path;
  Lattice lattice;
  int n;
  detail::NumbersInFile in_file;
  std::optional<Hdf5File> file = {};  // on rank 0
};

EigenvectorWriter::EigenvectorWriter(const std::filesystem::path& path, const Lattice& lattice, int n, int bits)
    : state_(new State{path, lattice, n, vectors_in_file(lattice.extent(), n, bits)}) {
  lattice.comm().agree([&] {
    if (lattice.comm().rank() != 0) return;
    state_->file = Hdf5File::create(path);
    state_->in_file.create(*state_->file);
  });
}

EigenvectorWriter::~EigenvectorWriter() = default;

template <class T>
void EigenvectorWriter::write(const Field<ColorVector, T>& vectors, const std::vector<int>& times) {
  const Lattice& lattice = vectors.lattice();
  const Comm& comm = lattice.comm();
  const Geometry& geometry = lattice.geometry();
  const Coord& e = lattice.extent();
  require(vectors.n_components() == state_->n && times.size() == std::size_t(e[3]), vectors.n_components(),
          "eigenvectors on", e[3], "time slices for", times.size(), "places of", state_->n,
          "vectors in a file: give a place for each slice");
  const Field<ColorVector, T> one(lattice, "an eigenvector", 1);
  SliceGather gather(comm, geometry, 6);
  const int first = geometry.origin()[3], n_here = geometry.local_extent()[3];
  for (int i = 0; i < state_->n; ++i) {
    std::vector<double> mine;
    comm.agree([&] { mine = numbers_of_vector(vectors, i, one); });
    const std::size_t of_slice = mine.size() / std::size_t(n_here);
    std::string trouble;
    for (int t = 0; t < e[3]; ++t) {
      const bool here = t >= first && t < first + n_here;
      const auto part =
          here ? std::span(mine).subspan(std::size_t(t - first) * of_slice, of_slice) : std::span<const double>();
      const std::span<const double> slice = gather(t, part);
      if (comm.rank() != 0 || !trouble.empty()) continue;
      try {
        state_->in_file.write(*state_->file, {std::uint64_t(times[std::size_t(t)]), std::uint64_t(i), 0, 0, 0, 0},
                              {1, 1, std::uint64_t(e[2]), std::uint64_t(e[1]), std::uint64_t(e[0]), 3},
                              {reinterpret_cast<const std::complex<double>*>(slice.data()), slice.size() / 2});
      } catch (const std::exception& error) {  // and std::bad_alloc: the others wait for this rank
        trouble = sentence("the eigenvectors were not written to", state_->path.string() + ":", error.what());
      }
    }
    comm.agree([&] { require(trouble.empty(), trouble); });
  }
}

void EigenvectorWriter::finish(const std::vector<double>& values, const std::vector<double>& residuals,
                               const std::map<std::string, LabelValue>& labels) {
  const Coord& e = state_->lattice.extent();
  state_->lattice.comm().agree([&] {
    std::optional<Hdf5File>& file = state_->file;
    if (!file) return;
    const Extents of_values{std::uint64_t(e[3]), std::uint64_t(state_->n)};
    file->write<double>(eigenvector_values, values, of_values);
    file->write<double>(eigenvector_residuals, residuals, of_values);
    file->set_attribute(eigenvector_group, "extent", std::vector<std::int64_t>(e.begin(), e.end()));
    file->set_attribute(eigenvector_group, "conventions", eigenvector_conventions);
    file->create_group(eigenvector_labels);
    detail::write_label_attributes(*file, eigenvector_labels, labels);
    file->commit();
  });
}

template <class T>
void write_eigenvectors(const std::filesystem::path& path, const SliceEigenvectors<T>& eigenvectors, int bits,
                        const std::map<std::string, LabelValue>& labels) {
  const Lattice& lattice = eigenvectors.vectors.lattice();
  EigenvectorWriter writer(path, lattice, eigenvectors.n(), bits);
  std::vector<int> times(std::size_t(lattice.extent()[3]));
  std::iota(times.begin(), times.end(), 0);
  writer.write(eigenvectors.vectors, times);
  writer.finish(eigenvectors.values, eigenvectors.residuals, labels);
}

EigenvectorHeader read_eigenvector_header(const Comm& comm, const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path, comm);
  EigenvectorHeader header;
  comm.agree([&] { header = header_of_file(file, path); });
  return header;
}

template <class T>
SliceEigenvectors<T> read_eigenvectors(const Lattice& lattice, const std::filesystem::path& path) {
  const EigenvectorReader reader(lattice, path);
  const auto [values, residuals] = reader.values_and_residuals();
  SliceEigenvectors<T> result{.vectors = Field<ColorVector, T>(lattice, "eigenvectors of time slices", reader.n()),
                              .values = values,
                              .residuals = residuals,
                              .report = {}};
  for (const double r : residuals) result.report.residual = max_or_nan(result.report.residual, r);
  reader.read(0, result.vectors);
  return result;
}

namespace {

/// Apart, as a lambda with a reader in a public function would have linkage that its type does not have.
template <class T>
auto reading_by(const std::shared_ptr<const EigenvectorReader>& reader) {
  return [reader](int first, const Field<ColorVector, T>& vectors) { reader->read(first, vectors); };
}

}  // namespace

template <class T>
VectorGroups<T> eigenvector_groups(const Lattice& lattice, const std::filesystem::path& path, int at_once) {
  const auto reader = std::make_shared<const EigenvectorReader>(lattice, path);
  return VectorGroups<T>(lattice, reader->n(), at_once, reading_by<T>(reader));
}

template void EigenvectorWriter::write(const Field<ColorVector, float>&, const std::vector<int>&);
template void EigenvectorWriter::write(const Field<ColorVector, double>&, const std::vector<int>&);
template VectorGroups<float> eigenvector_groups(const Lattice&, const std::filesystem::path&, int);
template VectorGroups<double> eigenvector_groups(const Lattice&, const std::filesystem::path&, int);
template void write_eigenvectors(const std::filesystem::path&, const SliceEigenvectors<float>&, int,
                                 const std::map<std::string, LabelValue>&);
template void write_eigenvectors(const std::filesystem::path&, const SliceEigenvectors<double>&, int,
                                 const std::map<std::string, LabelValue>&);
template SliceEigenvectors<float> read_eigenvectors(const Lattice&, const std::filesystem::path&);
template SliceEigenvectors<double> read_eigenvectors(const Lattice&, const std::filesystem::path&);

}  // namespace kov
