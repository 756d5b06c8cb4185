// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_io.hpp"

#include "kov/contractions/io/propagator_hdf5.hpp"
#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/io/gauge/gauge_source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/slice_gather.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace kov {

PropagatorFormat propagator_format(const std::string& name) {
  if (name == "hdf5") return PropagatorFormat::hdf5;
  if (name == "scidac") return PropagatorFormat::scidac;
  throw InputError(sentence("a format of propagators is", in_quotes(name) + ",", "which is none: take hdf5 or scidac"));
}

namespace {

using detail::propagator_bytes;
using detail::propagator_reals;

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
class PropagatorReader {
 public:
  /// largest: of numbers that are finite in the precision they are read in.
  PropagatorReader(const detail::PropagatorSource& source, const Geometry& geometry, const SiteRows& rows,
                   double largest)
      : source_(source),
        geometry_(geometry),
        rows_(rows),
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
      values.resize(std::size_t(rows_.group_sites()) * propagator_reals);
      const std::size_t row_reals = std::size_t(rows_.length) * propagator_reals;
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
      const detail::PropagatorPart& part = source_.parts[k];
      SiteChecksum sum = sums_[k].sum();
      sum.combine(comm);
      if (!part.sums || sum.values() == *part.sums || !problem.empty()) continue;
      const auto text = [](const auto& sums) { return to_hex(sums[0]) + " " + to_hex(sums[1]); };
      problem = sentence(name, "records the checksums", text(*part.sums), part.name.empty() ? "" : "of " + part.name,
                         "and its numbers have", text(sum.values()) + ":", "it is damaged; make or fetch it again");
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
      const detail::PropagatorPart& part = source_.parts[k];
      const std::size_t n = part.elements.size(), site_bytes = 2 * n * std::size_t(source_.header.bits / 8);
      ThreadChecksums::Share& share = sums_[k].of(thread);
      share.bytes.resize(std::size_t(rows_.length) * site_bytes);
      part.read(start, rows_.length, share.bytes);
      share.checksum.add_sites(first, site_bytes, share.bytes);
      numbers.resize(std::size_t(rows_.length) * 2 * n);
      detail::decode_reals(share.bytes.data(), {.bits = source_.header.bits}, std::int64_t(numbers.size()),
                           numbers.data());
      for (std::size_t x = 0; x < std::size_t(rows_.length); ++x) {
        const std::span<const double> site = std::span(numbers).subspan(2 * n * x, 2 * n);
        if (!within(site, largest_)) bad_.add(first + std::int64_t(x));
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t to = x * propagator_reals + 2 * std::size_t(part.elements[i]);
          values[to] = site[2 * i];
          values[to + 1] = site[2 * i + 1];
        }
      }
    }
  }

  const detail::PropagatorSource& source_;
  const Geometry& geometry_;
  const SiteRows& rows_;
  double largest_;
  std::vector<ThreadChecksums> sums_;
  std::vector<std::vector<double>> numbers_, groups_;
  FirstSite bad_;
};

/// All of this rank's sites.  Collective.
template <class T>
void read_into(const SpinorRows<T>& field, PropagatorReader& reader, const Comm& comm) {
  comm.agree([&] {
    reader.read([&](std::int64_t group, int, std::span<const double> values) { field.import_group(group, values); });
  });
}

void require_lattice(const PropagatorHeader& header, const Lattice& lattice, const std::string& name) {
  require(header.extent == lattice.extent(), name, "holds a propagator on the lattice",
          to_string(header.extent) + ", and one on", to_string(lattice.extent()),
          "was asked for: take the file that was made on it");
}

/// This rank's part of a time slice in the order of files.
template <class T>
class SliceExport {
 public:
  explicit SliceExport(const Propagator<T>& s)
      : geometry_(s.lattice().geometry()),
        rows_(s.columns()),
        elements_(detail::propagator_elements(PropagatorOrder::qdpxx)),
        groups_(n_host_threads()) {}

