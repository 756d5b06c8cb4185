// SPDX-License-Identifier: MIT
#include "apps/program/fault.hpp"

#include "kov/stencil/halo/halo_check.hpp"

#include <Kokkos_Core.hpp>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>

namespace kov::app {

namespace {

struct Fault {
  std::string kind;
  int rank, number;

  bool is_of_message() const { return kind == "lost" || kind == "stale" || kind == "flipped"; }
  bool is_of_process() const { return kind == "memory" || kind == "kill" || kind == "stop"; }
  HaloFault::Kind message_kind() const {
    return kind == "lost" ? HaloFault::Kind::lost : kind == "stale" ? HaloFault::Kind::stale : HaloFault::Kind::flipped;
  }
};

/// This rank's.
std::optional<Fault> armed;
int kernels = 0;

/// Kokkos calls it before every kernel.
void strike(const char*, std::uint32_t, std::uint64_t*) {
  if (++kernels != armed->number) return;
  if (armed->kind == "memory") throw std::bad_alloc();
  std::raise(armed->kind == "kill" ? SIGKILL : SIGSTOP);
}

/// KIND:RANK:N and nothing else.
std::optional<Fault> parse(std::string_view text) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || second == text.npos) return {};
  const auto whole = [](std::string_view digits) {
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
  };
  const Fault fault{std::string(text.substr(0, first)), whole(text.substr(first + 1, second - first - 1)),
                    whole(text.substr(second + 1))};
  const bool good = fault.is_of_message() ? fault.number >= 0 : fault.is_of_process() && fault.number >= 1;
  return good && fault.rank >= 0 ? std::optional(fault) : std::nullopt;
}

}  // namespace

void arm_fault(const Comm& comm) {
  const char* const text = std::getenv("KOV_FAULT");
  if (!text || !*text) return;
  const std::optional<Fault> fault = parse(text);
  require(fault.has_value(), "the environment variable KOV_FAULT is", text,
          "where KIND:RANK:N is wanted, KIND one of lost, stale, flipped, memory, kill and stop, and N a leg or a "
          "kernel counted from 1: set it so, or unset it");
  require(fault->rank < comm.size(), "the environment variable KOV_FAULT is", text, "but there is no rank", fault->rank,
          "among", comm.size(), "processes: name one that is there");
  if (fault->rank != comm.rank()) return;
  armed = fault;
  if (fault->is_of_message()) {
    inject_halo_fault({fault->message_kind(), fault->rank, fault->number});
    return;
  }
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(strike);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(strike);
}

void require_fault_struck() {
  if (!armed) return;
  const std::string name = sentence("the", armed->kind, "fault of KOV_FAULT did not strike:");
  if (armed->is_of_message())
    require(!take_halo_fault(armed->rank, armed->number), name, "there was no checked halo message of leg",
            armed->number, "from rank", armed->rank, "- name another leg");
  else
    require(kernels >= armed->number, name, "rank", armed->rank, "ran", kernels, "kernels: name one of these");
}

}  // namespace kov::app
