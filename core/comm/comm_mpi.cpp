// SPDX-License-Identifier: MIT
//
// Comm over MPI.  Everything that waits looks now and then at a clock, and whether the other ranks are still there.
#include "kov/core/comm/comm_mpi.hpp"

#include "kov/core/comm/comm_runtime.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <mpi.h>
#include <thread>
#include <utility>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace kov {

namespace {

using detail::check_mpi;
using detail::RankWatch;

int count(std::size_t n) {
  require<CommError>(n <= std::size_t(INT_MAX), "a message of", n,
                     "items is longer than MPI can count: use more ranks");
  return int(n);
}

/// The clock and the pauses of a loop that tests requests, as waiting does inside MPI.
class Patience {
 public:
  explicit Patience(double seconds) : seconds_(seconds) {}
  /// Whether it is time to look around: every 256 calls.  Processors are given away after the first 10 000, and left
  /// alone between looks when the others do something long.
  bool looks_around() {
    if (++rounds_ % 256 != 0) return false;
    if (rounds_ <= 10000) return true;
    if (seconds_waited() > 0.2)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    else
      std::this_thread::yield();
    return true;
  }
  double seconds_waited() { return waited_.seconds(); }
  bool is_over() { return seconds_waited() > seconds_ && seconds_ > 0; }

 private:
  double seconds_;
  detail::WaitingTime waited_;
  std::uint64_t rounds_ = 0;
};

class MpiExchange final : public Comm::Exchange::Impl {
 public:
  MpiExchange(MPI_Comm comm, std::shared_ptr<RankWatch> watch) : comm_(comm), watch_(std::move(watch)) {}
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  void receive(std::span<std::byte> bytes, int from, int tag) override {
    MPI_Request request;
    check_mpi(MPI_Irecv(bytes.data(), count(bytes.size()), MPI_BYTE, from, tag, comm_, &request), "posting a receive");
    requests_.push_back(request);
    messages_.push_back({true, bytes.size(), from, tag});
  }
  void send(std::span<const std::byte> bytes, int to, int tag) override {
    MPI_Request request;
    check_mpi(MPI_Isend(bytes.data(), count(bytes.size()), MPI_BYTE, to, tag, comm_, &request), "posting a send");
    requests_.push_back(request);
    messages_.push_back({false, bytes.size(), to, tag});
  }
  void wait(double timeout_seconds, const std::function<std::string(int)>& name_of) override;

 private:
  struct Message {
    bool is_received;
    std::size_t bytes;
    int peer, tag;
  };
  using Names = std::function<std::string(int)>;
  static std::string name(const Message& message, const Names& name_of) {
    return name_of ? name_of(message.tag) : sentence("the message with tag", message.tag);
  }
  bool is_here(std::size_t i) const {
    int here = 0;
    MPI_Request_get_status(requests_[i], &here, MPI_STATUS_IGNORE);
    return here != 0;
  }
  void look_at_peers(Patience& patience, const Names& name_of) const;
  [[noreturn]] void give_up(double seconds, const Names& name_of) const;

