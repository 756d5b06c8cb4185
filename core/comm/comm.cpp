// SPDX-License-Identifier: MIT
#include "kov/core/comm/comm.hpp"

#include "kov/core/base/hash.hpp"
#include "kov/core/comm/comm_impl.hpp"
#include "kov/core/comm/comm_runtime.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace kov {

namespace {

std::optional<double> timeout_of_environment() {
  const char* const text = std::getenv("KOV_TIMEOUT");
  if (!text || !*text) return {};
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  require(*end == '\0' && std::isfinite(seconds) && seconds >= 0, "the environment variable KOV_TIMEOUT is", text,
          "which is not a number of seconds: set it to one, or to 0 to wait forever");
  return seconds;
}

/// One value of each rank, in order of ranks.
template <class T>
std::vector<T> gather_one(const Comm::Impl& impl, const T& mine, const Comm::Impl::Wait& wait) {
  const std::vector<std::size_t> lengths(std::size_t(impl.size()), sizeof(T));
  const std::vector<std::byte> bytes = impl.gather(std::as_bytes(std::span(&mine, 1)), lengths, wait);
  std::vector<T> all(std::size_t(impl.size()));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

template <class T>
void reduce(const Comm::Impl& impl, std::span<T> values, Comm::Impl::Type type, Comm::Impl::Op op,
            const Comm::Impl::Wait& wait = {.what = "a reduction over ranks"}) {
  if (impl.size() > 1) impl.reduce(std::as_writable_bytes(values), type, op, wait);
}

}  // namespace

double Comm::default_timeout() {
  static const double seconds = timeout_of_environment().value_or(3600);
  return seconds;
}

Comm Comm::self() { return Comm(detail::serial_comm()); }
Comm Comm::world() { return Comm(detail::CommRuntime::world()); }

int Comm::rank() const { return impl_->rank(); }
int Comm::size() const { return impl_->size(); }
bool Comm::takes_device_memory() const { return impl_->takes_device_memory(); }
void Comm::barrier() const { impl_->barrier({.what = "a barrier"}); }

// Recursive doubling over the first 2^k ranks.  A rank beyond them hands its numbers to one of these before, and gets
// the result from it after.
void Comm::sum(std::span<double> values) const {
  const int n = size(), mine = rank(), n_doubling = int(std::bit_floor(unsigned(n)));
  if (n == 1) return;
  const Impl::Wait wait{.what = "a sum over ranks"};
  std::vector<double> received(values.size());
  const auto out = std::as_bytes(values);
  const auto in = std::as_writable_bytes(std::span(received));
  const auto stand_by = [&] { impl_->step({}, {}, mine, wait); };
  const auto add_received = [&] {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += received[i];
  };
  const bool is_beyond = mine >= n_doubling, has_one_beyond = mine + n_doubling < n;
  if (is_beyond) {
    impl_->step(out, {}, mine - n_doubling, wait);
  } else if (has_one_beyond) {
    impl_->step({}, in, mine + n_doubling, wait);
    add_received();
  } else if (n > n_doubling) {
    stand_by();
  }
  for (int distance = 1; distance < n_doubling; distance *= 2) {
    if (is_beyond) {
      stand_by();
    } else {
      impl_->step(out, in, mine ^ distance, wait);
      add_received();
    }
  }
  if (is_beyond)
    impl_->step({}, std::as_writable_bytes(values), mine - n_doubling, wait);
  else if (has_one_beyond)
    impl_->step(out, {}, mine + n_doubling, wait);
  else if (n > n_doubling)
    stand_by();
}

void Comm::sum(std::span<std::int64_t> values) const { reduce(*impl_, values, Impl::Type::integer, Impl::Op::sum); }
void Comm::sum(std::span<std::uint32_t> values) const { reduce(*impl_, values, Impl::Type::word, Impl::Op::sum); }
void Comm::bit_xor(std::span<std::uint32_t> values) const {
  reduce(*impl_, values, Impl::Type::word, Impl::Op::bit_xor);
}
void Comm::max(std::span<double> values) const { reduce(*impl_, values, Impl::Type::real, Impl::Op::max); }
void Comm::max(std::span<std::int64_t> values) const { reduce(*impl_, values, Impl::Type::integer, Impl::Op::max); }

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
  impl_->broadcast(bytes, root, {.what = "a broadcast"});
}

std::string Comm::broadcast(const std::string& text, int root) const {
  std::uint64_t length = text.size();
  broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  std::string copy = text;
  copy.resize(length);
  broadcast(std::as_writable_bytes(std::span<char>(copy.data(), copy.size())), root);
  return copy;
}

std::vector<std::vector<std::byte>> Comm::all_gather(std::span<const std::byte> bytes) const {
  const Impl::Wait wait{.what = "a gather"};
  const std::vector<std::size_t> lengths = gather_one(*impl_, bytes.size(), wait);
  const std::vector<std::byte> all = impl_->gather(bytes, lengths, wait);
  std::vector<std::vector<std::byte>> blocks;
  auto next = all.begin();
  for (const std::size_t length : lengths) {
    blocks.emplace_back(next, next + std::ptrdiff_t(length));
    next += std::ptrdiff_t(length);
  }
  return blocks;
}

void Comm::rethrow_agreed(std::exception_ptr mine, const std::string& text) const {
  const std::vector<char> failed = gather_one(*impl_, char(mine ? 1 : 0), {.what = "an agreement on errors"});
  int first = 0;
  while (first < size() && !failed[std::size_t(first)]) ++first;
  if (first == size()) return;
  const std::string reason = broadcast(text, first);
  if (mine) std::rethrow_exception(mine);
  throw detail::AgreedError(sentence("rank", first, "failed:", reason));
}

void Comm::require_same(const std::string& what, const std::string& text, double timeout_seconds) const {
  if (size() == 1) return;
  // The maxima of the hash and of its complement give the largest and the smallest hash.
  const std::int64_t mine = std::int64_t(hash(text));
  std::array range{mine, ~mine};
  reduce(*impl_, std::span<std::int64_t>(range), Impl::Type::integer, Impl::Op::max,
         {.what = "an agreement on " + what, .seconds = timeout_seconds});
  if (range[0] == ~range[1]) return;
  const auto all = all_gather(std::as_bytes(std::span(text.data(), text.size())));
  const auto said = [&](std::size_t r) {
    return std::string_view(reinterpret_cast<const char*>(all[r].data()), all[r].size());
  };
  std::size_t other = 1;
  while (all[other] == all[0]) ++other;
  throw InputError(sentence("ranks disagree about", what, "- rank 0 has:", said(0), "- rank", other,
                            "has:", said(other), "- give all ranks the same input"));
}

void Comm::wait_until(const std::function<bool()>& done, int from, const std::function<std::string()>& name,
                      double timeout_seconds) const {
  if (!done()) impl_->wait_until(done, from, name, timeout_seconds);
}

Comm::Exchange::Exchange(const Comm& comm) : impl_(comm.impl_->exchange()) {}
Comm::Exchange::~Exchange() = default;
Comm::Exchange::Exchange(Exchange&&) noexcept = default;
Comm::Exchange& Comm::Exchange::operator=(Exchange&&) noexcept = default;
void Comm::Exchange::receive(std::span<std::byte> bytes, int from, int tag) { impl_->receive(bytes, from, tag); }
void Comm::Exchange::send(std::span<const std::byte> bytes, int to, int tag) { impl_->send(bytes, to, tag); }
void Comm::Exchange::wait(double timeout_seconds, const std::function<std::string(int)>& name_of) {
  impl_->wait(timeout_seconds, name_of);
}

}  // namespace kov
