// SPDX-License-Identifier: MIT
//
// The tilings that products take by themselves: that there are such, for which sizes, and that their tiles fit into the
// scratch memory of a team.
#include "kov/contractions/kernels/cuda/product_shapes.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"
#include "tests/contractions/kernels/scratch_support.hpp"

#include <algorithm>

namespace kov {
namespace {
namespace product_shapes {

using reference::HostNumbers;
using test::on_device;
using test::on_host;
using test::random_numbers;

/// Rows and columns of numbers that a team and a thread have.
struct Tile {
  int rows, columns, rows_of_thread, columns_of_thread;
  friend bool operator==(const Tile&, const Tile&) = default;
};
std::ostream& operator<<(std::ostream& out, const Tile& t) {
  return out << t.rows << " x " << t.columns << ", " << t.rows_of_thread << " x " << t.columns_of_thread;
}
template <class Shape>
constexpr Tile tile_of = {Shape::block_rows, Shape::block_columns, Shape::rows, Shape::columns};

constexpr ProductTiling in_registers[] = {ProductTiling::small, ProductTiling::medium, ProductTiling::large,
                                          ProductTiling::square, ProductTiling::deep};
bool is_in_registers(ProductTiling tiling) {
  return std::find(std::begin(in_registers), std::end(in_registers), tiling) != std::end(in_registers);
}
template <class Z>
Tile product_tile(ProductTiling tiling) {
  using Tensor = typename detail::ProductShapes<Z>::Tensor;
  if (tiling == ProductTiling::tensor) return {Tensor::block_rows, Tensor::block_columns, 0, 0};
  return detail::with_product_shape<Z>(tiling, [&]<class Shape>() { return tile_of<Shape>; });
}
std::int64_t n_tiles(const Tile& t, int rows, int columns, std::int64_t n_matrices) {
  return n_matrices * ((rows + t.rows - 1) / t.rows) * ((columns + t.columns - 1) / t.columns);
}

constexpr int sizes[] = {1, 2, 16, 31, 32, 33, 63, 64, 65, 128, 129, 255, 256, 260, 261, 513, 704, 1024, 2049};
constexpr std::int64_t batches[] = {1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 4096, 1000000};

template <class Z>
class ProductTilings : public testing::Test {};
using Types = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(ProductTilings, Types);

TYPED_TEST(ProductTilings, HaveTheTilesThatTheyAreDocumentedToHave) {
  using Z = TypeParam;
  const bool of_sixteen_bytes = sizeof(Z) == 16;
  EXPECT_EQ(product_tile<Z>(ProductTiling::small), (Tile{32, 32, 2, 4}));
  EXPECT_EQ(product_tile<Z>(ProductTiling::medium), (Tile{64, 64, 4, 8}));
  EXPECT_EQ(product_tile<Z>(ProductTiling::large), of_sixteen_bytes ? (Tile{128, 64, 8, 4}) : (Tile{128, 128, 8, 8}));
  EXPECT_EQ(product_tile<Z>(ProductTiling::square), (Tile{64, 64, 4, 4}));
  EXPECT_EQ(product_tile<Z>(ProductTiling::deep), (Tile{64, 64, of_sixteen_bytes ? 4 : 8, 4}));
  EXPECT_EQ(product_tile<Z>(ProductTiling::tensor), (Tile{64, 64, 0, 0}));
  using Shapes = detail::ProductShapes<Z>;
  EXPECT_GT(int(Shapes::Square::depth), int(Shapes::Medium::depth));
  EXPECT_EQ(int(Shapes::Deep::stages), 3);
}

TYPED_TEST(ProductTilings, FitIntoTheScratchMemoryOfATeam) {
  using Z = TypeParam;
  for (const ProductTiling tiling : in_registers)
    detail::with_product_shape<Z>(tiling, [&]<class Shape>() {
      using Kernel = detail::ProductTiles<Z, detail::RegisterTiles<Z, Shape>>;
      test::expect_fits_scratch(Kernel::tile_bytes, Kernel::max_threads, name(tiling));
    });
  if constexpr (!has_packs)
    for (const ProductTiling tiling : product_tilings()) {
      const KernelResources resources = product_resources<Z>(tiling);
      test::expect_fits_scratch(resources.tile_bytes, resources.threads, name(tiling) + " as the device has it");
    }
}

TYPED_TEST(ProductTilings, ThatAreChosenAreThoseOfADeviceWithEnoughTiles) {
  using Z = TypeParam;
  const auto there = product_tilings();
  for (const int rows : sizes)
    for (const int columns : sizes)
      for (const std::int64_t batch : batches) {
        const ProductTiling chosen = detail::best_tiling<Z>(rows, columns, batch);
        ASSERT_TRUE(std::find(there.begin(), there.end(), chosen) != there.end()) << name(chosen);
        ASSERT_TRUE(is_in_registers(chosen) || chosen == ProductTiling::tensor) << name(chosen);
        ASSERT_EQ(chosen == ProductTiling::tensor, detail::has_tensor_cores() && rows > 32 && columns > 32);
        if (rows <= 32 || columns <= 32) {
          ASSERT_EQ(chosen, ProductTiling::small);
        }
        if (is_in_registers(chosen) && chosen != ProductTiling::small) {
          ASSERT_GE(n_tiles(product_tile<Z>(chosen), rows, columns, batch), 128)
              << name(chosen) << " leaves multiprocessors without work: " << rows << " x " << columns << " x " << batch;
        }
      }
}

/// More rows, columns or products: tiles that are as large, or larger.
TYPED_TEST(ProductTilings, GrowWithTheWork) {
  using Z = TypeParam;
  const auto numbers_of = [](int rows, int columns, std::int64_t batch) {
    const Tile t = product_tile<Z>(detail::best_tiling<Z>(rows, columns, batch));
    return t.rows * t.columns;
  };
  for (std::size_t i = 0; i < std::size(sizes); ++i)
    for (std::size_t j = 0; j < std::size(sizes); ++j)
      for (std::size_t b = 0; b < std::size(batches); ++b) {
        const int here = numbers_of(sizes[i], sizes[j], batches[b]);
        if (i > 0) {
          ASSERT_GE(here, numbers_of(sizes[i - 1], sizes[j], batches[b]));
        }
        if (j > 0) {
          ASSERT_GE(here, numbers_of(sizes[i], sizes[j - 1], batches[b]));
        }
        if (b > 0) {
          ASSERT_GE(here, numbers_of(sizes[i], sizes[j], batches[b - 1]));
        }
      }
  if (detail::has_tensor_cores()) return;
  // 8 x 8 tiles of 64 numbers in one direction are 64 tiles: two matrices have work for 128 multiprocessors.
  EXPECT_EQ(detail::best_tiling<Z>(512, 512, 1), ProductTiling::small);
  EXPECT_EQ(detail::best_tiling<Z>(512, 512, 2), sizeof(Z) == 16 ? ProductTiling::medium : ProductTiling::square);
  // 15 x 17 tiles of 128 x 128, and 16 x 16: two for each multiprocessor.
  EXPECT_EQ(detail::best_tiling<Z>(1920, 2176, 1), sizeof(Z) == 16 ? ProductTiling::medium : ProductTiling::square);
  EXPECT_EQ(detail::best_tiling<Z>(2048, 2048, 1), sizeof(Z) == 16 ? ProductTiling::medium : ProductTiling::large);
}

/// Tilings in registers add in the same order, and tensor cores in another: a product has the same bits alone and in a
/// batch.
TYPED_TEST(ProductTilings, AddInOneOrderWhateverTheNumberOfProducts) {
  using Z = TypeParam;
  for (const int rows : sizes)
    for (const int columns : sizes)
      for (const std::int64_t batch : batches)
        ASSERT_EQ(is_in_registers(detail::best_tiling<Z>(rows, columns, batch)),
                  is_in_registers(detail::best_tiling<Z>(rows, columns, 1)))
            << rows << " x " << columns << " x " << batch;
  if constexpr (has_packs) return;  // on hosts compilers choose which products and sums to fuse
  constexpr int m = 65, n = 50, k = 67;
  const Buffer<Z> a = on_device<Z>(random_numbers<Z>(m * n, 1)), b = on_device<Z>(random_numbers<Z>(n * k, 2));
  const auto product = [&](ProductTiling tiling) {
    const Buffer<Z> c("c", m * k);
    multiply<Z>(shared_matrix<const Z>(a.data(), m, n), shared_matrix<const Z>(b.data(), n, k),
                shared_matrix(c.data(), m, k), {}, {.tiling = tiling});
    return on_host(c);
  };
  const HostNumbers expected = product(ProductTiling::small);
  for (const ProductTiling tiling : in_registers) EXPECT_EQ(product(tiling), expected) << name(tiling);
}

/// Every number of the result, where a tile begins and where none does.
TYPED_TEST(ProductTilings, ThatAreChosenCoverTheProblem) {
  using Z = TypeParam;
  struct Problem {
    std::size_t rows, columns, batch;
  };
  std::vector<ProductTiling> all_chosen;
  for (const auto& [rows, columns, batch] :
       {Problem{1, 1, 1}, {32, 257, 3}, {33, 34, 2}, {65, 63, 64}, {64, 64, 128}, {129, 127, 64}, {130, 257, 50}}) {
    constexpr std::size_t inner = 3;
    const HostNumbers a = random_numbers<Z>(batch * rows * inner, 1), b = random_numbers<Z>(inner * columns, 2);
    const Buffer<Z> da = on_device<Z>(a), db = on_device<Z>(b), dc("c", batch * rows * columns);
    const ProductTiling chosen = detail::best_tiling<Z>(int(rows), int(columns), std::int64_t(batch));
    multiply<Z>(packed_matrices<const Z>(da.data(), int(rows), inner),
                shared_matrix<const Z>(db.data(), inner, int(columns)),
                packed_matrices(dc.data(), int(rows), int(columns)), {{int(batch), 1, 1, 1}}, {.tiling = chosen});
    EXPECT_LE(test::distance(on_host(dc), reference::product(a, b, batch * rows, inner, columns)),
              test::tolerance<detail::MatrixReal<Z>>(inner))
        << name(chosen) << ": " << rows << " x " << columns << " x " << batch;
    all_chosen.push_back(chosen);
  }
  for (const ProductTiling tiling : {ProductTiling::small, detail::has_tensor_cores() ? ProductTiling::tensor
                                                           : sizeof(Z) == 16          ? ProductTiling::medium
                                                                                      : ProductTiling::large})
    EXPECT_TRUE(std::find(all_chosen.begin(), all_chosen.end(), tiling) != all_chosen.end()) << name(tiling);
}

}  // namespace product_shapes
}  // namespace
}  // namespace kov