  MPI_Comm comm_;
  std::shared_ptr<RankWatch> watch_;
  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;
};

/// The memory of pending messages goes away after this: those that are on their way get a moment to arrive.
MpiExchange::~MpiExchange() {
  std::erase(requests_, MPI_REQUEST_NULL);
  for (auto& request : requests_) MPI_Cancel(&request);
  const double end = MPI_Wtime() + 0.25;
  for (int done = requests_.empty(); !done && MPI_Wtime() < end;)
    if (MPI_Testall(count(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) break;
  for (auto& request : requests_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void MpiExchange::look_at_peers(Patience& patience, const Names& name_of) const {
  try {
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (!is_here(i)) watch_->look_at(messages_[i].peer, name(messages_[i], name_of));
  } catch (const RankError&) {
    if (watch_->others_gave_up()) give_up(patience.seconds_waited(), name_of);  // this is what they waited for
    throw;
  }
}

void MpiExchange::give_up(double seconds, const Names& name_of) const {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    require<detail::LateMessage>(
        !messages_[i].is_received || is_here(i), name(messages_[i], name_of), "did not arrive within", seconds,
        "seconds: a message or a process is lost; run again, on other hosts if it happens again");
  throw detail::LateMessage(sentence("a message was not taken by its receiver within", seconds,
                                     "seconds: a process is lost; run again, on other hosts if it happens again"));
}

void MpiExchange::wait(double timeout_seconds, const Names& name_of) {
  std::vector<MPI_Status> statuses(requests_.size());
  Patience patience(timeout_seconds);
  for (;;) {
    int done = 0;
    check_mpi(MPI_Testall(count(requests_.size()), requests_.data(), &done, statuses.data()), "an exchange");
    if (done) break;
    if (!patience.looks_around()) continue;
    look_at_peers(patience, name_of);
    if (patience.is_over()) give_up(timeout_seconds, name_of);
  }
  const std::vector<Message> messages = std::exchange(messages_, {});
  requests_.clear();
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (!messages[i].is_received) continue;
    int got = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &got);
    require<CommError>(std::size_t(got) == messages[i].bytes, "a message of", got, "bytes arrived from rank",
                       statuses[i].MPI_SOURCE, "where", messages[i].bytes,
                       "were expected: the two ranks disagree about the field");
  }
}

MPI_Datatype mpi_type(Comm::Impl::Type type) {
  using Type = Comm::Impl::Type;
  return type == Type::real ? MPI_DOUBLE : type == Type::integer ? MPI_INT64_T : MPI_UINT32_T;
}

MPI_Op mpi_op(Comm::Impl::Op op) {
  using Op = Comm::Impl::Op;
  return op == Op::sum ? MPI_SUM : op == Op::max ? MPI_MAX : MPI_BXOR;
}

class MpiComm final : public Comm::Impl {
 public:
  MpiComm(MPI_Comm comm, MPI_Comm steps, std::shared_ptr<RankWatch> watch)
      : comm_(comm), steps_(steps), watch_(std::move(watch)) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  bool takes_device_memory() const override {
    std::int64_t lacks = 1;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    lacks = !MPIX_Query_cuda_support();
#endif
    reduce(std::as_writable_bytes(std::span(&lacks, 1)), Type::integer, Op::max,
           {.what = "an agreement on device memory"});
    return lacks == 0;
  }

  void barrier(const Wait& wait) const override {
    run({}, wait, [&](Buffers&, MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
  }

  void reduce(std::span<std::byte> values, Type type, Op op, const Wait& wait) const override {
    const std::size_t bytes_each = type == Type::word ? 4 : 8;
    const auto start = [&](Buffers& b, MPI_Request* request) {
      return MPI_Iallreduce(b.in.data(), b.out.data(), count(values.size() / bytes_each), mpi_type(type), mpi_op(op),
                            comm_, request);
    };
    const auto result = run({{values.begin(), values.end()}, std::vector<std::byte>(values.size())}, wait, start);
    std::copy(result.begin(), result.end(), values.begin());
  }

  void step(std::span<const std::byte> out, std::span<std::byte> in, int peer, const Wait& wait) const override {
    const auto start = [&](Buffers& b, MPI_Request* requests) {
      int code = MPI_SUCCESS;
      if (!in.empty()) code = MPI_Irecv(b.out.data(), count(in.size()), MPI_BYTE, peer, 0, steps_, &requests[0]);
      if (!out.empty() && code == MPI_SUCCESS)
        code = MPI_Isend(b.in.data(), count(out.size()), MPI_BYTE, peer, 0, steps_, &requests[1]);
      return code;
    };
    const auto result = run({{out.begin(), out.end()}, std::vector<std::byte>(in.size())}, wait, start);
    std::copy(result.begin(), result.end(), in.begin());
  }

  void broadcast(std::span<std::byte> bytes, int root, const Wait& wait) const override {
    constexpr std::size_t piece = std::size_t(64) << 20;
    for (std::size_t first = 0; first < bytes.size(); first += piece) {
      const auto part = bytes.subspan(first, std::min(piece, bytes.size() - first));
      const auto start = [&](Buffers& b, MPI_Request* request) {
        return MPI_Ibcast(b.out.data(), count(part.size()), MPI_BYTE, root, comm_, request);
      };
      const auto result = run({{}, {part.begin(), part.end()}}, wait, start);
      std::copy(result.begin(), result.end(), part.begin());
    }
  }

  std::vector<std::byte> gather(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                                const Wait& wait) const override {
    std::size_t total = 0;
    bool equal = true;
    for (const std::size_t length : lengths) {
      total += length;
      equal = equal && length == lengths[0];
    }
    Buffers buffers{{mine.begin(), mine.end()}, std::vector<std::byte>(total)};
    if (equal)
      return run(std::move(buffers), wait, [&](Buffers& b, MPI_Request* request) {
        return MPI_Iallgather(b.in.data(), count(b.in.size()), MPI_BYTE, b.out.data(), count(b.in.size()), MPI_BYTE,
                              comm_, request);
      });
    for (const std::size_t length : lengths) {
      buffers.starts.push_back(buffers.starts.empty() ? 0 : buffers.starts.back() + buffers.lengths.back());
      buffers.lengths.push_back(count(length));
    }
    count(total);
    return run(std::move(buffers), wait, [&](Buffers& b, MPI_Request* request) {
      return MPI_Iallgatherv(b.in.data(), count(b.in.size()), MPI_BYTE, b.out.data(), b.lengths.data(), b.starts.data(),
                             MPI_BYTE, comm_, request);
    });
  }

  std::unique_ptr<Comm::Exchange::Impl> exchange() const override {
    return std::make_unique<MpiExchange>(comm_, watch_);
  }

  void wait_until(const std::function<bool()>& done, int from, const std::function<std::string()>& name,
                  double timeout_seconds) const override {
    const auto give_up = [&](double seconds) {
      throw detail::LateMessage(
          sentence(name(), "did not arrive within", seconds,
                   "seconds: a message or a process is lost; run again, on other hosts if it happens again"));
    };
    Patience patience(timeout_seconds);
    for (std::uint64_t rounds = 0; !done(); ++rounds) {
      if (rounds > 1000) std::this_thread::yield();  // looking takes nanoseconds where testing messages takes a hundred
      if (!patience.looks_around()) continue;
      try {
        watch_->look_at(from, name());
      } catch (const RankError&) {
        if (done()) return;
        if (watch_->others_gave_up()) give_up(patience.seconds_waited());  // this is what they waited for
        throw;
      }
      if (patience.is_over()) give_up(timeout_seconds);
    }
  }

 private:
  /// Memory of an operation's own.
  struct Buffers {
    std::vector<std::byte> in, out;
    std::vector<int> lengths = {}, starts = {};
  };

  /// Of one operation, at most two.
  using Requests = std::array<MPI_Request, 2>;

  /// Starts a collective operation and waits for its end.
  template <class Start>
  std::vector<std::byte> run(Buffers buffers, const Wait& wait, const Start& start) const {
    auto kept = std::make_unique<Buffers>(std::move(buffers));
    Requests requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    try {
      check_mpi(start(*kept, requests.data()), wait.what);
      watch_->join();
      await(requests, wait);
    } catch (...) {
      (void)kept.release();  // MPI may still write there
      throw;
    }
    return std::move(kept->out);
  }

  void await(Requests& requests, const Wait& wait) const {
    Patience patience(wait.seconds);
    for (;;) {
      int done = 0;
      check_mpi(MPI_Testall(count(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), wait.what);
      if (done) return;
      if (!patience.looks_around()) continue;
      watch_->look_at_all(wait.what);
      require<TimeoutError>(!patience.is_over(), "not all ranks came to", wait.what, "within", wait.seconds,
                            "seconds: a process is lost, is stopped, or does something else; run again with the same "
                            "input on all ranks, and with a larger KOV_TIMEOUT if they were only slow");
    }
  }

  MPI_Comm comm_, steps_;
  std::shared_ptr<RankWatch> watch_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

void detail::check_mpi(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw CommError(sentence(what, "failed in MPI:", std::string(text, std::size_t(length))));
}

std::shared_ptr<const Comm::Impl> detail::mpi_comm(int handle, int steps_handle,
                                                   const std::shared_ptr<RankWatch>& watch) {
  return std::make_shared<const MpiComm>(MPI_Comm_f2c(handle), MPI_Comm_f2c(steps_handle), watch);
}

}  // namespace kov
