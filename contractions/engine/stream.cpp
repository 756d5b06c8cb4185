// SPDX-License-Identifier: MIT
#include "kov/contractions/engine/stream.hpp"

#include "kov/contractions/engine/engine_group.hpp"
#include "kov/contractions/engine/source_times.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <future>

namespace kov {

namespace detail {

/// Memory that a reader writes and kernels read: the same on hosts, two places and copies between them on GPUs.
template <class T>
class StreamBuffer {
 public:
  StreamBuffer(const std::string& name, std::size_t n) : n_(n) {
    pinned_ = allocate_pinned(name, n * sizeof(Complex<T>));
    if constexpr (kernels_are_asynchronous) device_ = Buffer<Complex<T>>(name, n);
  }
  std::span<Complex<T>> part(std::size_t first, std::size_t n) const {
    return std::span(reinterpret_cast<Complex<T>*>(pinned_.get()), n_).subspan(first, n);
  }
  const Complex<T>* data() const {
    if constexpr (kernels_are_asynchronous)
      return device_.data();
    else
      return reinterpret_cast<const Complex<T>*>(pinned_.get());
  }
  void copy([[maybe_unused]] const Exec& exec) const {
    if constexpr (kernels_are_asynchronous)
      copy_to_device(exec, device_.data(), pinned_.get(), n_ * sizeof(Complex<T>));
  }

 private:
  std::size_t n_;
  std::shared_ptr<std::byte> pinned_;
  Buffer<Complex<T>> device_;
};

/// What is read for some sinks of one source.
struct StreamStep {
  int t_source, first_sink, n_sinks;
};

template <class T>
struct StepBuffers {
  StreamBuffer<T> perambulators, antiquarks, at_sinks, at_source;
};

}  // namespace detail

namespace {

std::vector<detail::StreamStep> stream_steps(const std::vector<int>& sources, int n_times, int at_once) {
  std::vector<detail::StreamStep> steps;
  for (const int t : sources)
    for (int first = 0; first < n_times; first += at_once)
      steps.push_back({t, first, std::min(at_once, n_times - first)});
  return steps;
}

}  // namespace

template <class Engine>
void add_correlators(Engine& engine, const SlicesInMemory<typename Engine::Real>& data, const std::vector<int>& sources,
                     const Exec& exec) {
  const auto slice = std::int64_t(engine.slice_numbers()), tau = std::int64_t(engine.perambulator_numbers());
  const int n_times = engine.n_times();
  for (const int t : detail::source_times(sources, n_times))
    engine.add({t, 0, n_times, data.slices, slice, data.slices + t * slice, data.perambulators + t * tau, n_times * tau,
                data.antiquarks ? data.antiquarks + t * tau : nullptr},
               exec);
}

template <class Engine>
void add_correlators(Engine& engine, const SliceReader<typename Engine::Real>& reader, const StreamOptions& options,
                     const Exec& exec) {
  using T = typename Engine::Real;
  require(reader.slice && reader.perambulator,
          "correlators are read without a function that reads slices or perambulators: give both");
  const std::size_t slice = engine.slice_numbers(), tau = engine.perambulator_numbers();
  const int n_times = engine.n_times();
  const auto at_once = std::size_t(engine.sinks_at_once());
  const auto steps = stream_steps(detail::source_times(options.sources, n_times), n_times, engine.sinks_at_once());
  if (steps.empty()) return;
  const Exec copies = detail::instance_beside(exec);

  const bool keeps_slices = slice * std::size_t(n_times) * sizeof(Complex<T>) <= options.slice_bytes;
  Buffer<Complex<T>> kept;
  if (keeps_slices) {
    kept = Buffer<Complex<T>>("slices of all times", slice * std::size_t(n_times));
    std::vector<Complex<T>> one(slice);
    for (int t = 0; t < n_times; ++t) {
      std::async(std::launch::async, [&] { reader.slice(t, one); }).get();
      detail::copy_to_device(kept.data() + std::size_t(t) * slice, one.data(), slice * sizeof(Complex<T>));
    }
  }
  const std::size_t of_antiquarks = reader.antiquark ? tau * at_once : 0;
  const std::size_t of_sinks = keeps_slices ? 0 : slice * at_once, of_source = keeps_slices ? 0 : slice;
  const auto buffers = [&] {
    return detail::StepBuffers<T>{{"perambulators that are read", tau * at_once},
                                  {"perambulators of antiquarks that are read", of_antiquarks},
                                  {"slices that are read", of_sinks},
                                  {"slice of the source", of_source}};
  };
  const detail::StepBuffers<T> both[2] = {buffers(), buffers()};

  const auto read = [&](std::size_t number) {
    const detail::StreamStep& step = steps[number];
    const detail::StepBuffers<T>& to = both[number % 2];
    for (int i = 0; i < step.n_sinks; ++i) {
      const std::size_t at = std::size_t(i);
      reader.perambulator(step.first_sink + i, step.t_source, to.perambulators.part(at * tau, tau));
      if (reader.antiquark) reader.antiquark(step.first_sink + i, step.t_source, to.antiquarks.part(at * tau, tau));
      if (!keeps_slices) reader.slice(step.first_sink + i, to.at_sinks.part(at * slice, slice));
    }
    if (!keeps_slices) reader.slice(step.t_source, to.at_source.part(0, slice));
  };
  const auto start_reading = [&](std::size_t number) {
    return number < steps.size() ? std::async(std::launch::async, read, number) : std::future<void>{};
  };

  auto next = start_reading(0);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    next.get();
    const detail::StreamStep& step = steps[number];
    const detail::StepBuffers<T>& from = both[number % 2];
    from.perambulators.copy(copies);
    if (reader.antiquark) from.antiquarks.copy(copies);
    if (!keeps_slices) {
      from.at_sinks.copy(copies);
      from.at_source.copy(copies);
    }
    next = start_reading(number + 1);
    detail::order_after(exec, copies);
    // The next copies go to the other half, which kernels of the step before may still read.
    detail::order_after(copies, exec);
    const auto kept_at = [&](int t) { return kept.data() + std::size_t(t) * slice; };
    engine.add(
        {step.t_source, step.first_sink, step.n_sinks, keeps_slices ? kept_at(step.first_sink) : from.at_sinks.data(),
         std::int64_t(slice), keeps_slices ? kept_at(step.t_source) : from.at_source.data(), from.perambulators.data(),
         std::int64_t(tau), reader.antiquark ? from.antiquarks.data() : nullptr},
        exec);
    copies.fence("add_correlators");
  }
  exec.fence("add_correlators");
}

