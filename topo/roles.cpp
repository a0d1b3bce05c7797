// First what names tell, then InfiniBand before Ethernet, fast before slow, and near GPUs before far from them.
#include "topo/roles.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "topo/nic_bandwidth.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

struct Word {
  std::string_view part;  // of the names, in lower case and with a blank before each
  NicRole role;
};
constexpr auto words = std::to_array<Word>({{"stor", NicRole::storage},
                                            {"nvme", NicRole::storage},
                                            {"bluefield", NicRole::storage},
                                            {"mgmt", NicRole::management},
                                            {"manage", NicRole::management},
                                            {"oob", NicRole::management},
                                            {"bmc", NicRole::management},
                                            {"usb", NicRole::management},
                                            {" eno", NicRole::management}});

struct Nic {
  std::size_t node = 0;
  bool infiniband = false;
  std::optional<double> speed;      // GB/s of its ports and its slot together; 0 where they are down
  std::string model;                // PCI numbers, or what the verbs device says; empty where it is unknown
  bool near = false;                // shares a PCIe switch with a GPU
  NicRole told = NicRole::compute;  // by its name; compute when that says nothing
};

class Machine {
 public:
  Machine(const View& view, const std::vector<std::size_t>& nics, std::vector<NicRole>& roles) : view_(view), roles_(roles) {
    for (const std::size_t node : nics) nics_.push_back(look_at(node));
  }

  void guess() {
    // Names first: they were given by somebody who knew.
    const bool all_told = std::all_of(nics_.begin(), nics_.end(), [](const Nic& it) { return it.told != NicRole::compute; });
    if (!all_told) take([](const Nic& it) { return it.told != NicRole::compute; }, [](const Nic& it) { return it.told; });
    double fastest = fastest_of([](const Nic& it) { return it.near; });
    if (fastest == 0) fastest = fastest_of([](const Nic&) { return true; });
    const auto slow = [&](const Nic& it) { return it.speed && *it.speed > 0 && *it.speed < 0.45 * fastest; };
    const auto beside = [](const Nic& it) { return it.speed.value_or(0) > 3.2 ? NicRole::storage : NicRole::management; };
    // The layer of most NICs that are fast: a single port of InfiniBand beside as many RoCE NICs as GPUs manages the machine.
    const auto infinibands = std::count_if(nics_.begin(), nics_.end(), [&](const Nic& it) { return it.infiniband && !slow(it); });
    const auto ethernets =
        std::count_if(nics_.begin(), nics_.end(), [&](const Nic& it) { return !it.infiniband && it.near && !slow(it); });
    if (infinibands > 0) take([&](const Nic& it) { return it.infiniband == (ethernets > infinibands); }, beside);
    fastest = fastest_of([](const Nic&) { return true; });
    if (fastest > 0) {
      std::set<std::string> fast;  // models: one of them whose ports are down, or tell no rate, is as the others
      for (const Nic& it : nics_)
        if (it.speed.value_or(0) >= 0.45 * fastest && !it.model.empty()) fast.insert(it.model);
      take([&](const Nic& it) { return slow(it) || (it.speed.value_or(0) <= 0 && !fast.contains(it.model)); }, beside);
    }
    if (any([](const Nic& it) { return it.near; }))
      take([](const Nic& it) { return !it.near; }, [](const Nic&) { return NicRole::storage; });
    for (const Nic& it : nics_) roles_[it.node] = NicRole::compute;
  }

 private:
  template <class Is>
  [[nodiscard]] bool any(const Is& is) const {
    return std::any_of(nics_.begin(), nics_.end(), is);
  }

  template <class Is>
  [[nodiscard]] double fastest_of(const Is& is) const {
    double fastest = 0;
    for (const Nic& it : nics_)
      if (is(it)) fastest = std::max(fastest, it.speed.value_or(0));
    return fastest;
  }

  // Gives a role to those that `is` says, and leaves the others to the rules that follow.
  template <class Is, class Role>
  void take(const Is& is, const Role& role) {
    for (const Nic& it : nics_)
      if (is(it)) roles_[it.node] = role(it);
    std::erase_if(nics_, is);
  }

