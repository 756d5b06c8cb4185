// SPDX-License-Identifier: MIT
//
// The program kovariant.  A new subcommand is a function that returns a Command, and a name in this list.
#include "apps/bench/bench.hpp"
#include "apps/convert.hpp"
#include "apps/distill/distill.hpp"
#include "apps/flow.hpp"
#include "apps/gaugefix.hpp"
#include "apps/generate.hpp"
#include "apps/info.hpp"
#include "apps/loops.hpp"
#include "apps/plot/drawing.hpp"
#include "apps/program/launch.hpp"
#include "apps/program/program.hpp"
#include "apps/propagator/propagator.hpp"
#include "apps/smear/smear.hpp"
#include "apps/spectrum/spectrum.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/hdf5.hpp"

int main(int argc, char** argv) {
  using namespace kov::app;
  restart_with_environment(argv);
  const auto part = [](const std::string& name, bool there) { return name + (there ? " yes" : " no"); };
  return run_program(
      argc, argv,
      {spectrum_command(), propagator_command(), distill_command(), smear_command(), flow_command(), loops_command(),
       gaugefix_command(), info_command(), convert_command(), generate_command(), bench_command()},
      part("MPI", kov::has_mpi()) + ", " + part("HDF5", kov::has_hdf5()) + ", " + part("PDF", has_pdf()));
}
