// What the hands of a validation can do: a row for each task of an order.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/agents/hand.hpp"
#include "bench/session.hpp"

namespace railgauge::validate {

struct TaskOptions {
  std::vector<std::filesystem::path> plugin_folders;
  std::string transport;  // between hosts; an order may name another
  std::map<std::string, Settings> settings;
  SessionOptions session;
  std::vector<std::pair<std::string, std::string>> environment;  // as topo::preflight::ReadOptions has it
};

// "measure": {"parts": [{"what": "stream", "bytes": "256K", "window": 16, "back": true}, ...], "seconds": 0.25, "watchdog": 3,
// "transport": "ucx", "expect": false, "least": {"all_reduce": 350}}: measures one part after the other among the members; the
// first of them answers with {"results": [...]}, each {"what", "back", "bytes", "status", "reason", "seconds", "busbw", "p95",
// "least", "most", "samples", "stretches"}; stretches are mean seconds of parts of the measured time, in order. With "expect"
// also "ceiling" and "basis", where the hosts' topology tells.
//
// "facts": {"extent": "all" or "counters"}: answers with {"facts": TEXT}, which topo::preflight::from_json() reads.
//
// "node": {"seconds": 0.25, "rank_of_host": 0}: what one rank can do without others: {"figures": [{"what", "unit", "value",
// "part"}, ...]}.
[[nodiscard]] agents::Work make_work(const TaskOptions& options);

}  // namespace railgauge::validate
