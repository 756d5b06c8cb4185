// SPDX-License-Identifier: MIT
//
// Correlator matrices against their definition with backward perambulators, and the factorised engine and streams
// against the dense engine.
#include "kov/contractions/engine/engine_group.hpp"
#include "kov/contractions/engine/stream.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"
#include "tests/support/precision.hpp"

#include <atomic>

namespace kov {
namespace {
namespace engines {

using reference::HostNumbers;
using test::on_device;
using test::random_numbers;

constexpr int n_times = 5, n_vectors = 3, n_elementals = 2;
constexpr std::size_t N = 4 * n_vectors, tau_size = N * N, elemental_size = n_vectors * n_vectors;

/// Every Gamma with every elemental, and one of them again.
std::vector<FactorisedOperator> all_operators() {
  std::vector<FactorisedOperator> operators;
  for (int elemental = 0; elemental < n_elementals; ++elemental)
    for (int number = 0; number < 16; ++number) operators.push_back({elemental, Gamma::number(number)});
  operators.push_back({1, Gamma::five()});
  return operators;
}

HostNumbers part(const HostNumbers& all, std::size_t number, std::size_t size) {
  const auto begin = all.begin() + std::ptrdiff_t(number * size);
  return HostNumbers(begin, begin + std::ptrdiff_t(size));
}

/// [t][operator][row][column]: Gamma (x) elemental.
HostNumbers dense_operators(const HostNumbers& elementals, const std::vector<FactorisedOperator>& operators) {
  HostNumbers dense(n_times * operators.size() * tau_size);
  const std::complex<double> powers[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (std::size_t t = 0; t < n_times; ++t)
    for (std::size_t i = 0; i < operators.size(); ++i)
      for (std::size_t s = 0; s < 4; ++s)
        for (std::size_t n = 0; n < n_vectors; ++n)
          for (std::size_t m = 0; m < n_vectors; ++m) {
            const Gamma& gamma = operators[i].gamma;
            dense[(t * operators.size() + i) * tau_size + (s * n_vectors + n) * N +
                  std::size_t(gamma.column[s]) * n_vectors + m] =
                powers[gamma.phase[s]] *
                elementals[(t * n_elementals + std::size_t(operators[i].elemental)) * elemental_size + n * n_vectors +
                           m];
          }
  return dense;
}

/// The definition; sources: which times are summed over.
HostNumbers expected_correlators(const HostNumbers& dense, const HostNumbers& taus, const HostNumbers& antiquarks,
                                 std::size_t c, const std::vector<int>& sources) {
  HostNumbers g5(N * N), sums(n_times * c * c);
  for (std::size_t i = 0; i < N; ++i) g5[i * N + i] = i < N / 2 ? 1 : -1;
  const auto times = [&](const HostNumbers& a, const HostNumbers& b) { return reference::product(a, b, N, N, N); };
  for (const int source : sources)
    for (std::size_t sink = 0; sink < n_times; ++sink) {
      const std::size_t t = std::size_t(source), delta = (sink + n_times - t) % n_times;
      const HostNumbers forward = part(taus, sink * n_times + t, tau_size),
                        of_antiquark = part(antiquarks, sink * n_times + t, tau_size),
                        backward = times(times(g5, reference::adjoint(of_antiquark, N)), g5);
      for (std::size_t i = 0; i < c; ++i)
        for (std::size_t j = 0; j < c; ++j)
          sums[(delta * c + i) * c + j] +=
              reference::trace_of_product(times(part(dense, sink * c + i, tau_size), forward),
                                          times(reference::adjoint(part(dense, t * c + j, tau_size), N), backward), N);
    }
  return sums;
}

struct Data {
  std::vector<FactorisedOperator> operators = all_operators();
  HostNumbers elementals = random_numbers<Complex<float>>(n_times * n_elementals * elemental_size, 1),
              taus = random_numbers<Complex<float>>(n_times * n_times * tau_size, 2),
              dense = dense_operators(elementals, operators);
  int c() const { return int(operators.size()); }
  HostNumbers expected(const std::vector<int>& sources = {0, 1, 2, 3, 4}) const {
    return expected_correlators(dense, taus, taus, operators.size(), sources);
  }
};

template <class T>
double engine_tolerance() {
  return 100 * double(std::numeric_limits<T>::epsilon()) * double(N);
}

template <class Engine>
HostNumbers from_memory(Engine&& engine, const HostNumbers& slices, const HostNumbers& taus,
                        const std::vector<int>& sources = {}) {
  using Z = Complex<typename std::remove_reference_t<Engine>::Real>;
  const Buffer<Z> ds = on_device<Z>(slices), dt = on_device<Z>(taus);
  add_correlators(engine, {ds.data(), dt.data()}, sources);
  return engine.correlators();
}

/// A reader of the same numbers, which counts its calls.
template <class T>
SliceReader<T> reader_of(const HostNumbers& slices, const HostNumbers& taus, std::size_t slice,
                         std::atomic<int>& slices_read) {
  const auto copy = [](const HostNumbers& all, std::size_t number, std::span<Complex<T>> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = test::number_of<Complex<T>>(all[number * to.size() + i]);
  };
  return {[&slices, &slices_read, slice, copy](int t, std::span<Complex<T>> to) {
            EXPECT_EQ(to.size(), slice);
            ++slices_read;
            copy(slices, std::size_t(t), to);
          },
          [&taus, copy](int sink, int source, std::span<Complex<T>> to) {
            copy(taus, std::size_t(sink * n_times + source), to);
          }};
}

template <class T>
class Engines : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Engines, Precisions);

TYPED_TEST(Engines, AreTheDefinition) {
  const Data data;
  const HostNumbers expected = data.expected();
  const double tolerance = engine_tolerance<TypeParam>();
  for (const std::size_t workspace : {std::size_t(1), std::size_t(1) << 17, std::size_t(1) << 26}) {
    const EngineOptions options{.workspace_bytes = workspace};
    EXPECT_LE(test::distance(from_memory(DenseEngine<TypeParam>(data.c(), N, n_times, options), data.dense, data.taus),
                             expected),
              tolerance);
    EXPECT_LE(test::distance(
                  from_memory(FactorisedEngine<TypeParam>(data.operators, n_elementals, n_vectors, n_times, options),
                              data.elementals, data.taus),
                  expected),
              tolerance);
  }
}

TYPED_TEST(Engines, SumOverTheSourcesThatAreAskedFor) {
  const Data data;
  DenseEngine<TypeParam> engine(data.c(), N, n_times);
  EXPECT_LE(test::distance(from_memory(engine, data.dense, data.taus, {3, 1}), data.expected({3, 1})),
            engine_tolerance<TypeParam>());
  EXPECT_LE(test::distance(from_memory(engine, data.dense, data.taus, {0, 2, 4}), data.expected()),
            engine_tolerance<TypeParam>())
      << "the others are added";
}

TYPED_TEST(Engines, OfAQuarkAndAnotherAntiquarkAreTheDefinition) {
  const Data data;
  const HostNumbers others = random_numbers<Complex<float>>(n_times * n_times * tau_size, 9);
  const std::vector<int> sources{0, 3};
  const HostNumbers expected = expected_correlators(data.dense, data.taus, others, data.operators.size(), sources);
  using Z = Complex<TypeParam>;
  const Buffer<Z> taus = on_device<Z>(data.taus), of_antiquark = on_device<Z>(others);
  const auto contract = [&](auto engine, const HostNumbers& slices, const Buffer<Z>* antiquark) {
    const Buffer<Z> ds = on_device<Z>(slices);
    add_correlators(engine, {ds.data(), taus.data(), antiquark ? antiquark->data() : nullptr}, sources);
    return engine.correlators();
  };
  const auto stream = [&](auto engine, const HostNumbers& slices, bool keeps) {
    std::atomic<int> slices_read = 0;
    auto reader = reader_of<TypeParam>(slices, data.taus, engine.slice_numbers(), slices_read);
    reader.antiquark = reader_of<TypeParam>(slices, others, engine.slice_numbers(), slices_read).perambulator;
    add_correlators(engine, reader, {.sources = sources, .slice_bytes = keeps ? std::size_t(1) << 30 : 0});
    return engine.correlators();
  };
  for (const std::size_t workspace : {std::size_t(1), std::size_t(1) << 15, std::size_t(1) << 26}) {
    const EngineOptions options{.workspace_bytes = workspace};
    const auto check = [&](const auto& engine, const HostNumbers& slices) {
      const HostNumbers found = contract(engine(), slices, &of_antiquark);
      EXPECT_LE(test::distance(found, expected), engine_tolerance<TypeParam>());
      for (const bool keeps : {true, false}) EXPECT_EQ(stream(engine(), slices, keeps), found);
      EXPECT_EQ(contract(engine(), slices, &taus), contract(engine(), slices, nullptr)) << "the same quark";
    };
    check([&] { return DenseEngine<TypeParam>(data.c(), N, n_times, options); }, data.dense);
    check([&] { return FactorisedEngine<TypeParam>(data.operators, n_elementals, n_vectors, n_times, options); },
          data.elementals);
  }
}

TEST(Engines, AgreeWithOneAnotherInDoublePrecision) {
  const Data data;
  const HostNumbers dense = from_memory(DenseEngine<double>(data.c(), N, n_times), data.dense, data.taus),
                    factorised = from_memory(FactorisedEngine<double>(data.operators, n_elementals, n_vectors, n_times),
                                             data.elementals, data.taus);
  double largest = 0;
  for (const auto& z : dense) largest = std::max(largest, std::abs(z));
  EXPECT_LE(test::distance(dense, factorised), 1e-12 * largest);
}

TYPED_TEST(Engines, StreamTheSameBits) {
  const Data data;
  for (const std::size_t workspace : {std::size_t(1), std::size_t(1) << 15, std::size_t(1) << 26})
    for (const bool keeps : {true, false}) {
      const EngineOptions options{.workspace_bytes = workspace};
      const StreamOptions stream{.sources = {0, 3}, .slice_bytes = keeps ? std::size_t(1) << 30 : 0};
      std::atomic<int> slices_read = 0;
      DenseEngine<TypeParam> dense(data.c(), N, n_times, options), streamed(data.c(), N, n_times, options);
      add_correlators(streamed, reader_of<TypeParam>(data.dense, data.taus, dense.slice_numbers(), slices_read),
                      stream);
      EXPECT_EQ(streamed.correlators(), from_memory(dense, data.dense, data.taus, stream.sources));
      if (keeps) {
        EXPECT_EQ(slices_read, n_times);
      }
      FactorisedEngine<TypeParam> factorised(data.operators, n_elementals, n_vectors, n_times, options),
          also_streamed(data.operators, n_elementals, n_vectors, n_times, options);
      add_correlators(also_streamed,
                      reader_of<TypeParam>(data.elementals, data.taus, factorised.slice_numbers(), slices_read),
                      stream);
      EXPECT_EQ(also_streamed.correlators(), from_memory(factorised, data.elementals, data.taus, stream.sources));
    }
}

TYPED_TEST(Engines, InAGroupAreAsEachOfThem) {
  const Data data;
  using Engine = FactorisedEngine<TypeParam>;
  // Other elementals for the second engine: those of the times one after another in a slice of the group.
  const HostNumbers others = random_numbers<Complex<float>>(n_times * n_elementals * elemental_size, 7);
  const std::size_t of_slice = n_elementals * elemental_size;
  HostNumbers both;
  for (std::size_t t = 0; t < n_times; ++t)
    for (const HostNumbers* elementals : {&data.elementals, &others}) {
      const HostNumbers one = part(*elementals, t, of_slice);
      both.insert(both.end(), one.begin(), one.end());
    }
  const EngineOptions options{.workspace_bytes = 1};
  const Engine engine(data.operators, n_elementals, n_vectors, n_times, options);
  const auto group = [&] {
    std::vector<Engine> engines;
    for (int k = 0; k < 2; ++k) engines.emplace_back(data.operators, n_elementals, n_vectors, n_times, options);
    return EngineGroup<Engine>(std::move(engines));
  };
  const HostNumbers expected[2] = {
      from_memory(Engine(data.operators, n_elementals, n_vectors, n_times, options), data.elementals, data.taus,
                  {0, 3}),
      from_memory(Engine(data.operators, n_elementals, n_vectors, n_times, options), others, data.taus, {0, 3})};
  for (const bool keeps : {true, false}) {
    EngineGroup<Engine> streamed = group();
    EXPECT_EQ(streamed.slice_numbers(), 2 * engine.slice_numbers());
    std::atomic<int> slices_read = 0;
    add_correlators(streamed, reader_of<TypeParam>(both, data.taus, streamed.slice_numbers(), slices_read),
                    {.sources = {0, 3}, .slice_bytes = keeps ? std::size_t(1) << 30 : 0});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(streamed.engines()[k].correlators(), expected[k]);
  }
  EngineGroup<Engine> in_memory = group();
  using Z = Complex<TypeParam>;
  const Buffer<Z> ds = on_device<Z>(both), dt = on_device<Z>(data.taus);
  add_correlators(in_memory, SlicesInMemory<TypeParam>{ds.data(), dt.data()}, {0, 3});
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(in_memory.engines()[k].correlators(), expected[k]);
  EXPECT_THROW(EngineGroup<Engine>({}), InputError);
  std::vector<Engine> unlike{engine, Engine(data.operators, n_elementals, n_vectors, n_times + 1, options)};
  EXPECT_THROW(EngineGroup<Engine>(std::move(unlike)), InputError);
}

TEST(Engines, WithWideSumsAreCloserToTheDefinition) {
  const Data data;
  const auto expected = data.expected();
  double largest = 0;
  for (const auto& z : expected) largest = std::max(largest, std::abs(z));
  const auto distance = [&](bool wide) {
    DenseEngine<float> engine(data.c(), N, n_times, {.wide_sums = wide});
    return test::distance(from_memory(std::move(engine), data.dense, data.taus), expected);
  };
  EXPECT_LT(distance(true), distance(false));
  const auto factorised = [&](bool wide) {
    FactorisedEngine<float> engine(data.operators, n_elementals, n_vectors, n_times, {.wide_sums = wide});
    return test::distance(from_memory(std::move(engine), data.elementals, data.taus), expected);
  };
  EXPECT_LT(factorised(true), factorised(false));
  EXPECT_LE(std::max(distance(true), factorised(true)), 4 * test::eps<float> * largest);
}

TEST(Engines, PassOnWhatAReaderThrows) {
  const Data data;
  std::atomic<int> slices_read = 0;
  DenseEngine<double> engine(data.c(), N, n_times, {.workspace_bytes = 1});
  SliceReader<double> reader = reader_of<double>(data.dense, data.taus, engine.slice_numbers(), slices_read);
  const auto good = reader.perambulator;
  reader.perambulator = [good](int sink, int source, std::span<Complex<double>> to) {
    if (sink == 3) throw FormatError("a perambulator is damaged");
    good(sink, source, to);
  };
  EXPECT_THROW(add_correlators(engine, reader), FormatError);
  reader.perambulator = nullptr;
  EXPECT_THROW(add_correlators(engine, reader), InputError);
}

TEST(Engines, RefuseSourcesThatWouldCountTwiceOrAreNotThere) {
  const Data data;
  std::atomic<int> slices_read = 0;
  for (const std::vector<int>& sources : {std::vector<int>{1, 3, 1}, std::vector<int>{-1}, std::vector<int>{n_times}}) {
    DenseEngine<double> engine(data.c(), N, n_times, {});
    EXPECT_THROW(add_correlators(engine, SlicesInMemory<double>{}, sources), InputError);
    EXPECT_THROW(add_correlators(engine, reader_of<double>(data.dense, data.taus, engine.slice_numbers(), slices_read),
                                 {.sources = sources}),
                 InputError);
    for (const auto& z : engine.correlators()) EXPECT_EQ(z, 0.0);
  }
  EXPECT_EQ(slices_read, 0);
}

TEST(Engines, RefuseNonsense) {
  const std::vector<FactorisedOperator> operators{{2, Gamma::five()}};
  EXPECT_THROW(DenseEngine<float>(0, 12, 4), InputError);
  EXPECT_THROW(DenseEngine<float>(1, 13, 4), InputError);
  EXPECT_THROW(DenseEngine<float>(1, 12, 0), InputError);
  EXPECT_THROW(FactorisedEngine<float>(operators, 2, 3, 4), InputError) << "elemental 2 of 2";
  EXPECT_THROW(FactorisedEngine<float>(operators, 3, 0, 4), InputError);
  DenseEngine<float> engine(1, 12, 4);
  EXPECT_THROW(engine.add({4, 0, 1}), InputError);
  EXPECT_THROW(engine.add({0, 3, 2}), InputError);
}

}  // namespace engines
}  // namespace
}  // namespace kov
