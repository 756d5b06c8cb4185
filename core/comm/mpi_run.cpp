// SPDX-License-Identifier: MIT
//
// The start and the end of MPI, and how ranks learn that another one ends: on a communicator of its own, so that
// nothing mixes with messages of the work.
//
// Ending: every rank joins one gather of endings and waits for it in a loop.  Ranks that come alike (all is done, or
// all threw the same) are through at once.  One that waits longer tells the others, whose waiting then ends with a
// RankError, so that they come too.  Those that do not come even then are stopped, dead or busy with something else.
#include "kov/core/comm/mpi_run.hpp"

#include "kov/core/base/exit_code.hpp"
#include "kov/core/base/hash.hpp"
#include "kov/core/base/standard_output.hpp"
#include "kov/core/comm/comm_mpi.hpp"
#include "kov/core/comm/launcher.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mpi.h>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace kov::detail {

namespace {

using Kind = Ending::Kind;

constexpr int notice_tag = 1;
/// Seconds in which ranks may run into the same error by themselves, before they are notified.
constexpr double quiet = 0.25;
/// Seconds in which notified ranks must reach their ends.
constexpr double grace = 2;
/// More seconds for a rank with an earlier error, to print it and to end all.
constexpr double precedence = 3;
/// Seconds for what an ended rank sent before its end.
constexpr double in_flight = 1;

/// An ending as it travels.
struct Word {
  Kind kind;
  std::int32_t code;
  double when;  // wall_clock() when the rank came to its end
  std::uint64_t text_hash, operations;
};
struct Notice {
  Word word;
  std::array<char, 1000> text;
};

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Whether the error of rank a explains the run's end better than that of rank b.
bool comes_first(const Word& a, int rank_a, const Word& b, int rank_b) {
  return std::tuple(a.kind, a.when, rank_a) < std::tuple(b.kind, b.when, rank_b);
}

MPI_Comm duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "duplicating a communicator");
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "setting an error handler");
  return comm;
}

/// Whether a wait has reached its limit in seconds (0: no limit); sleeps briefly while it has not.
bool is_over(WaitingTime& time, double seconds) {
  const double waited = time.seconds();
  if (seconds > 0 && waited > seconds) return true;
  if (waited > 1e-3) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return false;
}

class Notices final : public RankWatch {
 public:
  Notices() : comm_(duplicate()) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  void look_at_all(std::string_view what) override {
    look();
    for (const auto& n : known_)
      require<RankError>(n.notice.word.operations >= operations_, "rank", n.rank, ended_while, what, let_all);
  }

  void look_at(int peer, std::string_view what) override {
    look();
    for (const auto& n : known_)
      require<RankError>(n.rank != peer || MPI_Wtime() < n.since + in_flight, "rank", n.rank, ended_while, what,
                         let_all);
  }

  bool others_gave_up() const override {
    const Known* const first = first_failure();
    return first && (first->notice.word.kind == Kind::late || first->notice.word.kind == Kind::missed);
  }

  Verdict end(const Ending& ending);

  /// After a complete end.
  void free() { MPI_Comm_free(&comm_); }

 private:
  struct Known {
    int rank;
    double since;
    Notice notice;
  };
  static constexpr const char* ended_while = "has ended while others wait for it in";
  static constexpr const char* let_all = ": let all ranks do the same, and end none early";

  /// Takes what has arrived.
  void receive() {
    for (;;) {
      int here = 0;
      MPI_Status status;
      if (MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, comm_, &here, &status) != MPI_SUCCESS || !here) return;
      Known n{status.MPI_SOURCE, MPI_Wtime(), {}};
      if (MPI_Recv(&n.notice, sizeof(Notice), MPI_BYTE, n.rank, notice_tag, comm_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
      n.notice.text.back() = '\0';
      known_.push_back(n);
    }
  }

  /// Throws when a rank has failed.
  void look() {
    receive();
    const Known* const first = first_failure();
    if (first) throw RankError(failure_of(first->rank));
  }

  const Known* first_failure() const {
    const Known* first = nullptr;
    for (const auto& n : known_)
      if (n.notice.word.kind != Kind::done &&
          (!first || comes_first(n.notice.word, n.rank, first->notice.word, first->rank)))
        first = &n;
    return first;
  }

  /// A rank that has not told why may have stopped before.
  std::string failure_of(int rank) const {
    for (const auto& n : known_)
      if (n.rank == rank) return sentence("rank", rank, "failed:", n.notice.text.data());
    return sentence("rank", rank, "failed, and not all ranks have ended: a process is stopped, or does something else");
  }

  void tell(const Word& word, const std::string& text) {
    sent_.word = word;
    sent_.text.fill('\0');
    std::copy_n(text.begin(), std::min(text.size(), sent_.text.size() - 1), sent_.text.begin());
    for (int r = 0; r < size_; ++r) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (r != rank_ && MPI_Isend(&sent_, sizeof(Notice), MPI_BYTE, r, notice_tag, comm_, &request) == MPI_SUCCESS)
        MPI_Request_free(&request);
    }
  }

  bool has_told(int rank) const {
    return std::any_of(known_.begin(), known_.end(), [&](const Known& n) { return n.rank == rank; });
  }

