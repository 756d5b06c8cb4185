// SPDX-License-Identifier: MIT
//
// Configurations in HDF5: our layout, and the one in chunks of older versions.
#include "kov/core/io/hdf5.hpp"
#include "tests/fuzz/gauge.hpp"
#include "tests/fuzz/hdf5_file.hpp"

namespace kov::fuzz {

namespace {

/// A copy of a configuration whose links are in chunks, as the HDF5 library must read them.
std::string in_chunks(const std::string& bytes) {
  return written([&](const std::filesystem::path& path) {
    const Hdf5File from = Hdf5File::open(in_memory(bytes));
    Hdf5File to = Hdf5File::create(path);
    const std::string links = "/gauge/links";
    const auto array = from.read<std::complex<double>>(links);
    auto chunk = array.extent;
    chunk[0] = 1;
    to.create_dataset(links, Hdf5Kind::complex, 64, array.extent, chunk);
    to.write_block<std::complex<double>>(links, std::vector<std::uint64_t>(chunk.size()), array.extent, array.values);
    for (const std::string& name : from.attribute_names("/gauge"))
      to.set_attribute("/gauge", name, from.attribute("/gauge", name));
    to.commit();
  });
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string wide = written_gauge({.format = GaugeFormat::hdf5, .metadata = {{"beta", "6.0"}}});
  const std::string narrow = written_gauge({.format = GaugeFormat::hdf5, .bits = 32});
  return {wide, without_user_block(wide), without_user_block(narrow), without_user_block(in_chunks(wide))};
}

void read(const std::string& input) { read_gauge_input(hdf5_in_memory(input)); }

}  // namespace kov::fuzz