template void add_correlators(DenseEngine<float>&, const SlicesInMemory<float>&, const std::vector<int>&, const Exec&);
template void add_correlators(DenseEngine<double>&, const SlicesInMemory<double>&, const std::vector<int>&,
                              const Exec&);
template void add_correlators(FactorisedEngine<float>&, const SlicesInMemory<float>&, const std::vector<int>&,
                              const Exec&);
template void add_correlators(FactorisedEngine<double>&, const SlicesInMemory<double>&, const std::vector<int>&,
                              const Exec&);
template void add_correlators(DenseEngine<float>&, const SliceReader<float>&, const StreamOptions&, const Exec&);
template void add_correlators(DenseEngine<double>&, const SliceReader<double>&, const StreamOptions&, const Exec&);
template void add_correlators(FactorisedEngine<float>&, const SliceReader<float>&, const StreamOptions&, const Exec&);
template void add_correlators(FactorisedEngine<double>&, const SliceReader<double>&, const StreamOptions&, const Exec&);
template void add_correlators(EngineGroup<FactorisedEngine<float>>&, const SlicesInMemory<float>&,
                              const std::vector<int>&, const Exec&);
template void add_correlators(EngineGroup<FactorisedEngine<float>>&, const SliceReader<float>&, const StreamOptions&,
                              const Exec&);
template void add_correlators(EngineGroup<FactorisedEngine<double>>&, const SlicesInMemory<double>&,
                              const std::vector<int>&, const Exec&);
template void add_correlators(EngineGroup<FactorisedEngine<double>>&, const SliceReader<double>&, const StreamOptions&,
                              const Exec&);

}  // namespace kov
