// What a number of ranks has to work with: the links inside their machines or NVLink domains, and the NICs between.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"
#include "topo/expect/network.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

bool joins_gpus(LinkKind kind) { return kind == LinkKind::nvlink || kind == LinkKind::xgmi; }
double payload(const Link& link) { return link.bandwidth.nominal > 0 ? link.bandwidth.nominal : link.bandwidth.line; }

// GPUs whose NVSwitches add and multiply.
constexpr auto multicasting =
    std::to_array<std::string_view>({"H100", "H200", "H800", "H20", "GH200", "B100", "B200", "B300", "GB200", "GB300", "VR200"});

class Groups {
 public:
  explicit Groups(const View& view) : tops_(view.graph().nodes.size()) { std::iota(tops_.begin(), tops_.end(), std::size_t{0}); }
  std::size_t top(std::size_t node) {
    while (tops_[node] != node) node = tops_[node] = tops_[tops_[node]];
    return node;
  }
  void join(std::size_t a, std::size_t b) { tops_[std::max(top(a), top(b))] = std::min(top(a), top(b)); }

 private:
  std::vector<std::size_t> tops_;
};

class Builder {
 public:
  Builder(const Graph& graph, unsigned ranks) : view_(graph), groups_(view_), wanted_(ranks) {}

  Team build() {
    choose();
    group();
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
      const LinkState state = view_.link(i).state;
      if (!joins_gpus(view_.link(i).kind) || a == View::none || b == View::none || state == LinkState::down) continue;
      const auto counts = [&](std::size_t node) { return chosen[node] || view_.node(node).kind == Kind::nvswitch; };
      if (counts(a) && counts(b)) groups_.join(a, b);
    }
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

  void inside() {
    std::vector<bool> chosen(view_.graph().nodes.size());
    for (const std::size_t gpu : gpus_) chosen[gpu] = true;
    double least = std::numeric_limits<double>::max();
    unsigned links = 0;
    bool switched = joined_;
    const std::string link_word = "NVLink";
    std::string word = link_word;
    for (const std::size_t gpu : gpus_) {
      double sum = 0;
      unsigned count = 0;
      bool of_switch = false;
      for (const std::size_t link : view_.links(gpu)) {
        const Link& it = view_.link(link);
        const std::size_t other = view_.other_end(link, gpu);
        if (!joins_gpus(it.kind) || it.state == LinkState::down || other == View::none) continue;
        const bool to_switch = view_.node(other).kind == Kind::nvswitch;
        if (!to_switch && !chosen[other]) continue;
        of_switch = of_switch || to_switch;
        if (it.kind == LinkKind::xgmi) word = "xGMI link";
        sum += payload(it);
        count += it.count;
      }
      switched = switched && of_switch;
      if (sum < least) {
        least = sum;
        links = count;
      }
    }
    if (joined_ && least > 0) {
      team_.inside = least;
      team_.inside_words = fmt::format("V = {:.4g} GB/s: {} {}{} of each GPU", least, links, word, links == 1 ? "" : "s");
    } else {
      team_.inside = pcie();
      if (team_.inside > 0)
        team_.inside_words = fmt::format("V = {:.4g} GB/s: the narrowest PCIe link above a GPU", team_.inside);
      switched = false;
    }
    if (team_.inside == 0) team_.inside_words = "V is unknown: no link of these GPUs tells its bandwidth";
    team_.multicast = switched && std::all_of(gpus_.begin(), gpus_.end(), [&](std::size_t gpu) { return multicasts(gpu); });
  }

  [[nodiscard]] bool multicasts(std::size_t gpu) const {
    const Node& node = view_.node(gpu);
    if (const std::string_view capability = text_of(node.attributes, "compute_capability"); !capability.empty())
      return capability.size() > 3 || capability[0] >= '9';
    return std::any_of(multicasting.begin(), multicasting.end(),
                       [&](std::string_view name) { return node.name.find(name) != std::string::npos; });
  }

  [[nodiscard]] double pcie() const {
    double least = 0;
    for (const std::size_t gpu : gpus_) {
      const std::size_t link = view_.pcie_above(gpu);
      if (link == View::none || payload(view_.link(link)) == 0) return 0;
      if (least == 0 || payload(view_.link(link)) < least) least = payload(view_.link(link));
    }
    return least;
  }

  void network() {
    if (team_.domains < 2) return;
    const std::vector<NicRole> roles = nic_roles(view_, "");
    std::map<std::size_t, double> machines;  // GB/s of the NICs of each
    std::map<std::size_t, unsigned> gpus;
    for (const std::size_t gpu : gpus_) {
      ++gpus[view_.machine(gpu)];
      machines[view_.machine(gpu)] = 0;
    }
    unsigned nics = 0;
    double fastest = 0;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const auto machine = machines.find(view_.machine(i));
      if (roles[i] != NicRole::compute || machine == machines.end()) continue;
      const double here = nic_bandwidth(view_, i);
      machine->second += here;
      fastest = std::max(fastest, here);
      ++nics;
    }
    double least = std::numeric_limits<double>::max();
    for (const auto& [machine, sum] : machines) least = std::min(least, sum / gpus[machine]);
    team_.network = least;
    team_.network_words =
        least > 0 ? fmt::format("r = {:.4g} GB/s: {:.3g} NICs of {:.4g} GB/s for each {} GPUs", least,
                                static_cast<double>(nics) / static_cast<double>(machines.size()), fastest, gpus.begin()->second)
                  : "r is unknown: no compute NIC tells its bandwidth";
    team_.aggregation = std::any_of(view_.graph().nodes.begin(), view_.graph().nodes.end(), [](const Node& node) {
      return node.kind == Kind::accelerator && text_of(node.attributes, "role") == "aggregation";
    });
  }

  View view_;
  Groups groups_;
  unsigned wanted_;
  unsigned copies_ = 1;
  bool joined_ = true;
  std::vector<std::size_t> gpus_;
  Team team_;
};

}  // namespace

Team team_of(const Graph& graph, unsigned ranks) {
  if (ranks == 0) throw Error(Fault::usage, "there are no ranks to expect anything of");
  return Builder(graph, ranks).build();
}

unsigned gpus_of(const Graph& graph) {
  return static_cast<unsigned>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.kind == Kind::gpu; }));
}

}  // namespace railgauge::topo
