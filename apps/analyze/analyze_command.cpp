// SPDX-License-Identifier: MIT
#include "apps/analyze/analyze_command.hpp"

#include "apps/analyze/analysis_run.hpp"
#include "apps/files/file_patterns.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/memory_pools.hpp"
#include "apps/files/text_file.hpp"
#include "kov/contractions/correlators/correlator_read.hpp"

#include <cmath>
#include <memory>

namespace kov::app {

namespace {

struct AnalyzeOptions {
  std::vector<std::string> files, set;
  std::string settings, mapping;
  bool dry_run = false, print = false;
};

void analyze(const Session& session, const AnalyzeOptions& options) {
  AnalyzeParameters parameters;
  Settings settings = parameters.settings();
  if (!options.settings.empty()) settings.read(read_text_file(session.comm, options.settings), options.settings);
  for (const std::string& assignment : options.set) settings.assign(assignment);
  for (const std::string& warning : settings.warnings()) session.warn(warning);
  if (options.print) return session.say(settings.toml());
  parameters.check();
  require(!options.files.empty(), "no FILE is named, but correlators are read from one or more");
  AnalysisInput input{.files = matched_files(session.comm, options.files, "FILE"), .extent = parameters.data.extent};
  if (!options.mapping.empty()) input.mapping.emplace(read_text_file(session.comm, options.mapping), options.mapping);
  std::vector<std::string> inputs = input.files;
  for (const std::string& name : {options.settings, options.mapping})
    if (!name.empty()) inputs.push_back(name);
  OutputFiles outputs;
  add_analysis_outputs(outputs, parameters);
  outputs.require_usable(session, inputs);
  session.comm.agree([&] {
    if (input.extent[0] == 0 && !input.mapping) input.extent = extent_of_correlators(input.files.front());
  });
  double bytes = 0;  // of the process that does it all
  session.comm.agree([&] {
    if (session.comm.rank() == 0) bytes = analysis_bytes(input, parameters);
  });
  for (const MemoryPool& pool : host_memory_pools())
    if (bytes > pool.bytes) {
      session.warn(
          sentence("the correlators take about", std::ceil(bytes / 1e9), "GB, which is more than the",
                   std::floor(pool.bytes / 1e9),
                   "GB of this host or control group: analyse parts of them, by data.channels or other files"));
      break;
    }
  if (options.dry_run)
    return session.say(sentence("files read     ", list_text(input.files)) + "\n" +
                       sentence("files written  ", list_text(outputs.names())) + "\n" +
                       sentence("memory         ", "about", mebibytes_text(bytes)) +
                       "\ndry run: nothing was computed or written");
  const std::vector<OutputLock> locks = outputs.lock(session);
  session.begin();
  analyse(session, input, parameters);
}

}  // namespace

Command analyze_command() {
  return {"analyze", "energies from correlators: errors, fits, dispersion, GEVP",
          "FILEs are correlators of `kovariant spectrum`, or with --mapping HDF5 files of any code; * and ? are "
          "wildcards.\n"
          "Prints energies, effective masses, dispersion relations, matrix elements from three-point functions, and "
          "the GEVP\n"
          "of a matrix of operators; writes PREFIX.txt, PREFIX.h5 and the pictures PREFIX.effective, .correlators,\n"
          ".dispersion, .ratio, .gevp, .eigenvalues (.svg and .pdf).\n"
          "--print shows every setting with its value and what it means, as TOML to start from.\n"
          "example: kovariant analyze spectrum.h5 --set fit.first=3 --set gevp.operators='[\"pion\", \"pion_A4\"]'",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<AnalyzeOptions>();
            arguments.positional("FILE", o->files, "files of correlators", false);
            arguments.option("--settings", o->settings, "a TOML file of settings");
            arguments.option("--set", o->set, "KEY=VALUE, as in that file; several times");
            arguments.option("--mapping", o->mapping,
                             "a TOML file that says where another code's files keep correlators and labels");
            arguments.flag("--dry-run", o->dry_run,
                           "print what is read, written and how much memory it takes; compute and write nothing");
            arguments.flag("--print", o->print, "print the settings in force as TOML and exit");
            return [o](const Session& session) { analyze(session, *o); };
          }};
}

}  // namespace kov::app
