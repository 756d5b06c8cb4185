// SPDX-License-Identifier: MIT
//
// fuzz_NAME [EXECUTIONS [FIRST]]: reads inputs number FIRST, FIRST + 1, ..., each a seed changed in a few places by
// random numbers that its number alone determines.  An input that does anything but end in a kov::Error, crashes or
// takes longer than ten seconds is written to fuzz_NAME.failure, and the program ends with code 1.
#include "kov/core/error.hpp"
#include "kov/core/runtime.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace kov::fuzz {

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): good enough, and nothing to set up for each input.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(next() % n); }

 private:
  std::uint64_t state_;
};

/// Somewhere in the input, in its first part more often: that is where headers are.
std::size_t place(Draws& draws, const std::string& input) {
  const std::size_t size = input.size();
  return draws.below(draws.below(2) ? size : std::min<std::size_t>(size, 512));
}

void change(Draws& draws, std::string& input, const std::vector<std::string>& all) {
  constexpr const char* words[] = {"0",     "-1",  "4294967296", "9223372036854775808",
                                   "1e999", "nan", "<",          ">",
                                   "\"",    "'",   "[",          "]",
                                   "{",     "=",   "\n",         "\\",
                                   "--",    "/*",  "&",          "(",
                                   ")",     "^",   "\t",         ","};
  constexpr std::uint64_t numbers[] = {0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, ~0ull, ~0ull >> 1};
  const std::size_t at = place(draws, input), length = std::min(input.size() - at, 1 + draws.below(64));
  switch (draws.below(9)) {
    case 0:
      if (!input.empty()) input[at] = char(input[at] ^ 1 << draws.below(8));
      break;
    case 1:
      if (!input.empty()) input[at] = char(draws.next());
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      input.insert(at, input.substr(place(draws, input), length));
      break;
    case 4:
      input.insert(at, words[draws.below(std::size(words))]);
      break;
    case 5: {  // a number of 1, 2, 4 or 8 bytes in either order
      const std::size_t bytes = std::min(std::size_t(1) << draws.below(4), input.size() - at);
      std::uint64_t number = numbers[draws.below(std::size(numbers))];
      if (draws.below(2)) number = __builtin_bswap64(number);
      std::memcpy(input.data() + at, &number, bytes);
      break;
    }
    case 6:
      input.resize(at);
      break;
    case 7: {  // a piece of another seed
      const std::string& other = all[draws.below(all.size())];
      input.replace(at, length, other.substr(draws.below(other.size()), length));
      break;
    }
    default:
      if (!input.empty()) input[at] = char('0' + draws.below(10));
  }
}

/// For the handler of signals.
const std::string* current = nullptr;
char failure_file[256];

void keep_input() {
  const int handle = ::open(failure_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (handle >= 0 && current && ::write(handle, current->data(), current->size()) >= 0) ::close(handle);
}

void on_signal(int signal) {
  keep_input();
  constexpr char text[] = "a signal ended the reading of an input, which was kept\n";
  if (::write(2, text, sizeof text - 1) < 0) {
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Whether all went as it should.
bool execute(const std::string& input) {
  current = &input;
  try {
    read(input);
    return true;
  } catch (const Error&) {
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is no kov::Error: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "something that is no exception was thrown\n");
  }
  keep_input();
  return false;
}

int run(const std::string& name, std::uint64_t executions, std::uint64_t first) {
  std::snprintf(failure_file, sizeof failure_file, "%s.failure", name.c_str());
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, on_signal);
  const std::vector<std::string> all = seeds();
  for (const std::string& seed : all) {
    current = &seed;
    read(seed);  // must not throw
  }
  const auto start = std::chrono::steady_clock::now();
  std::string input;
  for (std::uint64_t i = first; i < first + executions; ++i) {
    Draws draws(i);
    input = all[draws.below(all.size())];
    for (std::size_t n = 1 + draws.below(6); n > 0; --n) change(draws, input, all);
    if (i % 256 == 0) ::alarm(10);
    if (!execute(input)) {
      std::fprintf(stderr, "%s: input %llu was kept in %s\n", name.c_str(), static_cast<unsigned long long>(i),
                   failure_file);
      return 1;
    }
  }
  ::alarm(0);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%s: %llu executions, %.0f a second, no failure\n", name.c_str(),
              static_cast<unsigned long long>(executions), double(executions) / seconds.count());
  return 0;
}

}  // namespace

namespace {

/// A file in memory, where the system has a folder for that, under a name, which the HDF5 library wants; removed at the
/// end.
struct NamedFile {
  std::filesystem::path path;
  int handle;
  NamedFile() {
    const std::filesystem::path memory = "/dev/shm";
    path = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
           ("kovariant-fuzz-" + std::to_string(::getpid()));
    handle = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  ~NamedFile() { ::unlink(path.c_str()); }
};

}  // namespace

std::filesystem::path in_memory(const std::string& bytes) {
  static const NamedFile file;
  if (file.handle < 0 || ::ftruncate(file.handle, off_t(bytes.size())) != 0 ||
      ::pwrite(file.handle, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw std::runtime_error("no memory for a file");
  return file.path;
}

}  // namespace kov::fuzz

int main(int argc, char** argv) {
  const kov::Runtime runtime(argc, argv);
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  return kov::fuzz::run(std::filesystem::path(argv[0]).filename().string(), number(1, 2000), number(2, 0));
}
