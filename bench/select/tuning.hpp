// The file in which `railgauge bench tune` keeps its results for `--algorithm auto`: an ordinary results file.
#pragma once

#include <string>
#include <string_view>

#include "bench/device/registry.hpp"
#include "bench/launch/detect.hpp"
#include "bench/select/choose.hpp"
#include "transports/group.hpp"

namespace railgauge {

// The file of this user: railgauge/tuning.jsonl in XDG_CACHE_HOME, or else in ~/.cache. Empty where there is neither.
[[nodiscard]] std::string default_tuning_path(const Environment& environment);

// The text of the file; empty where it is missing and not `asked` for. Throws Error(usage) that names the file.
[[nodiscard]] std::string read_tuning(const std::string& path, bool asked);

// The processor of rank 0's host, and the model of its GPU: empty where the host is the device.
struct Machine {
  std::string cpu, gpu;
};
// This host, and the device of its first rank. Calls the driver in a child process, since this process must be able to fork
// later. `gpu` stays empty when the driver fails: the ranks report the error.
[[nodiscard]] Machine this_machine(const ChosenDevice& device);

// The basis of "auto": measurements, and the machine that they must be from.
struct Figures {
  Chooser chooser;
  Machine machine;
};
// The figures in the text of a tuning file (read_tuning), for one host.
[[nodiscard]] Figures figures_of(std::string_view text, const std::string& path, Machine machine);
// Collective: rank 0's file and machine decide for all, since each host may have others.
[[nodiscard]] Figures share_figures(Group& group, const std::string& text, const std::string& path, const Machine& machine);

// The path of the file, in the folder of `path`, that takes the results first.
[[nodiscard]] std::string aside_of(const std::string& path);
// Makes the folder where it is missing, and removes the leftovers of an earlier run. Throws Error(usage), also where `path` is
// no results file.
void prepare_tuning(const std::string& path);
// Appends the results in `path` of other settings (collective, algorithm, transport, memory, ranks and the like) to the new
// file, and moves the new file to `path`. Throws Error(usage).
void publish_tuning(const std::string& path);

}  // namespace railgauge
