// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_io.hpp"

#include "kov/contractions/io/propagator_hdf5.hpp"
#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/contractions/io/propagator_usqcd.hpp"
#include "kov/contractions/io/spinor_rows.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/vectors/field_ops.hpp"

namespace kov {

PropagatorFormat propagator_format(const std::string& name) {
  if (name == "hdf5") return PropagatorFormat::hdf5;
  if (name == "scidac") return PropagatorFormat::scidac;
  if (name == "usqcd") return PropagatorFormat::usqcd;
  if (name == "usqcd-pairs") return PropagatorFormat::usqcd_pairs;
  throw InputError(sentence("propagators cannot be written in the format", in_quotes(name) + ",",
                            "which is not known: take hdf5 or scidac, usqcd or usqcd-pairs"));
}

std::optional<std::string> PropagatorHeader::metadata_value(const std::string& name) const {
  for (const auto& [key, value] : metadata)
    if (key == name) return value;
  return std::nullopt;
}

namespace {

bool has_source(PropagatorFormat format) {
  return format == PropagatorFormat::usqcd || format == PropagatorFormat::usqcd_pairs;
}

template <class T>
PropagatorHeader header_of(const Propagator<T>& s, const WritePropagatorOptions& options) {
  return {.format = "",
          .extent = s.lattice().extent(),
          .bits = options.bits,
          .labels = s.labels,
          .metadata = options.metadata};
}

detail::PropagatorSource open_source(const Comm& comm, const std::filesystem::path& path) {
  detail::PropagatorSource source;
  comm.agree([&] {
    const auto file = std::make_shared<const InputFile>(path);
    require<FormatError>(is_lime(*file), file->name(), "is no LIME file, as USQCD's files with sources are");
    source = detail::usqcd_source(file);
  });
  return source;
}

}  // namespace

template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const std::filesystem::path& path,
                                  const WritePropagatorOptions& options) {
  const Comm& comm = s.lattice().comm();
  require(!has_source(options.format), "USQCD's formats have the source beside the propagator:",
          "give write_propagator() the source, or take the format scidac");
  const PropagatorHeader header = header_of(s, options);
  comm.agree([&] { detail::require_writable(header); });
  const std::unique_ptr<detail::PropagatorSink> sink = detail::write_spinors(
      s.columns(), detail::propagator_elements(PropagatorOrder::qdpxx), options.bits,
      [&] {
        return options.format == PropagatorFormat::hdf5 ? detail::hdf5_propagator_sink(path, header)
                                                        : detail::scidac_propagator_sink(path, header);
      },
      path.string());
  const std::string temporary = comm.broadcast(sink ? sink->temporary().string() : std::string());
  const detail::PropagatorSource written = detail::open_propagator(comm, temporary, {});
  detail::compare_spinors(written, s.columns(), path.string());  // where it throws, the sink removes the file
  comm.agree([&] {
    if (sink) sink->commit();
  });
  return written.header;
}

template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const Propagator<T>& source,
                                  const std::filesystem::path& path, const WritePropagatorOptions& options) {
  const Lattice& lattice = s.lattice();
  const Comm& comm = lattice.comm();
  const bool scalar = options.format == PropagatorFormat::usqcd;
  require(has_source(options.format),
          "only USQCD's formats have the source beside the propagator: leave the source out, or take one of them");
  const PropagatorHeader header = header_of(s, options);
  comm.agree([&] { detail::require_writable(header); });
  if (scalar) require_scalar_source(source);
  std::shared_ptr<detail::QioWriter> file;
  comm.agree([&] {
    if (comm.rank() == 0) file = detail::usqcd_writer(path, header, scalar);
  });
  const SpinorField<T> column(lattice, "column");  // columns share their blocks with others
  const auto write = [&](const SpinorField<T>& from, const std::vector<int>& elements, const std::string& xml) {
    copy(from, column);
    detail::write_spinors(
        column, elements, options.bits,
        [&] {
          file->begin_record(int(elements.size()), options.bits, xml);
          return detail::qio_record_sink(file);
        },
        path.string());
  };
  for (int k = 0; k < 12; ++k) {
    if (k == 0 || !scalar)
      write(source.column(k), scalar ? std::vector<int>{0} : detail::column_elements(), detail::usqcd_source_xml());
    write(s.column(k), detail::column_elements(), detail::usqcd_column_xml(k));
  }
  const std::string temporary = comm.broadcast(file ? file->temporary().string() : std::string());
  const detail::PropagatorSource written = detail::open_propagator(comm, temporary, {});
  detail::compare_spinors(written, s.columns(), path.string());
  detail::compare_spinors(open_source(comm, temporary), source.columns(), path.string());
  comm.agree([&] {
    if (file) file->commit();
  });
  return written.header;
}

template <class T>
void require_scalar_source(const Propagator<T>& source) {
  const std::int64_t site = detail::first_not_scalar(source.columns());
  require(site < 0, source.name(), "is no number times 1 in spin and colour at the site",
          to_string(coordinate(std::max<std::int64_t>(site, 0), source.lattice().extent())) +
              ", and the format usqcd has nothing else:",
          "take usqcd-pairs, which has the source of each column");
}

template <class T>
Propagator<T> read_propagator_source(const Lattice& lattice, const std::filesystem::path& path) {
  const detail::PropagatorSource found = open_source(lattice.comm(), path);
  Propagator<T> source(lattice, path.filename().string(), found.header.labels);
  detail::read_spinors(found, source.columns(), path.string());
  return source;
}

template <class T>
Propagator<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path,
                              const ReadPropagatorOptions& options, PropagatorHeader* header) {
  const detail::PropagatorSource source = detail::open_propagator(lattice.comm(), path, options);
  Propagator<T> s(lattice, path.filename().string(), source.header.labels);
  detail::read_spinors(source, s.columns(), path.string());
  if (header) *header = source.header;
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
template PropagatorHeader write_propagator(const Propagator<float>&, const Propagator<float>&,
                                           const std::filesystem::path&, const WritePropagatorOptions&);
template PropagatorHeader write_propagator(const Propagator<double>&, const Propagator<double>&,
                                           const std::filesystem::path&, const WritePropagatorOptions&);
template void require_scalar_source(const Propagator<float>&);
template void require_scalar_source(const Propagator<double>&);
template Propagator<float> read_propagator_source(const Lattice&, const std::filesystem::path&);
template Propagator<double> read_propagator_source(const Lattice&, const std::filesystem::path&);
template Propagator<float> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                           PropagatorHeader*);
template Propagator<double> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                            PropagatorHeader*);

}  // namespace kov
