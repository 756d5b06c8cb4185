// SPDX-License-Identifier: MIT
#include "kov/contractions/engine/contraction_plan.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace kov {

namespace {

/// Neighbours in a trace, by their numbers: what a product is known by.
using MatrixArc = std::vector<int>;

struct MatrixArcHash {
  std::size_t operator()(const MatrixArc& arc) const {
    std::size_t h = arc.size();
    for (const int k : arc) h = (h ^ std::size_t(k)) * 0x9E3779B97F4A7C15u + (h >> 29);
    return h;
  }
};
template <class V>
using ArcTable = std::unordered_map<MatrixArc, V, MatrixArcHash>;

/// Spaces of a product.
MatrixSpace space_of_both(MatrixSpace a, MatrixSpace b) { return a == b ? a : MatrixSpace::both; }

/// Shape of a product.
ContractionValue value_of_product(const ContractionValue& left, const ContractionValue& right) {
  return {.space = space_of_both(left.space, right.space),
          .rows = left.space == MatrixSpace::spins ? right.rows : left.rows,
          .columns = right.space == MatrixSpace::spins ? left.columns : right.columns,
          .shared = left.shared && right.shared};
}

/// Spins by vectors, or the other way round: a product that is never made, since each of them alone is cheaper to
/// multiply with.
bool is_outer(MatrixSpace a, MatrixSpace b) { return a != b && a != MatrixSpace::both && b != MatrixSpace::both; }

/// Flops of one item: 8 for each number of the product and of the inner index.
double flops_of_product(const ContractionValue& left, const ContractionValue& right) {
  using enum MatrixSpace;
  const double made = double(value_of_product(left, right).size());
  if (right.space == spins || left.space == spins) return 8 * made * 4;
  return 8 * made * left.columns * (left.space == both && right.space == both ? 4 : 1);
}

/// The cheapest order of one trace, with all products in it.
struct OrderedTrace {
  /// The arcs that are traced; right is empty where left is the whole cycle.
  MatrixArc left, right;
  /// Of each product that is made for them, the length of its left factor.
  std::map<MatrixArc, int> cuts;
};

/// Orders of all traces, and how many of them make each product.
class TraceOrders {
 public:
  TraceOrders(const std::vector<NamedMatrix>& matrices, const std::vector<MatrixTrace>& traces, int n_items)
      : matrices_(matrices), traces_(traces), n_items_(n_items) {
    for (const MatrixTrace& trace : traces)
      for (int first = 0; first < int(trace.size()); ++first)
        for (int length = 2; length <= int(trace.size()); ++length) ++occurrences_[arc_of(trace, first, length)];
  }

  /// Orders each trace by itself, then again and again while the others stay, until the cost of all does not fall.
  /// `shares`: at first a product that occurs m times costs an m-th.
  void improve(bool shares) {
    orders_.clear();
    made_.clear();
    for (const MatrixTrace& trace : traces_) add(ordered(trace, shares));
    constexpr int most_turns = 20;
    double before = flops();
    for (int turn = 0; turn < most_turns; ++turn) {
      for (std::size_t i = 0; i < traces_.size(); ++i) {
        remove(orders_[i]);
        // Repetitions in a trace are twice in what ordered() minimises, so that it may lose.
        const OrderedTrace other = ordered(traces_[i], false);
        if (cost_of_order(other) < cost_of_order(orders_[i])) orders_[i] = other;
        count(orders_[i]);
      }
      const double now = flops();
      if (!(now < before)) break;
      before = now;
    }
  }

  /// Of all traces together, products once.
  double flops() const {
    double sum = 0;
    for (const auto& [arc, product] : made_) sum += cost(arc, product.cut);
    for (const OrderedTrace& order : orders_) sum += cost_of_trace(order);
    return sum;
  }
  /// Of one trace alone.
  double flops_apart(const MatrixTrace& trace) const {
    TraceOrders alone(matrices_, {trace}, n_items_);
    alone.improve(false);
    return alone.flops();
  }
  const std::vector<OrderedTrace>& orders() const { return orders_; }

  ContractionValue value(const MatrixArc& arc) const {
    ContractionValue v = given(arc.front());
    for (std::size_t i = 1; i < arc.size(); ++i) v = value_of_product(v, given(arc[i]));
    return v;
  }

 private:
  /// A product that is made: by how many traces, and where it is cut.
  struct MadeProduct {
    int n_traces = 0, cut = 0;
  };

