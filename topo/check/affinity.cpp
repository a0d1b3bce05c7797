// GPUs whose path to the network crosses from one NUMA node to another.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/nearness.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

struct Machine {
  std::vector<std::size_t> gpus, nics;
};

void look_at(const View& view, const Machine& machine, Findings& findings) {
  std::set<std::size_t> numa_nodes;
  for (const std::size_t gpu : machine.gpus) numa_nodes.insert(view.above(gpu, Kind::numa));
  for (const std::size_t gpu : machine.gpus) {
    const auto nearest = std::min_element(machine.nics.begin(), machine.nics.end(), [&](std::size_t a, std::size_t b) {
      return nearness(view, gpu, a) < nearness(view, gpu, b);
    });
    const std::size_t mine = view.above(gpu, Kind::numa);
    const std::size_t its = view.above(*nearest, Kind::numa);
    if (mine == its || mine == View::none || its == View::none) continue;
    // With fewer NICs than NUMA nodes some GPU has to cross; within one package crossing costs little.
    const bool must = machine.nics.size() < numa_nodes.size();
    const bool package = nearness(view, gpu, *nearest).rank == 3;
    Finding finding;
    finding.rule = "nic-numa";
    finding.severity = must || package ? Severity::note : Severity::warning;
    finding.a = view.node_port(gpu);
    finding.b = view.node_port(*nearest);
    finding.found = fmt::format("the nearest compute NIC is on {}, and the GPU on {}", view.node(its).name, view.node(mine).name);
    finding.expected = "both on one NUMA node, below one PCIe switch at best";
    finding.why =
        package ? "messages cross between NUMA nodes of one package, which costs little"
                : "messages cross the link between processors, which other traffic shares, and GPU-direct is slow over it or off";
    finding.action =
        must ? fmt::format("Nothing to change with {} compute NIC{}: give jobs that use the network the other GPUs first",
                           machine.nics.size(), machine.nics.size() == 1 ? "" : "s")
             : "Move a NIC to a slot of that NUMA node; if the wrong NICs were taken for compute NICs, name them with --nics";
    findings.add(std::move(finding));
  }
}

}  // namespace

void check_affinity(const Context& context, Findings& findings) {
  const View& view = context.view;
  const std::vector<NicRole> roles = nic_roles(view, context.options.nics);
  std::map<std::size_t, Machine> machines;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (view.node(i).kind == Kind::gpu) machines[view.machine(i)].gpus.push_back(i);
    if (roles[i] == NicRole::compute) machines[view.machine(i)].nics.push_back(i);
  }
  for (const auto& [machine, it] : machines)
    if (!it.gpus.empty() && !it.nics.empty()) look_at(view, it, findings);
}

}  // namespace railgauge::topo
