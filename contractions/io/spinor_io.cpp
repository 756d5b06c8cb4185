// SPDX-License-Identifier: MIT
#include "kov/contractions/io/spinor_io.hpp"

#include "kov/contractions/io/propagator_scidac.hpp"
#include "kov/contractions/io/spinor_rows.hpp"
#include "kov/core/vectors/field_ops.hpp"

namespace kov {

namespace {

template <class T>
void require_spinor(const SpinorField<T>& psi) {
  require(psi.n_components() == 1 && psi.subset() == Subset::all, psi.name(), "has", psi.n_components(),
          "components on", psi.subset() == Subset::all ? "all sites;" : "one parity;",
          "a column of a propagator is one on all sites");
}

detail::PropagatorSource open_spinor(const Comm& comm, const std::filesystem::path& path) {
  detail::PropagatorSource source;
  comm.agree([&] { source = detail::scidac_spinor(std::make_shared<const InputFile>(path)); });
  return source;
}

}  // namespace

template <class T>
void write_spinor(const SpinorField<T>& psi, const std::filesystem::path& path,
                  const std::vector<std::pair<std::string, std::string>>& metadata) {
  require_spinor(psi);
  const Comm& comm = psi.lattice().comm();
  const PropagatorHeader header{
      .format = "", .extent = psi.lattice().extent(), .bits = int(8 * sizeof(T)), .metadata = metadata};
  comm.agree([&] { detail::require_writable(header); });
  const SpinorField<T> whole(psi.lattice(), psi.name());  // a column shares its memory with others
  copy(psi, whole);
  const std::unique_ptr<detail::PropagatorSink> sink = detail::write_spinors(
      whole, detail::column_elements(), header.bits, [&] { return detail::scidac_spinor_sink(path, header); },
      path.string());
  const std::string temporary = comm.broadcast(sink ? sink->temporary().string() : std::string());
  detail::compare_spinors(open_spinor(comm, temporary), whole, path.string());
  comm.agree([&] {
    if (sink) sink->commit();
  });
}

template <class T>
PropagatorHeader read_spinor(const SpinorField<T>& psi, const std::filesystem::path& path) {
  require_spinor(psi);
  const detail::PropagatorSource source = open_spinor(psi.lattice().comm(), path);
  const SpinorField<T> whole(psi.lattice(), path.filename().string());
  detail::read_spinors(source, whole, path.string());
  copy(whole, psi);
  return source.header;
}

PropagatorHeader read_spinor_header(const Comm& comm, const std::filesystem::path& path) {
  return open_spinor(comm, path).header;
}

template void write_spinor(const SpinorField<float>&, const std::filesystem::path&,
                           const std::vector<std::pair<std::string, std::string>>&);
template void write_spinor(const SpinorField<double>&, const std::filesystem::path&,
                           const std::vector<std::pair<std::string, std::string>>&);
template PropagatorHeader read_spinor(const SpinorField<float>&, const std::filesystem::path&);
template PropagatorHeader read_spinor(const SpinorField<double>&, const std::filesystem::path&);

}  // namespace kov
