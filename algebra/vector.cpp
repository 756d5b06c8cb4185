// SPDX-License-Identifier: MIT
#include "kov/algebra/vector.hpp"

#include "kov/algebra/krylov_updates.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/launch/work.hpp"
#include "kov/core/vectors/column_matrix.hpp"

#include <limits>
#include <type_traits>
#include <variant>

namespace kov {

namespace detail {

using Reals = ByColumn<double>;
using Numbers = ByColumn<std::complex<double>>;
using AnyBlocks = std::variant<SiteBlocks<float>, SiteBlocks<double>, SiteBlocks<std::int16_t>>;

/// The functions of vector.hpp, of which the field in this is what is written, or what is summed over.
class VectorContent {
 public:
  virtual ~VectorContent() = default;
  virtual std::shared_ptr<const VectorContent> like(const std::string& name) const = 0;
  virtual std::shared_ptr<const VectorContent> even() const = 0;
  virtual std::shared_ptr<const VectorContent> components(int k, int n) const = 0;
  virtual int columns_together() const = 0;
  virtual const Lattice& lattice() const = 0;
  virtual const std::string& name() const = 0;
  virtual Subset subset() const = 0;
  virtual int n_components() const = 0;
  virtual double rounding() const = 0;
  /// Of all sites and columns.
  virtual double n_complex() const = 0;
  virtual double bytes() const = 0;
  virtual const void* field(const std::type_info& type) const = 0;
  virtual AnyBlocks blocks() const = 0;
  virtual FieldShape shape() const = 0;

