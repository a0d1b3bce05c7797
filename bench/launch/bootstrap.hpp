// Joins the ranks that a launcher started: the one function that a command calls.
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

// Where a launcher placed this process, and where rank 0 of all waits.
struct Bootstrap {
  bool launched = false;  // false where no launcher started this process, or it started this one alone
  Placement placement;
  std::string address;              // of rank 0, whose own RootListener is beside it
  std::optional<RootListener> own;  // of this process where it was placed as the first
  // The same of LauncherSession; empty but on rank 0, and where nothing that started the ranks can end them.
  LauncherSession::EndAll end_all;
};

// Finds out from `environment` whether a launcher started this process, and asks it through its plugin in `plugin_folders`; the
// launcher is not spoken to again. Throws Error(usage), with what to do, when several processes were started that would each run
// alone. Leaves no thread behind, so that a fork is possible.
[[nodiscard]] Bootstrap make_bootstrap(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                                       Seconds deadline, const Network& network = {});

struct Launched {
  Placement placement;
  std::unique_ptr<ControlTree> tree;  // null when no launcher started this process, or it started this one alone
};

// Makes the bootstrap and meets the others. `arguments` must be the same text on all ranks.
[[nodiscard]] Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                                     const std::string& arguments, const Deadlines& deadlines);

}  // namespace railgauge
