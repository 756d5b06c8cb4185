// SPDX-License-Identifier: MIT
#include "apps/smear/smear_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/measurement.hpp"
#include "apps/files/memory_plan.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/start_run.hpp"
#include "apps/program/progress.hpp"
#include "apps/smear/smear_options.hpp"
#include "apps/smear/smear_pictures.hpp"
#include "apps/smear/smear_shape.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/ape_smearing.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/gauge/stout_smearing.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kov::app {

namespace {

using std::numbers::pi;

OutputFiles smear_outputs(const SmearOptions& options) {
  OutputFiles files;
  files.add(options.output, measurement_endings());
  for (const char* picture : {".radial", ".plane", ".spectrum"}) files.add(options.output, picture_names(picture));
  return files;
}

void require_sense(const SmearOptions& o) {
  o.smearing.check([](const std::string& name) { return "--" + (name == "p2_max" ? "p2-max" : name); }, {o.profile});
  require(o.stout_steps >= 0, "--stout is", o.stout_steps, "- it must be 0 or more");
  for (const double n : o.wave)
    require(std::abs(n) < 1e9 && n == std::round(n), "--wave has the component", n,
            "- it must be a whole number below 10^9");
  for (const double n : o.momentum)
    require(std::abs(n) < 1e9, "--momentum has the component", n, "- it must be a number below 10^9");
  require(o.ape_steps >= 0, "--ape is", o.ape_steps, "- it must be 0 or more");
  require(o.order >= 0, "--order is", o.order, "- it must be 1 or more, or 0 to find it from --accuracy");
  require(o.spacing >= 0, "--spacing is", o.spacing, "- it must divide the extents, or be 0 for half of them");
}

/// The options of the chosen profile, source and links.
void require_used_options(const Session& session, const SmearOptions& o) {
  const bool wuppertal = o.profile == "wuppertal", theta = o.profile == "theta", node = o.profile == "node";
  for (const char* option : {"--width", "--iterations"})
    session.require_used(option, wuppertal, "with --profile wuppertal");
  session.require_used("--width", o.smearing.iterations > 0, "with --iterations of 1 or more");
  session.require_used("--sigma", node || o.profile == "gaussian", "with --profile gaussian or node");
  session.require_used("--node", node, "with --profile node");
  for (const char* option : {"--p2-max", "--edge"}) session.require_used(option, theta, "with --profile theta");
  session.require_used("--formula", o.profile == "formula", "with --profile formula");
  for (const char* option : {"--accuracy", "--order", "--find-bounds"})
    session.require_used(option, !wuppertal, "with --profile gaussian, node, theta or formula");
  session.require_used("--accuracy", o.order == 0, "without --order");
  session.require_used("--wave", o.source == "momentum", "with --source momentum");
  session.require_used("--spacing", o.source == "grid", "with --source grid");
  const bool file = !o.gauge_file.empty(), noise = o.source == "z2" || o.source == "z4" || o.source == "u1";
  session.require_used("--seed", noise || (!file && o.links == "hot"), "with noise or --links hot");
  session.require_used("--links", !file, "without a FILE");
  session.require_used("--ignore", file, "with a FILE");
}

struct DescribedLinks {
  GaugeField<double> gauge;
  /// A description of the links for captions.
  std::string about;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::string> ignored;
  bool free = false;
};

DescribedLinks make_links(const Session& session, const Lattice& lattice, const SmearOptions& options) {
  DescribedLinks links{GaugeField<double>(lattice, "links", 4), "links 1 (free field)", {}, {}, false};
  if (!options.gauge_file.empty()) {
    GaugeReport report;
    links.gauge = read_configuration(session, lattice, options.gauge_file, options.gauge, report);
    links.about = sentence("links from", options.gauge_file + ", plaquette", twelve_digits(report.plaquettes.mean()));
    links.inputs = report.attributes();
    links.ignored = report.overridden;
  } else if (options.links == "hot") {
    hot_start(links.gauge, options.seed);
    links.about = sentence("hot links of seed", options.seed);
  } else {
    cold_start(links.gauge);
    links.free = true;
  }
  if (options.ape_steps > 0) {
    links.gauge = ape(links.gauge, {.n = options.ape_steps});
    links.about += sentence(", APE x", options.ape_steps);
  }
  if (options.stout_steps > 0) {
    links.gauge = stout(links.gauge, {.n = options.stout_steps});
    links.about += sentence(", stout x", options.stout_steps);
  }
  return links;
}

SpinorField<double> make_source(const Lattice& lattice, const SmearOptions& options, const Coord& midpoint) {
  if (options.source == "point") return point_source<double>(lattice, midpoint, 0, 0);
  if (options.source == "wall") return wall_source<double>(lattice, midpoint[3], 0, 0);
  if (options.source == "momentum") {
    const Momentum n{int(options.wave[0]), int(options.wave[1]), int(options.wave[2])};
    return momentum_source<double>(lattice, midpoint[3], n).column(0).clone("plane wave");
  }
  if (options.source == "grid") {
    PointGrid grid{.origin = midpoint, .spacing = {}, .noise = {}};
    for (std::size_t mu = 0; mu < 3; ++mu)
      grid.spacing[mu] = options.spacing > 0 ? options.spacing : lattice.extent()[mu] / 2;
    return grid_source<double>(lattice, grid, 0, 0);
  }
  const NoiseKind kind = options.source == "z2"   ? NoiseKind::z2
                         : options.source == "z4" ? NoiseKind::z4
                                                  : NoiseKind::u1;
  return noise_source<double>(
      lattice, {.noise = {.kind = kind, .seed = options.seed}, .t = midpoint[3], .dilution = Dilution::none});
}

/// Smears psi; returns what was done.
Parameters apply_profile(const Session& session, const SmearOptions& options, const GaugeLinks<double>& links,
                         const RealFunction& f, const SpinorField<double>& psi) {
  const auto output = ProgressOutput::standard_error(session.quiet, session.comm.rank());
  if (options.profile == "wuppertal") {
    // In parts, to show progress: k of N iterations of width w equal k iterations of width w sqrt(k / N).
    const int n = options.smearing.iterations, part = std::max(1, n / 20);
    Progress progress({{"iterations", n, 1}}, output);
    for (int done = 0; done < n; done += part) {
      const int k = std::min(part, n - done);
      WuppertalSmearing<double>(links, {options.smearing.width * std::sqrt(double(k) / n), k}).apply(psi, psi);
      progress.advance(0, k);
    }
    progress.hide();
    return {{"iterations", std::int64_t(n)}};
  }
  const CovariantLaplacian<double> laplacian(links, Dimensions::space);
  const auto p2 = momentum_squared<Spinor>(laplacian);
  ProfileParameters parameters{.accuracy = {.error = options.accuracy}};
  if (options.order > 0) parameters.order = options.order;
  if (options.find_bounds) parameters.bounds = spectral_bounds(p2, psi);
  const ChebyshevSeries series = ProfileSmearing<double>(links, f, parameters).series();
  Progress progress({{"orders", series.order(), 1}}, output);
  const Operator<SpinorField<double>> counted = [&](const SpinorField<double>& in, const SpinorField<double>& out) {
    p2.apply(in, out);
    progress.advance(0);
  };
  apply_series(series, counted, psi, psi);
  progress.hide();
  return {{"order", std::int64_t(series.order())},
          {"error", series.error()},
          {"spectrum", std::vector<double>{series.interval().low, series.interval().high}}};
}

/// Of the profile that was chosen.
Parameters profile_numbers(const SmearOptions& options) {
  const SmearingChoice& smearing = options.smearing;
  if (options.profile == "wuppertal") return {{"width", smearing.width}};
  if (options.profile == "gaussian") return {{"sigma", smearing.sigma}};
  if (options.profile == "node") return {{"sigma", smearing.sigma}, {"node", smearing.node}};
  if (options.profile == "theta") return {{"p2_max", smearing.p2_max}, {"edge", smearing.edge}};
  return {};
}

std::string smear_plan_text(const SmearOptions& options, const Lattice& lattice, const Coord& midpoint,
                            const std::string& profile) {
  std::string text = sentence("lattice        ", to_string(lattice.extent())) + "\n";
  text += "links           " + (options.gauge_file.empty() ? options.links : options.gauge_file);
  if (options.ape_steps > 0) text += sentence(", APE x", options.ape_steps);
  if (options.stout_steps > 0) text += sentence(", stout x", options.stout_steps);
  text += "\n";
  text += "source          " + options.source + " at " + to_string(midpoint) + "\n";
  text += "profile         " + profile + "\n";
  text += memory_row(options.bytes_per_site, lattice);
  text += "files           " + list_text(smear_outputs(options).names());
  return text;
}

void smear(const Session& session, const SmearOptions& options) {
  require_sense(options);
  require_used_options(session, options);
  const RealFunction f = options.smearing.profile(options.profile);
  const std::string profile = options.smearing.description(options.profile);
  const bool has_file = !options.gauge_file.empty();
  const Lattice lattice = has_file ? lattice_of(session.comm, options.gauge_file, options.gauge)
                                   : Lattice(session.comm, options.gauge.extent.value_or(options.extent));
  smear_outputs(options).require_usable(session, {options.gauge_file});
  const Coord& extent = lattice.extent();
  const Coord midpoint = options.at.value_or(Coord{extent[0] / 2, extent[1] / 2, extent[2] / 2, extent[3] / 2});
  for (std::size_t mu = 0; mu < 4; ++mu)
    require(midpoint[mu] >= 0 && midpoint[mu] < extent[mu], "--at is", to_string(midpoint), "- outside the lattice",
            to_string(extent));
  if (const std::string warning = options.smearing.warning(options.profile); !warning.empty()) session.warn(warning);
  const RunPlan plan{smear_plan_text(options, lattice, midpoint, profile), options.bytes_per_site, options.dry_run};
  const auto locks = start_run(session, plan, lattice, smear_outputs(options));
  if (!locks) return;
  const SpinorField<double> psi = make_source(lattice, options, midpoint);
  const DescribedLinks links = make_links(session, lattice, options);
  std::array<double, 3> k;
  std::array<int, 3> nearest;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    k[mu] = 2 * pi * options.momentum[mu] / extent[mu];
    nearest[mu] = int(std::lround(options.momentum[mu]));
  }
  const bool moving = options.momentum != std::array<double, 3>{0, 0, 0};
  const GaugeLinks<double> ready(links.gauge, moving ? momentum_factors(k) : LegFactors());
  const auto done = apply_profile(session, options, ready, f, psi);

