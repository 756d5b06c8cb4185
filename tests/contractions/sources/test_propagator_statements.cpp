// SPDX-License-Identifier: MIT
//
// Correlators as statements: the same numbers as the kernels of mesons and baryons, and as naive matrices.
#include "kov/contractions/hadrons/baryon.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/propagator_statements.hpp"
#include "tests/contractions/propagator_support.hpp"
#include "tests/support/launches.hpp"
#include "tests/support/precision.hpp"
#include "tests/support/slow_copy.hpp"

#include <algorithm>

namespace kov {
namespace {
namespace propagator_statements {

using reference::GlobalArray;
using reference::Number;
using test::expect_near;

using reference::kSource;

/// Sums over time slices, t from the source.
std::vector<Number> from_source(const std::vector<Number>& slices, const Coord& source) {
  std::vector<Number> c;
  for (std::size_t t = 0; t < slices.size(); ++t) c.push_back(slices[(t + std::size_t(source[3])) % slices.size()]);
  return c;
}

template <class T>
std::vector<Number> meson(const Propagator<T>& s1, const Propagator<T>& s2, const MesonChannel& channel,
                          const Momentum& p) {
  const Gamma g5 = Gamma::five(), sink = Gamma::number(channel.sink), source = Gamma::number(channel.source);
  const Coord origin = s1.labels.origin;
  return from_source(slice_sum(trace(g5 * adj(s2) * g5 * sink * s1 * source) * phase<T>(s1.lattice(), p, origin)),
                     origin);
}

class Statements : public test::EveryLattice {};

/// Both precisions against one naive sum.
TEST_P(Statements, MesonsEqualTheirDefinition) {
  const Lattice lattice = this->lattice();
  const GlobalArray a = reference::random_array(lattice.extent(), 144, 1),
                    b = reference::random_array(lattice.extent(), 144, 2);
  const auto s1 = test::make_propagator<double>(lattice, a), s2 = test::make_propagator<double>(lattice, b);
  const auto low1 = test::make_propagator<float>(lattice, a), low2 = test::make_propagator<float>(lattice, b);
  const std::vector<double> scale = reference::scale(a, 1, b, 1, kSource);
  for (const MesonChannel& channel : {MesonChannel{15, 15}, {7, 15}, {10, 4}})
    for (const Momentum& p : {Momentum{0, 0, 0}, {1, -2, 0}}) {
      const auto expected = reference::meson(a, b, channel.sink, channel.source, p, kSource);
      expect_near<double>(meson(s1, s2, channel, p), expected, scale, 8, to_string(channel));
      expect_near<float>(meson(low1, low2, channel, p), expected, scale, 8, to_string(channel));
    }
}

INSTANTIATE_TEST_SUITE_P(Lattices, Statements, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

Lattice statement_lattice() { return Lattice(Comm::world(), {4, 2, 2, 4}); }

template <class T>
void check_all_mesons() {
  const Lattice lattice = statement_lattice();
  const GlobalArray a = reference::random_array(lattice.extent(), 144, 3),
                    b = reference::random_array(lattice.extent(), 144, 4);
  const Coord origin{3, 1, 0, 3};
  const auto s1 = test::make_propagator<T>(lattice, a, origin), s2 = test::make_propagator<T>(lattice, b, origin);
  const std::vector<double> scale = reference::scale(a, 1, b, 1, origin);
  const auto kernels = mesons(s1, s2, all_mesons(), {{1, 1, 0}});
  ASSERT_EQ(kernels.size(), 256u);
  for (std::size_t n = 0; n < 256; ++n)
    expect_near<T>(meson(s1, s2, all_mesons()[n], {1, 1, 0}), kernels[n].value, scale, 8, kernels[n].channel);
}

TEST(PropagatorStatements, All256MesonsEqualTheirKernel) {
  check_all_mesons<float>();
  check_all_mesons<double>();
}

// trace_color(Q D) contracts the source spin of Q with the diquark, trace_color(Q trace_spin(D)) does not.
TEST(PropagatorStatements, BaryonsEqualTheirKernel) {
  const Lattice lattice = statement_lattice();
  const GlobalArray a = reference::random_array(lattice.extent(), 144, 5),
                    b = reference::random_array(lattice.extent(), 144, 6);
  const auto q = test::make_propagator<double>(lattice, a, {1, 1, 0, 2}),
             p = test::make_propagator<double>(lattice, b, {1, 1, 0, 2});
  const std::vector<double> scale = reference::scale(a, 2, b, 1, q.labels.origin);
  for (const BaryonChannel& channel : {nucleon(), standard_baryons()[0], standard_baryons()[8]}) {
    if (channel.direct != channel.exchange) continue;
    const auto d = diquark(p * channel.diquark, channel.diquark * q);
    const auto sites = trace(channel.projector * q * d) + trace(channel.projector * q * trace_spin(d));
    auto c = from_source(slice_sum(sites * phase(lattice, {1, 0, 1}, q.labels.origin)), q.labels.origin);
    for (std::size_t t = 2; t < 4; ++t) c[t] *= -channel.direct;  // beyond the antiperiodic end
    for (std::size_t t = 0; t < 2; ++t) c[t] *= channel.direct;
    const Correlator kernel = baryons(q, p, {channel}, {{1, 0, 1}}).front();
    expect_near<double>(c, kernel.value, scale, 32 * channel.direct, channel.name);
  }
}

using Dense = std::array<std::array<Number, 12>, 12>;

Dense dense(const GlobalArray& s, const Coord& x) {
  Dense m{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) m[i][j] = s.at(x)[12 * j + i];
  return m;
}
Dense product(const Dense& a, const Dense& b) {
  Dense m{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      for (std::size_t k = 0; k < 12; ++k) m[i][j] += a[i][k] * b[k][j];
  return m;
}

/// An array of propagators whose matrix at x is f(x).
template <class F>
GlobalArray array_of(const Coord& extent, const F& f) {
  GlobalArray out(extent, 144);
  reference::for_each_coordinate(extent, [&](const Coord& x) {
    const Dense m = f(x);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j) out.at(x)[12 * j + i] = m[i][j];
  });
  return out;
}

TEST(PropagatorStatements, AreOrderedOnTheInstanceThatIsGiven) {
  const Lattice lattice = statement_lattice();
  const auto s = test::make_propagator<double>(lattice, reference::random_array(lattice.extent(), 144, 1));
  const auto result = [&](const Exec& exec) {
    const Propagator<double> t = s.like("t"), u = s.like("u");
    Kokkos::fence("propagators are ready");
    test::slow_copy(s.columns(), t.columns(), exec);
    assign(2.0 * t, u, exec);
    assign(adj(u) * t, u, exec);  // through a temporary propagator
    const auto correlator = slice_sum(trace(adj(u) * t) * phase<double>(lattice, {1, 0, 0}, kSource), directions::t,
                                      SumMode::chunked, exec);
    exec.fence("results");
    return std::pair(correlator, export_sites(u.columns()));
  };
  EXPECT_TRUE(result(test::own_instance()) == result(Exec()));
}

class Assignments : public test::EveryLattice {};

TEST_P(Assignments, GoIntoPropagatorsAsMatrices) {
  if (volume(GetParam().extent) > 1000) GTEST_SKIP() << "does not apply: the naive reference would take seconds";
  const Lattice lattice = this->lattice();
  const Coord extent = lattice.extent();
  const GlobalArray a = reference::random_array(extent, 144, 7), b = reference::random_array(extent, 144, 8),
                    u = reference::random_su3(extent, 4, 9);
  const auto s = test::make_propagator<double>(lattice, a), t = test::make_propagator<double>(lattice, b);
  const GaugeField<double> U(lattice, "U", 4);
  load(U, u);
  const double limit = 64 * test::eps<double> * std::pow(reference::max_abs(a), 2);
  const Propagator<double> out = s.like("out");
  assign(s * t, out);
  EXPECT_LT(max_difference(out, array_of(extent, [&](const Coord& x) { return product(dense(a, x), dense(b, x)); })),
            12 * limit);
  // A sum with the forward neighbour, parallel transported.
  assign(U.column(1) * shift(s, 1, +1) - 2.0 * t, out);
  EXPECT_LT(max_difference(out, array_of(extent,
                                         [&](const Coord& x) {
                                           Coord y = x;
                                           y[1] = (y[1] + 1) % extent[1];
                                           const Dense ahead = dense(a, y), here = dense(b, x);
                                           Dense m{};
                                           for (std::size_t i = 0; i < 12; ++i)
                                             for (std::size_t j = 0; j < 12; ++j) {
                                               m[i][j] = -2.0 * here[i][j];
                                               for (std::size_t k = 0; k < 3; ++k)
                                                 m[i][j] += u.at(x)[9 + 3 * (i % 3) + k] * ahead[3 * (i / 3) + k][j];
                                             }
                                           return m;
                                         })),
            limit);
  // The propagator that is written may also be read, although the gammas permute its columns.
  const Gamma g = Gamma::number(5);
  assign(adj(t * g), t);
  EXPECT_LT(max_difference(t, array_of(extent,
                                       [&](const Coord& x) {
                                         const Dense m = dense(b, x);
                                         Dense r{};
                                         for (std::size_t i = 0; i < 12; ++i)
                                           for (std::size_t k = 0; k < 4; ++k)
                                             for (std::size_t c = 0; c < 3; ++c)
                                               r[3 * std::size_t(g.column[k]) + c][i] +=
                                                   std::conj(std::pow(Number(0, 1), g.phase[k]) * m[i][3 * k + c]);
                                         return r;
                                       })),
            limit);
}

INSTANTIATE_TEST_SUITE_P(Lattices, Assignments, ::testing::ValuesIn(test::lattice_cases()), test::case_name);

TEST(PropagatorStatements, PartialTracesAndNormsAreThoseOfMatrices) {
  const Lattice lattice = statement_lattice();
  const GlobalArray a = reference::random_array(lattice.extent(), 144, 10),
                    b = reference::random_array(lattice.extent(), 144, 11);
  const auto s = test::make_propagator<double>(lattice, a), t = test::make_propagator<double>(lattice, b);
  const Gamma g = Gamma::number(9);
  const double norm = norm2(s.columns()), other = norm2(t.columns()), limit = 64 * test::eps<double> * norm;
  EXPECT_NEAR(norm2(+1.0 * s), norm, limit);
  EXPECT_NEAR(sum(real(trace(adj(s) * s))), norm, limit);
  const Number full = sum(trace(s * g * t));
  EXPECT_LT(std::abs(sum(trace(trace_spin(s * g * t))) - full), limit + 64 * test::eps<double> * other);
  EXPECT_LT(std::abs(sum(trace(trace_color(s * g * t))) - full), limit + 64 * test::eps<double> * other);
  EXPECT_LT(std::abs(sum(trace(transpose(t) * (transpose(s * g)))) - full), limit + 64 * test::eps<double> * other);
  EXPECT_LT(std::abs(sum(trace(conj(s) * conj(g * t))) - std::conj(full)), limit + 64 * test::eps<double> * other);
  // A shifted propagator is loaded as a whole, not read from memory block by block.
  const double bound = limit + 64 * test::eps<double> * other;
  EXPECT_LT(std::abs(sum(trace(shift(s * g, 1, +1) * shift(t, 1, +1))) - full), bound);
  EXPECT_LT(std::abs(sum(shift(trace(s * g * t), 3, -1)) - full), bound);
  const SpinMatrix<double> projector = 0.5 * (1.0 + Gamma::direction(3));
  const Number projected = sum(trace(s * (g * projector) * t));
  EXPECT_LT(std::abs(sum(trace((s * g) * (projector * t))) - projected), bound);
  EXPECT_LT(std::abs(sum(trace((shift(s, 0, +1) * g) * projector * shift(t, 0, +1))) - projected), bound);
}

TEST(PropagatorStatements, ACorrelatorIsOneKernel) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const Propagator<double> s(lattice, "S");
  const Gamma g5 = Gamma::five(), g = Gamma::direction(0);
  const std::vector<std::string> names = test::launches([&] {
    slice_sum(trace(g5 * adj(s) * g5 * g * s * g) * phase(lattice, {1, 0, 0}, kSource));
  });
  // Beside it, memory for partial sums is touched and they are added.
  EXPECT_EQ(std::count(names.begin(), names.end(), "slice_sum"), 1);
  for (const std::string& name : names)
    EXPECT_TRUE(name == "slice_sum" || name == "first_touch" || name == "add_slots") << name;
}

TEST(PropagatorStatements, RefuseWhatDoesNotFit) {
  const Lattice lattice = statement_lattice(), other = statement_lattice();
  const Propagator<double> s(lattice, "S"), foreign(other, "foreign");
  EXPECT_THROW(slice_sum(trace(s * foreign)), InputError);
  EXPECT_THROW(assign(1.0 * s, foreign), InputError);
  EXPECT_THROW(slice_sum(trace(s), 4), InputError);
}

}  // namespace propagator_statements
}  // namespace
}  // namespace kov
