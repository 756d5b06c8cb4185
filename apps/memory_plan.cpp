// SPDX-License-Identifier: MIT
#include "apps/memory_plan.hpp"

#include "apps/field_memory.hpp"

#include <cmath>

namespace kov::app {

std::string memory_row(double bytes_per_site, const Lattice& lattice) {
  return sentence("memory         ", std::ceil(bytes_per_site * double(lattice.volume()) / (1 << 20)), "MiB\n");
}

std::string memory_doubt(const Comm& comm, double bytes_of_process) {
  const FieldMemory memory = field_memory();
  const double needed = bytes_of_process * memory.processes;
  std::vector<double> missing{needed - memory.bytes};
  comm.max(missing);
  if (!(missing[0] > 0)) return "";
  return sentence("the fields take about", std::ceil(needed / 1e9), "GB on", memory.place + ", which is more than its",
                  "memory of", std::floor(memory.bytes / 1e9), "GB: run it on more of them");
}

void warn_beyond_memory(const Session& session, double bytes_per_site, const Lattice& lattice) {
  const double local = double(lattice.geometry().local_volume());
  if (const std::string doubt = memory_doubt(session.comm, bytes_per_site * local); !doubt.empty()) session.warn(doubt);
}

}  // namespace kov::app
