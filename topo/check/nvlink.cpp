// NVLink and xGMI: links that are down or missing where sibling GPUs have them. PCIe cards without any are left in peace.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/gpu_tools.hpp"
#include "topo/check/rules.hpp"
#include "topo/gpu_models.hpp"

namespace railgauge::topo {
namespace {

bool is_up(const Link& link) { return !is_off(link); }

// GPUs of one model in one machine.
struct Family {
  std::vector<std::size_t> gpus;
  std::map<std::size_t, unsigned> links;  // that are up, of each GPU
  unsigned most = 0;
  unsigned most_of_pair = 0;  // links between two of them
  bool xgmi = false;
  bool board = false;     // joins them all, so that a GPU without links has lost them
  bool switched = false;  // by NVSwitches, though links are told as if they led to GPUs

  [[nodiscard]] std::string word() const { return xgmi ? "xGMI link" : "NVLink"; }
};

class Families {
 public:
  Families(const Context& context, Findings& findings) : view_(context.view), findings_(findings) {}

  void run() {
    std::map<std::pair<std::size_t, std::string>, Family> families;
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i) {
      const Node& node = view_.node(i);
      if (node.kind != Kind::gpu) continue;
      Family& family = families[{view_.machine(i), model_of(node)}];
      family.gpus.push_back(i);
      family.links[i] = links_of(i);
      family.xgmi = family.xgmi || has_xgmi(i);
    }
    for (auto& [key, family] : families) {
      through_a_switch(family);
      for (const auto& [gpu, links] : family.links) family.most = std::max(family.most, links);
      family.board = on_a_board(family);
      if (family.most != 0)
        look_at(family);
      else
        all_lost(family);
    }
    slower();
  }

 private:
  static std::string model_of(const Node& node) {
    const std::string_view model = text_of(node.attributes, "model");
    return model.empty() ? node.name : std::string(model);
  }

  // A link that is down does not always say where it leads, and then only the GPU knows of it.
  [[nodiscard]] unsigned links_of(std::size_t gpu) const {
    if (view_.node(gpu).attributes.contains("nvlinks_active"))
      return static_cast<unsigned>(number_of(view_.node(gpu).attributes, "nvlinks_active"));
    unsigned count = 0;
    for (const std::size_t link : view_.links(gpu))
      if (joins_gpus(view_.link(link).kind) && is_up(view_.link(link))) count += view_.link(link).count;
    return count;
  }
  [[nodiscard]] bool has_xgmi(std::size_t gpu) const {
    return std::any_of(view_.links(gpu).begin(), view_.links(gpu).end(),
                       [&](std::size_t link) { return view_.link(link).kind == LinkKind::xgmi; });
  }
  [[nodiscard]] unsigned links_between(std::size_t a, std::size_t b) const {
    unsigned count = 0;
    for (const std::size_t link : view_.links(a))
      if (joins_gpus(view_.link(link).kind) && is_up(view_.link(link)) && view_.other_end(link, a) == b)
        count += view_.link(link).count;
    return count;
  }

  // How many links of the GPU are up, by the node at the other end.
  [[nodiscard]] std::map<std::size_t, unsigned> ends_of(std::size_t gpu) const {
    std::map<std::size_t, unsigned> ends;
    for (const std::size_t link : view_.links(gpu))
      if (const std::size_t other = view_.other_end(link, gpu);
          joins_gpus(view_.link(link).kind) && is_up(view_.link(link)) && other != View::none)
        ends[other] += view_.link(link).count;
    return ends;
  }

  // Links of the bundle that are down.
  [[nodiscard]] static unsigned down_of(const Link& link) {
    const std::uint64_t all = number_of(link.attributes, "capable_count");
    if (!is_up(link)) return link.count;
    return all > link.count ? static_cast<unsigned>(all - link.count) : 0;
  }

