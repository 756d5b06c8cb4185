// SPDX-License-Identifier: MIT
#include "kov/contractions/io/spinor_rows.hpp"

#include "kov/core/base/host_threads.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/slice_gather.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

namespace kov::detail {

namespace {

constexpr std::int64_t no_site = std::numeric_limits<std::int64_t>::max();

template <class T>
using SpinorRows = FieldRows<Spinor, T>;

/// The smallest number on any thread, and on any rank.
class FirstSite {
 public:
  void add(std::int64_t site) {
    for (std::int64_t seen = first_; site < seen && !first_.compare_exchange_weak(seen, site);) {
    }
  }
  std::int64_t of_all(const Comm& comm) const {
    std::int64_t negative = -first_;
    comm.max(std::span(&negative, 1));
    return -negative;
  }

 private:
  std::atomic<std::int64_t> first_ = no_site;
};

/// Whether all are numbers, and none is larger.
bool within(std::span<const double> reals, double largest = std::numeric_limits<double>::max()) {
  return std::all_of(reals.begin(), reals.end(), [=](double r) { return std::abs(r) <= largest; });
}

/// Rows of a group of sites from a file.
class SpinorReader {
 public:
  /// largest: of numbers that are finite in the precision they are read in.
  /// reals: of a site.
  SpinorReader(const PropagatorSource& source, const Geometry& geometry, const SiteRows& rows, std::size_t reals,
               double largest)
      : source_(source),
        geometry_(geometry),
        rows_(rows),
        reals_(reals),
        largest_(largest),
        numbers_(n_host_threads()),
        groups_(n_host_threads()) {
    for (std::size_t k = 0; k < source.parts.size(); ++k) sums_.emplace_back(ChecksumKind::scidac, std::endian::big);
  }

  /// take(group, doubles of the group as in FieldRows), by several threads at once.
  template <class Take>
  void read(const Take& take) {
    on_host_threads("read_propagator", rows_.n_groups, [&](std::int64_t group, int thread) {
      std::vector<double>& values = groups_[std::size_t(thread)];
      values.resize(std::size_t(rows_.group_sites()) * reals_);
      const std::size_t row_reals = std::size_t(rows_.length) * reals_;
      for (int r = 0; r < rows_.rows; ++r)
        read_row(geometry_.global(rows_.first(group, r)),
                 std::span(values).subspan(std::size_t(r) * row_reals, row_reals), thread);
      take(group, thread, std::span<const double>(values));
    });
  }

  /// Throws FormatError for numbers that are not finite and checksums that differ.  Collective.
  void require_sound(const Comm& comm, const std::string& name) const {
    const std::int64_t bad = bad_.of_all(comm);
    std::string problem;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const PropagatorPart& part = source_.parts[k];
      SiteChecksum sum = sums_[k].sum();
      sum.combine(comm);
      if (!part.sums || sum.values() == *part.sums || !problem.empty()) continue;
      problem =
          sentence(name, "records the checksums", sums_text(*part.sums) + (part.name.empty() ? "" : " of " + part.name),
                   "and its numbers have", sums_text(sum.values()) + ":", "it is damaged; make or fetch it again");
    }
    require<FormatError>(problem.empty(), problem);
    require<FormatError>(bad == no_site, name,
                         "has a number that is not finite, or too large for the precision, at site",
                         to_string(coordinate(bad == no_site ? 0 : bad, geometry_.extent())) + ":",
                         "the propagator is damaged; make or fetch it again");
  }

