// SPDX-License-Identifier: MIT
#include "kov/stencil/launch.hpp"

namespace kov::detail {

std::string name_of(Subset subset) { return subset == Subset::all ? "all" : subset == Subset::even ? "even" : "odd"; }

TuneKey launch_key(const std::string& name, const Lattice& lattice, const Layout& layout, Subset subset,
                   const StencilLaunch& launch) {
  return {.kernel = name,
          .local_extent = lattice.geometry().local_extent(),
          .grid = lattice.geometry().grid(),
          .order = to_string(layout.order()),
          .lanes = layout.lanes(),
          .sites = name_of(subset),
          .codec = std::string(launch.codec)};
}

void run_in_shape(const Lattice& lattice, const Layout& layout, const Exec& exec, bool by_itself,
                  FunctionRef<TuneKey()> key, FunctionRef<void(const LaunchShape& shape)> run) {
  Tuner& tuner = lattice.tuner();
  // Ranks agree on a choice, for which all of them must come.
  if (!tuner.has_file() || (by_itself && lattice.comm().size() > 1)) return run({});
  TuneKey of_launch = key();
  const auto shapes = launch_shapes();
  for (of_launch.choice += "launch"; const LaunchShape& shape : shapes) of_launch.choice += " " + shape.name();
  const auto choice = tuner.choice(of_launch, int(shapes.size()));
  const auto run_candidate = [&](int candidate) {
    LaunchShape shape = shapes[std::size_t(candidate)];
    if (shape.slice_parts > 1) shape.order = SiteOrder::of(layout);
    run(shape);
  };
  if (choice->is_made()) return run_candidate(choice->candidate());
  tuner.run_best(*choice, run_candidate, [&] { exec.fence(of_launch.kernel); });
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
    run_in_shape(lattice, layout, exec, false, key_of_candidate,
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