  /// t: local.  bad: sites with numbers that a file of so many bits does not hold.
  void operator()(int t, int bits, std::span<double> slice, FirstSite& bad) {
    const SiteRows& rows = rows_.rows();
    const Coord& box = geometry_.local_extent();
    on_host_threads("export_slice", rows.n_groups, [&](std::int64_t group, int thread) {
      bool has = false;
      for (int r = 0; r < rows.rows; ++r) has = has || rows.first(group, r)[3] == t;
      if (!has) return;
      std::vector<double>& values = groups_[std::size_t(thread)];
      values.resize(std::size_t(rows.group_sites()) * propagator_reals);
      rows_.export_group(group, values);
      for (int r = 0; r < rows.rows; ++r) {
        Coord first = rows.first(group, r);
        if (first[3] != t) continue;
        const std::int64_t global = lexicographic(geometry_.global(first), geometry_.extent());
        first[3] = 0;
        const std::size_t to = std::size_t(lexicographic(first, box)) * propagator_reals,
                          from = std::size_t(r) * std::size_t(rows.length) * propagator_reals;
        for (std::size_t x = 0; x < std::size_t(rows.length); ++x) {
          const std::span<double> site = slice.subspan(to + x * propagator_reals, propagator_reals);
          for (std::size_t i = 0; i < elements_.size(); ++i) {
            const std::size_t at = from + x * propagator_reals + 2 * std::size_t(elements_[i]);
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
  std::vector<int> elements_;
  std::vector<std::vector<double>> groups_;
};

/// Encodes a slice in pieces by all threads and writes it.
void write_slice(std::span<const double> slice, std::int64_t first_site, int bits, SiteChecksum& checksum,
                 detail::PropagatorSink& sink) {
  constexpr std::int64_t sites_at_a_time = 128;
  const std::int64_t sites = std::int64_t(slice.size()) / propagator_reals;
  sink.begin_slice(std::uint64_t(sites) * propagator_bytes(bits));
  ThreadChecksums shares(checksum.kind(), checksum.order());
  on_host_threads("write_propagator", (sites + sites_at_a_time - 1) / sites_at_a_time, [&](std::int64_t i, int thread) {
    ThreadChecksums::Share& mine = shares.of(thread);
    const std::int64_t done = i * sites_at_a_time, n = std::min(sites_at_a_time, sites - done);
    mine.bytes.resize(std::size_t(n) * propagator_bytes(bits));
    detail::encode_reals(slice.data() + done * propagator_reals, {.bits = bits}, n * propagator_reals,
                         mine.bytes.data());
    mine.checksum.add_sites(first_site + done, propagator_bytes(bits), mine.bytes);
    sink.write(std::uint64_t(done) * propagator_bytes(bits), mine.bytes);
  });
  checksum.merge(shares.sum());
}

/// Reads what was written and compares every number.
template <class T>
PropagatorHeader compare_written(const Propagator<T>& s, const std::filesystem::path& written,
                                 const std::filesystem::path& path, int bits) {
  const Lattice& lattice = s.lattice();
  const detail::PropagatorSource source = detail::open_propagator(lattice.comm(), written, {});
  const SpinorRows<T> field(s.columns());
  std::vector<std::vector<double>> expected(n_host_threads());
  FirstSite different;
  PropagatorReader reader(source, lattice.geometry(), field.rows(), std::numeric_limits<double>::max());
  lattice.comm().agree([&] {
    reader.read([&](std::int64_t group, int thread, std::span<const double> values) {
      std::vector<double>& mine = expected[std::size_t(thread)];
      mine.resize(values.size());
      field.export_group(group, mine);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != (bits == 32 ? double(float(mine[i])) : mine[i])) return different.add(0);
    });
  });
  reader.require_sound(lattice.comm(), path.string());
  require<FormatError>(different.of_all(lattice.comm()) == no_site, path.string(), "reads back differently:",
                       "the disk or its connection is faulty; nothing was kept, write elsewhere");
  return source.header;
}

}  // namespace

template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const std::filesystem::path& path,
                                  const WritePropagatorOptions& options) {
  const Lattice& lattice = s.lattice();
  const Comm& comm = lattice.comm();
  const Geometry& geometry = lattice.geometry();
  const Coord& box = geometry.local_extent();
  const PropagatorHeader header{
      .format = "", .extent = lattice.extent(), .bits = options.bits, .labels = s.labels, .metadata = options.metadata};
  std::unique_ptr<detail::PropagatorSink> sink;
  comm.agree([&] {
    require(options.bits == 32 || options.bits == 64, "propagators are written with 32 or 64 bits, not", options.bits);
    detail::label_lines(header);  // throws for names and values that not every format can hold
    if (comm.rank() != 0) return;
    sink = options.format == PropagatorFormat::hdf5 ? detail::hdf5_propagator_sink(path, header)
                                                    : detail::scidac_propagator_sink(path, header);
  });
  {
    SliceGather gather(comm, geometry, propagator_reals);
    SliceExport<T> export_slice(s);
    SiteChecksum checksum(ChecksumKind::scidac, std::endian::big);
    std::vector<double> mine(std::size_t(volume(box) / box[3]) * propagator_reals);
    for (int t = 0; t < lattice.extent()[3]; ++t) {
      const int local = t - geometry.origin()[3];
      const bool has = local >= 0 && local < box[3];
      FirstSite bad;
      if (has) export_slice(local, options.bits, mine, bad);
      const std::int64_t site = bad.of_all(comm);
      require(site == no_site, s.name(), "has a number at site",
              to_string(coordinate(site == no_site ? 0 : site, lattice.extent())),
              "that is not finite, or too large for 32 bits:", path.string(),
              "was not written; solve for it again, or write 64 bits");
      const std::span<const double> slice = gather(t, has ? std::span<const double>(mine) : std::span<const double>{});
      comm.agree([&] {
        if (sink) write_slice(slice, lexicographic({0, 0, 0, t}, lattice.extent()), options.bits, checksum, *sink);
      });
    }
    comm.agree([&] {
      if (sink) sink->finish(checksum.values());
    });
  }
  const std::string temporary = comm.broadcast(sink ? sink->temporary().string() : std::string());
  PropagatorHeader result = compare_written(s, temporary, path, options.bits);  // where it throws, the sink removes it
  comm.agree([&] {
    if (sink) sink->commit();
  });
  return result;
}

template <class T>
Propagator<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path,
                              const ReadPropagatorOptions& options, PropagatorHeader* header) {
  const Comm& comm = lattice.comm();
  detail::PropagatorSource source = detail::open_propagator(comm, path, options);
  require_lattice(source.header, lattice, path.string());
  Propagator<T> s(lattice, path.filename().string(), source.header.labels);
  const SpinorRows<T> field(s.columns(), HostAccess::write_all);
  PropagatorReader reader(source, lattice.geometry(), field.rows(), std::numeric_limits<T>::max());
  read_into(field, reader, comm);
  reader.require_sound(comm, path.string());
  field.commit();
  if (header) *header = std::move(source.header);
  return s;
}

PropagatorHeader read_propagator_header(const Comm& comm, const std::filesystem::path& path,
                                        const ReadPropagatorOptions& options) {
  return detail::open_propagator(comm, path, options).header;
}

template PropagatorHeader write_propagator(const Propagator<float>&, const std::filesystem::path&,
                                           const WritePropagatorOptions&);
template PropagatorHeader write_propagator(const Propagator<double>&, const std::filesystem::path&,
                                           const WritePropagatorOptions&);
template Propagator<float> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                           PropagatorHeader*);
template Propagator<double> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                            PropagatorHeader*);

}  // namespace kov
