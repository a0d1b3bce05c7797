// What the hosts of a graph are made of, as a text that is the same for all that are equal, and as 16 digits to know it by again.
// It holds what a host can do and nothing of what it does just now, so that a link that trained down is still the same host, only
// slower. Names, numbers and addresses of a single machine are not in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Hosts that are equal.
struct HostPrint {
  std::string digits;     // digits_of(text)
  std::string text;       // a line for each part, indented by what holds it; equal parts once, with their number
  std::size_t count = 1;  // of such hosts
};

// The hosts of the graph, equal ones together, by their digits. None where the graph has no machine.
[[nodiscard]] std::vector<HostPrint> host_prints(const Graph& graph);

// 16 hexadecimal digits: FNV-1a over the bytes.
[[nodiscard]] std::string digits_of(std::string_view text);

// Of a run on hosts with these digits, one entry a host, in any order; empty where there is none, or one of them is empty.
[[nodiscard]] std::string digits_of_hosts(std::vector<std::string> hosts);
// The same of all hosts of the graph.
[[nodiscard]] std::string fingerprint_of(const Graph& graph);

// For people and for diff: the digits of all hosts together, then the text of each kind of host. Throws Error(usage) where the
// graph has no machine. Ends with a newline.
[[nodiscard]] std::string to_fingerprint(const Graph& graph);

}  // namespace railgauge::topo
