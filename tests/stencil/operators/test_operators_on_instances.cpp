// SPDX-License-Identifier: MIT
//
// Operators on execution-space instances: ordered on the one that is given, and right on two at once.
#include "kov/core/field/convert.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/column_sums.hpp"
#include "kov/stencil/dirac/improved.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/functions/operator.hpp"
#include "kov/stencil/operators/adjoint_laplacian.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/smearing/quark_smearing.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"
#include "tests/support/launches.hpp"
#include "tests/support/slow_copy.hpp"

namespace kov {
namespace {
namespace execution {

using reference::gather, reference::GlobalArray;

class Instances : public test::OnLattices {};

/// What comes of five applications, one after the other, on exec.  A fence of exec alone comes before the result.
template <class F, class Apply>
GlobalArray chain(const F& in, const Exec& exec, const Apply& apply) {
  const F a = in.like("copy"), b = in.like("b");
  Kokkos::fence("fields are ready");
  test::slow_copy(in, a, exec);
  for (int k = 0; k < 5; ++k) {
    apply(a, b, exec);
    axpbypz(0.5, a, 0.1, b, a, exec);
  }
  exec.fence("chain");
  return gather(a);
}

template <class F, class Apply>
void check(const char* what, const F& in, const Apply& apply) {
  const GlobalArray on_default = chain(in, Exec(), apply);
  const GlobalArray on_other = chain(in, detail::instance_beside(Exec()), apply);
  EXPECT_TRUE(on_default.data == on_other.data) << what;
}

TEST_P(Instances, GiveTheSameBits) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 61);
  const GaugeLinks<double> links(reference::gauge_field<double>(lattice, u), BoundaryAngles::antiperiodic_in_time());
  const SpinorField<double> psi = reference::random_field<Spinor, double>(lattice, 2, 62);
  const Field<AdjointVector, double> phi = reference::random_field<AdjointVector, double>(lattice, 1, 63);

  const WilsonOperator<double> wilson(links, 0.1);
  check("Wilson", psi, [&](const auto& a, const auto& b, const Exec& exec) { wilson.apply(a, b, exec); });
  check("Wilson adjoint", psi, [&](const auto& a, const auto& b, const Exec& e) { wilson.apply_adjoint(a, b, e); });
  const CovariantLaplacian<double> laplacian(links);
  check("Laplacian", psi, [&](const auto& a, const auto& b, const Exec& exec) { laplacian.apply(a, b, exec); });
  const AdjointLaplacian<double> adjoint(links);
  check("adjoint Laplacian", phi, [&](const auto& a, const auto& b, const Exec& exec) { adjoint.apply(a, b, exec); });
  check("shift", psi, [](const auto& a, const auto& b, const Exec& exec) { shift(a, 3, -1, b, exec); });
  check("covariant derivative", psi,
        [&](const auto& a, const auto& b, const Exec& exec) { covariant_derivative(links, a, 2, b, exec); });
  using F = SpinorField<double>;
  const Operator<F> owned = wilson, plain([&](const F&a, const F&b) { wilson.apply(a, b); }),
                    placed([&](const F&a, const F&b, const Exec&exec) { wilson.apply(a, b, exec); });
  for (const auto& [name, any] : {std::pair("owned", owned), std::pair("plain", plain), std::pair("placed", placed)})
    check(name, psi, [&](const F& a, const F& b, const Exec& exec) { any.apply(a, b, exec); });
  check("owned adjoint", psi, [&](const F& a, const F& b, const Exec& exec) { owned.apply_adjoint(a, b, exec); });
  check("statement", psi, [](const auto& a, const auto& b, const Exec& exec) {
    assign(shift(a, directions::x, +1) - 2.0 * shift(a, directions::t, -1), b, exec);
  });
}

TEST_P(Instances, GiveTheSameBitsWithTemporaryFields) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeField<double> gauge =
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 66));
  const GaugeLinks<double> links(gauge, BoundaryAngles::antiperiodic_in_time());
  const SpinorField<double> psi = reference::random_field<Spinor, double>(lattice, 2, 67);

  const ImprovedOperator<double> improved = hamber_wu_operator<double>(gauge, 0.1);
  check("Hamber-Wu", psi, [&](const auto& a, const auto& b, const Exec& exec) { improved.apply(a, b, exec); });
  const WuppertalSmearing<double> wuppertal(links, {.width = 1.5, .iterations = 7});
  check("Wuppertal", psi, [&](const auto& a, const auto& b, const Exec& exec) { wuppertal.apply(a, b, exec); });
  check("Wuppertal in place", psi, [&](const auto& a, const auto& b, const Exec& exec) {
    copy(a, b, exec);
    wuppertal.apply(b, b, exec);
  });
  const ProfileSmearing<double> profile(links, gaussian_profile(1.2));
  check("profile", psi, [&](const auto& a, const auto& b, const Exec& exec) { profile.apply(a, b, exec); });
  const QuarkSmearing<double> quark(links, WuppertalParameters{.width = 1, .iterations = 3});
  check("quark smearing", psi, [&](const auto& a, const auto& b, const Exec& exec) { quark.apply(a, b, exec); });
  // The field in the middle is gone before the kernels that use it are done.
  check("conversion", psi, [&](const auto& a, const auto& b, const Exec& exec) {
    const SpinorField<float> low(lattice, "low", 2);
    convert(a, low, exec);
    convert(low, b, exec);
  });
}

