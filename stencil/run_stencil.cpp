// SPDX-License-Identifier: MIT
#include "kov/stencil/run_stencil.hpp"

#include <deque>
#include <memory>

namespace kov::detail {

std::string name_of(Subset subset) { return subset == Subset::all ? "all" : subset == Subset::even ? "even" : "odd"; }

TuneKey launch_key(const Lattice& lattice, const Layout& layout, const LaunchId& id, const std::string& legs) {
  return {.kernel = std::string(id.name),
          .local_extent = lattice.geometry().local_extent(),
          .grid = lattice.geometry().grid(),
          .order = to_string(layout.order()),
          .legs = legs,
          .components = id.components,
          .sites = name_of(id.sites),
          .results = id.results,
          .codec = std::string(id.codec)};
}

namespace {

/// The choices of a lattice's launches that read no halo; made once for each, as this is asked for every launch.
struct LaunchChoices {
  struct Known {
    std::string name, codec;
    LaunchId id;  // whose texts are these
    std::shared_ptr<Tuner::Choice> choice;
  };
  std::deque<Known> known;  // whose places do not change
};

std::shared_ptr<Tuner::Choice> choice_of(Tuner& tuner, TuneKey key) {
  for (key.choice = "launch"; const LaunchShape& shape : launch_shapes()) (key.choice += ' ') += shape.name();
  return tuner.choice(key, int(launch_shapes().size()));
}

Tuner::Choice& known_choice(const Lattice& lattice, const LaunchId& id, FunctionRef<TuneKey()> key) {
  // The lattice remembers the pointer; what it points to grows.
  auto& known =
      lattice.remember<std::shared_ptr<LaunchChoices>>(0, [] { return std::make_shared<LaunchChoices>(); })->known;
  for (const LaunchChoices::Known& k : known)
    if (k.id == id) return *k.choice;
  known.push_back({std::string(id.name), std::string(id.codec), id, choice_of(lattice.tuner(), key())});
  known.back().id.name = known.back().name;
  known.back().id.codec = known.back().codec;
  return *known.back().choice;
}

}  // namespace

void run_in_shape(const Lattice& lattice, const Layout& layout, const Exec& exec, const LaunchId* id,
                  FunctionRef<TuneKey()> key, FunctionRef<void(const LaunchShape& shape)> run) {
  Tuner& tuner = lattice.tuner();
  // Ranks agree on a choice, for which all of them must come.
  if (!tuner.has_file() || (id && lattice.comm().size() > 1)) return run({});
  Tuner::Choice& choice = id ? known_choice(lattice, *id, key) : *choice_of(tuner, key());
  const auto run_candidate = [&](int candidate) {
    LaunchShape shape = launch_shapes()[std::size_t(candidate)];
    if (shape.slice_parts > 1)
      shape.order = lattice.remember<SiteOrder>(&layout, [&] { return SiteOrder::of(layout); });
    run(shape);
  };
  if (choice.is_made()) return run_candidate(choice.candidate());
  tuner.run_best(choice, run_candidate, [&] { exec.fence("times of launches"); });
}

void run_with_halo(const std::string& name, const Lattice& lattice, const Layout& layout, const Exec& exec,
                   FunctionRef<Tuner::Choice&(Tuner&)> choice, FunctionRef<TuneKey()> key,
                   FunctionRef<void(int candidate, const LaunchShape& shape)> run) {
  const auto in_shape = [&](int candidate) {
    const auto key_of_candidate = [&] {
      TuneKey of_launch = key();
      of_launch.transport += candidate == 0 ? " blocking" : " overlapped";
      return of_launch;
    };
    run_in_shape(lattice, layout, exec, nullptr, key_of_candidate,
                 [&](const LaunchShape& shape) { run(candidate, shape); });
  };
  switch (lattice.halo_options().overlap) {
    case HaloOptions::Overlap::blocking:
      return in_shape(0);
    case HaloOptions::Overlap::overlapped:
      return in_shape(1);
    case HaloOptions::Overlap::tuned:
      break;
  }
  Tuner& tuner = lattice.tuner();
  Tuner::Choice& made = choice(tuner);
  if (made.is_made()) return in_shape(made.candidate());
  tuner.run_best(
      made, [&](int candidate) { run(candidate, {}); }, [&] { exec.fence(name); });
}

}  // namespace kov::detail
