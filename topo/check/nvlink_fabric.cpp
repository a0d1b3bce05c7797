// What GPUs say of the NVLink fabric that they belong to: state, health, cluster and clique.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"

namespace railgauge::topo {
namespace {

using Clique = std::pair<std::string, std::uint64_t>;  // of a cluster: numbers of cliques are the same in every rack

std::string words(const Clique& clique) { return fmt::format("clique {} of cluster {}", clique.second, clique.first); }

class Fabric {
 public:
  Fabric(const Context& context, Findings& findings) : view_(context.view), findings_(findings) {}

  void run() {
    std::map<std::size_t, std::map<Clique, std::vector<std::size_t>>> cliques;  // of each machine
    std::set<std::string> with_cluster;                                         // names of GPUs of which some have a cluster
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (const Node& gpu = view_.node(i); gpu.kind == Kind::gpu && gpu.attributes.contains("fabric_cluster")) {
        with_cluster.insert(gpu.name);
        cliques[view_.machine(i)]
               [{std::string(text_of(gpu.attributes, "fabric_cluster")), number_of(gpu.attributes, "fabric_clique")}]
                   .push_back(i);
      }
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu && view_.node(i).attributes.contains("fabric_state"))
        look_at(i, with_cluster.contains(view_.node(i).name));
    for (const auto& [machine, of] : cliques) compare(of);
  }

 private:
  void tell(std::size_t gpu, Severity severity, std::string found, std::string expected, std::string why, std::string action) {
    Finding finding;
    finding.rule = "nvlink-fabric";
    finding.severity = severity;
    finding.a = view_.node_port(gpu);
    finding.found = std::move(found);
    finding.expected = std::move(expected);
    finding.why = std::move(why);
    finding.action = std::move(action);
    findings_.add(std::move(finding));
  }

  void look_at(std::size_t gpu, bool siblings_have_cluster) {
    const Attributes& attributes = view_.node(gpu).attributes;
    const std::string_view state = text_of(attributes, "fabric_state");
    if (state != "completed") {
      tell(gpu, Severity::fault, fmt::format("joining the NVLink fabric is {}", state), "completed",
           "CUDA does not start on this GPU, or it has no NVLink, until it has joined",
           "Look at the Fabric Manager (systemctl status nvidia-fabricmanager), on racks also at the switch trays' NMX and at "
           "nvidia-imex");
      return;
    }
    // A number of NVML, 0 is success.
    if (const std::uint64_t status = number_of(attributes, "fabric_status"); status != 0)
      tell(gpu, Severity::fault, fmt::format("joining the NVLink fabric ended with NVML error {}", status), "success",
           "a completed registration says that it ended, not that it went well",
           "Look at the log of the Fabric Manager for this GPU, then reset the GPU");
    const std::string_view health = text_of(attributes, "fabric_health");
    const std::string_view summary = text_of(attributes, "fabric_summary");
    if (!health.empty() && health != "healthy")
      tell(gpu, Severity::fault, fmt::format("the NVLink fabric reports: {}", health), "healthy",
           "traffic over NVLink of this GPU is slow, or fails",
           "Look at the log of the Fabric Manager and at `nvidia-smi -q`, section Fabric; then at the cables and switch trays of "
           "this GPU");
    else if (summary == "unhealthy" || summary.starts_with("limited"))
      tell(gpu, summary == "unhealthy" ? Severity::fault : Severity::warning,
           fmt::format("the NVLink fabric reports: {}", summary), "healthy", "traffic over NVLink of this GPU is slow, or fails",
           "Look at `nvidia-smi -q`, section Fabric");
    // GPUs of one board with NVSwitches join a fabric without a cluster; those of a rack always have one.
    if (!attributes.contains("fabric_cluster") && siblings_have_cluster)
      tell(gpu, Severity::fault, "it has joined the NVLink fabric without a cluster", "a cluster UUID, as its siblings have",
           "this GPU reaches no GPU of another machine over NVLink",
           "Restart nvidia-imex and the Fabric Manager, then look at the switch trays' NMX");
  }

  // All GPUs of one machine should be in one clique: that of most.
  void compare(const std::map<Clique, std::vector<std::size_t>>& cliques) {
    if (cliques.size() < 2) return;
    const auto most = std::max_element(cliques.begin(), cliques.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    for (const auto& [clique, gpus] : cliques) {
      if (clique == most->first) continue;
      for (const std::size_t gpu : gpus) {
        Finding finding;
        finding.rule = "nvlink-clique";
        finding.severity = Severity::fault;
        finding.a = view_.node_port(gpu);
        finding.b = view_.node_port(most->second.front());
        finding.found = "in " + words(clique);
        finding.expected = words(most->first) + ", as most GPUs of this machine";
        finding.why = "GPUs of different cliques do not reach each other over NVLink, and jobs fall back to the network";
        finding.action =
            "Look whether the rack was partitioned so on purpose; if not, restart the Fabric Manager and nvidia-imex";
        findings_.add(std::move(finding));
      }
    }
  }

  const View& view_;
  Findings& findings_;
};

}  // namespace

void check_nvswitch(const Context& context, Findings& findings) { Fabric(context, findings).run(); }

}  // namespace railgauge::topo
