// SPDX-License-Identifier: MIT
#include "tests/fuzz/changes.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

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

}  // namespace

std::string changed_input(const std::vector<std::string>& seeds, std::uint64_t number) {
  Draws draws(number);
  std::string input = seeds[draws.below(seeds.size())];
  for (std::size_t n = 1 + draws.below(6); n > 0; --n) change(draws, input, seeds);
  return input;
}

}  // namespace kov::fuzz
