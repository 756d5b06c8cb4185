// SPDX-License-Identifier: MIT
//
// VectorGroups: eigenvectors of time slices of which some are in memory at a time.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/field/field.hpp"

#include <algorithm>
#include <functional>
#include <memory>

namespace kov {

/// The vectors 0 ... n() - 1 of time slices in groups of neighbours: all of a field in one group, or groups of
/// at_once() that are read into one field when they are asked for, for instance from a file by eigenvector_groups().
/// elementals(), baryon_elementals() and perambulators() give the same bits whatever the groups are.  A handle: copies
/// share that field.
template <class T>
class VectorGroups {
 public:
  using F = Field<ColorVector, T>;
  /// Sets the components of `vectors` to vectors first, first + 1, ...; called on every rank.
  using Read = std::function<void(int first, const F& vectors)>;

  /// All in memory.
  explicit VectorGroups(const F& vectors)
      : n_(vectors.n_components()), at_once_(n_), held_(std::make_shared<Held>(Held{vectors.alias(), 0})) {}
  /// n of them, at_once in memory.  Throws InputError unless both are at least 1.
  VectorGroups(const Lattice& lattice, int n, int at_once, const Read& read)
      : n_(n), at_once_(std::min(n, at_once)), read_(read) {
    lattice.require_same("groups of eigenvectors", n, at_once);
    require(n >= 1 && at_once >= 1, n, "eigenvectors in groups of", at_once,
            "were asked for, so no group has an eigenvector: both numbers must be at least 1");
    held_ = std::make_shared<Held>(Held{F(lattice, "some eigenvectors", at_once_)});
  }

  const Lattice& lattice() const { return held_->vectors.lattice(); }
  int n() const { return n_; }
  /// The most of a group; the last one may have fewer.
  int at_once() const { return at_once_; }
  int n_groups() const { return (n_ + at_once_ - 1) / at_once_; }
  /// The first vector of a group, and how many it has.
  int first(int group) const { return group * at_once_; }
  int size(int group) const { return std::min(at_once_, n_ - first(group)); }
  /// The group that is in memory, from which a walk over all begins without reading; 0 before any is.
  int at_hand() const { return std::max(0, held_->group); }

  /// The vectors of a group, until another one is asked for.  Collective.
  F operator()(int group) const {
    const F vectors = held_->vectors.components(0, size(group));
    if (held_->group != group) {
      held_->group = -1;
      read_(first(group), vectors);
      held_->group = group;
    }
    return vectors.alias();
  }
  /// Sets the components of `vectors` to vectors first, first + 1, ...  Collective.
  void read(int first, const F& vectors) const { read_(first, vectors); }

 private:
  struct Held {
    F vectors;
    int group = -1;
  };

  int n_, at_once_;
  Read read_;
  std::shared_ptr<Held> held_;
};

}  // namespace kov
