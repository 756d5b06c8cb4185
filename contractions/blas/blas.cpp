// SPDX-License-Identifier: MIT
#include "kov/contractions/blas/blas.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/launch/kernel_clock.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <vector>

namespace kov {

namespace {

constexpr bool blas_is_cuda = !has_packs;

template <class F>
F symbol_of(void* library, const std::string& name) {
  return reinterpret_cast<F>(::dlsym(library, name.c_str()));
}

template <class Z>
constexpr int blas_type = std::is_same_v<Z, float>            ? 0
                          : std::is_same_v<Z, double>         ? 1
                          : std::is_same_v<Z, Complex<float>> ? 2
                                                              : 3;
constexpr const char* blas_letters = blas_is_cuda ? "SDCZ" : "sdcz";

template <class Z>
Z number_of_sign(int sign) {
  if constexpr (std::is_arithmetic_v<Z>)
    return Z(sign);
  else
    return Z{decltype(Z::re)(sign), 0};
}

int blas_int(std::int64_t n) {
  require(n <= std::numeric_limits<int>::max(), "rows of matrices are", n,
          "numbers apart, and a BLAS takes 2^31 - 1 at most: use another tiling");
  return int(std::max<std::int64_t>(n, 1));
}

/// cblas_sgemm and cblas_dgemm take factors as numbers, cblas_cgemm and cblas_zgemm by address.
template <class Z>
void call_cblas(void* gemm, const BlasProduct<Z>& p, int first_row, int rows, int number) {
  constexpr int row_major = 101, plain = 111, transpose = 112;
  const Z sign = number_of_sign<Z>(p.sign), beta = number_of_sign<Z>(p.adds ? 1 : 0);
  const Z* const a = p.a.data + number * p.a.stride + first_row * p.a.row;
  const Z* const b = p.b.data + number * p.b.stride;
  Z* const c = p.c.data + number * p.c.stride + first_row * p.c.row;
  const int b_is = p.transposed ? transpose : plain;
  const int a_row = blas_int(p.a.row), b_row = blas_int(p.b.row), c_row = blas_int(p.c.row);
  if constexpr (std::is_arithmetic_v<Z>) {
    using Call = void (*)(int, int, int, int, int, int, Z, const Z*, int, const Z*, int, Z, Z*, int);
    reinterpret_cast<Call>(gemm)(row_major, plain, b_is, rows, p.n, p.k, sign, a, a_row, b, b_row, beta, c, c_row);
  } else {
    using Call = void (*)(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*,
                          void*, int);
    reinterpret_cast<Call>(gemm)(row_major, plain, b_is, rows, p.n, p.k, &sign, a, a_row, b, b_row, &beta, c, c_row);
  }
}

}  // namespace

struct Blas::Implementation {
  void* library = nullptr;
  std::string name;
  /// gemm of float, double and complex numbers of them.
  void* gemm[4] = {};
  /// Of cuBLAS.
  void* handle = nullptr;
  int (*set_stream)(void*, void*) = nullptr;
  int (*scale_float)(void*, int, const float*, float*, int) = nullptr;
  int (*scale_double)(void*, int, const double*, double*, int) = nullptr;
  /// Of OpenBLAS.
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    if (!library) return;
    if (handle)
      if (const auto destroy = symbol_of<int (*)(void*)>(library, "cublasDestroy_v2")) destroy(handle);
    ::dlclose(library);
  }

  /// Of cublasCreate, where it was called.
  int create_status = 0;