  // A table of pairs repeats the links to NVSwitches for each peer: no GPU has so many of its own.
  void through_a_switch(Family& family) const {
    constexpr unsigned most_links = 18;
    std::vector<std::size_t> linked;
    for (const std::size_t gpu : family.gpus)
      if (family.links.at(gpu) != 0) linked.push_back(gpu);
    if (linked.size() < 3) return;
    const unsigned each = links_between(linked[0], linked[1]);
    if (each == 0 || each * (linked.size() - 1) <= most_links) return;
    for (const std::size_t a : linked)
      for (const std::size_t b : linked)
        if (a != b && links_between(a, b) != each) return;
    family.switched = true;
    for (const std::size_t gpu : linked) family.links[gpu] = std::min(family.links[gpu], each);
  }

  [[nodiscard]] bool on_a_board(const Family& family) const {
    std::size_t linked = 0, unknown_ends = 0;
    for (const std::size_t gpu : family.gpus) {
      if (gpu_model(view_.node(gpu)).links == GpuLinks::always) return true;
      std::set<std::size_t> others;
      for (const std::size_t link : view_.links(gpu))
        if (joins_gpus(view_.link(link).kind) && is_up(view_.link(link))) others.insert(view_.other_end(link, gpu));
      if (others.size() > 1) return true;
      if (others.contains(gpu)) ++unknown_ends;
      for (const std::size_t other : others)
        if (other != View::none && view_.node(other).kind == Kind::nvswitch) return true;
      linked += others.empty() ? 0U : 1U;
    }
    // Bridges join two cards, or four.
    return unknown_ends == linked && linked % 2 == 1 && linked > 1;
  }

  // Whether the driver said that this GPU has links and that none is active.
  [[nodiscard]] bool says_inactive(std::size_t gpu) const {
    const Attributes& attributes = view_.node(gpu).attributes;
    return attributes.contains("nvlinks_active") && number_of(attributes, "nvlinks_active") == 0 &&
           (!attributes.contains("nvlinks") || number_of(attributes, "nvlinks") != 0);
  }

  // No GPU of the board has a link: one cause, told once.
  void all_lost(const Family& family) {
    if (!family.board || !std::all_of(family.gpus.begin(), family.gpus.end(), [&](std::size_t it) { return says_inactive(it); }))
      return;
    const std::size_t machine = view_.machine(family.gpus.front());
    const bool alone = family.gpus.size() == 1 || machine == View::none;
    Finding finding;
    finding.rule = "nvlink-inactive";
    finding.severity = Severity::fault;
    finding.a = view_.node_port(alone ? family.gpus.front() : machine);
    finding.found = alone ? fmt::format("all {}s are inactive", family.word())
                          : fmt::format("all {}s of {} GPUs ({}) are inactive", family.word(), family.gpus.size(),
                                        view_.node(family.gpus.front()).name);
    finding.expected = "active links: this model is soldered to a board that joins its GPUs";
    finding.why = "traffic between GPUs takes PCIe, at a tenth of the bandwidth or less, and CUDA may not start";
    finding.action =
        "Look at the Fabric Manager (systemctl status nvidia-fabricmanager) and its log; its version must be that of "
        "the driver; then at `nvidia-smi nvlink -s` and the Xid lines of dmesg";
    findings_.add(std::move(finding));
  }

