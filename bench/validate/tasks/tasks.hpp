// What the hands of a validation can do: a row for each task of an order.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/agents/worker.hpp"
#include "bench/session/session.hpp"

namespace railgauge::validate {

struct TaskOptions {
  std::vector<std::filesystem::path> plugin_folders;
  std::string transport;  // between hosts; an order may name another
  std::map<std::string, Settings> settings;
  SessionOptions session;
  std::vector<std::pair<std::string, std::string>> environment;  // as topo::preflight::ReadOptions has it
};

// "measure": {"parts": [{"what": "stream", "bytes": "256K", "window": 16, "back": true}, ...], "seconds": 0.25, "watchdog": 3,
// "transport": "ucx", "expect": false}: measures one part after the other among the members; the
// first of them answers with {"results": [...]}, each {"what", "back", "bytes", "status", "reason", "seconds", "busbw", "p95",
// "least", "most", "samples", "stretches"}; stretches are mean seconds of parts of the measured time, in order. With "expect"
// also "ceiling" and "basis", where the hosts' topology tells.
//
// "facts": {"extent": "all" or "counters"}: answers with {"facts": TEXT}, which topo::preflight::from_json() reads.
//
// "thresholds": {"least": {"all_reduce": 350}}: refuses what the members' hardware cannot reach.
//
// "node": {"seconds": 0.25, "rank_of_host": 0}: what one rank can do without others: {"figures": [{"what", "of", "unit", "value",
// "part"}, ...], "unread": [{"what", "reason"}, ...]}. The same of "copies": {"seconds": 0.1}, between all memories of the host
// that a GPU has part in, and "loopback": {"ports": ["mlx5_0:1"], "bytes": "256K", "seconds": 0.25, "watchdog": 3}, of its NICs.
[[nodiscard]] agents::Work make_work(const TaskOptions& options);

}  // namespace railgauge::validate
