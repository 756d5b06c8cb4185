// SPDX-License-Identifier: MIT
#include "apps/files/start_run.hpp"

#include "apps/files/memory_plan.hpp"

namespace kov::app {

std::optional<std::vector<OutputLock>> start_run(const Session& session, const RunPlan& plan, const Lattice& lattice,
                                                 const OutputFiles& outputs) {
  session.log.info("\n" + plan.text);
  warn_beyond_memory(session, plan.bytes_per_site, lattice);
  if (plan.dry_run) {
    session.say(plan.text + "\ndry run: nothing was computed or written");
    return {};
  }
  std::vector<OutputLock> locks = outputs.lock(session);
  session.begin();
  return locks;
}

}  // namespace kov::app
