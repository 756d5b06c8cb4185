// SPDX-License-Identifier: MIT
//
// What an expression needs before its kernel can run: which fields it reads, on which sites, and through which legs.
// Not for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/stencil/halo/stencil_halos.hpp"

#include <any>
#include <optional>
#include <string>
#include <vector>

namespace kov::detail {

/// What an expression or an assignment knows of one of its fields.
struct FieldInfo {
  template <template <class> class SiteT, class T>
  explicit FieldInfo(const Field<SiteT, T>& field)
      : lattice(field.lattice()),
        name(field.name()),
        n_components(field.n_components()),
        n_values(n_components),
        subset(field.subset()),
        bytes(field.bytes()),
        begin(field.data()),
        origin(field.view().unchecked_address(0, 0)) {
    const SiteRange range = field.range();
    end = field.view().address(range.first + range.n_outer - 1, n_components - 1) + Field<SiteT, T>::View::block;
  }

  /// A field whose components are one value of the expression.
  template <template <class> class SiteT, class T>
  static FieldInfo of_whole_sites(const Field<SiteT, T>& field) {
    FieldInfo info(field);
    info.n_values = 1;
    return info;
  }

  Lattice lattice;
  std::string name;
  int n_components, n_values;
  Subset subset;
  std::size_t bytes;
  const void *begin, *end;  // of its memory
  const void* origin;       // where outer site 0 would be
};

/// The fields of one statement.  add() collects them, prepare() checks them and makes their stencils, then shifted()
/// gives their legs and neighbours while the kernel is built.  Every rank makes the same calls in the same order.
class ExpressionPlan {
 public:
  /// exec: where halos are exchanged and the kernel runs.
  explicit ExpressionPlan(const Exec& exec = {}) : exec_(exec) {}
  ~ExpressionPlan();
  ExpressionPlan(const ExpressionPlan&) = delete;
  ExpressionPlan& operator=(const ExpressionPlan&) = delete;

  /// Adds a field that is read at x + displacement.
  void add(const FieldInfo& field, bool shifted, const Coord& displacement);
  /// Adds the lattice of a term without a field.
  void add(const Lattice& lattice) { lattices_.push_back(lattice); }
  /// Keeps data that the kernel reads besides fields until this plan is destroyed.
  void keep(std::any table) { tables_.push_back(std::move(table)); }

  /// For an assignment to out: throws InputError unless all fields fit; returns true if out must not be written while
  /// the expression is evaluated.
  bool prepare(const FieldInfo& out);
  /// For a sum: finds the sites on which all fields have values.  Throws InputError if there are none, or fields do not
  /// fit.
  void prepare();

  const Lattice& lattice() const { return reads_.empty() ? lattices_.front() : reads_.front().field.lattice; }
  Subset subset() const { return *subset_; }
  const Exec& exec() const { return exec_; }
  int n_components() const { return n_components_; }
  /// Bytes of the fields; one that is read twice counts once.
  std::size_t bytes() const;
  /// Whether any field read shares memory with this one.
  bool reads(const FieldInfo& field) const;

  /// A field that is read at neighbours.
  struct Shifted {
    FieldInfo field;
    std::vector<Coord> legs;
    Subset wanted;  // the sites of the field that are read
    const Stencil* stencil;
    int number;           // among the shifted fields of the statement
    std::any neighbours;  // with their halo, once exchanged

    int leg(const Coord& displacement) const;
    /// Two fields of one shape have a halo each, because one kernel reads both.
    const HaloTable& halos() const;
  };
  Shifted& shifted(const FieldInfo& field);

 private:
  struct Read {
    FieldInfo field;
    bool shifted;
    Coord displacement;
  };
  void require_one_lattice() const;
  void require_lattice(const Lattice& lattice) const;
  void make_stencils();

  Exec exec_;
  std::vector<Read> reads_;
  std::vector<Lattice> lattices_;
  std::vector<std::any> tables_;
  std::vector<Shifted> shifted_;
  std::optional<Subset> subset_;
  int n_components_ = 1;
};

}  // namespace kov::detail
