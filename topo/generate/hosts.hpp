// Machines as hosts of generated fabrics: what each model is made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/generate/assembly.hpp"
#include "topo/generate/generate.hpp"

namespace railgauge::topo {

struct HostModel {
  std::string_view name;          // of the parameter: "dgx-h100"
  std::string_view machine;       // for people
  std::string_view architecture;  // "x86_64"
  std::string_view processor;
  double cpu_link = 0;  // GB/s from package to package
  double memory = 0;    // GB/s of one package
  std::string_view gpu, capability;
  unsigned gpus = 0;
  unsigned nvlink = 0;             // generation, by NVML's number
  std::string_view nvlinks;        // of each GPU to each NVSwitch: a digit for each
  unsigned trays = 1;              // machines that share the NVSwitches
  double xgmi = 0;                 // GB/s of a link from each GPU to each other
  double xgmi_usable = 0;          // of that, as RCCL reckons (src/graph/topo.h)
  double c2c = 0;                  // GB/s of a link from package to GPU
  unsigned c2c_links = 0;          // of each GPU
  unsigned pcie = 0;               // generation of all slots, each of 16 lanes
  unsigned pairs = 0;              // of GPU and NIC below each PCIe switch; 0: each is on a root of its own
  std::string_view nic, nic_rate;  // "4xNDR"
  unsigned nics = 0;
};

// Throws Error(usage) that lists the models. "plain" has no GPU; its NICs are as many as the parameter says.
[[nodiscard]] const HostModel& host_model(std::string_view name);
[[nodiscard]] std::string names_of_models();

// The NICs of a host and their rate, by the parameters "host", "nics" and "rate". Throws Error(usage).
struct HostPlan {
  const HostModel* model = nullptr;
  unsigned nics = 0;
  Rate rate;
};
[[nodiscard]] HostPlan plan_host(const GenerateValues&);

// Of each host the keys of its ports, in the order of its NICs.
using HostPorts = std::vector<std::vector<std::string>>;

// `count` machines "node001" and on, in racks where trays share NVSwitches. A machine alone has keys without its name. Throws
// Error(usage) when they do not fill racks, or are too many for one graph.
[[nodiscard]] HostPorts add_hosts(Assembly&, const HostPlan&, unsigned count);
void check_hosts(const HostPlan&, std::uint64_t count);  // throws what add_hosts() would

}  // namespace railgauge::topo
