// SPDX-License-Identifier: MIT
//
// Private to vector.cpp: several updates of a recursion in one pass over its fields, with their sums.
#pragma once

#include "kov/algebra/vector.hpp"
#include "kov/core/vectors/column_ops.hpp"
#include "kov/core/vectors/column_sums.hpp"

namespace kov::detail {

template <VectorField F>
struct KrylovUpdates {
  using Real = ByColumn<double>;
  using Number = ByColumn<std::complex<double>>;

  static void cg_step(const Real& alpha, const F& x, const Real& beta, const F& r, const F& p,
                      const ColumnMask& finished, const Exec& exec);
  static CgSums cg_sums(const F& p, const F& q, const F& r, const ColumnMask& finished, const Exec& exec);
  static void cg_update(const Real& alpha, const F& q, const F& x, const Real& beta, const F& r, const F& p,
                        const ColumnMask& finished, const Exec& exec);
  static BiCgStabSums bicgstab_sums(const F& t, const F& r, const F& v, const F& shadow, const F& image,
                                    const ColumnMask& finished, const Exec& exec);
  static void bicgstab_update(const Number& alpha, const Number& omega, const F& t, const Number& beta, const F& v,
                              const F& x, const F& r, const F& p, const ColumnMask& finished, const Exec& exec);
};

// As in column_sums.hpp.

/// x_k = x_k + alpha_k p_k, then p_k = r_k + beta_k p_k.  3 reads and 2 writes.
template <VectorField F>
void cg_step(const ByColumn<double>& alpha, const F& x, const ByColumn<double>& beta, const F& r, const F& p,
             const ColumnMask& finished, const Exec& exec = {}) {
  KrylovUpdates<F>::cg_step(alpha, x, beta, r, p, finished, exec);
}
/// For every column the real parts of p_k^+ q_k and r_k^+ q_k, |q_k|^2 and |r_k|^2, in one pass.  3 reads.
template <VectorField F>
CgSums cg_sums(const F& p, const F& q, const F& r, const ColumnMask& finished, const Exec& exec = {}) {
  return KrylovUpdates<F>::cg_sums(p, q, r, finished, exec);
}
/// x_k = x_k + alpha_k p_k and r_k = r_k - alpha_k q_k, then p_k = r_k + beta_k p_k.  4 reads and 3 writes.
template <VectorField F>
void cg_update(const ByColumn<double>& alpha, const F& q, const F& x, const ByColumn<double>& beta, const F& r,
               const F& p, const ColumnMask& finished, const Exec& exec = {}) {
  KrylovUpdates<F>::cg_update(alpha, q, x, beta, r, p, finished, exec);
}
/// For every column the products that BiCgStabSums names, in one pass.  5 reads.
template <VectorField F>
BiCgStabSums bicgstab_sums(const F& t, const F& r, const F& v, const F& shadow, const F& image,
                           const ColumnMask& finished, const Exec& exec = {}) {
  return KrylovUpdates<F>::bicgstab_sums(t, r, v, shadow, image, finished, exec);
}
/// x_k = x_k + alpha_k p_k + omega_k r_k and r_k = r_k - omega_k t_k, then p_k = r_k + beta_k (p_k - omega_k v_k).
/// 5 reads and 3 writes.
template <VectorField F>
void bicgstab_update(const ByColumn<std::complex<double>>& alpha, const ByColumn<std::complex<double>>& omega,
                     const F& t, const ByColumn<std::complex<double>>& beta, const F& v, const F& x, const F& r,
                     const F& p, const ColumnMask& finished, const Exec& exec = {}) {
  KrylovUpdates<F>::bicgstab_update(alpha, omega, t, beta, v, x, r, p, finished, exec);
}

}  // namespace kov::detail
