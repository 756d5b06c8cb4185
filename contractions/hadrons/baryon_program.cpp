// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon_program.hpp"

#include <algorithm>
#include <cstring>
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

/// Crosses that cover all contractions: one after the other the pair of quarks that most contractions without a cross
/// have; when no pair has two, all those of the third quark that has most.
std::vector<SharedCrosses> covering(const std::vector<BaryonValue>& values, int first, int end) {
  using Triple = std::array<int, 3>;
  std::map<Triple, std::map<int, std::complex<double>>> terms;
  for (int v = first; v < end; ++v)
    for (const BaryonContraction& term : values[std::size_t(v)].terms) {
      Triple key;
      for (std::size_t k = 0; k < 3; ++k) key[k] = 16 * values[std::size_t(v)].quark[k] + term.pair[k];
      std::sort(key.begin(), key.end());
      terms[key][v - first] += term.coefficient;
    }
  for (auto& [key, uses] : terms) std::erase_if(uses, [](const auto& use) { return use.second == 0.0; });
  std::erase_if(terms, [](const auto& term) { return term.second.empty(); });

  const auto pair_without = [](const Triple& key, std::size_t k) {
    return CrossKey{key[k == 0 ? 1 : 0], key[k == 2 ? 1 : 2]};
  };
  std::map<CrossKey, std::set<Triple>> of_pair;
  std::map<int, std::set<Triple>> of_third;
  for (const auto& [key, uses] : terms)
    for (std::size_t k = 0; k < 3; ++k) {
      of_pair[pair_without(key, k)].insert(key);
      of_third[key[k]].insert(key);
    }
  Crosses crosses;
  const auto take = [&](const Triple key, std::size_t k) {
    for (const auto& [value, coefficient] : terms[key]) crosses[pair_without(key, k)][{key[k], value}] = coefficient;
    for (std::size_t i = 0; i < 3; ++i) {
      of_pair[pair_without(key, i)].erase(key);
      of_third[key[i]].erase(key);
    }
  };
  const auto fewer = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
  while (!of_pair.empty()) {
    const auto most = std::max_element(of_pair.begin(), of_pair.end(), fewer);
    if (most->second.size() < 2) break;
    const CrossKey pair = most->first;
    for (const Triple& key : std::set<Triple>(most->second))
      take(key, pair == pair_without(key, 2) ? 2 : pair == pair_without(key, 1) ? 1 : 0);
  }
  while (!of_third.empty()) {
    const auto most = std::max_element(of_third.begin(), of_third.end(), fewer);
    if (most->second.empty()) break;
    const int third = most->first;
    for (const Triple& key : std::set<Triple>(most->second))
      take(key, std::size_t(std::find(key.begin(), key.end(), third) - key.begin()));
  }
  return shared(crosses);
}

/// Some crosses of a group, with all its uses, and their flops.
struct Piece {
  const SharedCrosses* group;
  std::size_t first, end;
  double flops;
};

/// Pieces for each of n_parts parts, of about equal work: groups of more than that are cut.
std::vector<std::vector<Piece>> pieces_of_parts(const std::vector<SharedCrosses>& groups, int n_parts) {
  const double share = flops_of(groups) / n_parts;
  std::vector<Piece> pieces;
  for (const SharedCrosses& group : groups) {
    const double flops = flops_of({group});
    const std::size_t n = group.crosses.size(), cuts = std::clamp(std::size_t(flops / share + 0.5), std::size_t(1), n);
    const double closing = flops - cross_flops * double(n);
    for (std::size_t i = 0; i < cuts; ++i) {
      const std::size_t first = n * i / cuts, end = n * (i + 1) / cuts;
      pieces.push_back({&group, first, end, cross_flops * double(end - first) + closing});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.flops > b.flops; });
  std::vector<std::vector<Piece>> parts(std::size_t(n_parts), std::vector<Piece>{});
  std::vector<double> load(std::size_t(n_parts), 0.0);
  for (const Piece& piece : pieces) {
    const auto least = std::size_t(std::min_element(load.begin(), load.end()) - load.begin());
    parts[least].push_back(piece);
    load[least] += piece.flops;
  }
  return parts;
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

template <class T>
BaryonTeamProgram<T>::BaryonTeamProgram(const std::vector<BaryonValue>& values, int block, int n_parts) {
  std::vector<BaryonValue> sorted;
  for (const BaryonValue& value : values) sorted.push_back(in_order(value));
  for (int first = 0; first < int(values.size()); first += block) {
    const int end = std::min(first + block, int(values.size()));
    const std::vector<SharedCrosses> groups = covering(sorted, first, end);
    const std::size_t first_step = steps_.size(), first_third = thirds_.size();
    std::vector<std::vector<typename View::Output>> of_value(std::size_t(end - first),
                                                             std::vector<typename View::Output>{});
    for (const std::vector<Piece>& part : pieces_of_parts(groups, n_parts)) {
      step_begin_.push_back(int(steps_.size()));
      third_begin_.push_back(int(thirds_.size()));
      for (const Piece& piece : part) {
        for (std::size_t i = piece.first; i < piece.end; ++i) {
          const auto& [key, coefficient] = piece.group->crosses[i];
          steps_.push_back({short(key[0]), short(key[1]), 0, rounded<T>(coefficient)});
        }
        int z = -1;
        for (const auto& [use, coefficient] : piece.group->uses) {
          if (use[0] != z) {
            thirds_.push_back(short(use[0]));
            ++steps_.back().n_thirds;
          }
          z = use[0];
          of_value[std::size_t(use[1])].push_back({int(thirds_.size() - first_third) - 1, rounded<T>(coefficient)});
        }
      }
    }
    for (const auto& list : of_value) {
      outputs_.insert(outputs_.end(), list.begin(), list.end());
      output_begin_.push_back(int(outputs_.size()));
    }
    most_steps_ = std::max(most_steps_, int(steps_.size() - first_step));
    most_thirds_ = std::max(most_thirds_, int(thirds_.size() - first_third));
  }
  step_begin_.push_back(int(steps_.size()));
  third_begin_.push_back(int(thirds_.size()));
}

template <class T>
BaryonTeamProgramView<T> BaryonTeamProgram<T>::view(Buffer<std::byte>& memory) const {
  // One allocation and one copy.
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const auto& list) {
    constexpr std::size_t alignment = 16;
    const std::size_t at = (bytes.size() + alignment - 1) / alignment * alignment;
    bytes.resize(at + list.size() * sizeof(list[0]));
    if (!list.empty()) std::memcpy(bytes.data() + at, list.data(), bytes.size() - at);
    return at;
  };
  const std::size_t step_begin = append(step_begin_), third_begin = append(third_begin_),
                    output_begin = append(output_begin_), steps = append(steps_), thirds = append(thirds_),
                    outputs = append(outputs_);
  memory = Buffer<std::byte>("program of baryons", bytes);
  const std::byte* const p = memory.data();
  return {reinterpret_cast<const int*>(p + step_begin),   reinterpret_cast<const int*>(p + third_begin),
          reinterpret_cast<const int*>(p + output_begin), reinterpret_cast<const typename View::Step*>(p + steps),
          reinterpret_cast<const short*>(p + thirds),     reinterpret_cast<const typename View::Output*>(p + outputs)};
}

template class BaryonTeamProgram<float>;
template class BaryonTeamProgram<double>;
template class BaryonProgram<float>;
template class BaryonProgram<double>;

}  // namespace kov::detail