  // One finding for a GPU without any link, instead of one for each.
  void lost(const Family& family, std::size_t gpu) {
    std::set<std::size_t> others;
    unsigned down = 0;
    for (const std::size_t link : view_.links(gpu))
      if (joins_gpus(view_.link(link).kind)) {
        others.insert(view_.other_end(link, gpu));
        down += down_of(view_.link(link));
      }
    const auto known = std::max<std::uint64_t>(number_of(view_.node(gpu).attributes, "nvlinks"), down);
    Finding finding;
    finding.rule = "nvlink-inactive";
    finding.severity = Severity::fault;
    finding.a = view_.node_port(gpu);
    if (others.size() == 1 && *others.begin() != View::none && *others.begin() != gpu)
      finding.b = view_.node_port(*others.begin());
    finding.found = known != 0           ? fmt::format("{0} of {0} {1}s are inactive", known, family.word())
                    : says_inactive(gpu) ? fmt::format("all {}s are inactive", family.word())
                                         : fmt::format("no {} is active", family.word());
    finding.expected = fmt::format("{} active, as GPU {} has", family.most, view_.gpu_number(best_of(family)));
    finding.why = "this GPU reaches the others over PCIe alone, and every collective runs at that pace";
    finding.action = advice(gpu);
    findings_.add(std::move(finding));
  }

  [[nodiscard]] static std::size_t best_of(const Family& family) {
    return *std::find_if(family.gpus.begin(), family.gpus.end(),
                         [&](std::size_t it) { return family.links.at(it) == family.most; });
  }

  // Boards of AMD may give half of their GPUs more xGMI links than the others, unless each of those is joined with all.
  [[nodiscard]] bool is_design(const Family& family, std::size_t gpu) const {
    if (!family.xgmi) return false;
    const auto with = [&](unsigned links) {
      return std::count_if(family.links.begin(), family.links.end(), [&](const auto& it) { return it.second == links; });
    };
    if (with(family.links.at(gpu)) < std::max<std::ptrdiff_t>(with(family.most), 2)) return false;
    return irregular(family);
  }

  // Whether the GPU with the most links is not joined with each other GPU by as many.
  [[nodiscard]] bool irregular(const Family& family) const {
    const std::size_t best = best_of(family);
    return std::any_of(family.gpus.begin(), family.gpus.end(), [&](std::size_t other) {
      return other != best && links_between(best, other) != links_between(best, family.gpus[family.gpus[0] == best ? 1 : 0]);
    });
  }

  void look_at(Family& family) {
    for (const std::size_t gpu : family.gpus)
      for (const auto& [other, links] : ends_of(gpu))
        if (other != gpu && family.links.contains(other)) family.most_of_pair = std::max(family.most_of_pair, links);
    std::set<std::size_t> down;  // links that are told to be down, said once though two GPUs share them
    std::set<std::size_t> said;  // GPUs whose missing links are explained
    bool direct = false;         // a GPU that is lost was joined with the others, and they have fewer links for it
    for (const std::size_t gpu : family.gpus) {
      if (family.links.at(gpu) != 0 || !family.board) continue;
      lost(family, gpu);
      said.insert(gpu);
      for (const std::size_t link : view_.links(gpu))
        if (joins_gpus(view_.link(link).kind)) down.insert(link);
      direct = direct || joined_directly(family);
    }
    for (const std::size_t gpu : family.gpus)
      for (const std::size_t link : view_.links(gpu)) {
        const Link& it = view_.link(link);
        if (!joins_gpus(it.kind) || down_of(it) == 0 || family.links.at(gpu) >= family.most || !down.insert(link).second)
          continue;
        inactive(link, gpu);
        said.insert({gpu, view_.other_end(link, gpu)});
      }
    for (const std::size_t gpu : family.gpus)
      if (family.links.at(gpu) < family.most && !said.contains(gpu) && !direct && !is_design(family, gpu))
        fewer(family, gpu, said);
    for (const std::size_t gpu : family.gpus)
      if (family.links.at(gpu) == family.most && !said.contains(gpu)) idle(gpu, said);
  }

  [[nodiscard]] bool joined_directly(const Family& family) const {
    return !family.switched && std::any_of(family.gpus.begin(), family.gpus.end(), [&](std::size_t a) {
      return std::any_of(family.gpus.begin(), family.gpus.end(),
                         [&](std::size_t b) { return a != b && links_between(a, b) != 0; });
    });
  }

