// What a number of ranks has to work with: the links inside their machines or NVLink domains, and the NICs between.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"
#include "topo/expect/inside.hpp"
#include "topo/gpu_models.hpp"
#include "topo/groups.hpp"
#include "topo/nic_bandwidth.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

class Builder {
 public:
  Builder(const Graph& graph, const TeamOptions& options)
      : view_(graph), groups_(graph.nodes.size()), options_(options), wanted_(options.ranks) {}

  Team build() {
    choose();
    group();
    domains();
    inside();
    network();
    return std::move(team_);
  }

 private:
  // The first GPUs, machine by machine; of machines alike, as many as a single one has.
  void choose() {
    std::map<std::size_t, std::vector<std::size_t>> machines;
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu) machines[view_.machine(i)].push_back(i);
    if (machines.empty()) throw Error(Fault::usage, "there is no GPU in this graph, and ranks of collectives run on GPUs");
    for (const auto& [machine, gpus] : machines)
      for (const std::size_t gpu : gpus)
        if (gpus_.size() < wanted_) gpus_.push_back(gpu);
    if (gpus_.size() < wanted_ && machines.size() == 1) copies_ = wanted_ / static_cast<unsigned>(gpus_.size());
    if (gpus_.size() * copies_ != wanted_)
      throw Error(Fault::usage, machines.size() == 1
                                    ? fmt::format("{} ranks do not fill machines of {} GPUs", wanted_, gpus_.size())
                                    : fmt::format("{} ranks are asked for, and the graph has {} GPUs", wanted_, gpus_.size()));
    team_.ranks = wanted_;
  }

  // Domains: GPUs that NVLink joins, whatever their machines; else those of one machine.
  void group() {
    std::vector<bool> chosen(view_.graph().nodes.size());
    for (const std::size_t gpu : gpus_) chosen[gpu] = true;
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i) {
      const std::size_t a = view_.a(i);
      const std::size_t b = view_.b(i);
      if (!joins_gpus(view_.link(i).kind) || a == View::none || b == View::none || is_off(view_.link(i))) continue;
      const auto counts = [&](std::size_t node) { return chosen[node] || view_.node(node).kind == Kind::nvswitch; };
      if (counts(a) && counts(b)) groups_.join(a, b);
    }
    std::map<std::size_t, std::size_t> switches;  // of each machine the first: its others are joined with it, unseen or not
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::nvswitch && view_.machine(i) != View::none)
        groups_.join(i, switches.try_emplace(view_.machine(i), i).first->second);
    std::map<std::size_t, std::size_t> first;  // of each machine the first GPU: the top of its group
    for (const std::size_t gpu : gpus_) {
      const auto [at, fresh] = first.try_emplace(view_.machine(gpu), groups_.top(gpu));
      if (!fresh && groups_.top(at->second) != groups_.top(gpu)) joined_ = false;
    }
    if (!joined_)  // NVLink joins parts of a machine only, so that rings cross PCIe
      for (const std::size_t gpu : gpus_) groups_.join(gpu, first[view_.machine(gpu)]);
    std::map<std::size_t, unsigned> sizes;
    for (const std::size_t gpu : gpus_) ++sizes[groups_.top(gpu)];
    for (const auto& [top, size] : sizes)
      if (size != sizes.begin()->second)
        throw Error(Fault::usage,
                    fmt::format("{} ranks do not fill the machines or NVLink domains equally: one has {}, another {}", wanted_,
                                sizes.begin()->second, size));
    team_.domains = static_cast<unsigned>(sizes.size()) * copies_;
  }

  // How many domains machines of a rack form. One tray shows neither the others of its NVLink domain nor how many there are.
  void domains() {
    const auto tray = std::find_if(gpus_.begin(), gpus_.end(), [&](std::size_t gpu) { return may_leave_machine(gpu); });
    const bool rack = tray != gpus_.end();
    if (options_.domains != 0) {
      if (!rack) throw Error(Fault::usage, "--domains is for GPUs whose NVLink leads out of their machine, and these stay in it");
      if (options_.domains > team_.domains || team_.domains % options_.domains != 0)
        throw Error(Fault::usage, fmt::format("--domains {}: {} machines do not form so many equal NVLink domains",
                                              options_.domains, team_.domains));
      team_.domains = options_.domains;
    } else if (rack && (copies_ > 1 || (team_.domains > 1 && text_of(view_.node(*tray).attributes, "fabric_cluster").empty()))) {
      throw Error(
          Fault::usage,
          fmt::format("how many NVLink domains {} ranks are in is unknown: the NVLinks of {} lead out of its machine, and one "
                      "machine does not show which others are in its domain; give what `railgauge topo --save` wrote on "
                      "each of them, or say --domains 1 where all are in one",
                      wanted_, view_.spoken(*tray)));
    }
  }

  // GPUs of racks, whose NVSwitches join several machines. NVML tells it; without it the model does.
  [[nodiscard]] bool may_leave_machine(std::size_t gpu) const {
    const Node& node = view_.node(gpu);
    if (!text_of(node.attributes, "fabric_cluster").empty()) return true;
    if (told_by(node.provenance, "nvml")) return false;
    const auto links = view_.links(gpu);
    const bool switched = std::any_of(links.begin(), links.end(), [&](std::size_t link) {
      const std::size_t other = view_.other_end(link, gpu);
      // Switches that belong to a rack in the graph are those of a whole domain.
      return other != View::none && view_.node(other).kind == Kind::nvswitch && view_.machine(other) != View::none;
    });
    const std::size_t machine = view_.machine(gpu);
    const bool arm = machine != View::none && text_of(view_.node(machine).attributes, "architecture") == "aarch64";
    const GpuModel model = gpu_model(node);
    return switched && (model.rack || (arm && model.rack_on_arm));
  }

  void inside() {
    const GpuModel first = gpu_model(view_.node(gpus_.front()));
    const auto all = [&](const auto& is) { return std::all_of(gpus_.begin(), gpus_.end(), is); };
    if (all([&](std::size_t gpu) { return gpu_model(view_.node(gpu)).generation == first.generation; }))
      team_.generation = first.generation;
    if (team_.domains == team_.ranks && team_.domains > 1) {
      team_.inside_bounds = false;
      team_.inside_words = "V bounds nothing: there is one GPU in each domain";
      return;
    }
    Inside found = inside_of(view_, gpus_, joined_);
    team_.inside = found.bandwidth;
    team_.inside_words = std::move(found.words);
    team_.multicast_unknown = team_.inside == 0 && all([&](std::size_t gpu) {
                                const GpuModel model = gpu_model(view_.node(gpu));
                                return model.multicast || model.links == GpuLinks::unknown;
                              });
    team_.multicast = found.switched && all([&](std::size_t gpu) { return gpu_model(view_.node(gpu)).multicast; });
  }

  void network() {
    if (team_.domains < 2) return;
    const std::vector<NicRole> roles = nic_roles(view_, options_.nics);
    struct Machine {
      unsigned gpus = 0;
      std::vector<std::size_t> nics;
    };
    std::map<std::size_t, Machine> machines;
    for (const std::size_t gpu : gpus_) ++machines[view_.machine(gpu)].gpus;
    for (std::size_t i = 0; i < roles.size(); ++i)
      if (const auto machine = machines.find(view_.machine(i)); roles[i] == NicRole::compute && machine != machines.end())
        machine->second.nics.push_back(i);
    double least = std::numeric_limits<double>::max();
    for (const auto& [machine, its] : machines) {
      const auto& [gpus, nics] = its;
      if (nics.empty() && !options_.nics.empty())
        throw Error(Fault::usage, fmt::format("--nics {}: no NIC of {} has such a name", options_.nics, view_.spoken(machine)));
      const NicsTogether all = nics_together(view_, nics);
      const double here = all.unknown.empty() ? all.bandwidth / gpus : 0;
      if (here >= least) continue;
      least = here;
      team_.network_words = here > 0 ? fmt::format("r = {:.4g} GB/s: {} NIC{} of {:.4g} GB/s for each {} GPUs", here, all.told,
                                                   all.told == 1 ? "" : "s", all.fastest, gpus)
                                     : why_unknown(nics, all);
    }
    team_.network = least;
    team_.aggregation = std::any_of(view_.graph().nodes.begin(), view_.graph().nodes.end(), [](const Node& node) {
      return node.kind == Kind::accelerator && text_of(node.attributes, "role") == "aggregation";
    });
  }

  [[nodiscard]] std::string why_unknown(const std::vector<std::size_t>& nics, const NicsTogether& all) const {
    if (nics.empty()) return "r is unknown: the source shows no NIC beside these GPUs";
    if (all.unknown.empty()) return "r is unknown: all ports of the compute NICs are down";
    std::vector<std::string> names;
    for (const std::size_t nic : all.unknown) names.push_back(view_.label(nic));
    constexpr std::size_t most = 3;
    const std::size_t shown = std::min(names.size(), most);
    const bool none = all.unknown.size() == nics.size();
    return fmt::format(
        "r is unknown: {} compute NIC{} ({}{}) tell{} no rate; `railgauge topo --save` on the machine, or the fabric, "
        "would show it",
        none ? "the" : fmt::format("{} of {}", names.size(), nics.size()), none && nics.size() == 1 ? "" : "s",
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "), names.size() > shown ? ", ..." : "",
        none && nics.size() == 1 ? "s" : "");
  }

  View view_;
  Groups groups_;
  const TeamOptions& options_;
  unsigned wanted_;
  unsigned copies_ = 1;
  bool joined_ = true;
  std::vector<std::size_t> gpus_;
  Team team_;
};

}  // namespace

Team team_of(const Graph& graph, const TeamOptions& options) {
  if (options.ranks == 0) throw Error(Fault::usage, "there are no ranks to expect anything of");
  return Builder(graph, options).build();
}

unsigned gpus_of(const Graph& graph) {
  return static_cast<unsigned>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.kind == Kind::gpu; }));
}

}  // namespace railgauge::topo
