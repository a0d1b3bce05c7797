// Where `railgauge bench tune` keeps what it measured, for `--algorithm auto`: an ordinary results file.
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

// The whole file; empty where there is none and it was not `asked` for. Throws Error(usage) that names the file.
[[nodiscard]] std::string read_tuning(const std::string& path, bool asked);

// The processor of rank 0's host, and the model of its GPU: empty where the host is the device.
struct Machine {
  std::string cpu, gpu;
};
// This host, and the device that its first rank takes. Asks the driver in a process of its own, since this one could not be
// forked after that. What the driver does not tell stays empty: the ranks will say what is wrong with it.
[[nodiscard]] Machine this_machine(const ChosenDevice& device);

// What "auto" goes by: measurements, and the machine that they must be of.
struct Figures {
  Chooser chooser;
  Machine machine;
};
// Those of the file for one host (`text`: read_tuning).
[[nodiscard]] Figures figures_of(std::string_view text, const std::string& path, Machine machine);
// Collective: rank 0's file and machine decide for all, since each host may have others.
[[nodiscard]] Figures share_figures(Group& group, const std::string& text, const std::string& path, const Machine& machine);

// What is measured goes to a file beside `path` first.
[[nodiscard]] std::string aside_of(const std::string& path);
// Makes the folder where it is missing, and removes what an earlier run left there. Throws Error(usage), also where `path` holds
// something else than results.
void prepare_tuning(const std::string& path);
// Adds to the file beside it what `path` holds of other settings (collective, algorithm, transport, memory, ranks and the like),
// and moves it to `path`. Throws Error(usage).
void publish_tuning(const std::string& path);

}  // namespace railgauge