  /// Whether this file can be loaded, has what is needed and can be used.
  bool load(const std::string& file) {
    library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    for (int type = 0; type < 4; ++type) {
      const std::string letter(1, blas_letters[type]);
      gemm[type] = symbol_of<void*>(
          library, blas_is_cuda ? "cublas" + letter + "gemmStridedBatched" : "cblas_" + letter + "gemm");
      if (!gemm[type]) return false;
    }
    const auto has = [&](const char* symbol) { return ::dlsym(library, symbol) != nullptr; };
    get_threads = symbol_of<int (*)()>(library, "openblas_get_num_threads");
    set_threads = symbol_of<void (*)(int)>(library, "openblas_set_num_threads");
    if (!set_threads) get_threads = nullptr;
    name = blas_is_cuda                        ? "cuBLAS"
           : get_threads                       ? "OpenBLAS"
           : has("bli_thread_set_num_threads") ? "BLIS"
           : has("mkl_get_max_threads")        ? "MKL"
                                               : "BLAS";
    return !blas_is_cuda || load_cuda();
  }
  bool load_cuda() {
    const auto create = symbol_of<int (*)(void**)>(library, "cublasCreate_v2");
    set_stream = symbol_of<int (*)(void*, void*)>(library, "cublasSetStream_v2");
    scale_float = symbol_of<decltype(scale_float)>(library, "cublasSscal_v2");
    scale_double = symbol_of<decltype(scale_double)>(library, "cublasDscal_v2");
    if (!create || !set_stream || !scale_float || !scale_double) return false;
    create_status = create(&handle);
    if (create_status != 0) handle = nullptr;
    return create_status == 0;
  }

  /// Empty where the library does not tell it.
  std::string version() const {
    if (handle) {
      const auto get = symbol_of<int (*)(void*, int*)>(library, "cublasGetVersion_v2");
      int number = 0;
      return get && get(handle, &number) == 0 ? std::to_string(number) : "";
    }
    for (const char* symbol : {"openblas_get_config", "bli_info_get_version_str"})
      if (const auto get = symbol_of<const char* (*)()>(library, symbol)) return get();
    return "";
  }
  /// Where the products are, which may be in a library that this one needs.
  std::string file() const {
    Dl_info info;
    if (::dladdr(gemm[0], &info) == 0 || !info.dli_fname) return "a file that is not known";
    std::error_code problem;
    const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, problem);
    return problem ? info.dli_fname : path.string();
  }

  void use([[maybe_unused]] const Exec& exec) const {
#if defined(KOKKOS_ENABLE_CUDA)
    check(set_stream(handle, exec.cuda_stream()), "cublasSetStream");
#endif
  }
  static void check(int status, const char* what) {
    require<Error>(status == 0, what, "failed with status", status, ": see cublasStatus_t in the manual of cuBLAS");
  }

  template <class Z>
  void multiply_on_gpu(const BlasProduct<Z>& p, const Exec& exec) const {
    // Column-major: c^T = b^T a^T.
    using Call = int (*)(void*, int, int, int, int, int, const Z*, const Z*, int, long long, const Z*, int, long long,
                         const Z*, Z*, int, long long, int);
    use(exec);
    const Z sign = number_of_sign<Z>(p.sign), beta = number_of_sign<Z>(p.adds ? 1 : 0);
    check(reinterpret_cast<Call>(gemm[blas_type<Z>])(
              handle, p.transposed ? 1 : 0, 0, p.n, p.m, p.k, &sign, p.b.data, blas_int(p.b.row), p.b.stride, p.a.data,
              blas_int(p.a.row), p.a.stride, &beta, p.c.data, blas_int(p.c.row), p.c.stride, p.batch),
          "a product of cuBLAS");
  }

  template <class Z>
  void multiply_on_cpu(const BlasProduct<Z>& p) const {
    struct OneThread {
      const Implementation& blas;
      int before;
      explicit OneThread(const Implementation& blas) : blas(blas), before(blas.get_threads ? blas.get_threads() : 1) {
        if (before != 1) blas.set_threads(1);
      }
      ~OneThread() {
        if (before != 1) blas.set_threads(before);
      }
    } const one_thread(*this);
    // Several pieces for each thread, of 32 rows at least.
    const std::int64_t wanted = (4 * std::int64_t(n_host_threads()) + p.batch - 1) / p.batch;
    const int pieces = int(std::clamp<std::int64_t>(wanted, 1, std::max(1, p.m / 32)));
    on_host_threads("blas", std::int64_t(p.batch) * pieces, [&](std::int64_t i, int) {
      const int piece = int(i % pieces), first = int(std::int64_t(p.m) * piece / pieces),
                end = int(std::int64_t(p.m) * (piece + 1) / pieces);
      call_cblas(gemm[blas_type<Z>], p, first, end - first, int(i / pieces));
    });
  }
};

