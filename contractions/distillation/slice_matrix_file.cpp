// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/slice_matrix_file.hpp"

#include "kov/contractions/correlators/label_attributes.hpp"
#include "kov/contractions/distillation/numbers_in_files.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

namespace kov {

namespace {

const std::string matrix_group = "/matrices", matrix_labels = "/matrices/labels", matrix_numbers = "/matrices/numbers",
                  matrix_names = "/matrices/names";
constexpr const char* matrix_conventions =
    "numbers[t][name][row][column].  Elementals: sum over x of e^{-2 pi i n.x / L} v_row(x)^+ (D v_column)(x) on slice "
    "t, "
    "n the p of the name.  Perambulators: v_n'(t)^+ M^-1 v_n(source_time), row = spin' * N_v + n', column = spin * N_v "
    "+ n, "
    "spins in DeGrand and Rossi's basis, no factors of kappa";

}  // namespace

void write_slice_matrices(const std::filesystem::path& path, const Lattice& lattice, const SliceMatrices& matrices,
                          const SliceMatrixHeader& header) {
  const Comm& comm = lattice.comm();
  const int n_times = lattice.extent()[3];
  require(header.names.size() == std::size_t(matrices.per_slice), matrices.per_slice,
          "matrices of each slice were given", header.names.size(), "names: give each one");
  const auto at = [](int i) { return std::uint64_t(i); };
  const detail::NumbersInFile in_file{
      matrix_numbers, header.bits, {at(n_times), at(matrices.per_slice), at(matrices.rows), at(matrices.columns)}};
  std::optional<Hdf5File> file;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    file = Hdf5File::create(path);
    in_file.create(*file);
    file->write_texts(matrix_names, header.names);
    file->set_attribute(matrix_group, "kind", header.kind);
    file->set_attribute(matrix_group, "conventions", matrix_conventions);
    file->create_group(matrix_labels);
    detail::write_label_attributes(*file, matrix_labels, header.labels);
  });
  for (int t = 0; t < n_times; ++t) {
    const auto slice = slice_on_all_ranks(lattice, matrices, t);
    comm.agree([&] {
      if (file)
        in_file.write(*file, {at(t), 0, 0, 0}, {1, at(matrices.per_slice), at(matrices.rows), at(matrices.columns)},
                      slice);
    });
  }
  comm.agree([&] {
    if (file) file->commit();
  });
}

void write_elementals(const std::filesystem::path& path, const Lattice& lattice, const Elementals& elementals, int bits,
                      const std::map<std::string, LabelValue>& labels) {
  SliceMatrixHeader header{.kind = "elementals", .names = {}, .labels = labels, .bits = bits};
  for (const ElementalLabel& label : elementals.labels) header.names.push_back(to_string(label));
  write_slice_matrices(path, lattice, elementals.matrices, header);
}

struct SliceMatrixFile::Impl {
  Hdf5File file;
  detail::NumbersInFile numbers;
  SliceMatrixHeader header;
};

SliceMatrixFile::SliceMatrixFile(const std::filesystem::path& path) {
  Hdf5File file = Hdf5File::open(path);
  const std::string name = path.string();
  const auto numbers = detail::NumbersInFile::of(file, matrix_numbers);
  require<FormatError>(numbers.extent.size() == 4, name, "has a dataset", matrix_numbers,
                       "that is not [t][name][row][column]: it holds no matrices of time slices");
  for (const std::uint64_t size : numbers.extent)
    require<FormatError>(size >= 1 && size <= std::uint64_t(1) << 20, name, "has a dataset", matrix_numbers,
                         "of the extent", size, "in one direction: it is damaged");
  SliceMatrixHeader header{.kind = required_attribute<std::string>(file, matrix_group, "kind", name),
                           .names = file.read_texts(matrix_names),
                           .bits = numbers.bits,
                           .n_slices = int(numbers.extent[0]),
                           .rows = int(numbers.extent[2]),
                           .columns = int(numbers.extent[3])};
  require<FormatError>(header.names.size() == numbers.extent[1], name, "has", header.names.size(), "names for",
                       numbers.extent[1], "matrices of each slice: it is damaged");
  if (file.contains(matrix_labels)) header.labels = detail::read_label_attributes(file, matrix_labels);
  impl_ = std::make_unique<Impl>(Impl{std::move(file), numbers, std::move(header)});
}
SliceMatrixFile::~SliceMatrixFile() = default;
SliceMatrixFile::SliceMatrixFile(SliceMatrixFile&&) noexcept = default;
SliceMatrixFile& SliceMatrixFile::operator=(SliceMatrixFile&&) noexcept = default;

const SliceMatrixHeader& SliceMatrixFile::header() const { return impl_->header; }

std::vector<std::complex<double>> SliceMatrixFile::read(int t) const {
  const auto& e = impl_->numbers.extent;
  require(t >= 0 && t < header().n_slices, "time slice", t, "of", impl_->file.path().string(), "does not exist: it has",
          header().n_slices);
  std::vector<std::complex<double>> slice(std::size_t(e[1] * e[2] * e[3]));
  impl_->numbers.read(impl_->file, {std::uint64_t(t), 0, 0, 0}, {1, e[1], e[2], e[3]}, slice);
  return slice;
}

std::vector<std::complex<double>> SliceMatrixFile::read(int t, int k) const {
  const auto& e = impl_->numbers.extent;
  require(t >= 0 && t < header().n_slices && k >= 0 && std::uint64_t(k) < e[1], "matrix", k, "of time slice", t, "of",
          impl_->file.path().string(), "does not exist: it has", e[1], "on each of", header().n_slices, "slices");
  std::vector<std::complex<double>> matrix(std::size_t(e[2] * e[3]));
  impl_->numbers.read(impl_->file, {std::uint64_t(t), std::uint64_t(k), 0, 0}, {1, 1, e[2], e[3]}, matrix);
  return matrix;
}

SliceMatrices read_slice_matrices(const Lattice& lattice, const std::filesystem::path& path,
                                  SliceMatrixHeader* header) {
  SliceMatrices matrices;
  lattice.comm().agree([&] {
    const SliceMatrixFile file(path);
    const SliceMatrixHeader& found = file.header();
    require(found.n_slices == lattice.extent()[3], path.string(), "has matrices of", found.n_slices,
            "time slices; the lattice has", lattice.extent()[3], ": take the file that was made on it");
    matrices = SliceMatrices(lattice, int(found.names.size()), found.rows, found.columns);
    for (int t = 0; t < matrices.n_slices; ++t) {
      const auto slice = file.read(matrices.first + t);
      std::copy(slice.begin(), slice.end(), matrices.at(t));
    }
    if (header) *header = found;
  });
  return matrices;
}

ElementalLabel elemental_label(const std::string& name) {
  const std::string between = ", p = ";
  const std::size_t end = name.find(between);
  ElementalLabel label;
  std::string more;
  if (end != std::string::npos) {
    std::istringstream numbers(name.substr(end + between.size()));
    if (numbers >> label.momentum[0] >> label.momentum[1] >> label.momentum[2] && !(numbers >> more)) {
      label.displacement = spatial_operator(name.substr(0, end));
      return label;
    }
  }
  throw InputError("\"" + name + "\" is no label of an elemental, which reads: dx, p = 1 0 0");
}

}  // namespace kov