 private:
  void read_row(const Coord& start, std::span<double> values, int thread) {
    const std::int64_t first = lexicographic(start, geometry_.extent());
    std::vector<double>& numbers = numbers_[std::size_t(thread)];
    for (std::size_t k = 0; k < source_.parts.size(); ++k) {
      const PropagatorPart& part = source_.parts[k];
      const std::size_t n = part.elements.size(), site_bytes = 2 * n * std::size_t(source_.header.bits / 8);
      ThreadChecksums::Share& share = sums_[k].of(thread);
      share.bytes.resize(std::size_t(rows_.length) * site_bytes);
      part.read(start, rows_.length, share.bytes);
      share.checksum.add_sites(first, site_bytes, share.bytes);
      numbers.resize(std::size_t(rows_.length) * 2 * n);
      decode_reals(share.bytes.data(), {.bits = source_.header.bits}, std::int64_t(numbers.size()), numbers.data());
      for (std::size_t x = 0; x < std::size_t(rows_.length); ++x) {
        const std::span<const double> site = std::span(numbers).subspan(2 * n * x, 2 * n);
        if (!within(site, largest_)) bad_.add(first + std::int64_t(x));
        for (std::size_t i = 0; i < n; ++i)
          for (int copy = 0; copy < part.copies; ++copy) {
            const std::size_t to = x * reals_ + 2 * std::size_t(part.elements[i] + copy * part.step);
            values[to] = site[2 * i];
            values[to + 1] = site[2 * i + 1];
          }
      }
    }
  }

  const PropagatorSource& source_;
  const Geometry& geometry_;
  const SiteRows& rows_;
  std::size_t reals_;
  double largest_;
  std::vector<ThreadChecksums> sums_;
  std::vector<std::vector<double>> numbers_, groups_;
  FirstSite bad_;
};

/// All of this rank's sites.  Collective.
template <class T>
void read_into(const SpinorRows<T>& field, SpinorReader& reader, const Comm& comm) {
  comm.agree([&] {
    reader.read([&](std::int64_t group, int, std::span<const double> values) { field.import_group(group, values); });
  });
}

/// This rank's part of a time slice in the order of files.
template <class T>
class SliceExport {
 public:
  SliceExport(const SpinorField<T>& field, const std::vector<int>& elements)
      : geometry_(field.lattice().geometry()),
        rows_(field),
        field_reals_(std::size_t(24 * field.n_components())),
        elements_(elements),
        groups_(n_host_threads()) {}

  /// t: local.  bad: sites with numbers that a file of this many bits does not hold.
  void operator()(int t, int bits, std::span<double> slice, FirstSite& bad) {
    const SiteRows& rows = rows_.rows();
    const std::size_t reals = 2 * elements_.size();
    const Coord& box = geometry_.local_extent();
    on_host_threads("export_slice", rows.n_groups, [&](std::int64_t group, int thread) {
      bool has = false;
      for (int r = 0; r < rows.rows; ++r) has = has || rows.first(group, r)[3] == t;
      if (!has) return;
      std::vector<double>& values = groups_[std::size_t(thread)];
      values.resize(std::size_t(rows.group_sites()) * field_reals_);
      rows_.export_group(group, values);
      for (int r = 0; r < rows.rows; ++r) {
        Coord first = rows.first(group, r);
        if (first[3] != t) continue;
        const std::int64_t global = lexicographic(geometry_.global(first), geometry_.extent());
        first[3] = 0;
        const std::size_t to = std::size_t(lexicographic(first, box)) * reals,
                          from = std::size_t(r) * std::size_t(rows.length) * field_reals_;
        for (std::size_t x = 0; x < std::size_t(rows.length); ++x) {
          const std::span<double> site = slice.subspan(to + x * reals, reals);
          for (std::size_t i = 0; i < elements_.size(); ++i) {
            const std::size_t at = from + x * field_reals_ + 2 * std::size_t(elements_[i]);
            site[2 * i] = values[at];
            site[2 * i + 1] = values[at + 1];
          }
          if (bits == 32)
            for (double& real : site) real = float(real);
          if (!within(site)) bad.add(global + std::int64_t(x));
        }
      }
    });
  }