  static MatrixArc arc_of(const MatrixTrace& trace, int first, int length) {
    MatrixArc arc;
    for (int i = 0; i < length; ++i) arc.push_back(trace[std::size_t(first + i) % trace.size()]);
    return arc;
  }
  ContractionValue given(int matrix) const {
    const NamedMatrix& m = matrices_[std::size_t(matrix)];
    return {.space = m.space, .rows = m.rows, .columns = m.columns, .shared = m.shared};
  }
  double items_of(const ContractionValue& v) const { return v.shared ? 1 : n_items_; }
  double cost(const MatrixArc& arc, int cut) const {
    const auto middle = arc.begin() + cut;
    const ContractionValue left = value({arc.begin(), middle}), right = value({middle, arc.end()});
    return flops_of_product(left, right) * items_of(value_of_product(left, right));
  }
  double cost_of_trace(const OrderedTrace& order) const { return 8.0 * double(value(order.left).size()) * n_items_; }

  /// What this order adds to what others make.
  double cost_of_order(const OrderedTrace& order) const {
    double sum = cost_of_trace(order);
    for (const auto& [arc, cut] : order.cuts)
      if (!made_.contains(arc)) sum += cost(arc, cut);
    return sum;
  }

  void add(const OrderedTrace& order) {
    orders_.push_back(order);
    count(order);
  }
  void count(const OrderedTrace& order) {
    for (const auto& [arc, cut] : order.cuts) {
      MadeProduct& product = made_[arc];
      if (product.n_traces++ == 0) product.cut = cut;
    }
  }
  void remove(const OrderedTrace& order) {
    for (const auto& [arc, cut] : order.cuts)
      if (--made_[arc].n_traces == 0) made_.erase(arc);
  }

  /// The cheapest order of a trace while the others stay.
  OrderedTrace ordered(const MatrixTrace& trace, bool shares) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const int n = int(trace.size());
    struct Entry {
      ContractionValue value;
      double cost = never;
      int cut = 0;
    };
    std::vector<Entry> table(std::size_t(n) * std::size_t(n));
    const auto entry = [&](int first, int length) -> Entry& {
      return table[std::size_t(first % n) * std::size_t(n) + std::size_t(length - 1)];
    };
    for (int first = 0; first < n; ++first) entry(first, 1) = {given(trace[std::size_t(first)]), 0, 0};
    for (int length = 2; length <= n; ++length)
      for (int first = 0; first < n; ++first) {
        Entry& best = entry(first, length);
        best.value = value_of_product(entry(first, 1).value, entry(first + 1, length - 1).value);
        const MatrixArc arc = arc_of(trace, first, length);
        if (const auto made = made_.find(arc); made != made_.end()) {
          best.cost = 0;
          best.cut = made->second.cut;
          continue;
        }
        const double part = shares ? 1.0 / occurrences_.at(arc) : 1.0;
        for (int cut = 1; cut < length; ++cut) {
          const Entry &left = entry(first, cut), &right = entry(first + cut, length - cut);
          if (is_outer(left.value.space, right.value.space)) continue;
          const double all =
              left.cost + right.cost + part * flops_of_product(left.value, right.value) * items_of(best.value);
          if (all < best.cost) {
            best.cost = all;
            best.cut = cut;
          }
        }
      }

    const auto collect = [&](auto&& self, int first, int length, std::map<MatrixArc, int>& cuts) -> void {
      if (length < 2) return;
      const MatrixArc arc = arc_of(trace, first, length);
      if (made_.contains(arc)) return collect_made(arc, cuts);
      const int cut = entry(first, length).cut;
      if (!cuts.emplace(arc, cut).second) return;
      self(self, first, cut, cuts);
      self(self, first + cut, length - cut, cuts);
    };
    const auto order_of_cut = [&](int first, int length) {
      OrderedTrace order{arc_of(trace, first, length), arc_of(trace, first + length, n - length), {}};
      collect(collect, first, length, order.cuts);
      collect(collect, first + length, n - length, order.cuts);
      return order;
    };

