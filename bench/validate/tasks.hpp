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
};

// "measure": {"parts": [{"what": "ping_pong", "bytes": "8"}, ...], "seconds": 0.25, "watchdog": 3, "transport": "ucx"}: measures
// one part after the other among the members; the first of them answers with {"results": [...]}, each {"what", "from", "to",
// "bytes", "status", "reason", "seconds", "busbw", "p95", "least", "most", "samples", "stretches"}; stretches are mean seconds of parts of
// the measured time, in order.
[[nodiscard]] agents::Work make_work(const TaskOptions& options);

}  // namespace railgauge::validate
