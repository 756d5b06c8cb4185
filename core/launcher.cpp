// SPDX-License-Identifier: MIT
#include "kov/core/launcher.hpp"

#include "kov/core/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace kov {

namespace {

/// The whole of a variable as a number that is not negative.
std::optional<std::int64_t> whole_number(const char* variable) {
  const char* const text = variable ? std::getenv(variable) : nullptr;
  if (!text) return {};
  const std::string_view all(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error != std::errc() || end != all.data() + all.size() || value < 0) return {};
  return value;
}

/// The variables of a launcher; nullptr where it has none.
struct Variables {
  std::string_view name;
  const char *rank, *size, *on_host;
};

constexpr std::string_view pmix = "PMIx";

// Open MPI first: its processes also get PMIX_RANK, and may run inside a step of Slurm.  PMI_RANK is MPICH's and that
// of its kin (Intel MPI, Cray), also under PALS and Flux, whose own variables stand for an MPI that asks them directly.
constexpr std::array launchers{
    Variables{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Variables{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"},
    Variables{"MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"},
    Variables{"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    Variables{"PALS", "PALS_RANKID", nullptr, nullptr},
    Variables{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", nullptr},
    Variables{pmix, "PMIX_RANK", nullptr, nullptr},
};

/// The number of the step of Slurm that this process belongs to.  Batch scripts and the shells of salloc are in none,
/// or in one with a number that Slurm keeps for them: 2^32 - 16 and more.
std::optional<std::int64_t> slurm_step() {
  const auto step = whole_number("SLURM_STEP_ID");
  return step && *step < (std::int64_t(1) << 32) - 16 ? step : std::nullopt;
}

/// A task that srun started beside others.
Launcher slurm_task() {
  const auto rank = whole_number("SLURM_PROCID"),
             tasks = whole_number(std::getenv("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS");
  if (!rank || tasks.value_or(1) <= 1) return {};
  // "4(x2),3": the first number is that of the first host.
  const char* const on_hosts = std::getenv("SLURM_STEP_TASKS_PER_NODE");
  return {.name = "Slurm",
          .rank = int(*rank),
          .size = int(*tasks),
          .on_host = std::max(1, on_hosts ? std::atoi(on_hosts) : 1)};
}

}  // namespace

Launcher Launcher::of_environment() {
  for (const auto& variables : launchers) {
    const auto rank = whole_number(variables.rank), size = whole_number(variables.size);
    if (!rank && !size) continue;
    if (variables.name == pmix && slurm_step()) break;  // srun sets it for a step of one task too
    return {.name = std::string(variables.name),
            .rank = int(rank.value_or(0)),
            .size = std::max(1, int(size.value_or(1))),
            .on_host = std::max(1, int(whole_number(variables.on_host).value_or(1)))};
  }
  return slurm_step() ? slurm_task() : Launcher{};
}

bool wants_mpi() {
  const char* const text = std::getenv("KOV_MPI");
  if (!text || !*text) return !Launcher::of_environment().name.empty();
  const std::string_view choice(text);
  require(choice == "0" || choice == "1", "the environment variable KOV_MPI is", choice,
          "where 1 (start MPI) and 0 (do not) are known: set one of these, or unset it");
  return choice == "1";
}

}  // namespace kov