    // A product that occurs twice in this trace is there twice in the table: then orders are compared as a whole.
    std::set<std::pair<int, int>> neighbours;
    bool repeats = false;
    for (int i = 0; i < n; ++i)
      repeats |= !neighbours.insert({trace[std::size_t(i)], trace[std::size_t((i + 1) % n)]}).second;
    double least = never;
    int best_first = 0, best_length = 0;
    for (int first = 0; first < n; ++first)
      for (int length = 1; length <= n; ++length) {
        const Entry& left = entry(first, length);
        if (left.value.space != MatrixSpace::both || left.cost == never) continue;
        double all = left.cost + 8.0 * double(left.value.size()) * n_items_;
        double transposed = 0;
        if (length < n) {
          const Entry& right = entry(first + length, n - length);
          if (right.value.space != MatrixSpace::both || right.cost == never) continue;
          // Of two equals, the transpose is that of the shared one.
          transposed = 1e-3 * double(right.value.size()) * items_of(right.value);
          all += right.cost + transposed;
        }
        if (repeats) all = cost_of_order(order_of_cut(first, length)) + transposed;
        if (all < least) {
          least = all;
          best_first = first;
          best_length = length;
        }
      }
    require(least < never,
            "a trace has no matrix of both spins and eigenvectors: it is a trace of spins times one of eigenvectors, "
            "so take their product");
    return order_of_cut(best_first, best_length);
  }
  /// A product that other traces make, with what it is made of.
  void collect_made(const MatrixArc& arc, std::map<MatrixArc, int>& cuts) const {
    if (arc.size() < 2) return;
    const int cut = made_.at(arc).cut;
    if (!cuts.emplace(arc, cut).second) return;
    collect_made({arc.begin(), arc.begin() + cut}, cuts);
    collect_made({arc.begin() + cut, arc.end()}, cuts);
  }

  const std::vector<NamedMatrix>& matrices_;
  std::vector<MatrixTrace> traces_;
  int n_items_;
  ArcTable<int> occurrences_;
  ArcTable<MadeProduct> made_;
  std::vector<OrderedTrace> orders_;
};

/// The same trace, beginning where it is lexicographically least.
MatrixTrace canonical_trace(const MatrixTrace& trace) {
  MatrixTrace best = trace, turned = trace;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    best = std::min(best, turned);
  }
  return best;
}

/// Throws where the matrices of a trace do not fit.
void require_trace(const std::vector<NamedMatrix>& matrices, const MatrixTrace& trace) {
  require(!trace.empty(), "a trace of no matrix was asked for: the trace of 1 is known");
  const NamedMatrix *first = nullptr, *last = nullptr;
  const auto meet = [](const NamedMatrix& left, const NamedMatrix& right) {
    require(left.columns == right.rows, left.name, "has", left.columns, "columns of eigenvectors and", right.name,
            "at its right", right.rows, "rows: they must be as many");
  };
  for (const int k : trace) {
    require(k >= 0 && k < int(matrices.size()), "a trace has matrix number", k, "of", matrices.size(),
            ": count them from 0");
    const NamedMatrix& m = matrices[std::size_t(k)];
    if (m.space == MatrixSpace::spins) continue;
    if (last) meet(*last, m);
    if (!first) first = &m;
    last = &m;
  }
  if (last) meet(*last, *first);
}

/// Places for values in one memory: from the step that makes one to the last that reads it.
class WorkspacePlaces {
 public:
  std::int64_t take(std::int64_t size) {
    std::int64_t begin = 0;  // the first gap that is large enough
    auto before = taken_.begin();
    for (; before != taken_.end() && before->first - begin < size; ++before) begin = before->first + before->second;
    taken_[begin] = size;
    largest_ = std::max(largest_, begin + size);
    return begin;
  }
  void give_back(std::int64_t begin) { taken_.erase(begin); }
  std::int64_t largest() const { return largest_; }

 private:
  std::map<std::int64_t, std::int64_t> taken_;
  std::int64_t largest_ = 0;
};

}  // namespace

std::int64_t ContractionValue::size() const {
  return (space == MatrixSpace::vectors ? 1 : 16) *
         (space == MatrixSpace::spins ? 1 : std::int64_t(rows) * std::int64_t(columns));
}