  virtual void zero(const Exec& exec) const = 0;
  virtual void copy(const Vector& x, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void scale(const Reals& a, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void axpy(const Reals& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void axpy(const Numbers& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void xpay(const Vector& x, const Reals& a, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void xpay(const Vector& x, const Numbers& a, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void xpaypbz(const Vector& x, const Numbers& a, const Vector& y, const Numbers& b, const ColumnMask& finished,
                       const Exec& exec) const = 0;
  virtual Reals norm2(const ColumnMask& finished, const Exec& exec) const = 0;
  virtual Numbers inner_product(const Vector& y, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual ColumnProducts inner_product_norm2(const Vector& y, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual Reals axpy_norm2(const Reals& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual Reals axpy_norm2(const Numbers& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual std::vector<std::complex<double>> gram_matrix(const Vector& y, const Exec& exec) const = 0;
  virtual void rotate(const Vector& x, const std::vector<std::complex<double>>& r, const Exec& exec) const = 0;
  virtual void rotate_add(const Vector& x, const std::vector<std::complex<double>>& r, const Exec& exec) const = 0;
  virtual void cg_step(const Reals& alpha, const Vector& x, const Reals& beta, const Vector& r,
                       const ColumnMask& finished, const Exec& exec) const = 0;
  virtual CgSums cg_sums(const Vector& q, const Vector& r, const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void cg_update(const Reals& alpha, const Vector& q, const Vector& x, const Reals& beta, const Vector& r,
                         const ColumnMask& finished, const Exec& exec) const = 0;
  virtual BiCgStabSums bicgstab_sums(const Vector& r, const Vector& v, const Vector& shadow, const Vector& image,
                                     const ColumnMask& finished, const Exec& exec) const = 0;
  virtual void bicgstab_update(const Numbers& alpha, const Numbers& omega, const Vector& t, const Numbers& beta,
                               const Vector& v, const Vector& x, const Vector& r, const ColumnMask& finished,
                               const Exec& exec) const = 0;
};

namespace {

/// The error of rounding a number relative to the largest one of its site.
template <class Storage>
constexpr double rounding_of = std::numeric_limits<Storage>::epsilon();
template <>
constexpr double rounding_of<Fixed16> = 1.0 / 65536;

template <VectorField F>
class ContentOf final : public VectorContent {
 public:
  explicit ContentOf(const F& field) : field_(field.alias()) {}

  std::shared_ptr<const VectorContent> like(const std::string& name) const override {
    return std::make_shared<ContentOf>(field_.like(name));
  }
  std::shared_ptr<const VectorContent> even() const override { return std::make_shared<ContentOf>(field_.even()); }
  std::shared_ptr<const VectorContent> components(int k, int n) const override {
    return std::make_shared<ContentOf>(field_.components(k, n));
  }
  int columns_together() const override { return F::Lanes::columns; }
  const Lattice& lattice() const override { return field_.lattice(); }
  const std::string& name() const override { return field_.name(); }
  Subset subset() const override { return field_.subset(); }
  int n_components() const override { return field_.n_components(); }
  double rounding() const override { return rounding_of<typename F::Storage>; }
  double n_complex() const override {
    const double sites = double(lattice().geometry().local_volume()) / (subset() == Subset::all ? 1 : 2);
    return sites * n_components() * F::n_complex;
  }
  double bytes() const override { return double(field_.bytes()); }
  const void* field(const std::type_info& type) const override {
    require(
        type == typeid(F), "a solver got", field_.name(),
        "together with a field or an operator of another type: give it fields of one type, and an operator on them");
    return &field_;
  }
  AnyBlocks blocks() const override { return SiteBlocks<typename F::Stored>::of(field_.view()); }
  FieldShape shape() const override { return FieldShape::of(field_); }

  void zero(const Exec& exec) const override { kov::zero(field_, exec); }
  void copy(const Vector& x, const ColumnMask& finished, const Exec& exec) const override {
    if (finished.any_finished())
      kov::copy(x.as<F>(), field_, finished, exec);
    else
      kov::copy(x.as<F>(), field_, exec);
  }
  void scale(const Reals& a, const ColumnMask& finished, const Exec& exec) const override {
    kov::scale(a, field_, finished, exec);
  }
  void axpy(const Reals& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const override {
    kov::axpy(a, x.as<F>(), field_, finished, exec);
  }
  void axpy(const Numbers& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const override {
    kov::axpy(a, x.as<F>(), field_, finished, exec);
  }
  void xpay(const Vector& x, const Reals& a, const ColumnMask& finished, const Exec& exec) const override {
    kov::xpay(x.as<F>(), a, field_, finished, exec);
  }
  void xpay(const Vector& x, const Numbers& a, const ColumnMask& finished, const Exec& exec) const override {
    kov::xpay(x.as<F>(), a, field_, finished, exec);
  }
  void xpaypbz(const Vector& x, const Numbers& a, const Vector& y, const Numbers& b, const ColumnMask& finished,
               const Exec& exec) const override {
    kov::xpaypbz(x.as<F>(), a, y.as<F>(), b, field_, finished, exec);
  }
  Reals norm2(const ColumnMask& finished, const Exec& exec) const override {
    return norm2_by_column(field_, finished, exec);
  }
  Numbers inner_product(const Vector& y, const ColumnMask& finished, const Exec& exec) const override {
    return inner_product_by_column(field_, y.as<F>(), finished, exec);
  }
  ColumnProducts inner_product_norm2(const Vector& y, const ColumnMask& finished, const Exec& exec) const override {
    return inner_product_norm2_by_column(field_, y.as<F>(), finished, exec);
  }
  Reals axpy_norm2(const Reals& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const override {
    return kov::axpy_norm2(a, x.as<F>(), field_, finished, exec);
  }
  Reals axpy_norm2(const Numbers& a, const Vector& x, const ColumnMask& finished, const Exec& exec) const override {
    return kov::axpy_norm2(a, x.as<F>(), field_, finished, exec);
  }
  std::vector<std::complex<double>> gram_matrix(const Vector& y, const Exec& exec) const override {
    if constexpr (ColumnMatrixField<F>)
      return kov::gram_matrix(field_, y.as<F>(), exec);
    else
      refuse_matrices();
  }
  void rotate(const Vector& x, const std::vector<std::complex<double>>& r, const Exec& exec) const override {
    if constexpr (ColumnMatrixField<F>)
      kov::rotate(x.as<F>(), r, field_, exec);
    else
      refuse_matrices();
  }
  void rotate_add(const Vector& x, const std::vector<std::complex<double>>& r, const Exec& exec) const override {
    if constexpr (ColumnMatrixField<F>)
      kov::rotate_add(x.as<F>(), r, field_, exec);
    else
      refuse_matrices();
  }
  void cg_step(const Reals& alpha, const Vector& x, const Reals& beta, const Vector& r, const ColumnMask& finished,
               const Exec& exec) const override {
    detail::cg_step(alpha, x.as<F>(), beta, r.as<F>(), field_, finished, exec);
  }
  CgSums cg_sums(const Vector& q, const Vector& r, const ColumnMask& finished, const Exec& exec) const override {
    return detail::cg_sums(field_, q.as<F>(), r.as<F>(), finished, exec);
  }
  void cg_update(const Reals& alpha, const Vector& q, const Vector& x, const Reals& beta, const Vector& r,
                 const ColumnMask& finished, const Exec& exec) const override {
    detail::cg_update(alpha, q.as<F>(), x.as<F>(), beta, r.as<F>(), field_, finished, exec);
  }
  BiCgStabSums bicgstab_sums(const Vector& r, const Vector& v, const Vector& shadow, const Vector& image,
                             const ColumnMask& finished, const Exec& exec) const override {
    return detail::bicgstab_sums(field_, r.as<F>(), v.as<F>(), shadow.as<F>(), image.as<F>(), finished, exec);
  }
  void bicgstab_update(const Numbers& alpha, const Numbers& omega, const Vector& t, const Numbers& beta,
                       const Vector& v, const Vector& x, const Vector& r, const ColumnMask& finished,
                       const Exec& exec) const override {
    detail::bicgstab_update(alpha, omega, t.as<F>(), beta, v.as<F>(), x.as<F>(), r.as<F>(), field_, finished, exec);
  }

 private:
  [[noreturn]] void refuse_matrices() const {
    throw InputError(sentence("matrices between columns were asked of", field_.name(),
                              "which is stored in 16 bits: take a field in float or double"));
  }

  F field_;
};

}  // namespace

}  // namespace detail

template <detail::VectorField F>
Vector::Vector(const F& field) : content_(std::make_shared<detail::ContentOf<F>>(field)) {}

Vector Vector::like(const std::string& name) const { return Vector(content_->like(name)); }
Vector Vector::even() const { return Vector(content_->even()); }
Vector Vector::components(int k, int n) const { return Vector(content_->components(k, n)); }
int Vector::columns_together() const { return content_->columns_together(); }
const Lattice& Vector::lattice() const { return content_->lattice(); }
const std::string& Vector::name() const { return content_->name(); }
Subset Vector::subset() const { return content_->subset(); }
int Vector::n_components() const { return content_->n_components(); }
double Vector::rounding() const { return content_->rounding(); }
const void* Vector::field(const std::type_info& type) const { return content_->field(type); }

using detail::Numbers;
using detail::Reals;

namespace {
/// Counts work: reads and writes of fields like x, and flops for a complex number of each; finished columns are left
/// out.
void count(const Vector& x, int passes, double flops, const ColumnMask& finished = {}) {
  const double share = finished.size() > 0 ? double(finished.n_unfinished()) / finished.size() : 1;
  detail::count_work(share * x.content().n_complex() * flops, share * passes * x.content().bytes());
}

/// A plain number counts for each column.
Reals each(const Reals& a, const Vector& x) {
  return a.size() == 1 && x.n_components() > 1 ? Reals::repeated(x.n_components(), a[0]) : a;
}
}  // namespace

void zero(const Vector& x, const Exec& exec) {
  count(x, 1, 0);
  x.content().zero(exec);
}
void copy(const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 2, 0, finished);
  y.content().copy(x, finished, exec);
}
void convert(const Vector& x, const Vector& y, const Exec& exec) {
  const detail::FieldShape from = x.content().shape(), to = y.content().shape();
  require(x.lattice() == y.lattice() && x.subset() == y.subset() && x.n_components() == y.n_components() &&
              from.site.n_reals == to.site.n_reals,
          x.name(), "and", y.name(), "have different shapes: convert() changes the storage only");
  std::visit(
      [&](const auto& in, const auto& out) {
        detail::convert_sites(x.lattice(), in, from, 0, out, to, 0, x.n_components(), exec);
      },
      x.content().blocks(), y.content().blocks());
}
void scale(const Reals& a, const Vector& x, const ColumnMask& finished, const Exec& exec) {
  count(x, 2, 2, finished);
  x.content().scale(a, finished, exec);
}
void axpy(const Reals& a, const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 4, finished);
  y.content().axpy(each(a, x), x, finished, exec);
}
void axpy(const Numbers& a, const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 8, finished);
  y.content().axpy(a, x, finished, exec);
}
void xpay(const Vector& x, const Reals& a, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 4, finished);
  y.content().xpay(x, each(a, x), finished, exec);
}
void xpay(const Vector& x, const Numbers& a, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 8, finished);
  y.content().xpay(x, a, finished, exec);
}
void xpaypbz(const Vector& x, const Numbers& a, const Vector& y, const Numbers& b, const Vector& z,
             const ColumnMask& finished, const Exec& exec) {
  count(x, 4, 16, finished);
  z.content().xpaypbz(x, a, y, b, finished, exec);
}
Reals norm2_by_column(const Vector& x, const ColumnMask& finished, const Exec& exec) {
  count(x, 1, 4, finished);
  return x.content().norm2(finished, exec);
}
Numbers inner_product_by_column(const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 2, 8, finished);
  return x.content().inner_product(y, finished, exec);
}
ColumnProducts inner_product_norm2_by_column(const Vector& x, const Vector& y, const ColumnMask& finished,
                                             const Exec& exec) {
  count(x, 2, 12, finished);
  return x.content().inner_product_norm2(y, finished, exec);
}
Reals axpy_norm2(const Reals& a, const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 8, finished);
  return y.content().axpy_norm2(a, x, finished, exec);
}
Reals axpy_norm2(const Numbers& a, const Vector& x, const Vector& y, const ColumnMask& finished, const Exec& exec) {
  count(x, 3, 12, finished);
  return y.content().axpy_norm2(a, x, finished, exec);
}
std::vector<std::complex<double>> gram_matrix(const Vector& x, const Vector& y, const Exec& exec) {
  detail::count_work(8.0 * x.content().n_complex() * y.n_components(), x.content().bytes() + y.content().bytes());
  return x.content().gram_matrix(y, exec);
}
void rotate(const Vector& x, const std::vector<std::complex<double>>& r, const Vector& y, const Exec& exec) {
  detail::count_work(8.0 * x.content().n_complex() * y.n_components(), x.content().bytes() + y.content().bytes());
  y.content().rotate(x, r, exec);
}
void rotate_add(const Vector& x, const std::vector<std::complex<double>>& r, const Vector& y, const Exec& exec) {
  detail::count_work(8.0 * x.content().n_complex() * y.n_components(), x.content().bytes() + 2 * y.content().bytes());
  y.content().rotate_add(x, r, exec);
}
void cg_step(const Reals& alpha, const Vector& x, const Reals& beta, const Vector& r, const Vector& p,
             const ColumnMask& finished, const Exec& exec) {
  count(x, 5, 8, finished);
  p.content().cg_step(alpha, x, beta, r, finished, exec);
}
CgSums cg_sums(const Vector& p, const Vector& q, const Vector& r, const ColumnMask& finished, const Exec& exec) {
  count(p, 3, 16, finished);
  return p.content().cg_sums(q, r, finished, exec);
}
void cg_update(const Reals& alpha, const Vector& q, const Vector& x, const Reals& beta, const Vector& r,
               const Vector& p, const ColumnMask& finished, const Exec& exec) {
  count(x, 7, 12, finished);
  p.content().cg_update(alpha, q, x, beta, r, finished, exec);
}
BiCgStabSums bicgstab_sums(const Vector& t, const Vector& r, const Vector& v, const Vector& shadow, const Vector& image,
                           const ColumnMask& finished, const Exec& exec) {
  count(t, 5, 56, finished);
  return t.content().bicgstab_sums(r, v, shadow, image, finished, exec);
}
void bicgstab_update(const Numbers& alpha, const Numbers& omega, const Vector& t, const Numbers& beta, const Vector& v,
                     const Vector& x, const Vector& r, const Vector& p, const ColumnMask& finished, const Exec& exec) {
  count(x, 8, 40, finished);
  p.content().bicgstab_update(alpha, omega, t, beta, v, x, r, finished, exec);
}

#define KOV_INSTANTIATE(T, Lanes)                               \
  template Vector::Vector(const Field<ColorVector, T, Lanes>&); \
  template Vector::Vector(const Field<Spinor, T, Lanes>&)
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template Vector::Vector(const Field<Spinor, Fixed16>&);

}  // namespace kov
