// SPDX-License-Identifier: MIT
#include "apps/bench/contractions/blas.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/base/queue.hpp"

#include <dlfcn.h>
#include <type_traits>
#include <vector>

namespace kov::app {

namespace {

template <class F>
F symbol_of(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

template <class Z>
constexpr char blas_letter() {
  if (std::is_same_v<Z, float>) return 's';
  if (std::is_same_v<Z, double>) return 'd';
  return std::is_same_v<Z, Complex<float>> ? 'c' : 'z';
}

}  // namespace

struct Blas::Implementation {
  void* library = nullptr;
  bool is_cuda = false;
  void* handle = nullptr;
  ~Implementation() {
    if (!library) return;
    if (handle)
      if (const auto destroy = symbol_of<int (*)(void*)>(library, "cublasDestroy_v2")) destroy(handle);
    ::dlclose(library);
  }
};

Blas::Blas(const std::string& library) {
  const bool on_gpu = !has_packs;
  std::vector<std::string> names{library};
  if (library.empty()) {
    if (on_gpu)
      names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    else
      names = {"libopenblas.so.0", "libopenblas.so"};
  }
  auto made = std::make_shared<Implementation>();
  for (const std::string& file : names)
    if (!made->library) made->library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(made->library || library.empty(), "the BLAS", library, "cannot be loaded:", ::dlerror(),
          "- name another file, or none");
  if (!made->library) return;
  if (on_gpu) {
    made->is_cuda = true;
    const auto create = symbol_of<int (*)(void**)>(made->library, "cublasCreate_v2");
    if (!create || create(&made->handle) != 0) return;
#if defined(KOKKOS_ENABLE_CUDA)
    if (const auto set_stream = symbol_of<int (*)(void*, void*)>(made->library, "cublasSetStream_v2"))
      set_stream(made->handle, Exec().cuda_stream());
#endif
  }
  implementation_ = made;
}

std::string Blas::name() const {
  if (!implementation_) return "no BLAS";
  return implementation_->is_cuda ? "cuBLAS" : "OpenBLAS";
}

template <class Z>
void Blas::multiply(int m, int n, int k, const Z* a, const Z* b, Z* c, int batch, bool transposed) const {
  require(exists(), "there is no BLAS on this machine: install one");
  constexpr char letter = blas_letter<Z>();
  const Z one = [] {
    if constexpr (std::is_arithmetic_v<Z>)
      return Z(1);
    else
      return Z{1, 0};
  }();
  const Z zero{};
  void* const library = implementation_->library;
  if (implementation_->is_cuda) {
    // Column-major: c^T = b^T a^T.
    using Call = int (*)(void*, int, int, int, int, int, const Z*, const Z*, int, long long, const Z*, int, long long,
                         const Z*, Z*, int, long long, int);
    const std::string name = std::string("cublas") + char(letter - 'a' + 'A') + "gemmStridedBatched";
    const Call call = symbol_of<Call>(library, name.c_str());
    require(call, "cuBLAS has no", name);
    const int status = call(implementation_->handle, transposed ? 1 : 0, 0, n, m, k, &one, b, transposed ? k : n,
                            (long long)n * k, a, k, (long long)m * k, &zero, c, n, (long long)m * n, batch);
    require<Error>(status == 0, name, "failed with status", status);
    return;
  }
  constexpr int row_major = 101, plain = 111, transpose = 112;
  const std::string name = std::string("cblas_") + letter + "gemm";
  require(symbol_of<void (*)()>(library, name.c_str()) != nullptr, "the library given as BLAS has no", name + ":",
          "name another one with --blas");
  for (int i = 0; i < batch; ++i) {
    const Z *const ai = a + std::ptrdiff_t(i) * m * k, *const bi = b + std::ptrdiff_t(i) * n * k;
    Z* const ci = c + std::ptrdiff_t(i) * m * n;
    if constexpr (std::is_arithmetic_v<Z>) {
      using Call = void (*)(int, int, int, int, int, int, Z, const Z*, int, const Z*, int, Z, Z*, int);
      symbol_of<Call>(library, name.c_str())(row_major, plain, transposed ? transpose : plain, m, n, k, one, ai, k, bi,
                                             transposed ? k : n, zero, ci, n);
    } else {
      using Call = void (*)(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*,
                            void*, int);
      symbol_of<Call>(library, name.c_str())(row_major, plain, transposed ? transpose : plain, m, n, k, &one, ai, k, bi,
                                             transposed ? k : n, &zero, ci, n);
    }
  }
}

template void Blas::multiply(int, int, int, const float*, const float*, float*, int, bool) const;
template void Blas::multiply(int, int, int, const double*, const double*, double*, int, bool) const;
template void Blas::multiply(int, int, int, const Complex<float>*, const Complex<float>*, Complex<float>*, int,
                             bool) const;
template void Blas::multiply(int, int, int, const Complex<double>*, const Complex<double>*, Complex<double>*, int,
                             bool) const;

}  // namespace kov::app