 private:
  const Geometry& geometry_;
  SpinorRows<T> rows_;
  std::size_t field_reals_;
  std::vector<int> elements_;
  std::vector<std::vector<double>> groups_;
};

/// Encodes a slice in pieces by all threads and writes it; reals: of a site.
void write_slice(std::span<const double> slice, std::size_t reals, std::int64_t first_site, int bits,
                 SiteChecksum& checksum, PropagatorSink& sink) {
  constexpr std::int64_t piece_reals = 1 << 15;
  const std::int64_t sites_at_a_time = piece_reals / std::int64_t(reals);
  const std::size_t site_bytes = reals * std::size_t(bits / 8);
  const std::int64_t sites = std::int64_t(slice.size() / reals);
  sink.begin_slice(std::uint64_t(sites) * site_bytes);
  ThreadChecksums shares(checksum.kind(), checksum.order());
  on_host_threads("write_propagator", (sites + sites_at_a_time - 1) / sites_at_a_time, [&](std::int64_t i, int thread) {
    ThreadChecksums::Share& mine = shares.of(thread);
    const std::int64_t done = i * sites_at_a_time, n = std::min(sites_at_a_time, sites - done);
    mine.bytes.resize(std::size_t(n) * site_bytes);
    encode_reals(slice.data() + std::size_t(done) * reals, {.bits = bits}, n * std::int64_t(reals), mine.bytes.data());
    mine.checksum.add_sites(first_site + done, site_bytes, mine.bytes);
    sink.write(std::uint64_t(done) * site_bytes, mine.bytes);
  });
  checksum.merge(shares.sum());
}

void finish_slice(std::span<const double> slice, std::size_t reals, std::int64_t first_site, int bits,
                  SiteChecksum& checksum, PropagatorSink* sink, const Comm& comm) {
  comm.agree([&] {
    if (sink) write_slice(slice, reals, first_site, bits, checksum, *sink);
  });
}

/// write_spinors(); here because its lambdas capture types of this unnamed namespace.
template <class T>
std::unique_ptr<PropagatorSink> write_spinor_slices(const SpinorField<T>& field, const std::vector<int>& elements,
                                                    int bits, const OpenSink& open, const std::string& name) {
  const Lattice& lattice = field.lattice();
  const Comm& comm = lattice.comm();
  const Geometry& geometry = lattice.geometry();
  const Coord& box = geometry.local_extent();
  const std::size_t reals = 2 * elements.size();
  SiteChecksum checksum(ChecksumKind::scidac, std::endian::big);
  std::optional<SliceGather> gather;
  std::optional<SliceExport<T>> export_slice;
  std::vector<double> mine;
  std::unique_ptr<PropagatorSink> sink;
  comm.agree([&] {
    gather.emplace(comm, geometry, int(reals));
    export_slice.emplace(field, elements);
    mine.resize(std::size_t(volume(box) / box[3]) * reals);
    if (comm.rank() == 0) sink = open();
  });
  for (int t = 0; t < lattice.extent()[3]; ++t) {
    const int local = t - geometry.origin()[3];
    const bool has = local >= 0 && local < box[3];
    FirstSite bad;
    comm.agree([&] {
      if (has) (*export_slice)(local, bits, mine, bad);
    });
    const std::int64_t site = bad.of_all(comm);
    require(site == no_site, field.name(), "has a number at site",
            to_string(coordinate(site == no_site ? 0 : site, lattice.extent())),
            "that is not finite, or too large for 32 bits:", name,
            "was not written; solve for it again, or write 64 bits");
    const std::span<const double> slice = (*gather)(t, has ? std::span<const double>(mine) : std::span<const double>{});
    finish_slice(slice, reals, lexicographic({0, 0, 0, t}, lattice.extent()), bits, checksum, sink.get(), comm);
  }
  comm.agree([&] {
    if (sink) sink->finish(checksum.values());
  });
  return sink;
}

/// Whether the file has the numbers of these rows.  Collective.
template <class T>
bool compare_with(const SpinorRows<T>& rows, SpinorReader& reader, int bits, const Comm& comm) {
  std::vector<std::vector<double>> expected(n_host_threads());
  FirstSite different;
  comm.agree([&] {
    reader.read([&](std::int64_t group, int thread, std::span<const double> values) {
      std::vector<double>& mine = expected[std::size_t(thread)];
      mine.resize(values.size());
      rows.export_group(group, mine);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != (bits == 32 ? double(float(mine[i])) : mine[i])) return different.add(0);
    });
  });
  return different.of_all(comm) == no_site;
}

