// Fingerprints of hosts: a text of their hardware that is the same for equal hosts, and 16 digits to identify it. It describes
// what a host can do and not its present state, so a link that trained down does not change it. It holds no names, serial numbers
// or addresses of a single machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Hosts that are equal.
struct HostPrint {
  std::string digits;     // digits_of(text)
  std::string text;       // a line for each node, indented below its parent; equal nodes once, with their count
  std::size_t count = 1;  // hosts with this text
};

// The kinds of hosts in the graph, sorted by their digits. None when the graph has no machine.
[[nodiscard]] std::vector<HostPrint> host_prints(const Graph& graph);

// 16 hexadecimal digits: FNV-1a over the bytes.
[[nodiscard]] std::string digits_of(std::string_view text);

// The digits of a set of hosts, from the digits of each, in any order; empty when there are no hosts or one has no digits.
[[nodiscard]] std::string digits_of_hosts(std::vector<std::string> hosts);
// The digits of all hosts of the graph together.
[[nodiscard]] std::string fingerprint_of(const Graph& graph);

// For people and for diff: the digits of all hosts together, then the text of each kind of host. Throws Error(usage) when the
// graph has no machine. Ends with a newline.
[[nodiscard]] std::string to_fingerprint(const Graph& graph);

}  // namespace railgauge::topo
