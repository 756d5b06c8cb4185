// SPDX-License-Identifier: MIT
//
// Messages that lie where kernels run: the Comm of one process takes them, and what test_halo_transports.cpp tests of
// halos goes that way here.
#include "kov/core/base/memory.hpp"
#include "kov/core/comm/comm_runtime.hpp"
#include "kov/core/lattice/lattice.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace kov {
namespace {

TEST(DeviceMessages, AreTakenByTheCommOfOneProcess) {
  ASSERT_FALSE(detail::CommRuntime::has_mpi()) << "this is for a process without a launcher";
  EXPECT_TRUE(Comm::world().takes_device_memory());
  const LatticeOptions options{.force_exchange = true, .exchange = {.transport = ExchangeOptions::Transport::device}};
  EXPECT_EQ(Lattice(Comm::world(), {4, 4, 4, 8}, options).exchange_options().transport,
            unified_memory ? ExchangeOptions::Transport::staged : ExchangeOptions::Transport::device);
}

TEST(DeviceMessages, GoBetweenAnyTwoMemories) {
  std::vector<std::byte> bytes(1000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 11);
  const Buffer<std::byte> device_out("out", bytes), device_in("in", bytes.size());
  std::vector<std::byte> host_in(bytes.size());
  for (const bool from_device : {false, true}) {
    device_in.copy_from(std::vector<std::byte>(bytes.size()));
    host_in.assign(bytes.size(), std::byte{});
    const std::span<const std::byte> out(from_device ? device_out.data() : bytes.data(), bytes.size());
    Comm::Exchange exchange(Comm::world());
    exchange.receive(host_in, 0, 1);
    exchange.receive({device_in.data(), bytes.size()}, 0, 2);
    exchange.send(out, 0, 2);
    exchange.send(out, 0, 1);
    exchange.wait();
    EXPECT_EQ(host_in, bytes);
    EXPECT_EQ(device_in.to_host(), bytes);
  }
}

}  // namespace
}  // namespace kov
