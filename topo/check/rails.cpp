// Rails: in a fabric where each leaf joins the NICs of one number of all machines, those that are in another leaf.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

struct Plugged {
  std::size_t link, nic, port, leaf;
  std::string label;  // "mlx5_3/1"
};

class Rails {
 public:
  Rails(const Context& context, Findings& findings)
      : view_(context.view), findings_(findings), roles_(nic_roles(context.view, context.options.nics)) {}

  void run() {
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i) collect(i);
    if (!name_by_gpu()) name_by_device();
    std::map<std::size_t, std::map<std::string, std::size_t>> leaves;  // of each leaf: how many of each label
    std::map<std::size_t, std::size_t> sizes;
    for (const Plugged& it : plugged_) {
      ++leaves[it.leaf][it.label];
      ++sizes[it.leaf];
    }
    std::map<std::size_t, std::string> rails;  // of each leaf: the label of nearly all
    std::size_t on_rails = 0;
    for (const auto& [leaf, labels] : leaves) {
      const auto most =
          std::max_element(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (sizes[leaf] < 3 || most->second * 3 < sizes[leaf] * 2) continue;
      rails[leaf] = most->first;
      on_rails += sizes[leaf];
    }
    // Rails are a plan for the whole fabric, of several numbers; one leaf alone that happens to look like one is none.
    std::set<std::string> numbers;
    for (const auto& rail : rails) numbers.insert(rail.second);
    if (numbers.size() < 2 || on_rails * 2 < plugged_.size()) return;
    for (const Plugged& it : plugged_)
      if (const auto rail = rails.find(it.leaf); rail != rails.end() && rail->second != it.label)
        tell(it, rail->second, leaves[it.leaf][rail->second], sizes[it.leaf]);
  }

 private:
  void collect(std::size_t link) {
    const Link& it = view_.link(link);
    if (it.kind != LinkKind::infiniband && it.kind != LinkKind::ethernet) return;
    std::size_t host = view_.a(link);
    std::size_t leaf = view_.b(link);
    if (host == View::none || leaf == View::none) return;
    if (view_.node(host).kind == Kind::fabric_switch) std::swap(host, leaf);
    const std::size_t nic = view_.above(host, Kind::nic);
    if (nic == View::none || view_.node(leaf).kind != Kind::fabric_switch || roles_[nic] != NicRole::compute) return;
    plugged_.push_back({link, nic, host, leaf, {}});
  }

  // "GPU 3": of each NIC the GPU that is nearest to it. Only where every NIC of the fabric has one of its own.
  bool name_by_gpu() {
    std::map<std::size_t, std::vector<std::size_t>> gpus;  // of each machine
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu) gpus[view_.machine(i)].push_back(i);
    if (gpus.empty()) return false;
    std::map<std::size_t, std::size_t> nearest;           // of each NIC
    std::set<std::pair<std::size_t, std::size_t>> taken;  // GPU, number of the NIC's port
    for (const Plugged& it : plugged_) {
      const auto machine = gpus.find(view_.machine(it.nic));
      if (machine == gpus.end()) return false;
      const auto best = std::min_element(machine->second.begin(), machine->second.end(), [&](std::size_t a, std::size_t b) {
        return nearness(view_, it.nic, a) < nearness(view_, it.nic, b);
      });
      if (nearness(view_, it.nic, *best).rank > 1 || !taken.insert({*best, view_.link(it.link).a_port}).second) return false;
      nearest[it.nic] = *best;
    }
    for (Plugged& it : plugged_) it.label = fmt::format("GPU {}", view_.gpu_number(nearest[it.nic]));
    return true;
  }

  void name_by_device() {
    for (Plugged& it : plugged_) it.label = it.port == it.nic ? view_.label(it.nic) : view_.node(it.port).name;
  }

  void tell(const Plugged& it, const std::string& rail, std::size_t same, std::size_t all) {
    const Link& link = view_.link(it.link);
    Finding finding;
    finding.rule = "rail";
    finding.severity = Severity::warning;
    finding.a = view_.node_port(it.port, 0);
    finding.b = view_.node_port(it.leaf, view_.a(it.link) == it.leaf ? link.a_port : link.b_port);
    finding.found = fmt::format("{} is plugged into the rail of {}", it.label, rail);
    finding.expected = fmt::format("the leaf of {}: {} of {} ports here belong to {}", it.label, same, all, rail);
    finding.why = "traffic between GPUs of one number crosses the spines instead of one leaf, and NCCL's rings share a cable";
    finding.action = "Exchange this cable with the one that belongs here; `railgauge topo check --design` names both";
    findings_.add(std::move(finding));
  }

  const View& view_;
  Findings& findings_;
  std::vector<NicRole> roles_;
  std::vector<Plugged> plugged_;
};

}  // namespace

void check_rails(const Context& context, Findings& findings) { Rails(context, findings).run(); }

}  // namespace railgauge::topo