ContractionPlan::ContractionPlan(std::vector<NamedMatrix> matrices, const std::vector<MatrixTrace>& traces, int n_items)
    : matrices_(std::move(matrices)), n_items_(n_items) {
  require(n_items >= 1, "a plan of", n_items, "items was asked for: there must be one at least");
  for (const NamedMatrix& m : matrices_)
    require(m.space == MatrixSpace::spins ? m.rows == 0 && m.columns == 0 : m.rows >= 1 && m.columns >= 1, "the matrix",
            m.name, "has", m.rows, "x", m.columns,
            "eigenvectors: give it one at least, and none if it is one of spins");
  std::vector<MatrixTrace> computed;
  std::map<MatrixTrace, int> numbers;
  for (const MatrixTrace& trace : traces) {
    require_trace(matrices_, trace);
    const auto [at, is_new] = numbers.emplace(canonical_trace(trace), int(computed.size()));
    if (is_new) computed.push_back(at->first);
    number_of_trace_.push_back(at->second);
  }
  n_computed_ = int(computed.size());

  TraceOrders orders(matrices_, computed, n_items), shared = orders;
  orders.improve(false);
  shared.improve(true);
  const TraceOrders& best = shared.flops() < orders.flops() ? shared : orders;
  flops_ = best.flops();
  for (const MatrixTrace& trace : computed) flops_apart_ += best.flops_apart(trace);

  for (const NamedMatrix& m : matrices_) {
    values_.push_back({.space = m.space, .rows = m.rows, .columns = m.columns, .shared = m.shared});
    names_.push_back(m.name);
  }
  std::map<MatrixArc, int> made;
  std::map<int, int> transposed;
  const auto add_value = [&](const ContractionValue& value, const std::string& name) {
    values_.push_back(value);
    names_.push_back(name);
    return int(values_.size()) - 1;
  };
  const auto transpose = [&](int value) {
    const auto found = transposed.find(value);
    if (found != transposed.end()) return found->second;
    ContractionValue v = values_[std::size_t(value)];
    std::swap(v.rows, v.columns);
    const int result = add_value(v, names_[std::size_t(value)] + "^T");
    steps_.push_back({ContractionStep::Kind::transpose, value, -1, result});
    return transposed[value] = result;
  };
  const auto make = [&](auto&& self, const OrderedTrace& order, const MatrixArc& arc) -> int {
    if (arc.size() == 1) return arc.front();
    if (const auto found = made.find(arc); found != made.end()) return found->second;
    const auto middle = arc.begin() + order.cuts.at(arc);
    const int left = self(self, order, {arc.begin(), middle});
    int right = self(self, order, {middle, arc.end()});
    const ContractionValue value = value_of_product(values_[std::size_t(left)], values_[std::size_t(right)]);
    std::string name;
    for (const int k : arc) name += (name.empty() ? "[" : " ") + matrices_[std::size_t(k)].name;
    if (values_[std::size_t(right)].space == MatrixSpace::spins && value.space == MatrixSpace::both)
      right = transpose(right);
    const int result = add_value(value, name + "]");
    steps_.push_back({ContractionStep::Kind::product, left, right, result});
    return made[arc] = result;
  };
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const OrderedTrace& order = best.orders()[i];
    const int left = make(make, order, order.left);
    const int right = order.right.empty() ? -1 : transpose(make(make, order, order.right));
    steps_.push_back({ContractionStep::Kind::trace, left, right, int(i)});
  }

  // Memory, from the step that makes a value to the last one that reads it.
  std::vector<std::size_t> last_use(values_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s)
    for (const int value : {steps_[s].left, steps_[s].right})
      if (value >= 0) last_use[std::size_t(value)] = s;
  WorkspacePlaces places;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const ContractionStep& step = steps_[s];
    if (step.kind != ContractionStep::Kind::trace) {
      ContractionValue& value = values_[std::size_t(step.result)];
      const std::int64_t all = value.size() * (value.shared ? 1 : n_items);
      value.offset = places.take(all + all % 2);  // 16 bytes in single precision
    }
    for (const int value : {step.left, step.right})
      if (value >= int(matrices_.size()) && last_use[std::size_t(value)] == s)
        places.give_back(values_[std::size_t(value)].offset);
  }
  workspace_ = places.largest();
}

int ContractionPlan::n_products() const {
  return int(std::count_if(steps_.begin(), steps_.end(),
                           [](const ContractionStep& s) { return s.kind == ContractionStep::Kind::product; }));
}

std::string ContractionPlan::description(std::size_t bytes_of_number) const {
  char text[240];
  std::snprintf(text, sizeof(text), "%d traces of %d matrices, %d items: %d products, %.3g flops (apart %.3g), %.3g MB",
                n_traces(), int(matrices_.size()), n_items_, n_products(), flops_, flops_apart_,
                double(workspace_) * double(bytes_of_number) * 1e-6);
  return text;
}

std::string ContractionPlan::text() const {
  std::string all;
  const auto name = [&](int value) { return value < 0 ? std::string("1") : names_[std::size_t(value)]; };
  for (const ContractionStep& step : steps_) {
    if (step.kind == ContractionStep::Kind::trace)
      all += "trace " + std::to_string(step.result) + " = Tr " + name(step.left) + " (" + name(step.right) + ")^T\n";
    else if (step.kind == ContractionStep::Kind::transpose)
      all += name(step.result) + "\n";
    else
      all += name(step.result) + " = " + name(step.left) + " * " + name(step.right) + "\n";
  }
  return all;
}

}  // namespace kov
