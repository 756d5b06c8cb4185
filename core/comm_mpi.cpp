// SPDX-License-Identifier: MIT
//
// Comm over MPI.  The only file that sees mpi.h.
#include "kov/core/comm.hpp"
#include "kov/core/comm_runtime.hpp"
#include "kov/core/hash.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <mpi.h>
#include <string_view>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace kov {

namespace {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw CommError(sentence(what, "failed in MPI:", std::string(text, std::size_t(length))));
}

int count(std::size_t n) {
  require<CommError>(n <= std::size_t(INT_MAX), "a message of", n,
                     "items is longer than MPI can count: use more ranks");
  return int(n);
}

}  // namespace

struct Comm::Impl {
  MPI_Comm comm;
  int rank, size;

  explicit Impl(MPI_Comm parent) {
    check(MPI_Comm_dup(parent, &comm), "duplicating a communicator");
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "setting an error handler");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  ~Impl() {
    int done = 0;
    MPI_Finalized(&done);
    if (!done) MPI_Comm_free(&comm);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

namespace {
void require_running() {
  int running = 0, done = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&done);
  require<CommError>(running && !done,
                     "Comm needs MPI, which is not running: make a kov::Runtime first and keep it alive");
}
}  // namespace

Comm Comm::self() {
  require_running();
  return Comm(std::make_shared<const Impl>(MPI_COMM_SELF));
}
Comm Comm::world() {
  require_running();
  return Comm(std::make_shared<const Impl>(MPI_COMM_WORLD));
}
int Comm::rank() const { return impl_->rank; }
int Comm::size() const { return impl_->size; }
void Comm::barrier() const { check(MPI_Barrier(impl_->comm), "a barrier"); }

void Comm::sum(std::span<double> values) const {
  if (size() == 1) return;
  std::vector<double> all(values.size() * std::size_t(size()));
  check(MPI_Allgather(values.data(), count(values.size()), MPI_DOUBLE, all.data(), count(values.size()), MPI_DOUBLE,
                      impl_->comm),
        "a sum over ranks");
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 0;
    for (int r = 0; r < size(); ++r) values[i] += all[std::size_t(r) * values.size() + i];
  }
}

namespace {
template <class T>
void all_reduce(MPI_Comm comm, std::span<T> values, MPI_Datatype type, MPI_Op op) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count(values.size()), type, op, comm), "a reduction over ranks");
}
}  // namespace

void Comm::sum(std::span<std::int64_t> values) const { all_reduce(impl_->comm, values, MPI_INT64_T, MPI_SUM); }
void Comm::sum(std::span<std::uint32_t> values) const { all_reduce(impl_->comm, values, MPI_UINT32_T, MPI_SUM); }
void Comm::bit_xor(std::span<std::uint32_t> values) const { all_reduce(impl_->comm, values, MPI_UINT32_T, MPI_BXOR); }
void Comm::max(std::span<double> values) const { all_reduce(impl_->comm, values, MPI_DOUBLE, MPI_MAX); }
void Comm::max(std::span<std::int64_t> values) const { all_reduce(impl_->comm, values, MPI_INT64_T, MPI_MAX); }

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
  for (std::size_t first = 0; first < bytes.size(); first += 1u << 30) {
    const auto part = bytes.subspan(first, std::min<std::size_t>(1u << 30, bytes.size() - first));
    check(MPI_Bcast(part.data(), count(part.size()), MPI_BYTE, root, impl_->comm), "a broadcast");
  }
}

std::string Comm::broadcast(const std::string& text, int root) const {
  std::int64_t length = std::int64_t(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT64_T, root, impl_->comm), "a broadcast");
  std::string copy = text;
  copy.resize(std::size_t(length));
  broadcast(std::as_writable_bytes(std::span<char>(copy.data(), copy.size())), root);
  return copy;
}

std::vector<std::vector<std::byte>> Comm::all_gather(std::span<const std::byte> bytes) const {
  const int mine = count(bytes.size());
  const std::size_t n_ranks = std::size_t(size());
  std::vector<int> lengths(n_ranks), starts(n_ranks);
  check(MPI_Allgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, impl_->comm), "a gather");
  std::size_t total = 0;
  for (int r = 0; r < size(); ++r) {
    starts[std::size_t(r)] = count(total);
    total += std::size_t(lengths[std::size_t(r)]);
  }
  count(total);
  std::vector<std::byte> all(total);
  check(MPI_Allgatherv(bytes.data(), mine, MPI_BYTE, all.data(), lengths.data(), starts.data(), MPI_BYTE, impl_->comm),
        "a gather");
  std::vector<std::vector<std::byte>> blocks;
  for (int r = 0; r < size(); ++r) {
    const auto first = all.begin() + starts[std::size_t(r)];
    blocks.emplace_back(first, first + lengths[std::size_t(r)]);
  }
  return blocks;
}

void Comm::rethrow_agreed(std::exception_ptr mine, const std::string& text) const {
  const std::size_t n_ranks = std::size_t(size());
  std::vector<int> failed(n_ranks);
  const int flag = mine ? 1 : 0;
  check(MPI_Allgather(&flag, 1, MPI_INT, failed.data(), 1, MPI_INT, impl_->comm), "agreeing on errors");
  int first = 0;
  while (first < size() && !failed[std::size_t(first)]) ++first;
  if (first == size()) return;
  const std::string reason = broadcast(text, first);
  if (mine) std::rethrow_exception(mine);
  throw CommError(sentence("rank", first, "failed:", reason));
}