  // No sibling has more, but the driver knows of links that are not in use: two cards joined by a bridge lose one together.
  void idle(std::size_t gpu, std::set<std::size_t>& said) {
    const auto inactive = list_of(view_.node(gpu).attributes, "nvlinks_inactive");
    if (inactive.empty()) return;
    std::set<std::size_t> others;
    for (const std::size_t link : view_.links(gpu))
      if (joins_gpus(view_.link(link).kind) && is_up(view_.link(link))) others.insert(view_.other_end(link, gpu));
    Finding finding;
    finding.rule = "nvlink-inactive";
    finding.severity = Severity::warning;
    finding.a = view_.node_port(gpu);
    if (others.size() == 1 && *others.begin() != View::none) {
      finding.b = view_.node_port(*others.begin());
      said.insert(*others.begin());
    }
    const auto all = number_of(view_.node(gpu).attributes, "nvlinks");
    finding.found = fmt::format("{} of {} NVLinks {} inactive: {} {}", inactive.size(), all, inactive.size() == 1 ? "is" : "are",
                                inactive.size() == 1 ? "link" : "links", fmt::join(inactive, ", "));
    finding.expected = "all active, if the bridge or board connects them";
    finding.why = "the others carry all traffic between these GPUs, and NCCL does not say that one is missing";
    finding.action = advice(gpu);
    findings_.add(std::move(finding));
  }

  void inactive(std::size_t link, std::size_t gpu) {
    const Link& it = view_.link(link);
    const bool first = view_.a(link) == gpu;
    const std::string word(row(it.kind).word);
    const unsigned all = is_up(it) ? it.count + down_of(it) : it.count;
    Finding finding;
    finding.rule = "nvlink-inactive";
    finding.severity = Severity::fault;
    finding.a = view_.node_port(gpu, first ? it.a_port : it.b_port);
    if (const std::size_t other = view_.other_end(link, gpu); other != View::none && other != gpu)
      finding.b = view_.node_port(other, first ? it.b_port : it.a_port);
    finding.found = all == 1 ? fmt::format("the {} is inactive", word)
                             : fmt::format("{} of {} {}s {} inactive", down_of(it), all, word, down_of(it) == 1 ? "is" : "are");
    finding.expected = all == 1 ? "an active one, as the other GPUs of this model have"
                                : "all active, as the other GPUs of this model have them";
    finding.why = "every collective over this GPU runs at the pace of the links that are left, and NCCL does not say so";
    finding.action = advice(gpu);
    findings_.add(std::move(finding));
  }

  // The GPU that also lacks links and that this one has the fewest to: between these two an edge is missing.
  [[nodiscard]] std::size_t partner(const Family& family, std::size_t gpu, const std::set<std::size_t>& said) const {
    std::size_t best = View::none;
    for (const std::size_t other : family.gpus)
      if (other != gpu && family.links.at(other) < family.most && !said.contains(other) &&
          links_between(gpu, other) < family.most_of_pair &&
          (best == View::none || links_between(gpu, other) < links_between(gpu, best)))
        best = other;
    return best;
  }

  // The NVSwitch that this GPU has fewer links to than its siblings.
  [[nodiscard]] std::size_t poor_switch(const Family& family, std::size_t gpu) const {
    std::set<std::size_t> switches;
    for (const std::size_t it : family.gpus)
      for (const auto& [end, links] : ends_of(it))
        if (view_.node(end).kind == Kind::nvswitch) switches.insert(end);
    const auto poor = std::find_if(switches.begin(), switches.end(), [&](std::size_t it) {
      return std::any_of(family.gpus.begin(), family.gpus.end(),
                         [&](std::size_t other) { return links_between(gpu, it) < links_between(other, it); });
    });
    return poor == switches.end() ? View::none : *poor;
  }

