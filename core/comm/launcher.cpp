// SPDX-License-Identifier: MIT
#include "kov/core/comm/launcher.hpp"

#include "kov/core/base/cut_number.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace kov {

namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

/// The whole of a variable as a number from 0 to `largest`.
std::optional<std::int64_t> whole_number(const char* variable, std::int64_t largest = largest_int) {
  const char* const text = variable ? std::getenv(variable) : nullptr;
  std::string_view rest(text ? text : "");
  const auto value = cut_number(rest);
  return rest.empty() && value <= largest ? value : std::nullopt;
}

/// The variables of a launcher; nullptr where it has none.
struct Variables {
  std::string_view name;
  const char *rank, *size;
  std::array<const char*, 2> on_host;
};

constexpr std::string_view pmix = "PMIx";

// Open MPI first: its processes also get PMIX_RANK, and may run inside a step of Slurm.  PMI_RANK is MPICH's and that
// of its kin (Intel MPI, Cray), also under Slurm, PALS and Flux; the variables of PALS and Flux themselves are for an
// MPI that asks these directly.  Hydra counts the processes of a host in MPI_LOCALNRANKS, Cray's library in
// PMI_LOCAL_SIZE.
constexpr std::array launchers{
    Variables{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_SIZE"}},
    Variables{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {"MV2_COMM_WORLD_LOCAL_SIZE"}},
    Variables{"MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", {"MVP_COMM_WORLD_LOCAL_SIZE"}},
    Variables{"MPICH", "PMI_RANK", "PMI_SIZE", {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"}},
    Variables{"PALS", "PALS_RANKID", nullptr, {}},
    Variables{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", {}},
    Variables{pmix, "PMIX_RANK", nullptr, {}},
};

/// The number of the step of Slurm that this process belongs to.  Batch scripts and the shells of salloc are in none,
/// or in one with a number that Slurm keeps for them: 2^32 - 16 and more.
std::optional<std::int64_t> slurm_step() { return whole_number("SLURM_STEP_ID", (std::int64_t(1) << 32) - 17); }

/// Whether srun set the variables of PMIx, and not a launcher that was started inside a step.
bool is_slurms_pmix() {
  const char* const space = std::getenv("PMIX_NAMESPACE");
  return slurm_step() && (!space || std::string_view(space).starts_with("slurm."));
}

std::optional<std::int64_t> slurm_tasks() {
  const auto of_step = whole_number("SLURM_STEP_NUM_TASKS");
  return of_step ? of_step : whole_number("SLURM_NTASKS");
}

/// Tasks of this step on this host: entry number SLURM_NODEID of a list such as "4(x2),3", which is of three hosts.
std::optional<std::int64_t> slurm_tasks_on_host() {
  const char* const list = std::getenv("SLURM_STEP_TASKS_PER_NODE");
  std::string_view rest(list ? list : "");
  std::int64_t host = whole_number("SLURM_NODEID").value_or(0);
  while (const auto tasks = cut_number(rest)) {
    std::int64_t hosts = 1;
    if (rest.starts_with("(x")) {
      rest.remove_prefix(2);
      hosts = cut_number(rest).value_or(1);
      if (rest.starts_with(")")) rest.remove_prefix(1);
    }
    if (host < hosts) return tasks <= largest_int ? tasks : std::nullopt;
    host -= hosts;
    if (rest.starts_with(",")) rest.remove_prefix(1);
  }
  return {};
}

/// A number of processes or hosts, of which there is at least one.
std::optional<int> count(const std::optional<std::int64_t>& number) {
  return number && *number > 0 ? std::optional(int(*number)) : std::nullopt;
}

/// How many processes of a job share this host, by what the launchers below an MPI's own say.
std::optional<int> on_host_of_others(const std::optional<int>& size) {
  if (size == 1) return size;
  if (const auto pals = count(whole_number("PALS_LOCAL_SIZE"))) return pals;
  const auto flux_size = count(whole_number("FLUX_JOB_SIZE")), flux_hosts = count(whole_number("FLUX_JOB_NNODES"));
  if (flux_hosts && flux_size && flux_size == size) return 1 + (*flux_size - 1) / *flux_hosts;
  // Other launchers start one daemon on each host as a step of Slurm, whose numbers are not the job's.
  if (slurm_step() && size && count(slurm_tasks()) == size) return count(slurm_tasks_on_host());
  return {};
}

}  // namespace

Launcher Launcher::of_environment() {
  for (const auto& variables : launchers) {
    const auto rank = whole_number(variables.rank), found = whole_number(variables.size);
    if (!rank && !found) continue;
    if (variables.name == pmix && is_slurms_pmix()) break;  // Slurm's own variables say more
    const auto size = count(found);
    std::optional<int> on_host;
    for (const char* variable : variables.on_host)
      if (!on_host) on_host = count(whole_number(variable));
    return {.name = std::string(variables.name),
            .rank = int(rank.value_or(0)),
            .size = size,
            .on_host = on_host ? on_host : on_host_of_others(size)};
  }
  const auto rank = whole_number("SLURM_PROCID");
  if (!slurm_step() || !rank) return {};
  const auto size = count(slurm_tasks());
  return {.name = "Slurm", .rank = int(*rank), .size = size, .on_host = on_host_of_others(size)};
}

bool detail::is_launched_with_others() {
  const Launcher launcher = Launcher::of_environment();
  return !launcher.name.empty() && launcher.size != 1;
}

bool wants_mpi() {
  const char* const text = std::getenv("KOV_MPI");
  if (!text || !*text) return detail::is_launched_with_others();
  const std::string_view choice(text);
  require(choice == "0" || choice == "1", "the environment variable KOV_MPI is", choice,
          "where only 1 (start MPI) and 0 (do not start it) are known: set one of these, or unset it");
  return choice == "1";
}

}  // namespace kov
