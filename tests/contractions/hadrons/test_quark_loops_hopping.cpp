// SPDX-License-Identifier: MIT
//
// The hopping expansion of quark loops against D^-1 = sum over k < n of (1 - D / d)^k / d + (1 - D / d)^n D^-1: what it
// takes from the noise of one vector, and that it takes nothing from loops without noise.
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/contractions/hadrons/quark_loops.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/reference/near_unit_links.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace kov {
namespace {
namespace hopping {

using reference::gather;
using reference::GlobalArray;
using reference::Number;
using F = SpinorField<double>;

/// Keeps the solutions of all parts of a noise vector: loops of the same noise ask for them again in the same order.
struct SolveOnce : BiCgStab {
  struct Solutions {
    F all;
    int n_solved = 0, next = 0;
  };
  std::shared_ptr<Solutions> solutions;

  SolveReport operator()(const Operator<F>& A, const F& b, const F& x) const {
    Solutions& s = *solutions;
    SolveReport report;
    if (s.next == s.n_solved) {
      report = BiCgStab::operator()(A, b, x);
      copy(x, s.all.column(s.n_solved++));
    }
    copy(s.all.column(s.next), x);
    s.next = (s.next + 1) % s.all.n_components();
    return report;
  }
};

class HoppingExpansions : public ::testing::Test {
 protected:
  /// What the expansion to this order knows: sum over k < order of (1 - M / d)^k / d, applied to all columns.
  static F known_part(const Operator<F>& M, int order, const F& psi) {
    const F term = psi.like("term"), of_m = psi.like("M term"), sum = psi.like("sum");
    copy(psi, term);
    zero(sum);
    for (int k = 0; k < order; ++k) {
      axpy(1 / diagonal, term, sum);
      M.apply(term, of_m);
      axpy(-1 / diagonal, of_m, term);
    }
    return sum.alias();
  }
  std::vector<Correlator> loops(const Solver<F>& solver, const Operator<F>& M, const LoopDilution& dilution,
                                int order) {
    return quark_loops<double>(solver, M, lattice_,
                               {.dilution = dilution, .hopping = {.order = order, .diagonal = diagonal}}, momenta_);
  }
  /// sum_x e^{i p.x} left^+ Gamma right, for all t.
  std::vector<Number> contracted(const GlobalArray& left, int gamma, const GlobalArray& right,
                                 const Momentum& p) const {
    const reference::Matrix4 matrix = reference::gamma(gamma);
    return reference::fourier(lattice_.extent(), p, {0, 0, 0, 0}, [&](const Coord& x) {
      Number sum = 0;
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          for (std::size_t a = 0; a < 3; ++a)
            sum += std::conj(left.at(x)[3 * i + a]) * matrix[i][j] * right.at(x)[3 * j + a];
      return sum;
    });
  }
  static int number_of(const Correlator& c) {
    return int(std::find(meson_names().begin(), meson_names().end(), c.channel) - meson_names().begin());
  }
  /// A loop of 1 / d, the term k = 0.
  Number loop_of_order_0(const Correlator& c) const {
    return number_of(c) == 0 && c.momentum == Momentum{0, 0, 0} ? 12 * 64 / diagonal : 0;
  }

  static constexpr double mass = 8, diagonal = 4 + mass, tolerance = 1e-9;
  /// How far loops may be from each other whose sources have this norm, summed over them.  |S| <= 1 / mass, as Wilson's
  /// term is positive; the clover term of these links is small beside the mass.
  static double bound(double norm2) { return 2 * tolerance * norm2 / mass; }

  const Lattice lattice_{Comm::world(), {4, 4, 4, 4}};
  const GaugeField<double> gauge_ = reference::gauge_field(lattice_, reference::near_unit_links(lattice_.extent(), 51));
  const WilsonOperator<double> wilson_{GaugeLinks<double>(gauge_, BoundaryAngles::antiperiodic_in_time()), mass};
  const WilsonCloverOperator<double> clover_{
      gauge_, BoundaryAngles::antiperiodic_in_time(), {.mass = mass, .c_sw = 1.5}};
  const std::vector<Momentum> momenta_{{0, 0, 0}, {1, 0, 1}};
};

/// For any operator: with the noise of one vector all orders take away something else.
TEST_F(HoppingExpansions, TakeTheirDefinitionFromTheLoopsOfAVector) {
  const F eta(lattice_, "eta");
  fill_noise(eta, LoopParameters().noise);
  const GlobalArray left = gather(eta);
  const double volume = 256 * 12;
  for (const Operator<F>& M : {Operator<F>(wilson_), Operator<F>(clover_)}) {
    const BiCgStab solver{.tolerance = tolerance};
    const auto plain = loops(solver, M, {}, 0);
    for (int order = 1; order <= 4; ++order) {
      const auto improved = loops(solver, M, {}, order);
      const GlobalArray right = gather(known_part(M, order, eta));
      ASSERT_EQ(improved.size(), 32u);
      for (std::size_t c = 0; c < improved.size(); ++c) {
        const auto taken = contracted(left, number_of(plain[c]), right, plain[c].momentum);
        for (std::size_t t = 0; t < 4; ++t)
          EXPECT_LE(std::abs(plain[c].value[t] - improved[c].value[t] - taken[t] + loop_of_order_0(plain[c])),
                    bound(volume))
              << plain[c].channel << " to order " << order << " at t = " << t;
      }
    }
  }
}

/// Wilson's operator: the trace of what is taken away, from a source at every site, spin and colour.
TEST_F(HoppingExpansions, PutBackTheExactTraceOfWhatTheyTakeAway) {
  for (int order : {3, 4}) {
    std::vector<Correlator> traces;
    for (int n = 0; n < 16; ++n)
      for (const Momentum& p : momenta_)
        traces.push_back(
            {.kind = "loop", .channel = meson_names()[std::size_t(n)], .momentum = p, .value = std::vector<Number>(4)});
    reference::for_each_coordinate(lattice_.extent(), [&](const Coord& x) {
      const Propagator<double> source = point_source<double>(lattice_, x);
      const GlobalArray s = gather(known_part(wilson_, order, source.columns()));
      for (Correlator& c : traces) {
        const reference::Matrix4 gamma = reference::gamma(number_of(c));
        Number trace = 0;
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j)
            for (int a = 0; a < 3; ++a)
              trace += gamma[std::size_t(i)][std::size_t(j)] * reference::quark(s, x, j, a, i, a);
        c.value[std::size_t(x[3])] += reference::phase(lattice_.extent(), c.momentum, x, {0, 0, 0, 0}) * trace;
      }
    });
    for (const Correlator& c : traces)
      for (std::size_t t = 0; t < 4; ++t)
        EXPECT_LE(std::abs(c.value[t] - loop_of_order_0(c)), 64 * 12 * 10 * std::numeric_limits<double>::epsilon())
            << c.channel << " to order " << order << " at t = " << t;
  }
}

/// All sources and no noise: loops with and without the expansion are the same.
TEST_F(HoppingExpansions, LeaveLoopsOfAllSourcesAsTheyAre) {
  const LoopDilution all{.time = 4, .space = 4, .spin = true, .color = true};
  SolveOnce solver;
  solver.tolerance = tolerance;
  solver.solutions =
      std::make_shared<SolveOnce::Solutions>(SolveOnce::Solutions{F(lattice_, "solutions", int(all.n_parts())), 0, 0});
  const auto plain = loops(Solver<F>(solver), wilson_, all, 0);
  EXPECT_EQ(solver.solutions->n_solved, 3072);
  for (const int order : {3, 4}) {
    const auto improved = loops(Solver<F>(solver), wilson_, all, order);
    ASSERT_EQ(improved.size(), plain.size());
    for (std::size_t c = 0; c < improved.size(); ++c)
      for (std::size_t t = 0; t < 4; ++t)
        EXPECT_LE(std::abs(improved[c].value[t] - plain[c].value[t]), bound(64 * 12))
            << plain[c].channel << " to order " << order << " at t = " << t;
  }
  EXPECT_EQ(solver.solutions->n_solved, 3072);
  EXPECT_GT(std::abs(plain[0].value[0] - loop_of_order_0(plain[0])), 1e4 * bound(64 * 12))
      << "there are further orders";
}

}  // namespace hopping
}  // namespace
}  // namespace kov
