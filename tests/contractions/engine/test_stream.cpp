// SPDX-License-Identifier: MIT
//
// How correlators are streamed: the next sinks are read while the present ones are contracted, and what a reader throws
// leaves nothing behind.
#include "kov/contractions/engine/stream.hpp"
#include "kov/core/base/memory_use.hpp"
#include "tests/contractions/kernels/matrix_support.hpp"
#include "tests/support/launches.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

namespace kov {
namespace {
namespace streams {

namespace tools = Kokkos::Tools::Experimental;
using reference::HostNumbers;
using test::Callbacks, test::random_numbers;
using Z = Complex<double>;

constexpr int n_operators = 2, n_rows = 4, n_times = 4;
constexpr std::size_t tau_size = n_rows * n_rows, slice_size = n_operators * tau_size;

/// One sink at a time, so that a step reads one perambulator.
DenseEngine<double> engine() { return {n_operators, n_rows, n_times, {.workspace_bytes = 1}}; }

struct Data {
  HostNumbers slices = random_numbers<Z>(n_times * slice_size, 1),
              taus = random_numbers<Z>(n_times * n_times * tau_size, 2);

  static void copy(const HostNumbers& all, int number, std::span<Z> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = test::number_of<Z>(all[std::size_t(number) * to.size() + i]);
  }
  SliceReader<double> reader() const {
    return {[this](int t, std::span<Z> to) { copy(slices, t, to); },
            [this](int sink, int source, std::span<Z> to) { copy(taus, sink * n_times + source, to); }};
  }
  HostNumbers correlators(const std::vector<int>& sources) const {
    DenseEngine<double> whole = engine();
    const Buffer<Z> ds = test::on_device<Z>(slices), dt = test::on_device<Z>(taus);
    add_correlators(whole, {ds.data(), dt.data()}, sources);
    return whole.correlators();
  }
};

/// How far the reading and the contracting threads are.  Each can wait for the other, but not for ever: when one has
/// waited in vain both go on.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  /// Steps whose data were asked for, and those whose last product was begun.
  int asked = 0, contracted = 0;
  bool waited_in_vain = false;

