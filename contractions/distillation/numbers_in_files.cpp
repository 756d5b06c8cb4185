// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/numbers_in_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kov::detail {

namespace {

constexpr double largest_integer = 32767;

std::vector<std::uint64_t> with_last(std::vector<std::uint64_t> extent, std::uint64_t last) {
  extent.push_back(last);
  return extent;
}
std::vector<std::uint64_t> without_last(const std::vector<std::uint64_t>& extent) {
  return {extent.begin(), extent.end() - 1};
}
std::string scale_name(const std::string& name) { return name + "_scale"; }

/// Throws unless the file holds all numbers that a dataset promises, before memory is asked for.
void require_stored(const Hdf5Shape& shape, const std::string& path, const std::string& name) {
  double bytes = shape.bits / 8 * (shape.kind == Hdf5Kind::complex ? 2 : 1);
  for (const std::uint64_t size : shape.extent) bytes *= double(size);
  require<FormatError>(!shape.filtered && bytes > 0 && bytes <= double(shape.stored_bytes), path, "promises", bytes,
                       "bytes in", name, "and holds", shape.stored_bytes, ": it is damaged, or was packed anew");
}

double finite_size(double x) { return std::isfinite(x) ? std::abs(x) : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

void NumbersInFile::create(Hdf5File& file) const {
  require(bits == 64 || bits == 32 || bits == 16, "numbers are stored with 64, 32 or 16 bits, not", bits);
  if (bits != 16) return file.create_dataset(name, Hdf5Kind::complex, bits, extent);
  file.create_dataset(name, Hdf5Kind::integer, 16, with_last(extent, 2));
  file.create_dataset(scale_name(name), Hdf5Kind::real, 32, without_last(extent));
}

NumbersInFile NumbersInFile::of(const Hdf5File& file, const std::string& name) {
  const std::string path = file.path().string();
  require<FormatError>(file.contains(name), path, "has no dataset", name + ": it is another file than was asked for");
  const Hdf5Shape shape = file.shape(name);
  require_stored(shape, path, name);
  NumbersInFile result{name, shape.bits, shape.extent};
  if (shape.kind == Hdf5Kind::integer && shape.bits == 16 && file.contains(scale_name(name)) &&
      shape.extent.size() >= 2 && shape.extent.back() == 2) {
    result.extent.pop_back();
    const Hdf5Shape scales = file.shape(scale_name(name));
    require<FormatError>(scales.kind == Hdf5Kind::real && scales.extent == without_last(result.extent), path,
                         "has another shape in", scale_name(name), "than in", name + ": it is damaged");
    require_stored(scales, path, scale_name(name));
    return result;
  }
  require<FormatError>(shape.kind == Hdf5Kind::complex && !shape.extent.empty(), path, "has numbers of another kind in",
                       name + ": they are complex, or integers of 16 bits with a scale");
  return result;
}

void NumbersInFile::write(Hdf5File& file, const std::vector<std::uint64_t>& offset,
                          const std::vector<std::uint64_t>& count, std::span<const std::complex<double>> values) const {
  if (bits != 16) return file.write_block<std::complex<double>>(name, offset, count, values);
  const std::size_t row = std::size_t(extent.back());
  std::vector<std::int64_t> integers(2 * values.size());
  std::vector<double> scales(values.size() / row);
  for (std::size_t r = 0; r < scales.size(); ++r) {
    double largest = 0;
    for (std::size_t i = 0; i < row; ++i) {
      const std::complex<double> z = values[r * row + i];
      for (const double size : {finite_size(z.real()), finite_size(z.imag())})
        if (!(size <= largest)) largest = size;  // a NaN stays
    }
    const float scale = float(largest);
    scales[r] = double(scale);
    const double per_unit = scale > 0 ? largest_integer / double(scale) : 0;
    for (std::size_t i = 0; i < row; ++i) {
      const std::complex<double> z = values[r * row + i];
      const auto integer = [&](double x) {
        return std::int64_t(std::lround(std::clamp(x * per_unit, -largest_integer, largest_integer)));
      };
      integers[2 * (r * row + i)] = integer(z.real());
      integers[2 * (r * row + i) + 1] = integer(z.imag());
    }
  }
  file.write_block<std::int64_t>(name, with_last(offset, 0), with_last(count, 2), integers);
  file.write_block<double>(scale_name(name), without_last(offset), without_last(count), scales);
}

void NumbersInFile::read(const Hdf5File& file, const std::vector<std::uint64_t>& offset,
                         const std::vector<std::uint64_t>& count, std::span<std::complex<double>> values) const {
  if (bits != 16) return file.read_block<std::complex<double>>(name, offset, count, values);
  const std::size_t row = std::size_t(extent.back());
  std::vector<std::int64_t> integers(2 * values.size());
  std::vector<double> scales(values.size() / row);
  file.read_block<std::int64_t>(name, with_last(offset, 0), with_last(count, 2), integers);
  file.read_block<double>(scale_name(name), without_last(offset), without_last(count), scales);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double unit = scales[i / row] / largest_integer;
    values[i] = {unit * double(integers[2 * i]), unit * double(integers[2 * i + 1])};
  }
}

}  // namespace kov::detail