void Comm::require_same(const std::string& what, const std::string& text, double timeout_seconds) const {
  if (size() == 1) return;
  const std::uint64_t mine = hash(text);
  // The largest hash and the largest of not the hash: the largest and the smallest.
  auto range = std::make_unique<std::array<std::uint64_t, 2>>(std::array{mine, ~mine});
  MPI_Request request;
  check(MPI_Iallreduce(MPI_IN_PLACE, range->data(), 2, MPI_UINT64_T, MPI_MAX, impl_->comm, &request), "agreeing");
  const double end = MPI_Wtime() + timeout_seconds;
  for (int done = 0; !done;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "agreeing");
    if (done || timeout_seconds <= 0 || MPI_Wtime() < end) continue;
    range.release();  // MPI may still write there
    throw CommError(sentence("not all ranks came to agree on", what, "within", timeout_seconds,
                             "seconds: a process is lost or does something else; give all ranks the same input"));
  }
  if ((*range)[0] == ~(*range)[1]) return;
  const auto all = all_gather(std::as_bytes(std::span(text.data(), text.size())));
  const auto said = [&](std::size_t r) {
    return std::string_view(reinterpret_cast<const char*>(all[r].data()), all[r].size());
  };
  std::size_t other = 1;
  while (all[other] == all[0]) ++other;
  throw InputError(sentence("ranks disagree about", what, "- rank 0 has:", said(0), "- rank", other,
                            "has:", said(other), "- give all ranks the same input"));
}

bool Comm::takes_device_memory() const {
  int lacks[1] = {1};
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  lacks[0] = !MPIX_Query_cuda_support();
#endif
  check(MPI_Allreduce(MPI_IN_PLACE, lacks, 1, MPI_INT, MPI_MAX, impl_->comm), "agreeing on device memory");
  return lacks[0] == 0;
}

struct Comm::Exchange::Impl {
  MPI_Comm comm;
  std::vector<MPI_Request> requests;
  std::vector<std::size_t> expected;  // bytes of each receive; sends have none
  std::vector<int> tags;
};

Comm::Exchange::Exchange(const Comm& comm) : impl_(std::make_unique<Impl>()) { impl_->comm = comm.impl_->comm; }
Comm::Exchange::~Exchange() {
  if (!impl_) return;
  for (auto& request : impl_->requests)
    if (request != MPI_REQUEST_NULL) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
}
Comm::Exchange::Exchange(Exchange&&) noexcept = default;
Comm::Exchange& Comm::Exchange::operator=(Exchange&&) noexcept = default;

void Comm::Exchange::receive(std::span<std::byte> bytes, int from, int tag) {
  MPI_Request request;
  check(MPI_Irecv(bytes.data(), count(bytes.size()), MPI_BYTE, from, tag, impl_->comm, &request), "posting a receive");
  impl_->requests.push_back(request);
  impl_->expected.push_back(bytes.size());
  impl_->tags.push_back(tag);
}

void Comm::Exchange::send(std::span<const std::byte> bytes, int to, int tag) {
  MPI_Request request;
  check(MPI_Isend(bytes.data(), count(bytes.size()), MPI_BYTE, to, tag, impl_->comm, &request), "posting a send");
  impl_->requests.push_back(request);
  impl_->expected.push_back(0);
  impl_->tags.push_back(tag);
}

void Comm::Exchange::wait(double timeout_seconds, const std::function<std::string(int)>& name_of) {
  std::vector<MPI_Status> statuses(impl_->requests.size());
  if (timeout_seconds <= 0) {
    check(MPI_Waitall(count(impl_->requests.size()), impl_->requests.data(), statuses.data()), "an exchange");
  } else {
    // Tests in a loop, as waiting does inside MPI, and looks at the clock now and then.
    const double end = MPI_Wtime() + timeout_seconds;
    for (int done = 0, round = 1; !done; ++round) {
      check(MPI_Testall(count(impl_->requests.size()), impl_->requests.data(), &done, statuses.data()), "an exchange");
      if (done || round % 256 != 0 || MPI_Wtime() < end) continue;
      for (std::size_t i = 0; i < impl_->requests.size(); ++i) {
        int here = 0;
        MPI_Request_get_status(impl_->requests[i], &here, MPI_STATUS_IGNORE);
        require<CommError>(here || impl_->expected[i] == 0,
                           name_of ? name_of(impl_->tags[i]) : sentence("the message with tag", impl_->tags[i]),
                           "did not arrive within", timeout_seconds,
                           "seconds: a message or a process is lost; run again, on other hosts if it comes back");
      }
      throw CommError(sentence("a message was not taken by its receiver within", timeout_seconds,
                               "seconds: a process is lost; run again, on other hosts if it comes back"));
    }
  }
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (impl_->expected[i] == 0) continue;
    int got = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &got);
    require<CommError>(std::size_t(got) == impl_->expected[i], "a message of", got, "bytes arrived from rank",
                       statuses[i].MPI_SOURCE, "where", impl_->expected[i],
                       "were expected: the two ranks disagree about the field");
  }
  impl_->requests.clear();
  impl_->expected.clear();
  impl_->tags.clear();
}

namespace detail {

CommRuntime::CommRuntime(int& argc, char**& argv) : owner_(false) {
  int running = 0;
  MPI_Initialized(&running);
  if (running) return;
  int provided = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "starting MPI");
  owner_ = true;
}

CommRuntime::~CommRuntime() {
  if (owner_) MPI_Finalize();
}

bool CommRuntime::has_mpi() { return true; }

std::string CommRuntime::description() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, std::size_t(length));
  return all.substr(0, all.find(','));
}

}  // namespace detail

}  // namespace kov