/// first_not_scalar(); here because its lambdas capture types of this unnamed namespace.
template <class T>
std::int64_t first_site_not_scalar(const SpinorField<T>& columns) {
  const Geometry& geometry = columns.lattice().geometry();
  const SpinorRows<T> field(columns);
  const SiteRows& rows = field.rows();
  std::vector<std::vector<double>> groups(n_host_threads());
  FirstSite bad;
  columns.lattice().comm().agree([&] {
    on_host_threads("first_not_scalar", rows.n_groups, [&](std::int64_t group, int thread) {
      std::vector<double>& values = groups[std::size_t(thread)];
      values.resize(std::size_t(rows.group_sites()) * propagator_reals);
      field.export_group(group, values);
      for (std::size_t x = 0; x < std::size_t(rows.group_sites()); ++x) {
        const std::span<const double> site = std::span(values).subspan(x * propagator_reals, propagator_reals);
        bool scalar = true;
        for (std::size_t i = 0; i < propagator_reals; ++i)
          scalar = scalar && site[i] == (i / 2 % 13 == 0 ? site[i % 2] : 0);
        if (scalar) continue;
        const std::size_t length = std::size_t(rows.length);
        bad.add(lexicographic(geometry.global(rows.first(group, int(x / length))), geometry.extent()) +
                std::int64_t(x % length));
      }
    });
  });
  const std::int64_t site = bad.of_all(columns.lattice().comm());
  return site == no_site ? -1 : site;
}

}  // namespace

template <class T>
void read_spinors(const PropagatorSource& source, const SpinorField<T>& field, const std::string& name) {
  const Lattice& lattice = field.lattice();
  require(source.header.extent == lattice.extent(), name, "holds a propagator on the lattice",
          to_string(source.header.extent) + ", and one on", to_string(lattice.extent()),
          "was asked for: take the file that was made on it");
  const SpinorRows<T> rows(field, HostAccess::write_all);
  SpinorReader reader(source, lattice.geometry(), rows.rows(), std::size_t(24 * field.n_components()),
                      std::numeric_limits<T>::max());
  read_into(rows, reader, lattice.comm());
  reader.require_sound(lattice.comm(), name);
  rows.commit();
}

template <class T>
void compare_spinors(const PropagatorSource& source, const SpinorField<T>& field, const std::string& name) {
  const Lattice& lattice = field.lattice();
  const SpinorRows<T> rows(field);
  SpinorReader reader(source, lattice.geometry(), rows.rows(), std::size_t(24 * field.n_components()),
                      std::numeric_limits<double>::max());
  const bool same = compare_with(rows, reader, source.header.bits, lattice.comm());
  reader.require_sound(lattice.comm(), name);
  require<FormatError>(
      same, name, "reads back differently:", "the disk or its connection is faulty; nothing was kept, write elsewhere");
}

template <class T>
std::unique_ptr<PropagatorSink> write_spinors(const SpinorField<T>& field, const std::vector<int>& elements, int bits,
                                              const OpenSink& open, const std::string& name) {
  return write_spinor_slices(field, elements, bits, open, name);
}

template <class T>
std::int64_t first_not_scalar(const SpinorField<T>& columns) {
  return first_site_not_scalar(columns);
}

template std::int64_t first_not_scalar(const SpinorField<float>&);
template std::int64_t first_not_scalar(const SpinorField<double>&);
template void read_spinors(const PropagatorSource&, const SpinorField<float>&, const std::string&);
template void read_spinors(const PropagatorSource&, const SpinorField<double>&, const std::string&);
template void compare_spinors(const PropagatorSource&, const SpinorField<float>&, const std::string&);
template void compare_spinors(const PropagatorSource&, const SpinorField<double>&, const std::string&);
template std::unique_ptr<PropagatorSink> write_spinors(const SpinorField<float>&, const std::vector<int>&, int,
                                                       const OpenSink&, const std::string&);
template std::unique_ptr<PropagatorSink> write_spinors(const SpinorField<double>&, const std::vector<int>&, int,
                                                       const OpenSink&, const std::string&);

}  // namespace kov::detail