  const SliceShape shape(psi, midpoint);
  const std::string momentum_text = sentence(options.momentum[0], options.momentum[1], options.momentum[2]);
  Measurement m{.what = "smeared " + options.source,
                .extent = extent,
                .conventions =
                    "|psi|: norm over spin and colour on the time slice of the midpoint, in units of the "
                    "source; r: from the midpoint; n: p = 2 pi n / L, other components as in momentum, rounded",
                .parameters = {{"links", links.about},
                               {"source", options.source +
                                              (options.source == "momentum"
                                                   ? sentence("", options.wave[0], options.wave[1], options.wave[2])
                                                   : "") +
                                              " at " + to_string(midpoint)},
                               {"profile", profile},
                               {"momentum", std::vector<double>(options.momentum.begin(), options.momentum.end())}},
                .inputs = links.inputs,
                .ignored = links.ignored,
                .results = {{"root mean square radius", shape.radius()}},
                .tables = {shape.line(options.mu())}};
  const Parameters numbers = profile_numbers(options);
  m.parameters.insert(m.parameters.end(), numbers.begin(), numbers.end());
  m.parameters.insert(m.parameters.end(), done.begin(), done.end());
  const std::string text = measurement_text(m);  // with the line alone
  m.tables.push_back(shape.radial());
  m.tables.push_back(shape.plane());
  m.tables.push_back(shape.spectrum(options.mu(), nearest));
  const bool spread = options.profile != "wuppertal" || (options.smearing.width > 0 && options.smearing.iterations > 0);
  const bool compare = links.free && options.source == "point" && spread;
  std::string caption = ignored_text(m.ignored) + "$" + plain(profile) + "$; " + plain(links.about);
  if (moving) caption += "; momentum " + plain(momentum_text);
  WrittenFiles files(session);
  files.add(write_measurement(session.comm, options.output, m));
  draw_smearing(files, options, m, compare ? f : nullptr, caption);
  session.say(text);
  files.say();
}

}  // namespace

