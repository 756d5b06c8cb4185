// SPDX-License-Identifier: MIT
//
// The program kovariant.  A new subcommand is a function that returns a Command, and a name in this list.
#include "apps/bench/bench.hpp"
#include "apps/program/commands.hpp"
#include "apps/program/launch.hpp"
#include "apps/program/program.hpp"

int main(int argc, char** argv) {
  using namespace kov::app;
  restart_with_environment(argv);
  return run_program(argc, argv,
                     {spectrum_command(), smear_command(), flow_command(), loops_command(), gaugefix_command(),
                      info_command(), convert_command(), generate_command(), bench_command()});
}
