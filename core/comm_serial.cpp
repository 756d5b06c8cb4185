// SPDX-License-Identifier: MIT
//
// Comm of a build without MPI: one process, whose messages to itself are copies.
#include "kov/core/comm.hpp"
#include "kov/core/comm_runtime.hpp"

#include <cstring>
#include <deque>

namespace kov {

struct Comm::Impl {};

Comm Comm::self() { return Comm(std::make_shared<const Impl>()); }
Comm Comm::world() { return self(); }
int Comm::rank() const { return 0; }
int Comm::size() const { return 1; }
void Comm::barrier() const {}
void Comm::sum(std::span<double>) const {}
void Comm::sum(std::span<std::int64_t>) const {}
void Comm::sum(std::span<std::uint32_t>) const {}
void Comm::bit_xor(std::span<std::uint32_t>) const {}
void Comm::max(std::span<double>) const {}
void Comm::max(std::span<std::int64_t>) const {}
void Comm::broadcast(std::span<std::byte>, int) const {}
std::string Comm::broadcast(const std::string& text, int) const { return text; }
std::vector<std::vector<std::byte>> Comm::all_gather(std::span<const std::byte> bytes) const {
  return {{bytes.begin(), bytes.end()}};
}
void Comm::require_same(const std::string&, const std::string&, double) const {}
bool Comm::takes_device_memory() const { return false; }
void Comm::rethrow_agreed(std::exception_ptr mine, const std::string&) const {
  if (mine) std::rethrow_exception(mine);
}

struct Comm::Exchange::Impl {
  struct Message {
    std::span<std::byte> to;
    std::span<const std::byte> from;
    int tag;
  };
  std::deque<Message> receives, sends;
};

Comm::Exchange::Exchange(const Comm&) : impl_(std::make_unique<Impl>()) {}
Comm::Exchange::~Exchange() = default;
Comm::Exchange::Exchange(Exchange&&) noexcept = default;
Comm::Exchange& Comm::Exchange::operator=(Exchange&&) noexcept = default;
void Comm::Exchange::receive(std::span<std::byte> bytes, int, int tag) { impl_->receives.push_back({bytes, {}, tag}); }
void Comm::Exchange::send(std::span<const std::byte> bytes, int, int tag) { impl_->sends.push_back({{}, bytes, tag}); }
void Comm::Exchange::wait(double, const std::function<std::string(int)>& name_of) {
  for (const auto& receive : impl_->receives) {
    bool found = false;
    for (auto send = impl_->sends.begin(); send != impl_->sends.end() && !found; ++send) {
      if (send->tag != receive.tag) continue;
      require<CommError>(send->from.size() == receive.to.size(), "a message of", send->from.size(),
                         "bytes arrived where", receive.to.size(),
                         "were expected: the two ends disagree about the field");
      std::memcpy(receive.to.data(), send->from.data(), send->from.size());
      impl_->sends.erase(send);
      found = true;
      break;
    }
    require<CommError>(found, name_of ? name_of(receive.tag) : sentence("the message with tag", receive.tag),
                       "was not sent: the two ends disagree about the exchange");
  }
  impl_->receives.clear();
  impl_->sends.clear();
}

namespace detail {
CommRuntime::CommRuntime(int&, char**&) : owner_(false) {}
CommRuntime::~CommRuntime() = default;
bool CommRuntime::has_mpi() { return false; }
std::string CommRuntime::description() { return "without MPI"; }
}  // namespace detail

}  // namespace kov
