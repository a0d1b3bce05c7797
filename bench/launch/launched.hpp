// Joins the ranks that a launcher started: the one function that a command calls.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/launch/control_tree.hpp"
#include "bench/launch/detect.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge {

struct Launched {
  Placement placement;
  std::unique_ptr<ControlTree> tree;  // null when no launcher started this process, or it started this one alone
};

// Finds out from `environment` whether a launcher started this process, asks it through its plugin in `plugin_folders` who this
// rank is, and meets the others. `arguments` must be the same text on all ranks. Throws Error(usage), with what to do, when
// several processes were started that would each run alone.
[[nodiscard]] Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                                     const std::string& arguments, const Deadlines& deadlines);

}  // namespace railgauge
