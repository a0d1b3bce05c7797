// Joins the ranks that a launcher started: the functions that a command calls.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/launch/control_tree.hpp"
#include "bench/launch/detect.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge {

// The placement of this process by its launcher, and the address of rank 0.
struct Bootstrap {
  bool launched = false;  // false where no launcher started this process, or it started this one alone
  Placement placement;
  std::string address;              // of rank 0, whose own RootListener is beside it
  std::optional<RootListener> own;  // of this process where it was placed as the first
  // The same of LauncherSession; empty but on rank 0, and where nothing that started the ranks can end them.
  LauncherSession::EndAll end_all;
};

// Detects from `environment` whether a launcher started this process, and queries the launcher once, through its plugin in
// `plugin_folders`. Throws Error(usage), with advice, when several processes were started that would each run alone. Leaves no
// thread, so that this process can fork.
[[nodiscard]] Bootstrap make_bootstrap(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                                       Seconds deadline, const Network& network = {});

struct Launched {
  Placement placement;
  std::unique_ptr<ControlTree> tree;  // null when no launcher started this process, or it started this one alone
};

// Makes the bootstrap and joins the other ranks. `arguments` must be the same text on all ranks.
[[nodiscard]] Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                                     const std::string& arguments, const Deadlines& deadlines);

}  // namespace railgauge
