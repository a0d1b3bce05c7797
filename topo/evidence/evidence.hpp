// Raw readings of a machine before interpretation: taken live, from a file, or from a folder that --save made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

struct Reading {
  std::string source;  // a row of sources(): "hwloc"
  std::string origin;  // for messages: "this machine", "node7.xml"
  std::string text;    // unchanged
};
using Evidence = std::vector<Reading>;

// The last line of what railgauge itself collects as lines: a file without it was cut, or an earlier version wrote it.
inline constexpr std::string_view end_of_evidence = "# end";

// A source that has nothing to say on this machine, and why.
struct Silence {
  std::string source, reason;
};

}  // namespace railgauge::topo
