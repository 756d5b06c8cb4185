// SPDX-License-Identifier: MIT
//
// Correlators in HDF5, layouts of version 1 and 2.
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/correlators/correlator_read.hpp"
#include "kov/contractions/correlators/correlator_write.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/fuzz/hdf5_file.hpp"

namespace kov::fuzz {

namespace {

std::string version_1() {
  return written([](const std::filesystem::path& path) {
    Hdf5File file = Hdf5File::create(path);
    file.set_attribute("/", "format", std::string("kovariant correlators"));
    file.set_attribute("/", "format_version", std::int64_t(1));
    const std::string name = "/meson/pion-pion/0";
    file.write<std::complex<double>>(name, std::vector<std::complex<double>>(8), {2, 4});
    file.set_attribute(name, "source", std::vector<std::int64_t>{1, 2, 3, 0});
    file.set_attribute(name, "momenta", std::vector<std::int64_t>{0, 0, 0, 0, 0, 1});
    file.set_attribute(name, "kappa", std::string("0.1345"));
    file.commit();
  });
}

std::string version_2() {
  std::vector<Correlator> list;
  for (const char* configuration : {"1000", "1010"})
    for (const char* smearing : {"point", "wuppertal"})
      for (const Momentum& p : {Momentum{0, 0, 0}, {0, 0, 1}}) {
        list.push_back({.kind = "meson", .channel = "pion-pion", .momentum = p, .source = {0, 1, 0, 2}});
        list.back().labels = {{"configuration", configuration}, {"smearing", smearing}, {"kappa", 0.1345}};
        list.back().value = {{0.1, -0.0}, {1, 1e-300}};
      }
  return written([&](const std::filesystem::path& path) {
    write_correlators(path, list, {.extent = {4, 4, 4, 4}, .inputs = {{"1000", {{"plaquette", 0.6}}}}}, Comm::self());
  });
}

}  // namespace

std::vector<std::string> seeds() {
  return {version_2(), without_user_block(version_1()), without_user_block(version_2())};
}

void read(const std::string& input) { read_correlators(hdf5_in_memory(input)); }

}  // namespace kov::fuzz
