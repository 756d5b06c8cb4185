// SPDX-License-Identifier: MIT
#include "kov/contractions/io/propagator_io.hpp"

#include "kov/contractions/io/propagator_hdf5.hpp"
#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/contractions/io/spinor_rows.hpp"
#include "kov/core/io/text.hpp"

namespace kov {

PropagatorFormat propagator_format(const std::string& name) {
  if (name == "hdf5") return PropagatorFormat::hdf5;
  if (name == "scidac") return PropagatorFormat::scidac;
  throw InputError(sentence("a format of propagators is", in_quotes(name) + ",", "which is none: take hdf5 or scidac"));
}

std::optional<std::string> PropagatorHeader::metadata_value(const std::string& name) const {
  for (const auto& [key, value] : metadata)
    if (key == name) return value;
  return std::nullopt;
}

template <class T>
PropagatorHeader write_propagator(const Propagator<T>& s, const std::filesystem::path& path,
                                  const WritePropagatorOptions& options) {
  const Comm& comm = s.lattice().comm();
  const PropagatorHeader header{.format = "",
                                .extent = s.lattice().extent(),
                                .bits = options.bits,
                                .labels = s.labels,
                                .metadata = options.metadata};
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
template Propagator<float> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                           PropagatorHeader*);
template Propagator<double> read_propagator(const Lattice&, const std::filesystem::path&, const ReadPropagatorOptions&,
                                            PropagatorHeader*);

}  // namespace kov
