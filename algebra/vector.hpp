// SPDX-License-Identifier: MIT
//
// Vector: a field of any type, as solvers see it, so that each of them is compiled once.
#pragma once

#include "kov/core/vectors/column_sums.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/operator.hpp"

#include <complex>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace kov {

namespace detail {
class VectorContent;
}

/// A handle to a field of spinors or colour vectors, in any precision, with sites or columns in lanes; a copy of it is
/// another handle to the same memory.  Each of its columns is a vector.  The functions below are those of fields, for
/// which see kov/core/vectors; they cost a call through a pointer more.  Two vectors that go together hold fields of
/// one type; else they throw InputError.
class Vector {
 public:
  template <detail::VectorField F>
  explicit Vector(const F& field);

  /// A new field of the same type and shape, zero.
  Vector like(const std::string& name) const;
  /// The even sites, which share memory with this.
  Vector even() const;
  /// n columns, from number k on, which share memory with this: whole packs of columns_together(), or all from k to the
  /// end.  Throws InputError for others.
  Vector components(int k, int n) const;
  /// Columns that lie in lanes together; 1 where sites do.
  int columns_together() const;
  const Lattice& lattice() const;
  const std::string& name() const;
  Subset subset() const;
  int n_components() const;
  /// The error of rounding a number, relative to the largest one of its site.
  double rounding() const;

  /// The field.  Throws InputError if it is of another type.
  template <detail::VectorField F>
  const F& as() const {
    return *static_cast<const F*>(field(typeid(F)));
  }

  const detail::VectorContent& content() const { return *content_; }

 private:
  explicit Vector(std::shared_ptr<const detail::VectorContent> content) : content_(std::move(content)) {}
  const void* field(const std::type_info& type) const;

  std::shared_ptr<const detail::VectorContent> content_;
};

/// An operator on fields F as one on vectors that hold such fields.
template <class F>
Operator<Vector> on_vectors(const Operator<F>& A) {
  struct OnVectors {
    Operator<F> A;
    std::string name() const { return A.name(); }
    void apply(const Vector& in, const Vector& out, const Exec& exec = {}) const {
      A.apply(in.as<F>(), out.as<F>(), exec);
    }
  };
  if (!A.has_adjoint()) return OnVectors{A};
  struct WithAdjoint : OnVectors {
    void apply_adjoint(const Vector& in, const Vector& out, const Exec& exec = {}) const {
      this->A.apply_adjoint(in.as<F>(), out.as<F>(), exec);
    }
  };
  return WithAdjoint{{A}};
}

// As kov/core/vectors has them for fields: x_k is column k, a and b have a number for each column, in double, rounded
// to the fields' precision; what is written comes last, and columns that `finished` names are left alone.  All are
// ordered on exec and throw InputError when vectors differ in type, lattice, sites or number of columns.  Those that
// return numbers wait for exec and are collective; they sum over the sites of all ranks, products and sums in double,
// with no factor.

/// x_k = 0
void zero(const Vector& x, const Exec& exec = {});
/// y_k = x_k
void copy(const Vector& x, const Vector& y, const ColumnMask& finished = {}, const Exec& exec = {});
/// y_k = x_k, rounded to what y stores; the fields may differ in precision and lanes.
void convert(const Vector& x, const Vector& y, const Exec& exec = {});
/// x_k = a_k x_k
void scale(const ByColumn<double>& a, const Vector& x, const ColumnMask& finished = {}, const Exec& exec = {});
/// y_k = y_k + a_k x_k
void axpy(const ByColumn<double>& a, const Vector& x, const Vector& y, const ColumnMask& finished = {},
          const Exec& exec = {});
void axpy(const ByColumn<std::complex<double>>& a, const Vector& x, const Vector& y, const ColumnMask& finished = {},
          const Exec& exec = {});
/// y_k = x_k + a_k y_k
void xpay(const Vector& x, const ByColumn<double>& a, const Vector& y, const ColumnMask& finished = {},
          const Exec& exec = {});
void xpay(const Vector& x, const ByColumn<std::complex<double>>& a, const Vector& y, const ColumnMask& finished = {},
          const Exec& exec = {});
