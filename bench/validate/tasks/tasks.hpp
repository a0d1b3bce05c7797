// What the workers of a validation can do: a row for each task of an order.
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

// The tasks of bench/validate/orders/orders.hpp. Throws Error(usage) for any other.
[[nodiscard]] agents::Work make_work(const TaskOptions& options);

}  // namespace railgauge::validate
