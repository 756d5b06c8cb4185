// SPDX-License-Identifier: MIT
#include "kov/stencil/launch/run_stencil.hpp"

#include "kov/core/launch/tuned_candidate.hpp"

#include <deque>
#include <memory>

namespace kov::detail {

namespace {

TuneKey key_of(const Lattice& lattice, const Layout& layout, const LocalLaunch& launch, const std::string& legs) {
  TuneKey key{.kernel = std::string(launch.name)};
  key.add("extent", to_string(lattice.geometry().local_extent()))
      .add("grid", to_string(lattice.geometry().grid()))
      .add("order", to_string(layout.order()))
      .add("legs", legs)
      .add("components", launch.components)
      .add("complex", launch.complex_numbers)
      .add("bytes", launch.real_bytes)
      .add("lanes", launch.lanes)
      .add("columns", launch.of_columns)
      .add("sites", to_string(launch.sites))
      .add("results", launch.results)
      .add("codec", std::string(launch.codec));
  return key;
}

/// The choices of a lattice's launches that read no halo; made once for each, as this is asked for every launch.
struct LocalChoices {
  struct Known {
    std::string name, codec;
    LocalLaunch launch;  // whose texts are these
    std::shared_ptr<Tuner::Choice> choice;
  };
  std::deque<Known> known;  // whose places do not change
};

Tuner::Choice& choice_of(const Lattice& lattice, const Layout& layout, const LocalLaunch& launch,
                         FunctionRef<std::string()> legs) {
  // The lattice remembers the pointer; what it points to grows.
  auto& known =
      lattice.remember<std::shared_ptr<LocalChoices>>(0, [] { return std::make_shared<LocalChoices>(); })->known;
  for (const LocalChoices::Known& k : known)
    if (k.launch == launch) return *k.choice;
  known.push_back({std::string(launch.name), std::string(launch.codec), launch,
                   shape_choice(lattice.tuner(), key_of(lattice, layout, launch, legs()))});
  known.back().launch.name = known.back().name;
  known.back().launch.codec = known.back().codec;
  return *known.back().choice;
}

void run_in_chosen_shape(const Lattice& lattice, const Layout& layout, const Exec& exec, Tuner::Choice& choice,
                         FunctionRef<void(const LaunchShape& shape)> run) {
  const auto run_candidate = [&](int candidate) {
    LaunchShape shape = launch_shapes()[std::size_t(candidate)];
    if (shape.slice_parts > 1)
      shape.order = lattice.remember<SiteOrder>(&layout, [&] { return SiteOrder::of(layout); });
    run(shape);
  };
  if (choice.is_made()) return run_candidate(choice.candidate());
  lattice.tuner().run_best(choice, run_candidate, [&] { exec.fence("times of launches"); });
}

}  // namespace

void run_local(const Lattice& lattice, const Layout& layout, const Exec& exec, const LocalLaunch& launch,
               FunctionRef<std::string()> legs, FunctionRef<void(const LaunchShape& shape)> run) {
  if (!lattice.tuner().has_file() || lattice.comm().size() > 1) return run({});
  run_in_chosen_shape(lattice, layout, exec, choice_of(lattice, layout, launch, legs), run);
}

void run_with_halo(const std::string& name, const Lattice& lattice, const Layout& layout, const Exec& exec,
                   const HaloLaunches& launches, FunctionRef<void(int candidate, const LaunchShape& shape)> run) {
  const auto in_shape = [&](int candidate) {
    Tuner::Choice* const shape = launches.shape[std::size_t(candidate)].get();
    if (!shape) return run(candidate, {});
    run_in_chosen_shape(lattice, layout, exec, *shape, [&](const LaunchShape& chosen) { run(candidate, chosen); });
  };
  switch (lattice.exchange_options().overlap) {
    case ExchangeOptions::Overlap::blocking:
      return in_shape(0);
    case ExchangeOptions::Overlap::overlapped:
      return in_shape(1);
    case ExchangeOptions::Overlap::tuned:
      break;
  }
  Tuner::Choice& overlap = *launches.overlap;
  if (overlap.is_made()) return in_shape(overlap.candidate());
  lattice.tuner().run_best(
      overlap, [&](int candidate) { run(candidate, {}); }, [&] { exec.fence(name); });
}

}  // namespace kov::detail
