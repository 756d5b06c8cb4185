// SPDX-License-Identifier: MIT
//
// A user's program with a solver, for test_faults.py: arms the fault of KOV_FAULT just before it solves.
#include "apps/program/fault.hpp"
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/core/field/noise.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/stencil/dirac/wilson.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  return kov::run(argc, argv, [](const kov::Comm& comm) {
    const kov::Lattice lattice(comm, {4, 4, 4, 8});
    const kov::GaugeField<double> gauge(lattice, "gauge", 4);
    kov::hot_start(gauge, 1);
    const kov::WilsonOperator<double> wilson(kov::GaugeLinks<double>(gauge), 0.3);
    const kov::SpinorField<double> b(lattice, "source"), x(lattice, "solution");
    kov::fill_noise(b, {});
    kov::app::arm_fault(comm);
    const kov::SolveReport report = kov::BiCgStab{.tolerance = 1e-8}(wilson, b, x);
    comm.agree([] { kov::app::require_fault_struck(); });
    if (comm.rank() == 0) std::printf("solved in %d iterations\n", report.iterations);
  });
}