TEST_P(Instances, GiveTheSameBitsOnColumnsInLanes) {
  const Lattice lattice = GetParam().make(Comm::world());
  const LinkForms forms{.columns = true};
  const GaugeLinks<double> links =
      GaugeLinks<double>(reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 68)))
          .with(forms);
  const SpinorField<double, ColumnLanes<4>> psi(lattice, "psi", 5);
  load(psi, reference::random_array(lattice.extent(), 60, 69));
  const CovariantLaplacian<double> laplacian(links, Dimensions::spacetime, forms);
  check("Laplacian", psi, [&](const auto& a, const auto& b, const Exec& exec) { laplacian.apply(a, b, exec); });
  check("shift", psi, [&](const auto& a, const auto& b, const Exec& exec) { shift(a, 2, 1, b, exec); });
  check("covariant shift", psi,
        [&](const auto& a, const auto& b, const Exec& exec) { covariant_shift(links, a, 3, -1, b, exec); });
  check("covariant derivative", psi,
        [&](const auto& a, const auto& b, const Exec& exec) { covariant_derivative(links, a, 0, b, exec); });
  const WuppertalSmearing<double> wuppertal(links, {.width = 1, .iterations = 3}, forms);
  check("Wuppertal", psi, [&](const auto& a, const auto& b, const Exec& exec) { wuppertal.apply(a, b, exec); });
}

TEST_P(Instances, GiveTheSameBitsInSeriesOfOperators) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeLinks<double> links(
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 70)));
  const SpinorField<double> psi = reference::random_field<Spinor, double>(lattice, 1, 71);
  const CovariantLaplacian<double> laplacian(links);
  for (const int order : {0, 3}) {
    const auto series = ChebyshevSeries::of_order(gaussian_profile(0.8), {0, 16}, order);
    check("series", psi, [&](const auto& a, const auto& b, const Exec& exec) {
      apply_series(series, momentum_squared<Spinor>(laplacian), a, b, exec);
    });
  }
}

/// Each has halos of its own, so that one exchange may begin before the kernel of another is done.
TEST_P(Instances, MayBeTwoAtOnce) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 64);
  const GaugeLinks<double> links(reference::gauge_field<double>(lattice, u));
  const WilsonOperator<double> first(links, 0.1), second(links, 0.2);
  const SpinorField<double> in = reference::random_field<Spinor, double>(lattice, 1, 65);
  const auto alone = [&](const auto& M) {
    return chain(in, Exec(), [&](const auto& a, const auto& b, const Exec& exec) { M.apply(a, b, exec); });
  };
  const GlobalArray right1 = alone(first), right2 = alone(second);

  const Exec one = detail::instance_beside(Exec()), two = detail::instance_beside(Exec());
  const SpinorField<double> a1 = in.like("copy"), a2 = in.like("copy"), b1 = in.like("b"), b2 = in.like("b");
  Kokkos::fence("fields are ready");
  test::slow_copy(in, a1, one);
  test::slow_copy(in, a2, two);
  for (int k = 0; k < 5; ++k) {
    first.apply(a1, b1, one);
    second.apply(a2, b2, two);
    axpbypz(0.5, a1, 0.1, b1, a1, one);
    axpbypz(0.5, a2, 0.1, b2, a2, two);
  }
  one.fence("first");
  two.fence("second");
  EXPECT_TRUE(gather(a1).data == right1.data);
  EXPECT_TRUE(gather(a2).data == right2.data);
}

/// An exchange may wait for an instance of its own, too, but neither for a whole space nor for the default instance;
/// what returns a number waits once for its instance, by a fence or, on GPUs, for a number in memory.  On hosts all
/// instances are one to Kokkos.
TEST_P(Instances, WaitForNoOther) {
  const Lattice lattice = GetParam().make(Comm::world());
  const GaugeLinks<double> links(
      reference::gauge_field<double>(lattice, reference::random_su3(lattice.extent(), 4, 67)));
  const LinkForms columns{.columns = true};
  const WilsonOperator<double> wilson(links, 0.1, columns);
  const CovariantLaplacian<double> laplacian(links, Dimensions::spacetime, columns);
  const Exec exec = detail::instance_beside(Exec());
  using Kokkos::Tools::Experimental::device_id;
  /// most: fences of exec; negative where there is no limit, and other instances may be waited for.
  const auto check = [&](const char* what, int most, const std::function<void()>& statement) {
    statement();  // makes what it keeps
    const test::Fences recorded;
    statement();
    EXPECT_EQ(test::Fences::of_spaces(), std::vector<std::string>()) << what;
    int of_exec = 0, of_default = 0, of_others = 0;
    for (const std::uint32_t device : test::Fences::of_instances())
      ++(device == device_id(exec) ? of_exec : device == device_id(Exec()) ? of_default : of_others);
    EXPECT_EQ(of_default, 0) << what;
    if (most < 0) return;
    EXPECT_LE(of_exec, most) << what;
    EXPECT_EQ(of_others, 0) << what;
  };
  const auto check_on = [&](const auto& in) {
    const auto out = in.like("out");
    check("Wilson", -1, [&] { wilson.apply(in, out, exec); });
    check("Laplacian", -1, [&] { laplacian.apply(in, out, exec); });
    check("axpbypz", 0, [&] { axpbypz(0.5, in, 0.1, in, out, exec); });
    check("norm2", 1, [&] { norm2(in, exec); });
    check("inner product", 1, [&] { inner_product(in, out, exec); });
  };
  check_on(reference::random_field<Spinor, double>(lattice, 1, 68));
  const Field<Spinor, double, ColumnLanes<4>> in(lattice, "in", 4);
  load(in, reference::random_array(lattice.extent(), 48, 69));
  check_on(in);
  check("norms by column", 1, [&] { norm2_by_column(in, {}, exec); });
  check("Gram matrix", 1, [&] { gram_matrix(in, in, exec); });
}
INSTANTIATE_TEST_SUITE_P(Lattices, Instances, ::testing::ValuesIn(test::small_lattice_cases(600)), test::case_name);

}  // namespace execution
}  // namespace
}  // namespace kov
