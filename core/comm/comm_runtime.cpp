// SPDX-License-Identifier: MIT
#include "kov/core/comm/comm_runtime.hpp"

#include "kov/core/base/exit_code.hpp"
#include "kov/core/base/standard_output.hpp"
#include "kov/core/comm/comm_impl.hpp"
#include "kov/core/comm/mpi_run.hpp"

#include <cstdlib>

namespace kov::detail {

namespace {
CommRuntime* outermost = nullptr;
/// The MPI of a run whose ranks did not all come to their ends; kept, as pending messages use its memory.
MpiRun* unfinished = nullptr;

void cut_off_others(int code) { unfinished->cut_off(code != 0 ? code : int(ExitCode::internal)); }
}  // namespace

CommRuntime::CommRuntime(int& argc, char**& argv) {
  if (outermost) return;
  mpi_ = MpiRun::start(argc, argv);
  world_ = mpi_ ? mpi_->world() : serial_comm();
  outermost = this;
}

CommRuntime::~CommRuntime() {
  if (outermost == this) outermost = nullptr;
  if (!mpi_) return;
  unfinished = mpi_.release();
  call_at_exit<cut_off_others>();
}

Verdict CommRuntime::end(const Ending& ending) {
  if (mpi_) return mpi_->end(ending);
  return {.complete = true, .code = ending.code, .mine = true, .mine_alone = false};
}

void CommRuntime::finalize() {
  if (mpi_) mpi_->finalize();
  mpi_.reset();
}

void CommRuntime::cut_off(int code) {
  if (mpi_) mpi_->cut_off(code);
  flush_standard_output();
  std::_Exit(code);
}

std::shared_ptr<const Comm::Impl> CommRuntime::world() {
  require<CommError>(
      outermost != nullptr,
      "the processes of a run were asked for, but no run is going on: make a kov::Runtime first and keep "
      "it alive");
  return outermost->world_;
}

bool CommRuntime::has_mpi() { return outermost && outermost->mpi_; }

std::string CommRuntime::description() { return has_mpi() ? outermost->mpi_->description() : MpiRun::absence(); }

}  // namespace kov::detail
