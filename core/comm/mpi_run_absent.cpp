// SPDX-License-Identifier: MIT
//
// In the place of MPI in a build without it.
#include "kov/core/comm/launcher.hpp"
#include "kov/core/comm/mpi_run.hpp"

#include <cstdlib>

namespace kov::detail {

std::unique_ptr<MpiRun> MpiRun::start(int&, char**&) {
  const char* const choice = std::getenv("KOV_MPI");
  require<NotBuilt>(!choice || !*choice || !wants_mpi(),
                    "the environment asks for MPI (KOV_MPI=1), which this build does not have: unset it, or configure "
                    "with MPI");
  return nullptr;
}

std::string MpiRun::absence() { return "built without MPI"; }

}  // namespace kov::detail