  bool receive_the_rest(double seconds);

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::list<Known> known_;
  Notice sent_{};
  Word mine_{};
  std::vector<Word> all_;
  char tells_ = 0;
  std::vector<char> all_tell_;
};

/// Receives the notices that are still in flight, because MPI must not end before they are received.  All ranks have
/// reached this point; returns whether every rank is still alive.
bool Notices::receive_the_rest(double seconds) {
  all_tell_.resize(std::size_t(size_));
  MPI_Request request;
  if (MPI_Iallgather(&tells_, 1, MPI_CHAR, all_tell_.data(), 1, MPI_CHAR, comm_, &request) != MPI_SUCCESS) return false;
  WaitingTime time;
  int all_said = 0;
  const auto is_missing = [&](int r) { return r != rank_ && all_tell_[std::size_t(r)] && !has_told(r); };
  for (int r = 0; r < size_;) {
    if (!all_said && MPI_Test(&request, &all_said, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    receive();
    if (all_said && !is_missing(r)) {
      ++r;
      continue;
    }
    if (is_over(time, seconds)) return false;
  }
  return true;
}

Verdict Notices::end(const Ending& ending) {
  mine_ = {ending.kind, ending.code, wall_clock(), hash(ending.text), operations_};
  all_.resize(std::size_t(size_));
  const bool failed = ending.kind != Kind::done;
  const Verdict alone{.complete = false, .code = failed ? ending.code : 0, .mine = true, .mine_alone = true};
  MPI_Request request;
  if (MPI_Iallgather(&mine_, sizeof(Word), MPI_BYTE, all_.data(), sizeof(Word), MPI_BYTE, comm_, &request) !=
      MPI_SUCCESS)
    return alone;
  WaitingTime time;
  bool told = ending.kind == Kind::interrupted;  // as the rank that failed told all
  for (int done = 0; !done;) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return alone;
    if (done) break;
    receive();
    const double waited = time.seconds();
    if (!told && waited > (failed ? quiet : in_flight)) {
      tell(mine_, ending.text);
      told = true;
      tells_ = 1;
    }
    const Known* const first = first_failure();
    // The rank that failed would have ended all by now.
    if (!failed && first && MPI_Wtime() > first->since + grace + precedence)
      return {.complete = false,
              .code = first->notice.word.code,
              .mine = true,
              .mine_alone = true,
              .of_another = failure_of(first->rank)};
    const bool yields = first && comes_first(first->notice.word, first->rank, mine_, rank_);
    if (is_over(time, failed ? quiet + grace + (yields ? precedence : 0) : Comm::default_timeout())) return alone;
  }
  int first = 0;
  for (int r = 1; r < size_; ++r)
    if (comes_first(all_[std::size_t(r)], r, all_[std::size_t(first)], first)) first = r;
  const Word& explains = all_[std::size_t(first)];
  const double patience = first == rank_ ? grace : grace + precedence;
  if (!receive_the_rest(explains.kind == Kind::done ? Comm::default_timeout() : patience))
    return {.complete = false,
            .code = explains.code,
            .mine = true,
            .mine_alone = true,
            .of_another = explains.kind == Kind::done || first == rank_ ? "" : failure_of(first)};
  // What the others have heard of is an error of all, but for a defect, or memory that ran out: one rank's.
  const bool counts_for_all = explains.code != int(ExitCode::internal);
  const bool shared = std::all_of(all_.begin(), all_.end(), [&](const Word& word) {
    return (word.kind == Kind::agreed && counts_for_all) ||
           (word.kind == explains.kind && word.text_hash == explains.text_hash);
  });
  return {.complete = true, .code = explains.code, .mine = first == rank_, .mine_alone = !shared};
}

class RunningMpi final : public MpiRun {
 public:
  explicit RunningMpi(bool owner)
      : owner_(owner),
        notices_(std::make_shared<Notices>()),
        comm_(duplicate()),
        steps_(duplicate()),
        world_(mpi_comm(MPI_Comm_c2f(comm_), MPI_Comm_c2f(steps_), notices_)) {}
  std::shared_ptr<const Comm::Impl> world() const override { return world_; }
  Verdict end(const Ending& ending) override { return notices_->end(ending); }
  void finalize() override {
    notices_->free();
    MPI_Comm_free(&comm_);
    MPI_Comm_free(&steps_);
    if (owner_) MPI_Finalize();
  }
  void cut_off(int code) override {
    flush_standard_output();  // MPI may not
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }
  std::string description() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, std::size_t(length));
    return all.substr(0, all.find(','));
  }

 private:
  bool owner_;
  std::shared_ptr<Notices> notices_;
  MPI_Comm comm_, steps_;
  std::shared_ptr<const Comm::Impl> world_;
};

/// Where KOV_MPI has a wrong value, ranks started together still start MPI, to report that error to each other.
bool is_wanted() {
  try {
    return wants_mpi();
  } catch (const InputError&) {
    return is_launched_with_others();
  }
}

}  // namespace

std::unique_ptr<MpiRun> MpiRun::start(int& argc, char**& argv) {
  int running = 0;
  MPI_Initialized(&running);
  if (!running) {
    if (!is_wanted()) return nullptr;
    int provided = 0;
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "starting MPI");
  }
  return std::make_unique<RunningMpi>(!running);
}

std::string MpiRun::absence() { return "one process, for which MPI was not started"; }

}  // namespace kov::detail
