// Looks for GPUs.
#include "bench/nccl_tests/buffers.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "topo/evidence/apart.hpp"

namespace railgauge::nccl_tests {
namespace {

// Why no GPU can be used; empty where one can. The other process says the reason of the plugin for GPUs, or nothing.
std::string why_no_gpu(const std::vector<std::filesystem::path>& plugin_folders) {
  const topo::Heard heard = topo::run_apart(
      [&](topo::Teller& teller) {
        teller.doing("asking the driver for GPUs");
        try {
          for (const KnownDevice& device : known_devices(plugin_folders))
            if (device.name.starts_with("cuda")) return teller.say(device.reason);
        } catch (const std::exception& error) { teller.say(error.what()); }
      },
      {});
  if (!heard.fault.empty()) return heard.fault;
  return heard.lines.empty() ? "there is no plugin for GPUs" : heard.lines.substr(0, heard.lines.find('\n'));
}

}  // namespace

Buffers choose_buffers(const std::string& asked, const std::vector<std::string>& devices,
                       const std::vector<std::filesystem::path>& plugin_folders) {
  if (asked == "host") return {.device = {}, .why_host = "RAILGAUGE_MEMORY=host"};
  if (asked.empty()) {
    const std::string reason = why_no_gpu(plugin_folders);
    if (!reason.empty()) return {.device = {}, .why_host = reason};
    return {.device = choose_device("cuda", devices, plugin_folders), .why_host = {}};
  }
  if (asked != "cuda" && asked != "pinned" && asked != "managed")
    throw Error(Fault::usage, "RAILGAUGE_MEMORY=" + asked + " is in the environment: expected cuda, pinned, managed or host");
  ChosenDevice device = choose_device(asked, devices, plugin_folders);
  if (const std::string reason = why_no_gpu(plugin_folders); !reason.empty())
    throw Error(Fault::usage, "RAILGAUGE_MEMORY=" + asked + " is in the environment, but there is no GPU: " + reason);
  return {.device = device, .why_host = {}};
}

}  // namespace railgauge::nccl_tests
