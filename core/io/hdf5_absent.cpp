// SPDX-License-Identifier: MIT
//
// In place of hdf5.cpp and its kin where HDF5 was not found or is switched off: every function throws NotBuilt.
#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"

namespace kov {

namespace {
[[noreturn]] void not_built() {
  throw NotBuilt(
      "this build cannot read or write HDF5: it was configured without HDF5; install its development package and "
      "configure again");
}
}  // namespace

bool has_hdf5() { return false; }
std::string hdf5_description() { return "no HDF5"; }

struct Hdf5File::Impl {};

using Extent = std::vector<std::uint64_t>;

Hdf5File::Hdf5File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hdf5File::~Hdf5File() = default;
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;
Hdf5File Hdf5File::create(const std::filesystem::path&) { not_built(); }
Hdf5File Hdf5File::open(const std::filesystem::path&) { not_built(); }
Hdf5File Hdf5File::open(const std::filesystem::path&, const Comm&) { not_built(); }
std::optional<std::uint64_t> Hdf5File::plain_data(const std::string&) const { not_built(); }
const std::filesystem::path& Hdf5File::path() const { not_built(); }
void Hdf5File::close() { not_built(); }
void Hdf5File::commit() { not_built(); }
void Hdf5File::create_group(const std::string&) { not_built(); }
bool Hdf5File::contains(const std::string&) const { not_built(); }
std::vector<std::string> Hdf5File::list(const std::string&) const { not_built(); }
void Hdf5File::set_attribute(const std::string&, const std::string&, const Hdf5Attribute&) { not_built(); }
bool Hdf5File::has_attribute(const std::string&, const std::string&) const { not_built(); }
Hdf5Attribute Hdf5File::attribute(const std::string&, const std::string&) const { not_built(); }
std::vector<std::string> Hdf5File::attribute_names(const std::string&) const { not_built(); }
void Hdf5File::create_dataset(const std::string&, Hdf5Kind, int, const Extent&, const Extent&) { not_built(); }
std::uint64_t Hdf5File::create_plain_dataset(const std::string&, Hdf5Kind, int, const Extent&) { not_built(); }
void Hdf5File::write_plain(std::uint64_t, std::span<const std::byte>) { not_built(); }
void Hdf5File::write_text(const std::string&, const std::string&) { not_built(); }
std::string Hdf5File::read_text(const std::string&) const { not_built(); }
void Hdf5File::write_texts(const std::string&, const std::vector<std::string>&) { not_built(); }
std::vector<std::string> Hdf5File::read_texts(const std::string&) const { not_built(); }
void Hdf5File::set_dimensions(const std::vector<Hdf5Dimensions>&) { not_built(); }
Hdf5Shape Hdf5File::shape(const std::string&) const { not_built(); }

template <class T>
void Hdf5File::write(const std::string&, std::span<const T>, const Extent&) {
  not_built();
}
template <class T>
Hdf5Array<T> Hdf5File::read(const std::string&) const {
  not_built();
}
template <class T>
void Hdf5File::write_block(const std::string&, const Extent&, const Extent&, std::span<const T>) {
  not_built();
}
template <class T>
void Hdf5File::read_block(const std::string&, const Extent&, const Extent&, std::span<T>) const {
  not_built();
}

// Explicit instantiations, as in hdf5.cpp.
template void Hdf5File::write<double>(const std::string&, std::span<const double>, const Extent&);
template Hdf5Array<double> Hdf5File::read<double>(const std::string&) const;
template void Hdf5File::write_block<double>(const std::string&, const Extent&, const Extent&, std::span<const double>);
template void Hdf5File::read_block<double>(const std::string&, const Extent&, const Extent&, std::span<double>) const;
template void Hdf5File::write<std::int64_t>(const std::string&, std::span<const std::int64_t>, const Extent&);
template Hdf5Array<std::int64_t> Hdf5File::read<std::int64_t>(const std::string&) const;
template void Hdf5File::write_block<std::int64_t>(const std::string&, const Extent&, const Extent&,
                                                  std::span<const std::int64_t>);
template void Hdf5File::read_block<std::int64_t>(const std::string&, const Extent&, const Extent&,
                                                 std::span<std::int64_t>) const;
template void Hdf5File::write<std::complex<double>>(const std::string&, std::span<const std::complex<double>>,
                                                    const Extent&);
template Hdf5Array<std::complex<double>> Hdf5File::read<std::complex<double>>(const std::string&) const;
template void Hdf5File::write_block<std::complex<double>>(const std::string&, const Extent&, const Extent&,
                                                          std::span<const std::complex<double>>);
template void Hdf5File::read_block<std::complex<double>>(const std::string&, const Extent&, const Extent&,
                                                         std::span<std::complex<double>>) const;

}  // namespace kov
