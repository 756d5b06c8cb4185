// SPDX-License-Identifier: MIT
//
// The program kovariant.  A new subcommand is a function that returns a Command, and a name in this list.
#include "apps/analyze/analyze_command.hpp"
#include "apps/bench/bench_command.hpp"
#include "apps/convert_command.hpp"
#include "apps/distill/distill_command.hpp"
#include "apps/flow_command.hpp"
#include "apps/gaugefix_command.hpp"
#include "apps/generate_command.hpp"
#include "apps/info_command.hpp"
#include "apps/loops_command.hpp"
#include "apps/plot/drawing.hpp"
#include "apps/program/environment.hpp"
#include "apps/program/program.hpp"
#include "apps/propagator/propagator_command.hpp"
#include "apps/smear/smear_command.hpp"
#include "apps/spectrum/spectrum_command.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"

int main(int argc, char** argv) {
  using namespace kov::app;
  restart_with_environment(argv);
  const auto part = [](const std::string& name, bool there) { return name + (there ? " yes" : " no"); };
  return run_program(
      argc, argv,
      {spectrum_command(), propagator_command(), distill_command(), analyze_command(), smear_command(), flow_command(),
       loops_command(), gaugefix_command(), info_command(), convert_command(), generate_command(), bench_command()},
      part("MPI", kov::has_mpi()) + ", " + part("HDF5", kov::has_hdf5()) + ", " + part("PDF", has_pdf()));
}
