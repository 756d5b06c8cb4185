// SPDX-License-Identifier: MIT
#include "apps/program/tuner_report.hpp"

#include "kov/core/lattice/tune.hpp"

namespace kov::app {

void warn_of_tune_file(const Session& session, const Lattice& lattice) {
  for (const std::string& warning : lattice.tuner().warnings()) session.warn(warning);
}

void report_tuned(const Session& session, const Lattice& lattice, ReportTo to) {
  for (const std::string& choice : lattice.tuner().report())
    if (to == ReportTo::log)
      session.log.info("tuned", choice);
    else
      session.say("tuned " + choice);
}

}  // namespace kov::app
