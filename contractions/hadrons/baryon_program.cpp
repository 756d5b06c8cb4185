// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kov::detail {

namespace {

/// Two of the quarks of a contraction: 16 * quark + pair of each.
using CrossKey = std::array<int, 2>;
/// What is computed with a cross: {third quark, value}, and the coefficient.
using Uses = std::map<std::array<int, 2>, std::complex<double>>;
using Crosses = std::map<CrossKey, Uses>;

constexpr double cross_flops = 288 + 18, close_flops = 72, output_flops = 8;

/// Crosses of the same uses but for a factor, and these uses with that of the first.
struct SharedCrosses {
  std::vector<std::pair<CrossKey, std::complex<double>>> crosses;
  Uses uses;
};

/// The third quark is number `last` of each value, in the order of its quarks.
Crosses crosses_of(const std::vector<BaryonValue>& values, int first, int end, const std::vector<int>& last) {
  Crosses crosses;
  for (int v = first; v < end; ++v) {
    const BaryonValue& value = values[std::size_t(v)];
    const auto k = std::size_t(last[std::size_t(v)]), i = (k + 1) % 3, j = (k + 2) % 3;
    for (const BaryonContraction& term : value.terms) {
      CrossKey key{16 * value.quark[i] + term.pair[i], 16 * value.quark[j] + term.pair[j]};
      std::sort(key.begin(), key.end());
      crosses[key][{16 * value.quark[k] + term.pair[k], v - first}] += term.coefficient;
    }
  }
  for (auto& [key, uses] : crosses) std::erase_if(uses, [](const auto& use) { return use.second == 0.0; });
  std::erase_if(crosses, [](const auto& cross) { return cross.second.empty(); });
  return crosses;
}

std::vector<SharedCrosses> shared(const Crosses& crosses) {
  std::vector<SharedCrosses> list;
  for (const auto& [key, uses] : crosses) {
    const std::complex<double> scale = uses.begin()->second;
    const auto found = std::find_if(list.begin(), list.end(), [&](const SharedCrosses& group) {
      return std::equal(
          group.uses.begin(), group.uses.end(), uses.begin(), uses.end(), [&](const auto& a, const auto& b) {
            const auto factor = scale / group.uses.begin()->second;
            return a.first == b.first && std::abs(a.second * factor - b.second) <= 1e-14 * std::abs(b.second);
          });
    });
    if (found == list.end())
      list.push_back({{{key, 1}}, uses});
    else
      found->crosses.push_back({key, scale / found->uses.begin()->second});
  }
  return list;
}

double flops_of(const std::vector<SharedCrosses>& groups) {
  double flops = 0;
  for (const SharedCrosses& group : groups) {
    flops += cross_flops * double(group.crosses.size()) + output_flops * double(group.uses.size());
    int z = -1;
    for (const auto& [use, coefficient] : group.uses) {
      if (use[0] != z) flops += close_flops;
      z = use[0];
    }
  }
  return flops;
}

/// For each value the number of its third quark that makes least work, tried for all values of the same quarks at once.
std::vector<SharedCrosses> cheapest(const std::vector<BaryonValue>& values, int first, int end) {
  std::vector<int> last(values.size(), 2);
  std::set<std::array<int, 3>> sets;
  for (int v = first; v < end; ++v) sets.insert(values[std::size_t(v)].quark);
  std::vector<SharedCrosses> best = shared(crosses_of(values, first, end, last));
  for (const std::array<int, 3>& quark : sets)
    for (int k = 0; k < 2; ++k) {
      std::vector<int> other = last;
      for (int v = first; v < end; ++v)
        if (values[std::size_t(v)].quark == quark) other[std::size_t(v)] = k;
      std::vector<SharedCrosses> groups = shared(crosses_of(values, first, end, other));
      if (flops_of(groups) >= flops_of(best)) continue;
      best = std::move(groups);
      last = std::move(other);
    }
  return best;
}

template <class T>
Complex<T> rounded(std::complex<double> z) {
  return {T(z.real()), T(z.imag())};
}

}  // namespace

template <class T>
BaryonProgram<T>::BaryonProgram(const std::vector<BaryonValue>& values, int block) {
  std::vector<BaryonValue> sorted;
  for (const BaryonValue& value : values) sorted.push_back(in_order(value));
  std::vector<int> block_begin{0}, n_values;
  std::vector<typename View::Diquark> diquarks;
  std::vector<typename View::Cross> crosses;
  std::vector<typename View::Third> thirds;
  std::vector<typename View::Output> outputs;
  for (int first = 0; first < int(values.size()); first += block) {
    const int end = std::min(first + block, int(values.size()));
    const std::vector<SharedCrosses> groups = cheapest(sorted, first, end);
    for (const SharedCrosses& group : groups) {
      typename View::Diquark d{int(crosses.size()), 0, int(thirds.size()), 0};
      for (const auto& [key, coefficient] : group.crosses)
        crosses.push_back({short(key[0]), short(key[1]), rounded<T>(coefficient)});
      for (const auto& [use, coefficient] : group.uses) {
        if (int(thirds.size()) == d.first_third || thirds.back().z != use[0])
          thirds.push_back({use[0], int(outputs.size()), int(outputs.size())});
        outputs.push_back({use[1], rounded<T>(coefficient)});
        thirds.back().last_output = int(outputs.size());
      }
      d.last_cross = int(crosses.size());
      d.last_third = int(thirds.size());
      diquarks.push_back(d);
    }
    flops_ += flops_of(groups);
    block_begin.push_back(int(diquarks.size()));
    n_values.push_back(end - first);
  }
  const std::string name = "program of baryons";
  block_begin_ = Buffer<int>(name, block_begin);
  n_values_ = Buffer<int>(name, n_values);
  diquarks_ = Buffer<typename View::Diquark>(name, diquarks);
  crosses_ = Buffer<typename View::Cross>(name, crosses);
  thirds_ = Buffer<typename View::Third>(name, thirds);
  outputs_ = Buffer<typename View::Output>(name, outputs);
}

template class BaryonProgram<float>;
template class BaryonProgram<double>;

}  // namespace kov::detail
