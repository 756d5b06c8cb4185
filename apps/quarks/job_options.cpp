// SPDX-License-Identifier: MIT
#include "apps/quarks/job_options.hpp"

#include "apps/files/text_file.hpp"

namespace kov::app {

void JobOptions::declare(Arguments& arguments) {
  arguments.positional("PARAMETERS", file, "a TOML file", false);
  arguments.option("--set", set, "KEY=VALUE, as in the TOML file; several times");
  arguments.flag("--dry-run", dry_run, "print the plan; compute and write nothing");
  arguments.flag("--print", print, "print the configuration in force as TOML and exit");
}

void JobOptions::read_into(const Session& session, Settings& settings) const {
  if (!file.empty()) {
    const std::string text = read_text_file(session.comm, file);
    require(text.find('\0') == text.npos, file, "is not text, but PARAMETERS must be a TOML file: gauge",
            "configurations are named by --set 'gauge.files=[\"" + file + "\"]'");
    settings.read(text, file);
  }
  for (const std::string& assignment : set) settings.assign(assignment);
  for (const std::string& warning : settings.warnings()) session.warn(warning);
}

}  // namespace kov::app