  void fewer(const Family& family, std::size_t gpu, std::set<std::size_t>& said) {
    said.insert(gpu);
    // One pair of cards joined by a bridge, and others without, is how PCIe cards are sold.
    const bool bridges = family.links.at(gpu) == 0 && pairs_only(family);
    std::size_t other = bridges || (family.xgmi && irregular(family)) ? View::none : partner(family, gpu, said);
    if (other != View::none)
      said.insert(other);
    else if (!bridges)
      other = poor_switch(family, gpu);
    const unsigned has = family.links.at(gpu);
    Finding finding;
    finding.rule = "nvlink-fewer";
    finding.severity = bridges ? Severity::note : Severity::fault;
    finding.a = view_.node_port(gpu);
    if (other != View::none) finding.b = view_.node_port(other);
    finding.found = fmt::format("{} {}{} in use", has == 0 ? "no" : std::to_string(has), family.word(), has == 1 ? "" : "s");
    if (const auto inactive = list_of(view_.node(gpu).attributes, "nvlinks_inactive"); has != 0 && !inactive.empty()) {
      finding.found += inactive.size() == 1 ? "; inactive is link" : "; inactive are links";
      for (const std::string& number : inactive) finding.found += (number == inactive.front() ? " " : ", ") + number;
    }
    finding.expected = fmt::format("{}, as GPU {} has", family.most, view_.gpu_number(best_of(family)));
    finding.why = bridges ? "other cards of this model are joined in pairs by a bridge, and this one is not"
                          : "this GPU is slower than its siblings, and slows every collective that it takes part in";
    finding.action = bridges ? "Fit a bridge if the two are meant to be joined" : advice(gpu);
    findings_.add(std::move(finding));
  }

  // Whether every GPU has links to one other at most.
  [[nodiscard]] bool pairs_only(const Family& family) const {
    return std::all_of(family.gpus.begin(), family.gpus.end(), [&](std::size_t gpu) {
      std::set<std::size_t> others;
      for (const std::size_t link : view_.links(gpu))
        if (joins_gpus(view_.link(link).kind)) others.insert(view_.other_end(link, gpu));
      return others.size() <= 1 && std::all_of(others.begin(), others.end(), [&](std::size_t other) {
               return other != View::none && view_.node(other).kind == Kind::gpu;
             });
    });
  }

  [[nodiscard]] std::string advice(std::size_t gpu) const { return advice_on_links(vendor_of(view_.node(gpu))); }

  // Of links of one kind in one machine, those whose lanes are slower than most.
  void slower() {
    std::map<std::pair<std::size_t, LinkKind>, std::map<double, std::vector<std::size_t>>> speeds;
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (const Link& link = view_.link(i);
          joins_gpus(link.kind) && link.active.speed > 0 && is_up(link) && view_.a(i) != View::none)
        speeds[{view_.machine(view_.a(i)), link.kind}][link.active.speed].push_back(i);
    for (const auto& [key, by_speed] : speeds) {
      const double fastest = by_speed.rbegin()->first;
      if (by_speed.size() < 2) continue;
      for (const auto& [speed, links] : by_speed) {
        if (speed == fastest || links.size() >= by_speed.rbegin()->second.size()) continue;
        for (const std::size_t link : links) {
          Finding finding;
          finding.rule = "nvlink-slower";
          finding.severity = Severity::warning;
          finding.a = view_.node_port(view_.a(link), view_.link(link).a_port);
          finding.b = view_.node_port(view_.b(link), view_.link(link).b_port);
          finding.found = fmt::format("{:g} Gb/s a lane", speed);
          finding.expected = fmt::format("{:g} Gb/s, as most {} links of this machine have", fastest, row(key.second).word);
          finding.why = "every collective runs at the pace of the slowest link";
          finding.action = advice(view_.a(link));
          findings_.add(std::move(finding));
        }
      }
    }
  }

  const View& view_;
  Findings& findings_;
};

}  // namespace

void check_nvlink(const Context& context, Findings& findings) { Families(context, findings).run(); }

}  // namespace railgauge::topo
