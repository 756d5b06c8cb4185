// SPDX-License-Identifier: MIT
//
// Comm of one process, whose messages to itself are copies, in whichever memory.
#include "kov/core/base/device.hpp"
#include "kov/core/comm/comm_impl.hpp"

#include <algorithm>
#include <deque>

namespace kov {

namespace {

class SerialExchange final : public Comm::Exchange::Impl {
 public:
  void receive(std::span<std::byte> bytes, int, int tag) override { receives_.push_back({bytes, {}, tag}); }
  void send(std::span<const std::byte> bytes, int, int tag) override { sends_.push_back({{}, bytes, tag}); }
  void wait(double, const std::function<std::string(int)>& name_of) override {
    for (const auto& receive : receives_) {
      const auto send =
          std::find_if(sends_.begin(), sends_.end(), [&](const Message& m) { return m.tag == receive.tag; });
      require<CommError>(send != sends_.end(),
                         name_of ? name_of(receive.tag) : sentence("the message with tag", receive.tag),
                         "was not sent: the two ends disagree about the exchange");
      require<CommError>(send->from.size() == receive.to.size(), "a message of", send->from.size(),
                         "bytes arrived where", receive.to.size(),
                         "were expected: the two ends disagree about the field");
      detail::start_copy(receive.to.data(), send->from.data(), send->from.size());
      sends_.erase(send);
    }
    detail::await_copies();
    receives_.clear();
    sends_.clear();
  }

 private:
  struct Message {
    std::span<std::byte> to;
    std::span<const std::byte> from;
    int tag;
  };
  std::deque<Message> receives_, sends_;
};

struct SerialComm final : Comm::Impl {
  int rank() const override { return 0; }
  int size() const override { return 1; }
  bool takes_device_memory() const override { return true; }
  void barrier(const Wait&) const override {}
  void reduce(std::span<std::byte>, Type, Op, const Wait&) const override {}
  void step(std::span<const std::byte>, std::span<std::byte>, int, const Wait&) const override {}
  void broadcast(std::span<std::byte>, int, const Wait&) const override {}
  std::vector<std::byte> gather(std::span<const std::byte> mine, std::span<const std::size_t>,
                                const Wait&) const override {
    return {mine.begin(), mine.end()};
  }
  std::unique_ptr<Comm::Exchange::Impl> exchange() const override { return std::make_unique<SerialExchange>(); }
  void wait_until(const std::function<bool()>& done, int, const std::function<std::string()>& name,
                  double) const override {
    require<CommError>(done(), name(), "was not sent: the two ends disagree about the exchange");
  }
};

}  // namespace

std::shared_ptr<const Comm::Impl> detail::serial_comm() { return std::make_shared<const SerialComm>(); }

}  // namespace kov
