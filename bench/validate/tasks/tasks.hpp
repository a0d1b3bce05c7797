// The work of a validation's workers: a row for each task that an order may name.
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

// Returns the work for the tasks of bench/validate/orders/orders.hpp; it throws Error(usage) for any other. It refers to
// `options`, which must outlive it.
[[nodiscard]] agents::Work make_work(const TaskOptions& options);

}  // namespace railgauge::validate
