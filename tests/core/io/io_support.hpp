// SPDX-License-Identifier: MIT
//
// What the tests of files share: a temporary folder, the published data, whole lattices on every rank, made-up links.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/lattice/geometry.hpp"
#include "tests/support/grids.hpp"

#include <cmath>
#include <complex>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace kov::test {

/// A folder of this test, the same on all ranks of comm, removed with all it holds.
class Folder {
 public:
  explicit Folder(const Comm& comm) : comm_(comm) {
    static int counter = 0;
    const std::string name = "kovariant-io-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    path_ = comm.broadcast((std::filesystem::temp_directory_path() / name).string());
    if (comm.rank() == 0) std::filesystem::create_directories(path_);
    comm.barrier();
  }
  ~Folder() {
    comm_.barrier();
    std::error_code error;
    if (comm_.rank() == 0) std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t files() const {
    return std::size_t(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  Comm comm_;
  std::filesystem::path path_;
};

/// Where published configurations and numbers are; empty when KOV_TEST_DATA names nothing.  Entries of ctest have it
/// when they carry the label data.  Throws in a test that has not "Published" in its name: the entries without data run
/// only tests that have.
inline std::filesystem::path data_folder() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = test ? std::string(test->test_suite_name()) + "." + test->name() : "Published";
  require(name.find("Published") != std::string::npos, "the test", name,
          "reads published data and has not Published in its name: give it such a name");
  const char* folder = std::getenv("KOV_TEST_DATA");
  return folder ? folder : "";
}

/// The reason why a test that reads these files of data_folder() cannot run; empty if all are there.
inline std::string missing_data(std::vector<std::string> files) {
  if (files.empty()) files = {"oracles/plaquettes.json"};
  std::string missing;
  for (const std::string& file : files) {
    if (data_folder().empty() || !std::filesystem::exists(data_folder() / file)) missing += " " + file;
  }
  return missing.empty() ? "" : "NOT TESTED against published data: KOV_TEST_DATA names no folder with" + missing;
}

/// Ends a test, skipped and with the reason, unless the folder has every file named here.
#define KOV_SKIP_WITHOUT_DATA(...) \
  if (const std::string missing = ::kov::test::missing_data({__VA_ARGS__}); !missing.empty()) GTEST_SKIP() << missing

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes on rank 0; afterwards all ranks can read the file.
inline void write_bytes(const Comm& comm, const std::filesystem::path& path, const std::string& bytes) {
  if (comm.rank() == 0) std::ofstream(path, std::ios::binary) << bytes;
  comm.barrier();
}

inline Geometry geometry_on(const Comm& comm, const Coord& extent) {
  return {extent, Geometry::choose_grid(extent, comm.size()), comm.rank(), comm.size()};
}

inline std::vector<double> box_of(const std::vector<double>& whole, const Geometry& geometry) {
  std::vector<double> box(std::size_t(geometry.local_volume()) * reals_per_site);
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) {
    const Coord x = geometry.global(coordinate(i, geometry.local_extent()));
    std::copy_n(whole.begin() + lexicographic(x, geometry.extent()) * reals_per_site, reals_per_site,
                box.begin() + i * reals_per_site);
  }
  return box;
}

/// Gathers the links of all ranks on every rank.
inline std::vector<double> whole_of(const Comm& comm, const std::vector<double>& box, const Geometry& geometry) {
  std::vector<double> whole(std::size_t(geometry.volume()) * reals_per_site);
  const auto parts = comm.all_gather(std::as_bytes(std::span(box)));
  for (int r = 0; r < comm.size(); ++r) {
    const Geometry from(geometry.extent(), geometry.grid(), r, comm.size());
    const auto* part = reinterpret_cast<const double*>(parts[std::size_t(r)].data());
    for (std::int64_t i = 0; i < from.local_volume(); ++i) {
      const Coord x = from.global(coordinate(i, from.local_extent()));
      std::copy_n(part + i * reals_per_site, reals_per_site,
                  whole.begin() + lexicographic(x, from.extent()) * reals_per_site);
    }
  }
  return whole;
}

struct WholeFile {
  GaugeHeader header;
  std::vector<double> links;
};

/// Reads a file on all ranks of comm over this grid and brings the links together.
inline WholeFile read_whole(const Comm& comm, const std::filesystem::path& path, const Geometry& geometry,
                            const ReadOptions& options = {}) {
  std::vector<double> box(std::size_t(geometry.local_volume()) * reals_per_site, -1e300);
  GaugeHeader header = read_gauge_file(comm, path, geometry, box, options);
  return {std::move(header), whole_of(comm, box, geometry)};
}

inline WholeFile read_whole(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options = {}) {
  return read_whole(comm, path, geometry_on(comm, read_gauge_header(comm, path, options).extent), options);
}

/// SU(3) links that differ everywhere: two orthonormalised random rows and their conjugate cross product.
inline std::vector<double> random_links(const Coord& extent, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  using Row = std::array<std::complex<double>, 3>;
  const auto dot = [](const Row& a, const Row& b) {
    return std::conj(a[0]) * b[0] + std::conj(a[1]) * b[1] + std::conj(a[2]) * b[2];
  };
  std::vector<double> links;
  for (std::int64_t i = 0; i < 4 * volume(extent); ++i) {
    Row a, b, c;
    for (auto& z : a) z = {normal(random), normal(random)};
    for (auto& z : b) z = {normal(random), normal(random)};
    const double norm_a = std::sqrt(dot(a, a).real());
    for (auto& z : a) z /= norm_a;
    const auto overlap = dot(a, b);
    for (std::size_t k = 0; k < 3; ++k) b[k] -= overlap * a[k];
    const double norm_b = std::sqrt(dot(b, b).real());
    for (auto& z : b) z /= norm_b;
    for (std::size_t k = 0; k < 3; ++k)
      c[k] = std::conj(a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    for (const Row& row : {a, b, c}) {
      for (const auto& z : row) links.insert(links.end(), {z.real(), z.imag()});
    }
  }
  return links;
}

/// Files of this process cannot grow beyond this while the object lives: stands in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

/// The text of the E that f throws; empty if it throws none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace kov::test