  template <class Change, class Condition>
  void meet(const Change& change, const Condition& condition) {
    std::unique_lock lock(mutex);
    change();
    changed.notify_all();
    if (!changed.wait_for(lock, std::chrono::seconds(20), [&] { return waited_in_vain || condition(); }))
      waited_in_vain = true;
    changed.notify_all();
  }
};

/// What is met by the callback, which is a plain function.
Progress* progress = nullptr;
constexpr int n_steps = 2 * n_times;

/// The last product of step k, its traces, begins when the reader has been asked for step k + 1.
void begin_kernel(const char* name, std::uint32_t, std::uint64_t*) {
  if (!std::string_view(name).starts_with("trace_")) return;
  Progress& p = *progress;
  p.meet([&] { ++p.contracted; }, [&] { return p.asked > p.contracted || p.contracted == n_steps; });
}

TEST(Streams, ReadTheNextSinksWhileThePresentOnesAreContracted) {
  const Data data;
  const std::vector<int> sources{1, 3};
  for (const bool keeps : {true, false}) {
    Progress mine;
    progress = &mine;
    tools::EventSet events{};
    events.begin_parallel_for = begin_kernel;
    SliceReader<double> reader = data.reader();
    const auto copy = reader.perambulator;
    const auto caller = std::this_thread::get_id();
    // The reader does not answer for step k + 1 before the traces of step k have begun.
    reader.perambulator = [&](int sink, int source, std::span<Z> to) {
      EXPECT_NE(std::this_thread::get_id(), caller);
      int step = 0;
      mine.meet(
          [&] {
            step = mine.asked++;
            EXPECT_EQ(source, sources[std::size_t(step / n_times)]);
            EXPECT_EQ(sink, step % n_times);
            EXPECT_GE(mine.contracted, step - 1) << "there is memory for two steps";
          },
          [&] { return mine.contracted >= step; });
      copy(sink, source, to);
    };
    DenseEngine<double> streamed = engine();
    ASSERT_EQ(streamed.sinks_at_once(), 1);
    {
      const Callbacks callbacks(events);
      add_correlators(streamed, reader, {.sources = sources, .slice_bytes = keeps ? std::size_t(1) << 30 : 0});
    }
    ASSERT_FALSE(mine.waited_in_vain) << "one waits for the end of the other";
    EXPECT_EQ(mine.asked, n_steps);
    EXPECT_EQ(mine.contracted, n_steps);
    EXPECT_EQ(streamed.correlators(), data.correlators(sources));
  }
}

/// The reader still writes to memory that would be gone.
TEST(Streams, WaitForTheReaderWhenContractingFails) {
  const Data data;
  Progress mine;
  progress = &mine;
  tools::EventSet events{};
  events.begin_parallel_for = [](const char* name, std::uint32_t, std::uint64_t*) {
    if (!std::string_view(name).starts_with("trace_")) return;
    progress->meet([] { ++progress->contracted; }, [] { return progress->asked == 2; });
    throw Error("no traces today");
  };
  SliceReader<double> reader = data.reader();
  const auto copy = reader.perambulator;
  std::atomic<int> answered = 0;
  reader.perambulator = [&](int sink, int source, std::span<Z> to) {
    int step = 0;
    mine.meet([&] { step = mine.asked++; }, [&] { return mine.contracted >= step; });
    std::this_thread::yield();
    copy(sink, source, to);
    ++answered;
  };
  DenseEngine<double> streamed = engine();
  const Callbacks callbacks(events);
  EXPECT_THROW(add_correlators(streamed, reader), Error);
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(mine.asked, 2);
  EXPECT_FALSE(mine.waited_in_vain);
}

/// The memory that readers write to, by its address.  A GPU's own is counted as buffers are.
std::map<const void*, std::string> memory_of_data;
int n_allocated = 0;

void allocated(Kokkos_Profiling_SpaceHandle space, const char* name, const void* p, std::uint64_t) {
  const std::string_view text(name);
  if (std::string_view(space.name) != Kokkos::SharedHostPinnedSpace::name()) return;
  if (text.find("that are read") == text.npos && text != "slice of the source") return;
  memory_of_data[p] = name;
  ++n_allocated;
}
void deallocated(Kokkos_Profiling_SpaceHandle, const char*, const void* p, std::uint64_t) { memory_of_data.erase(p); }

std::size_t bytes_of_buffers() {
  auto& bytes = detail::BufferBytes::instance();
  const auto count = bytes.begin();
  bytes.resume(count.most);
  return count.now;
}

TEST(Streams, WhoseReaderThrowsLeaveNoMemoryBehind) {
  const Data data;
  DenseEngine<double> streamed = engine();
  add_correlators(streamed, data.reader());  // whatever the engine itself allocates is there
  tools::EventSet events{};
  events.allocate_data = allocated;
  events.deallocate_data = deallocated;
  const std::size_t before = bytes_of_buffers();
  for (const bool keeps : {true, false})
    for (const std::string throwing : {"slice", "perambulator", "antiquark"})
      for (const int last_call : {0, 1, n_times - 1}) {
        const std::string what = throwing + " " + std::to_string(last_call) + " is damaged";
        int n_calls = 0;
        const auto call = [&](const std::string& kind) {
          if (kind == throwing && n_calls++ == last_call) throw FormatError(what);
        };
        const SliceReader<double> good = data.reader();
        const auto perambulator = [&](const std::string& kind) {
          return [&, kind](int sink, int source, std::span<Z> to) {
            call(kind);
            good.perambulator(sink, source, to);
          };
        };
        const auto slice = [&](int t, std::span<Z> to) {
          call("slice");
          good.slice(t, to);
        };
        const SliceReader<double> reader{slice, perambulator("perambulator"), perambulator("antiquark")};
        n_allocated = 0;
        const Callbacks callbacks(events);
        try {
          add_correlators(streamed, reader, {.slice_bytes = keeps ? std::size_t(1) << 30 : 0});
          ADD_FAILURE() << what << ", and nobody is told";
        } catch (const FormatError& e) {
          EXPECT_EQ(std::string(e.what()), what);
        }
        EXPECT_EQ(n_calls, last_call + 1) << "nothing is read after " << what;
        if (!keeps || throwing != "slice") {
          EXPECT_GT(n_allocated, 0);
        }
        EXPECT_TRUE(memory_of_data.empty()) << memory_of_data.begin()->second << " is left after " << what;
        EXPECT_EQ(bytes_of_buffers(), before) << "after " << what;
      }
}

}  // namespace streams
}  // namespace
}  // namespace kov
