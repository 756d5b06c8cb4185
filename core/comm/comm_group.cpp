// SPDX-License-Identifier: MIT
//
// The first ranks of a Comm, as a Comm of their own.  Its collective operations are messages between pairs of ranks,
// so that the others take no part and nothing is asked of MPI.
#include "kov/core/comm/comm_impl.hpp"

#include <algorithm>
#include <cstring>

namespace kov {

namespace {

/// Beyond those that callers use; MPI allows at least 32767.
constexpr int group_tag = 32000;

template <class T>
void combine(std::span<std::byte> values, std::span<const std::byte> others, Comm::Impl::Op op) {
  for (std::size_t i = 0; i < values.size(); i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, values.data() + i, sizeof(T));
    std::memcpy(&b, others.data() + i, sizeof(T));
    if (op == Comm::Impl::Op::sum)
      a += b;
    else if (op == Comm::Impl::Op::max)
      a = std::max(a, b);
    else if constexpr (std::is_integral_v<T>)
      a ^= b;
    std::memcpy(values.data() + i, &a, sizeof(T));
  }
}

class GroupComm final : public Comm::Impl {
 public:
  GroupComm(std::shared_ptr<const Comm::Impl> all, int size, bool takes_device_memory)
      : all_(std::move(all)), size_(size), takes_device_memory_(takes_device_memory) {}

  int rank() const override { return all_->rank(); }
  int size() const override { return size_; }
  bool takes_device_memory() const override { return takes_device_memory_; }

  void barrier(const Wait& wait) const override {
    const std::byte mine{};
    gather(std::span(&mine, 1), std::vector<std::size_t>(std::size_t(size_), 1), wait);
  }

  void reduce(std::span<std::byte> values, Type type, Op op, const Wait& wait) const override {
    const std::size_t n = values.size();
    const std::vector<std::byte> of_all = gather(values, std::vector<std::size_t>(std::size_t(size_), n), wait);
    std::copy_n(of_all.begin(), n, values.begin());
    for (std::size_t rank = 1; rank < std::size_t(size_); ++rank) {
      const auto others = std::span(of_all).subspan(rank * n, n);
      if (type == Type::real)
        combine<double>(values, others, op);
      else if (type == Type::integer)
        combine<std::int64_t>(values, others, op);
      else
        combine<std::uint32_t>(values, others, op);
    }
  }

  void step(std::span<const std::byte> out, std::span<std::byte> in, int peer, const Wait& wait) const override {
    const auto messages = all_->exchange();
    if (!in.empty()) messages->receive(in, peer, group_tag);
    if (!out.empty()) messages->send(out, peer, group_tag);
    await(*messages, wait);
  }

  void broadcast(std::span<std::byte> bytes, int root, const Wait& wait) const override {
    constexpr std::size_t piece = std::size_t(64) << 20;
    for (std::size_t first = 0; first < bytes.size(); first += piece) {
      const auto part = bytes.subspan(first, std::min(piece, bytes.size() - first));
      const auto messages = all_->exchange();
      if (rank() != root) messages->receive(part, root, group_tag);
      for (int other = 0; rank() == root && other < size_; ++other)
        if (other != root) messages->send(part, other, group_tag);
      await(*messages, wait);
    }
  }

  /// Every rank sends to every other.
  std::vector<std::byte> gather(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                                const Wait& wait) const override {
    std::size_t total = 0;
    for (const std::size_t length : lengths) total += length;
    std::vector<std::byte> bytes(total);
    const auto messages = all_->exchange();
    std::size_t first = 0;
    for (int other = 0; other < size_; ++other) {
      const auto part = std::span(bytes).subspan(first, lengths[std::size_t(other)]);
      first += part.size();
      if (other == rank()) {
        std::copy(mine.begin(), mine.end(), part.begin());
        continue;
      }
      if (!part.empty()) messages->receive(part, other, group_tag);
      if (!mine.empty()) messages->send(mine, other, group_tag);
    }
    await(*messages, wait);
    return bytes;
  }

  std::unique_ptr<Comm::Exchange::Impl> exchange() const override { return all_->exchange(); }
  void wait_until(const std::function<bool()>& done, int from, const std::function<std::string()>& name,
                  double timeout_seconds) const override {
    all_->wait_until(done, from, name, timeout_seconds);
  }

 private:
  static void await(Comm::Exchange::Impl& messages, const Wait& wait) {
    messages.wait(wait.seconds, [&](int) { return std::string(wait.what); });
  }

  std::shared_ptr<const Comm::Impl> all_;
  int size_;
  bool takes_device_memory_;
};

}  // namespace

std::optional<Comm> Comm::first(int n) const {
  require_same("a group of ranks", std::to_string(n));
  require(n >= 1 && n <= size(), "there are no", n, "first ranks of", size(), ": ask for a number from 1 to", size());
  const bool device = takes_device_memory();
  if (rank() >= n) return {};
  if (n == 1) return self();
  return Comm(std::make_shared<const GroupComm>(impl_, n, device));
}

}  // namespace kov
