// SPDX-License-Identifier: MIT
//
// The keys of `kovariant spectrum`, each with what --print says about it.
#include "apps/spectrum/spectrum_parameters.hpp"

namespace kov::app {

Settings SpectrumParameters::settings() {
  Settings s;
  gauge.add_to(s);
  action.add_to(s, "action");
  links.add_to(s);
  source.add_to(s);
  s.add("sink.smearings", &sink.smearings,
        "sinks that are contracted, of the same names; with the numbers below, those of the source unless they are "
        "given");
  sink.choice.add_to(s, "sink");
  solver.add_to(s);
  s.add("correlators.mesons", &correlators.mesons,
        "'diagonal' (16), 'all' (256), or names: 'pion', 'rho_x', 'pion-pion_A4' (sink-source)");
  s.add("correlators.baryons", &correlators.baryons,
        "'nucleon', 'all' (17), or names; 'octet', 'decuplet' and theirs ('sigma_p'), with _np those of lower "
        "components");
  s.add("correlators.flavours", &correlators.flavours,
        "the quarks that are u, d and s in octet and decuplet; none: those with these names, or the only one");
  s.add("correlators.momenta", &correlators.momenta, "[n_x, n_y, n_z] in units of 2 pi / L; none: max_momentum2");
  s.add("correlators.max_momentum2", &correlators.max_momentum2, "all momenta with n_x^2 + n_y^2 + n_z^2 up to this");
  loops.add_to(s);
  s.add("analysis.pion", &analysis.pion,
        "first and last time whose effective masses are averaged, with weights 1 / error^2");
  s.add("analysis.rho", &analysis.rho, "the same");
  s.add("analysis.nucleon", &analysis.nucleon, "the same");
  s.add("analysis.bin", &analysis.bin, "configurations averaged before the jackknife");
  s.add("output.prefix", &output.prefix, "of the files written: PREFIX.h5, PREFIX.dat, PREFIX.svg, PREFIX.pdf");
  s.add("output.journal", &output.journal,
        "folder with what is finished, from which a killed run goes on; empty: PREFIX.journal");
  quarks.add_to(s, [](Settings& t, NamedQuark& quark, const std::string& section) {
    t.add(section + ".propagators", &quark.propagators,
          "read them instead: output.prefix of a `kovariant propagator`, or a name with {configuration}, {quark}, {x}, "
          "{y}, {z}, {t} in it");
  });
  three_points.add_to(s);
  return s;
}

}  // namespace kov::app
