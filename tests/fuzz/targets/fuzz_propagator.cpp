// SPDX-License-Identifier: MIT
//
// Propagators in HDF5 and SciDAC files, and single columns.
#include "kov/contractions/io/spinor_io.hpp"
#include "tests/fuzz/hdf5_file.hpp"

namespace kov::fuzz {

namespace {

Lattice small_lattice() { return Lattice(Comm::self(), {2, 2, 2, 4}); }

}  // namespace

std::vector<std::string> seeds() {
  const Propagator<double> s(small_lattice(), "s", {.source = "point", .others = {{"kappa", 0.15}, {"hits", "2"}}});
  const auto bytes = [&](PropagatorFormat format, int bits) {
    return written([&](const std::filesystem::path& path) {
      write_propagator(s, path, {.format = format, .bits = bits, .metadata = {{"plaquette", "0.5"}}});
    });
  };
  const std::string hdf5 = bytes(PropagatorFormat::hdf5, 32);
  const std::string column = written([&](const std::filesystem::path& path) {
    write_spinor(s.column(5), path, {{"iterations", "12"}});
  });
  const auto usqcd = [&](PropagatorFormat format, int bits) {
    return written([&](const std::filesystem::path& path) {
      write_propagator(s, s, path, {.format = format, .bits = bits, .metadata = {{"plaquette", "0.5"}}});
    });
  };
  return {hdf5,
          without_user_block(hdf5),
          bytes(PropagatorFormat::scidac, 64),
          bytes(PropagatorFormat::scidac, 32),
          usqcd(PropagatorFormat::usqcd, 64),
          usqcd(PropagatorFormat::usqcd_pairs, 32),
          column};
}

void read(const std::string& input) {
  static const Lattice lattice = small_lattice();
  const std::filesystem::path file = input.starts_with("\x45\x67") ? in_memory(input) : hdf5_in_memory(input);
  if (input.find("usqcdPropFile") != input.npos) {
    // A damaged source keeps nobody from reading the propagator.
    std::exception_ptr damaged;
    try {
      read_propagator_source<double>(lattice, file);
    } catch (const Error&) {
      damaged = std::current_exception();
    }
    read_propagator<double>(lattice, file);
    if (damaged) std::rethrow_exception(damaged);
  } else if (input.find("DiracFermion") != input.npos)
    read_spinor(SpinorField<double>(lattice, "column"), file);
  else
    read_propagator<double>(lattice, file, {.order = PropagatorOrder::qdpxx});
}

}  // namespace kov::fuzz