  Nic look_at(std::size_t node) const {
    Nic nic;
    nic.node = node;
    const Node& it = view_.node(node);
    nic.infiniband = text_of(it.attributes, "pci_class") == "0207";
    const auto links_of = [&](std::size_t end) {
      for (const std::size_t link : view_.links(end)) {
        const Link& cable = view_.link(link);
        if (cable.kind != LinkKind::infiniband && cable.kind != LinkKind::ethernet) continue;
        nic.infiniband = nic.infiniband || cable.kind == LinkKind::infiniband;
      }
    };
    links_of(node);
    for (const std::size_t port : view_.children(node)) {
      links_of(port);
      const std::string layer = lower(text_of(view_.node(port).attributes, "link_layer"));
      if (layer == "infiniband") nic.infiniband = true;
      if (layer == "ethernet") nic.infiniband = false;
    }
    nic.speed = nic_bandwidth(view_, node);
    nic.model = text_of(it.attributes, text_of(it.attributes, "pci_id").empty() ? "hca_type" : "pci_id");
    std::string names = " " + lower(it.name) + ' ' + lower(view_.label(node));
    for (const char* list : {"interfaces", "verbs"})
      for (const std::string& name : list_of(it.attributes, list)) names += ' ' + lower(name);
    names += ' ' + lower(text_of(it.attributes, "device"));
    for (const Word& word : words)
      if (nic.told == NicRole::compute && names.find(word.part) != std::string::npos) nic.told = word.role;
    nic.near = near_gpu(node);
    return nic;
  }

  // Whether a GPU is below the same PCIe switch.
  [[nodiscard]] bool near_gpu(std::size_t node) const {
    for (std::size_t it = view_.parent(node); it != View::none; it = view_.parent(it)) {
      const Kind kind = view_.node(it).kind;
      if (kind != Kind::pci_bridge && kind != Kind::pci_switch) return false;
      if (kind == Kind::pci_switch && has_gpu(it)) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_gpu(std::size_t node) const {
    std::vector<std::size_t> open{node};
    while (!open.empty()) {
      const std::size_t it = open.back();
      open.pop_back();
      if (view_.node(it).kind == Kind::gpu) return true;
      open.insert(open.end(), view_.children(it).begin(), view_.children(it).end());
    }
    return false;
  }

  const View& view_;
  std::vector<NicRole>& roles_;
  std::vector<Nic> nics_;  // that have no role yet
};

bool is_virtual(const Node& nic) {
  return nic.name.find("Virtual Function") != std::string::npos ||
         text_of(nic.attributes, "device").find("Virtual Function") != std::string_view::npos;
}

bool is_named(const View& view, std::size_t nic, std::string_view patterns) {
  std::vector<std::string> names{view.node(nic).key, view.node(nic).name, view.label(nic)};
  const std::string& key = names.front();
  if (const std::size_t slash = key.rfind('/'); slash != std::string::npos) names.push_back(key.substr(slash + 1));
  for (const char* list : {"interfaces", "verbs"})
    for (const std::string& name : list_of(view.node(nic).attributes, list)) names.push_back(name);
  while (!patterns.empty()) {
    const std::size_t comma = std::min(patterns.find(','), patterns.size());
    const std::string_view pattern = patterns.substr(0, comma);
    if (!pattern.empty() && std::any_of(names.begin(), names.end(), [&](const std::string& it) { return matches(pattern, it); }))
      return true;
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
  return false;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last * met, and where in `text` what it stands for ends
  std::size_t end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      end = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++end;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(), [](char c) { return c == '*'; });
}

std::vector<NicRole> nic_roles(const View& view, std::string_view patterns) {
  std::vector<NicRole> roles(view.graph().nodes.size(), NicRole::none);
  std::map<std::size_t, std::vector<std::size_t>> of_machine;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (view.node(i).kind != Kind::nic || is_virtual(view.node(i))) continue;
    if (!patterns.empty())
      roles[i] = is_named(view, i, patterns) ? NicRole::compute : NicRole::management;
    else
      of_machine[view.machine(i)].push_back(i);
  }
  for (const auto& [machine, nics] : of_machine) Machine(view, nics, roles).guess();
  return roles;
}

}  // namespace railgauge::topo
