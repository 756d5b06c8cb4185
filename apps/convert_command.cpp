// SPDX-License-Identifier: MIT
#include "apps/convert_command.hpp"

#include "apps/files/gauge_files.hpp"
#include "apps/files/output_files.hpp"

namespace kov::app {

namespace {

struct ConvertOptions {
  std::string in, out, format;
  int precision = 0;
  GaugeFileOptions gauge;
};

void convert(const Session& session, const ConvertOptions& options) {
  require(options.precision == 0 || options.precision == 32 || options.precision == 64, "--precision is",
          options.precision, "- it must be 32 or 64 (bits), or be left out to keep the input's");
  WriteGaugeOptions write;
  write.format = output_format(options.format, options.out);
  OutputFiles files;
  files.add(options.out);
  files.require_usable(session, {options.in});
  const std::vector<OutputLock> locks = files.lock(session);
  const Lattice lattice = lattice_of(session.comm, options.in, options.gauge);
  session.begin();
  GaugeReport report;
  const auto gauge = read_configuration(session, lattice, options.in, options.gauge, report);
  write.bits = options.precision ? options.precision : report.header.bits;
  write.metadata = report.attributes();
  const GaugeReport written = write_gauge(gauge, options.out, write);
  session.say(sentence(options.in + ":", report.header.format + ",", report.header.bits, "bit, plaquette",
                       twelve_digits(report.plaquettes.mean())));
  session.say(sentence(options.out + ":", written.header.format + ",", written.header.bits, "bit, plaquette",
                       twelve_digits(written.plaquettes.mean()) + ", read back and compared"));
}

}  // namespace

Command convert_command() {
  return {"convert", "write a gauge configuration in another format or precision",
          "The input is verified as by `kovariant info`.  The output is read back and compared before it gets its "
          "name, and\n"
          "records where it comes from.",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<ConvertOptions>();
            arguments.positional("IN", options->in, "the gauge configuration");
            arguments.positional("OUT", options->out, "the new file");
            arguments.option("--format", options->format,
                             "nersc, nersc-3x2 (two rows), ildg or hdf5; otherwise by OUT's ending", format_names());
            arguments.option("--precision", options->precision, "32 or 64 bits; 0: as the input");
            options->gauge.declare(arguments);
            return [options](const Session& session) { convert(session, *options); };
          }};
}

}  // namespace kov::app