Blas Blas::load(const std::string& library) {
  std::vector<std::string> files{library};
  if (library.empty()) {
    if (blas_is_cuda)
      files = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    else
      files = {"libopenblas.so.0", "libopenblas.so", "libblas.so.3"};
  }
  Blas blas;
  int status = 0;  // of the last cuBLAS that could not be used; another version may be
  for (const std::string& file : files) {
    auto made = std::make_shared<Implementation>();
    if (made->load(file)) {
      blas.implementation_ = made;
      return blas;
    }
    require(library.empty() || made->library, "the BLAS", library, "cannot be loaded:", ::dlerror(),
            "- name another file, or none");
    if (made->create_status != 0) status = made->create_status;
  }
  if (status != 0) {
    blas.problem_ =
        sentence("cuBLAS was loaded and cannot be used, as cublasCreate failed with status", status,
                 "(cublasStatus_t): install a version that fits the driver, and leave it memory of the GPU");
    require<Error>(library.empty(), blas.problem_);
    return blas;
  }
  blas.problem_ = "there is no library with products of matrices named";
  for (const std::string& file : files) blas.problem_ += (&file == &files.front() ? " " : ", ") + file;
  require(library.empty(), "the library", library, "has no products of matrices",
          blas_is_cuda ? "of cuBLAS" : "(cblas_sgemm and its like)", "- name another file, or none");
  return blas;
}

std::string Blas::name() const { return implementation_ ? implementation_->name : "no BLAS"; }

std::string Blas::description() const {
  if (!exists()) return name();
  const std::string version = implementation_->version();
  return name() + (version.empty() ? "" : " (" + version + ")") + ", " + implementation_->file();
}

template <class Z>
void Blas::multiply(const BlasProduct<Z>& product, const Exec& exec) const {
  require(exists(), "a product by a BLAS was asked for and there is none: give one, or choose another tiling");
  if (product.m <= 0 || product.n <= 0 || product.batch <= 0) return;
  blas_int(std::max(product.a.row, std::max(product.b.row, product.c.row)));
  const detail::KernelTimer timer;
  if constexpr (blas_is_cuda)
    implementation_->multiply_on_gpu(product, exec);
  else
    implementation_->multiply_on_cpu(product);
}

template <class R>
void Blas::conjugate(Complex<R>* z, std::int64_t n, const Exec& exec) const {
  require(exists(), "conjugates by a BLAS were asked for and there is none: give one");
  if constexpr (blas_is_cuda) {
    constexpr std::int64_t most = 1 << 30;
    const R minus = -1;
    implementation_->use(exec);
    for (std::int64_t first = 0; first < n; first += most) {
      R* const imaginary = reinterpret_cast<R*>(z + first) + 1;
      const int here = int(std::min(most, n - first));
      if constexpr (std::is_same_v<R, float>)
        Implementation::check(implementation_->scale_float(implementation_->handle, here, &minus, imaginary, 2),
                              "cublasSscal");
      else
        Implementation::check(implementation_->scale_double(implementation_->handle, here, &minus, imaginary, 2),
                              "cublasDscal");
    }
  } else {
    constexpr std::int64_t piece = 1 << 14;
    on_host_threads("conjugate", (n + piece - 1) / piece, [&](std::int64_t i, int) {
      for (std::int64_t k = i * piece; k < std::min(n, (i + 1) * piece); ++k) z[k].im = -z[k].im;
    });
  }
}

template void Blas::multiply(const BlasProduct<float>&, const Exec&) const;
template void Blas::multiply(const BlasProduct<double>&, const Exec&) const;
template void Blas::multiply(const BlasProduct<Complex<float>>&, const Exec&) const;
template void Blas::multiply(const BlasProduct<Complex<double>>&, const Exec&) const;
template void Blas::conjugate(Complex<float>*, std::int64_t, const Exec&) const;
template void Blas::conjugate(Complex<double>*, std::int64_t, const Exec&) const;

}  // namespace kov
