// SPDX-License-Identifier: MIT
#include "kov/stencil/launch.hpp"

namespace kov::detail {

void run_with_halo(const std::string& name, const Lattice& lattice, const Exec& exec,
                   FunctionRef<Tuner::Choice&(Tuner&)> choice, FunctionRef<void(int candidate)> run) {
  switch (lattice.halo_options().overlap) {
    case HaloOptions::Overlap::blocking:
      return run(0);
    case HaloOptions::Overlap::overlapped:
      return run(1);
    case HaloOptions::Overlap::tuned:
      break;
  }
  Tuner& tuner = lattice.tuner();
  Tuner::Choice& made = choice(tuner);
  if (made.is_made()) return run(made.candidate());
  tuner.run_best(made, run, [&] { exec.fence(name); });
}

}  // namespace kov::detail
