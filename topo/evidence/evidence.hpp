// Raw readings of a machine before interpretation: taken live, from a file, or from a folder that --save made.
#pragma once

#include <string>
#include <vector>

namespace railgauge::topo {

struct Reading {
  std::string source;  // a row of sources(): "hwloc"
  std::string origin;  // for messages: "this machine", "node7.xml"
  std::string text;    // unchanged
};
using Evidence = std::vector<Reading>;

// A source that has nothing on this machine, and the reason.
struct Silence {
  std::string source, reason;
};

}  // namespace railgauge::topo
