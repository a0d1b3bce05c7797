#include "topo/layout/fabric_odd_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "topo/judge.hpp"
#include "topo/layout/fabric_words.hpp"
#include "topo/layout/facts.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double host_width = 180, host_height = 60, between_rows = 104;
constexpr double widest_label = 120;
constexpr std::size_t most_facts = 24;
constexpr std::size_t most_hosts = 12;  // that are drawn; the table has them all

// One that is alone has both lines.
std::vector<std::string> finding_lines(std::span<const Finding* const> findings) {
  std::vector<std::string> all;
  for (const Finding* finding : findings)
    if (finding->severity != Severity::note) all.push_back(printable(finding->rule + ": " + finding->found));
  if (all.size() == 1) all = wrapped(std::string(all.front()), host_width - 14, line_size, 2);
  if (all.size() > 2) all.resize(2);
  for (std::string& line : all) line = fitted(line, host_width - 14, line_size);
  return all;
}

void host_edge(Picture& picture, const Fabric& fabric, const Host& host, std::size_t u, std::size_t place,
               const StripOf& strip_of, std::vector<Pending>& pending) {
  const Uplink& up = host.uplinks[u];
  const std::optional<std::size_t> strip = strip_of(up.to);
  if (!strip) return;
  const Link* link = up.link == npos ? nullptr : &fabric.view->graph().links[up.link];
  Edge edge;
  edge.a = picture.boxes[place].id;
  edge.b = picture.boxes[*strip].id;
  edge.kind = link == nullptr ? LinkKind::tree : link->kind;
  edge.warning = fabric.wrong(up);
  edge.weight = 1;
  if (link != nullptr) {
    edge.links = {up.link};
    edge.facts = facts_of(*link);
  }
  if (fabric.wrong(up)) {
    const Switch& leaf = fabric.switches[up.to];
    edge.label = {fitted_name(fabric.name(leaf), widest_label, label_size, true)};
    if (fabric.rails != 0 && leaf.rail != u && leaf.rail != npos)
      edge.label = {fmt::format("{} on rail {}", up.nic == host.node ? fmt::format("NIC {}", u) : fabric.view->node(up.nic).name,
                                leaf.rail)};
    else if (link != nullptr && (degraded(*link) || without_traffic(*link)))
      edge.label = {words_of_wrong(*link)};
  }
  edge.bends = {{}, {}, {}, {}};
  edge.curved = true;
  pending.push_back({picture.edges.size(), place, *strip});
  picture.edges.push_back(std::move(edge));
}

}  // namespace

void add_odd_hosts(Picture& picture, const Fabric& fabric, const StripOf& strip_of, std::vector<Pending>& pending,
                   double& width) {
  std::vector<std::uint32_t> odd;
  for (std::uint32_t i = 0; i < fabric.hosts.size(); ++i)
    if (fabric.odd(fabric.hosts[i])) odd.push_back(i);
  if (odd.empty()) return;
  const auto fault = [&](std::uint32_t it) {
    const auto findings = fabric.marks->of(fabric.hosts[it].node);
    return !findings.empty() && findings.front()->severity == Severity::fault;
  };
  std::stable_partition(odd.begin(), odd.end(), fault);
  const std::size_t shown = std::min(odd.size(), most_hosts);
  const double needed = static_cast<double>(shown) * (host_width + 24) - 24;
  double x = std::max(0.0, (width - needed) / 2);
  width = std::max(width, needed);
  const double y = picture.height + between_rows - 10;
  for (std::size_t k = 0; k < shown; ++k) {
    const Host& host = fabric.hosts[odd[k]];
    Box box;
    box.id = fabric.node(host).key;
    box.kind = Kind::machine;
    box.warning = true;
    box.at = {x, y};
    box.width = host_width;
    box.height = host_height;
    const std::string name = fabric.name(host);
    box.lines = {fitted(name, host_width - 14, title_size, true)};
    box.facts = facts_of(fabric.node(host));
    for (const std::string& line : finding_lines(fabric.marks->of(host.node))) box.lines.push_back(line);
    for (const Finding* finding : fabric.marks->of(host.node)) {
      if (box.facts.size() < most_facts) box.facts.push_back(fact_of(*finding));
    }
    const std::size_t place = picture.boxes.size();
    picture.boxes.push_back(std::move(box));
    for (std::size_t u = 0; u < host.uplinks.size(); ++u) host_edge(picture, fabric, host, u, place, strip_of, pending);
    x += host_width + 24;
  }
  picture.height = y + host_height;
  if (odd.size() > shown)
    picture.notes.push_back(fmt::format("{} of {} hosts with exceptions are drawn; the table has them all.", shown, odd.size()));
}

}  // namespace railgauge::topo::layout