/// z_k = x_k + a_k y_k + b_k z_k
void xpaypbz(const Vector& x, const ByColumn<std::complex<double>>& a, const Vector& y,
             const ByColumn<std::complex<double>>& b, const Vector& z, const ColumnMask& finished = {},
             const Exec& exec = {});
/// |x_k|^2
ByColumn<double> norm2_by_column(const Vector& x, const ColumnMask& finished = {}, const Exec& exec = {});
/// x_k^+ y_k, the sum of conj(x_k) y_k
ByColumn<std::complex<double>> inner_product_by_column(const Vector& x, const Vector& y,
                                                       const ColumnMask& finished = {}, const Exec& exec = {});
/// x_k^+ y_k and |x_k|^2, in one pass
ColumnProducts inner_product_norm2_by_column(const Vector& x, const Vector& y, const ColumnMask& finished = {},
                                             const Exec& exec = {});
/// y_k = y_k + a_k x_k; returns |y_k|^2
ByColumn<double> axpy_norm2(const ByColumn<double>& a, const Vector& x, const Vector& y,
                            const ColumnMask& finished = {}, const Exec& exec = {});
ByColumn<double> axpy_norm2(const ByColumn<std::complex<double>>& a, const Vector& x, const Vector& y,
                            const ColumnMask& finished = {}, const Exec& exec = {});
/// G_ij = x_i^+ y_j at [i * n + j], for m columns of x and n of y
std::vector<std::complex<double>> gram_matrix(const Vector& x, const Vector& y, const Exec& exec = {});
/// y_i = sum over j of x_j r_ji, r_ji at r[j * n + i] for n columns of y, which share none with x
void rotate(const Vector& x, const std::vector<std::complex<double>>& r, const Vector& y, const Exec& exec = {});
/// y_i = y_i + sum over j of x_j r_ji
void rotate_add(const Vector& x, const std::vector<std::complex<double>>& r, const Vector& y, const Exec& exec = {});

/// x_k = x_k + alpha_k p_k, then p_k = r_k + beta_k p_k.  3 reads and 2 writes.
void cg_step(const ByColumn<double>& alpha, const Vector& x, const ByColumn<double>& beta, const Vector& r,
             const Vector& p, const ColumnMask& finished, const Exec& exec = {});
/// What cg_sums() returns, a number for each column: ab is Re a_k^+ b_k.
struct CgSums {
  ByColumn<double> pq, rq, qq, rr;
};
/// The real parts of p_k^+ q_k and r_k^+ q_k, |q_k|^2 and |r_k|^2, in one pass.  3 reads.
CgSums cg_sums(const Vector& p, const Vector& q, const Vector& r, const ColumnMask& finished, const Exec& exec = {});
/// x_k = x_k + alpha_k p_k and r_k = r_k - alpha_k q_k, then p_k = r_k + beta_k p_k.  4 reads and 3 writes.
void cg_update(const ByColumn<double>& alpha, const Vector& q, const Vector& x, const ByColumn<double>& beta,
               const Vector& r, const Vector& p, const ColumnMask& finished, const Exec& exec = {});
/// What bicgstab_sums() returns, a number for each column: ab is a_k^+ b_k.
struct BiCgStabSums {
  ByColumn<std::complex<double>> tr, shadow_t, shadow_r, shadow_v, image_t, image_v;
  ByColumn<double> tt, rr;
};
/// The products above, in one pass.  5 reads.
BiCgStabSums bicgstab_sums(const Vector& t, const Vector& r, const Vector& v, const Vector& shadow, const Vector& image,
                           const ColumnMask& finished, const Exec& exec = {});
/// x_k = x_k + alpha_k p_k + omega_k r_k and r_k = r_k - omega_k t_k, then p_k = r_k + beta_k (p_k - omega_k v_k).
/// 5 reads and 3 writes.
void bicgstab_update(const ByColumn<std::complex<double>>& alpha, const ByColumn<std::complex<double>>& omega,
                     const Vector& t, const ByColumn<std::complex<double>>& beta, const Vector& v, const Vector& x,
                     const Vector& r, const Vector& p, const ColumnMask& finished, const Exec& exec = {});

}  // namespace kov
