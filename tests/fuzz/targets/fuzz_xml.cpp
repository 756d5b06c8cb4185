// SPDX-License-Identifier: MIT
#include "kov/core/io/xml.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {"<?xml version=\"1.0\"?><ildg:f xmlns:ildg=\"a\"><lx>4</lx><!-- b --><info>a &lt; b</info></ildg:f>",
          "<f a=\"1 b=\"2\"><lx>4</lx><info/></f>", "<a><![CDATA[<lx>9</lx>]]><lx> 4 </lx></a>"};
}

void read(const std::string& input) {
  const XmlRecord record(input);
  for (const char* name : {"lx", "info", "f", ""}) record.element(name);
}

}  // namespace kov::fuzz
