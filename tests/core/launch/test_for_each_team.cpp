// SPDX-License-Identifier: MIT
//
// Teams share tiles and wait for each other; tiles that do not fit are refused.
#include "kov/core/base/memory.hpp"
#include "kov/core/base/queue.hpp"
#include "kov/core/launch/for_each_team.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace kov {
namespace {
namespace teams {

/// c = a b for n x n matrices, one of size x size elements of c by each team, through two tiles.
struct TiledProduct {
  static constexpr int size = 8;
  const double *a, *b;
  double* c;
  int n;

  int tiles() const { return (n + size - 1) / size; }
  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    double* const left = team.template tile<double>(size * size);
    double* const right = team.template tile<double>(size * size);
    double* const sum = team.template tile<double>(size * size);
    const int across = (n + size - 1) / size, row = team.index() / across * size, column = team.index() % across * size;
    team.share(size * size, [&](int i) { sum[i] = 0; });
    for (int k = 0; k < n; k += size) {
      team.share(size * size, [&](int i) {
        const int r = i / size, s = i % size;
        left[i] = row + r < n && k + s < n ? a[(row + r) * n + k + s] : 0;
        right[i] = k + r < n && column + s < n ? b[(k + r) * n + column + s] : 0;
      });
      team.barrier();
      team.share(size * size, [&](int i) {
        for (int j = 0; j < size; ++j) sum[i] += left[i / size * size + j] * right[j * size + i % size];
      });
      team.barrier();
    }
    team.share(size * size, [&](int i) {
      if (row + i / size < n && column + i % size < n) c[(row + i / size) * n + column + i % size] = sum[i];
    });
  }
};

void check(int n, int threads, const Exec& exec) {
  const std::size_t n_elements = std::size_t(n) * std::size_t(n);
  std::vector<double> a(n_elements), b(n_elements), right(n_elements);
  for (std::size_t i = 0; i < n_elements; ++i) {
    a[i] = double(i % 17) - 8;
    b[i] = double(i % 13) - 6;
  }
  for (int r = 0; r < n; ++r)
    for (int s = 0; s < n; ++s)
      for (int k = 0; k < n; ++k)
        right[std::size_t(r * n + s)] += a[std::size_t(r * n + k)] * b[std::size_t(k * n + s)];
  const Buffer<double> da("a", a), db("b", b), dc("c", n_elements);
  const TiledProduct kernel{da.data(), db.data(), dc.data(), n};
  constexpr std::size_t tile = sizeof(double) * TiledProduct::size * TiledProduct::size;
  for_each_team("tiled_product", {kernel.tiles() * kernel.tiles(), threads, 3 * tile}, kernel, exec);
  exec.fence("tiled product");
  EXPECT_EQ(dc.to_host(), right) << n << " by teams of " << threads;
}

TEST(Teams, ShareTiles) {
  for (const int n : {1, 7, 8, 33, 64})
    for (const int threads : {32, 64, 256}) check(n, threads, Exec());
}
TEST(Teams, RunOnAnInstance) { check(40, 128, detail::instance_beside(Exec())); }

/// Where a tile lies, by every team.
struct WhereTiles {
  int* aligned;
  template <class TeamT>
  KOKKOS_FUNCTION void operator()(const TeamT& team) const {
    const char* const first = team.template tile<char>(3);
    const char* const second = reinterpret_cast<const char*>(team.template tile<double>(1));
    if (team.thread() == 0)
      aligned[team.index()] = first != nullptr && second != nullptr && std::size_t(second) % 16 == 0 &&
                              std::size_t(first) % 16 == 0 && second - first == 16;
  }
};

TEST(Teams, AlignTiles) {
  const Buffer<int> aligned("aligned", 5);
  for_each_team("where_tiles", {5, 32, 32}, WhereTiles{aligned.data()});
  Kokkos::fence("where tiles");
  EXPECT_EQ(aligned.to_host(), std::vector<int>(5, 1));
}

TEST(Teams, RefuseTilesThatDoNotFit) {
  const Buffer<int> aligned("aligned", 1);
  EXPECT_THROW(for_each_team("where_tiles", {1, 32, std::size_t(1) << 40}, WhereTiles{aligned.data()}), InputError);
}
TEST(Teams, MayBeNone) { for_each_team("where_tiles", {0, 32, 32}, WhereTiles{nullptr}); }

}  // namespace teams
}  // namespace
}  // namespace kov