Command smear_command() {
  return {"smear", "smear a source and show its shape",
          "Prints columns x and |psi| (norm over spin and colour) along a line through the midpoint.  PREFIX.txt and "
          "PREFIX.h5 have\nthe shape by distance, in the x-y plane and by momentum too; PREFIX.svg, PREFIX.radial.svg, "
          "PREFIX.plane.svg and\nPREFIX.spectrum.svg draw them (.pdf too).  Without a file all links are 1, and the "
          "default is a "
          "Gaussian exp(-r^2 / w^2).\n"
          "examples: kovariant smear --profile node --sigma 3\n"
          "          kovariant smear beta6.0001.lime --ape 10 --profile gaussian --sigma 2 --momentum 1 0 0",
          [](Arguments& arguments) -> Action {
            auto o = std::make_shared<SmearOptions>();
            arguments.positional("FILE", o->gauge_file, "a gauge configuration", false);
            o->gauge.declare(arguments);
            arguments.option("--links", o->links, "without a file: all 1 or random", {"unit", "hot"});
            arguments.option("--ape", o->ape_steps, "APE steps on the spatial links first");
            arguments.option("--stout", o->stout_steps, "stout steps on them, after those");
            arguments.option("--source", o->source,
                             "what is smeared; momentum is a plane wave, z2, z4 and u1 are noise on the time slice",
                             {"point", "wall", "momentum", "grid", "z2", "z4", "u1"});
            arguments.option("--wave", o->wave, "momentum: whole numbers n in e^{2 pi i n.x / L}");
            arguments.option("--at", o->at, "the midpoint; otherwise half the extents");
            arguments.option("--spacing", o->spacing, "of the grid's points; 0: half the extents");
            arguments.option("--seed", o->seed, "of noise and of hot links");
            arguments.option("--profile", o->profile, "F(p^2), p^2 = -Laplacian in space",
                             {"wuppertal", "gaussian", "node", "theta", "formula"});
            arguments.option("--width", o->smearing.width, "wuppertal: w in (1 + w^2 / (4 N) Laplacian)^N");
            arguments.option("--iterations", o->smearing.iterations, "wuppertal: N");
            arguments.option("--sigma", o->smearing.sigma, "gaussian and node: sigma in exp(-p^2 sigma^2 / 2)");
            arguments.option("--node", o->smearing.node, "node: its radius; 0: sqrt(3/2) sigma");
            arguments.option("--p2-max", o->smearing.p2_max, "theta: the largest p^2 kept");
            arguments.option("--edge", o->smearing.edge, "theta: width in p^2 of its edge");
            arguments.option("--formula", o->smearing.formula, "formula: F(p^2), in p2: 'exp(-2 * p2) * (p2 - 1)'");
            arguments.option("--momentum", o->momentum, "of the smeared source, in units of 2 pi / L, any numbers");
            arguments.option("--accuracy", o->accuracy, "of the Chebyshev series of all but wuppertal");
            arguments.option("--order", o->order, "of that series; 0: as --accuracy wants");
            arguments.flag("--find-bounds", o->find_bounds, "look for the spectrum by Lanczos instead of 0 to 12");
            arguments.option("--direction", o->direction, "of the line and of the spectrum", {"x", "y", "z"});
            arguments.option("--output", o->output, "PREFIX of the files");
            arguments.flag("--dry-run", o->dry_run, "print the plan; compute and write nothing");
            return [o](const Session& session) { smear(session, *o); };
          }};
}

}  // namespace kov::app
