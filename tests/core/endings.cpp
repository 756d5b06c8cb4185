// SPDX-License-Identifier: MIT
//
// User programs that fail on one rank, each in a way that test_endings.py names; all others wait for it in a
// sum, unless the way says otherwise.
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/gauge/gauge_writer.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/core/runtime/signals.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mpi.h>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

using namespace kov;

// Wrappers of MPI functions that count messages: all must be received before MPI_Finalize.
namespace {
/// Seconds that a rank is busy or stopped: longer than test_endings.py lets a program run.
constexpr int too_long = 90;
int messages_on_their_way = 0;
/// Delays the gather in which ranks that have ended tell which notices they sent.
int seconds_before_the_last_gather = 0;
/// After sending a message to this rank, the sender stops.
int last_to_be_told = -1;
}  // namespace
extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++messages_on_their_way;
  const int code = PMPI_Isend(data, count, type, to, tag, comm, request);
  if (to == last_to_be_told) std::this_thread::sleep_for(std::chrono::seconds(too_long));
  return code;
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  --messages_on_their_way;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  --messages_on_their_way;
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Iallgather(const void* data, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                   MPI_Comm comm, MPI_Request* request) {
  if (seconds_before_the_last_gather > 0 && count == 1)
    std::this_thread::sleep_for(std::chrono::seconds(seconds_before_the_last_gather));
  return PMPI_Iallgather(data, count, type, all, all_count, all_type, comm, request);
}
/// Behaves like a build without MPI.
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (std::getenv("ENDINGS_WITHOUT_MPI")) throw NotBuilt("there is no MPI");
  return PMPI_Init_thread(argc, argv, required, provided);
}
/// Some MPIs end the process at once, others call exit().
int MPI_Abort(MPI_Comm comm, int code) {
  if (std::getenv("ENDINGS_ABORT")) std::_Exit(code);
  return PMPI_Abort(comm, code);
}
int MPI_Finalize() {
  int rank = 0, all = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&messages_on_their_way, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all != 0) std::cerr << sentence("endings:", all, "messages were not received\n");
  return PMPI_Finalize();
}
}

namespace {

void fail(const std::string& way) {
  if (way.ends_with("foreign")) throw std::runtime_error("rain");
  if (way.ends_with("number")) throw 7;
  if (way.ends_with("memory")) throw std::bad_alloc();
  throw FormatError("a wrong note");
}

void wait(const Comm& comm) {
  double one[1] = {1};
  comm.sum(one);
}

/// Writes links whose verification fails on rank `failing`, or on all ranks if that is -1.
void write(const Comm& comm, int failing) {
  const Geometry geometry({4, 4, 4, 8}, {1, 1, 1, comm.size()}, comm.rank(), comm.size());
  const auto unit_links = [](int, std::span<double> slice) {
    for (std::size_t i = 0; i < slice.size(); ++i) slice[i] = i % 18 % 8 == 0 ? 1 : 0;
  };
  const auto verify = [&](const std::filesystem::path& written) {
    comm.agree([&] { require(std::filesystem::exists(written), written.string(), "is not there"); });
    require<FormatError>(failing != comm.rank() && failing >= 0, "a wrong note");
    wait(comm);  // stands for the maximum of the differences
  };
  detail::write_gauge_slices(comm, "links", geometry, unit_links, {}, verify);
}

/// The last rank fails in this way; the others wait for it.
void work(const std::string& way, const Comm& comm) {
  const bool last = comm.rank() == comm.size() - 1;
  if (const auto at = way.find("-verify-"); at != way.npos) return write(comm, std::stoi(way.substr(at + 8)));
  if (way == "late") {  // the last rank ends without error while the others wait in Runtime's destructor
    if (last) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return;
  }
  if (way == "stalled") {  // stops in Runtime's destructor, which all have reached
    if (last) seconds_before_the_last_gather = too_long;
    return;
  }
  if (way == "stalled-after-telling") {  // of three ranks: one is busy, one is done
    if (last) last_to_be_told = 1;
    if (last) fail("");
    if (comm.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(too_long));
    return;
  }
  if (way.starts_with("stalled-rank-")) {  // the same after the error of the last rank
    if (comm.rank() == std::stoi(way.substr(13))) seconds_before_the_last_gather = too_long;
    if (last && way.ends_with("late")) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    if (last) fail("");
    if (way.ends_with("late")) std::this_thread::sleep_for(std::chrono::milliseconds(1400));
    return;
  }
  OutputFile file("half-written." + std::to_string(comm.rank()));
  file.write("half a line");
  comm.barrier();
  if (way.ends_with("agreed")) comm.agree([&] { require<FormatError>(!last, "a wrong note"); });
  if (way == "slow") {  // without error
    if (last) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return wait(comm);
  }
  if (way.ends_with("different") && last) std::this_thread::sleep_for(std::chrono::milliseconds(700));
  require(!way.ends_with("different") || last, "another key");
  if (last || way.ends_with("all")) fail(way);
  if (way.ends_with("one-busy") ? comm.rank() == 0 : way.ends_with("busy"))
    std::this_thread::sleep_for(std::chrono::seconds(too_long));
  wait(comm);
}

/// main() catches what leaves the scope of the Runtime.
int caught_outside(const std::string& way, int argc, char** argv) {
  end_cleanly_on_signals("endings");
  try {
    const Runtime runtime(argc, argv);
    if (Comm::world().rank() == Comm::world().size() - 1) std::printf("said before\n");
    work(way, Comm::world());
  } catch (const std::exception& error) {
    std::fputs(sentence("caught:", error.what(), "\n").c_str(), stderr);  // in one piece, and without std::cout
    return 9;
  }
  return 0;
}

/// main() catches inside the scope of the Runtime.
int caught_inside(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  try {
    work("", Comm::world());
  } catch (const std::exception& error) {
    std::cerr << sentence("caught:", error.what(), "\n");  // in one piece
    return 9;
  }
  return 0;
}

/// The user starts MPI before the Runtime and ends it afterwards.
int within_mpi(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double ones[1] = {1};
  {
    const Runtime runtime(argc, argv);
    Comm::world().sum(ones);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return int(ones[0]) == size ? 0 : 1;
}

int uncaught(const std::string& way, int argc, char** argv) {
  end_cleanly_on_signals("endings");
  const Runtime runtime(argc, argv);
  const Comm comm = Comm::world();
  if (way == "uncaught-on-a-thread")
    std::thread([] { fail(""); }).join();
  else
    work(way, comm);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way.starts_with("caught-outside")) return caught_outside(way, argc, argv);
  if (way == "caught-inside") return caught_inside(argc, argv);
  if (way == "within-mpi") return within_mpi(argc, argv);
  if (way.starts_with("uncaught")) return uncaught(way, argc, argv);
  return run(argc, argv, [&](const Comm& comm) {
    std::printf("said before\n");
    if (way != "well") work(way, comm);
  });
}
