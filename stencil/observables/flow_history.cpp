// SPDX-License-Identifier: MIT
#include "kov/stencil/observables/flow_history.hpp"

#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace kov {

namespace {

/// n rows about k, or all.
struct Window {
  std::size_t first, n;
};
Window window(std::size_t k, std::size_t n, std::size_t size) {
  n = std::min(n, size);
  const std::size_t first = k > n / 2 ? k - n / 2 : 0;
  return {std::min(first, size - n), n};
}

/// The polynomial through (x_i, y_i) of a window, at any x, by Neville's scheme.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, const Window& w, double at) {
  std::vector<double> p(y.begin() + std::ptrdiff_t(w.first), y.begin() + std::ptrdiff_t(w.first + w.n));
  const double* t = x.data() + w.first;
  for (std::size_t m = 1; m < w.n; ++m)
    for (std::size_t i = 0; i + m < w.n; ++i)
      p[i] = ((at - t[i + m]) * p[i] + (t[i] - at) * p[i + 1]) / (t[i] - t[i + m]);
  return p[0];
}

/// The derivative at x_k of the polynomial through all (x_i, y_i): sum over i of y_i times that of Lagrange's i-th one.
double derivative(const std::vector<double>& x, const std::vector<double>& y, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == k) continue;
    double own = 1 / (x[i] - x[k]);  // of polynomial i at x_k; that of k itself is minus the sum of the others
    for (std::size_t j = 0; j < x.size(); ++j)
      if (j != i && j != k) own *= (x[k] - x[j]) / (x[i] - x[j]);
    sum += own * (y[i] - y[k]);
  }
  return sum;
}

/// Where y first rises to a value.
std::optional<double> crossing(const std::vector<double>& x, const std::vector<double>& y, double value) {
  for (std::size_t k = 1; k < y.size(); ++k) {
    if (!(y[k - 1] < value && y[k] >= value)) continue;
    const Window w = window(k, 4, y.size());
    double low = x[k - 1], high = x[k];
    for (int step = 0; step < 200 && low < high; ++step) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (interpolate(x, y, w, middle) < value ? low : high) = middle;
    }
    return high;
  }
  return {};
}

}  // namespace

void FlowHistory::add(const FlowPoint& point) {
  add_between(point);
  points_.push_back(point);
  step_.push_back(steps_.size() - 1);
}

void FlowHistory::add_between(const FlowPoint& point) {
  require(steps_.empty() || point.t > steps_.back().t, "a row of the flow at t =", point.t,
          "follows one at a later or the same time: rows go forward in time");
  steps_.push_back(point);
}

FlowHistory FlowHistory::thinned() const {
  FlowHistory half;
  half.steps_ = steps_;
  for (std::size_t k = (points_.size() + 1) % 2; k < points_.size(); k += 2) {
    half.points_.push_back(points_[k]);
    half.step_.push_back(step_[k]);
  }
  return half;
}

double FlowHistory::w(std::size_t k, FlowEnergy kind) const {
  require(k < points_.size() && steps_.size() >= 2, "W(t) of row", k, "was asked for, the table has", points_.size(),
          "rows: it takes two or more");
  const Window near = window(step_[k], 2 * derivative_reach + 1, steps_.size());
  std::vector<double> t, y;
  for (std::size_t i = near.first; i < near.first + near.n; ++i) {
    t.push_back(steps_[i].t);
    y.push_back(steps_[i].t2_energy(kind));
  }
  return points_[k].t * derivative(t, y, step_[k] - near.first);
}

std::optional<double> FlowHistory::t0(FlowEnergy kind, double reference) const {
  std::vector<double> t, y;
  for (const FlowPoint& p : points_) {
    t.push_back(p.t);
    y.push_back(p.t2_energy(kind));
  }
  return crossing(t, y, reference);
}

std::optional<double> FlowHistory::w0(FlowEnergy kind, double reference) const {
  if (points_.size() < 2) return {};
  std::vector<double> t, y;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    t.push_back(points_[k].t);
    y.push_back(w(k, kind));
  }
  const std::optional<double> square = crossing(t, y, reference);
  if (!square) return {};
  return std::sqrt(*square);
}

}  // namespace kov
