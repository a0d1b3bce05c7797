#include "topo/merge_nvlinks.hpp"

#include <algorithm>

namespace railgauge::topo {
namespace {

std::pair<std::string, std::string> pair_of(const Link& link) { return std::minmax(link.a, link.b); }
bool numbered(const Link& link) { return link.a_port != 0 || link.b_port != 0; }

}  // namespace

NvlinksKnown::NvlinksKnown(const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (node.kind == Kind::nvswitch) switches_.insert(node.key);
  for (const Link& link : graph.links) {
    if (link.kind != LinkKind::nvlink) continue;
    pairs_.try_emplace(pair_of(link), numbered(link));
    ends_.insert({link.a, link.b});
    if (switches_.contains(link.b)) switched_.insert(link.a);
    if (switches_.contains(link.a)) switched_.insert(link.b);
  }
}

bool NvlinksKnown::has(Link& link, Kind a, Kind b) const {
  if (link.kind != LinkKind::nvlink) return false;
  if (link.a == link.b) return ends_.contains(link.a);
  if (const auto pair = pairs_.find(pair_of(link)); pair != pairs_.end()) return pair->second != numbered(link);
  if (a == Kind::gpu && b == Kind::gpu && switched_.contains(link.a) && switched_.contains(link.b)) {
    link.attributes.try_emplace("path", "NV" + std::to_string(link.count));
    link.kind = LinkKind::path;
    link.count = 1;
    link.bandwidth = {};
    link.active = link.capable = {};
    return false;
  }
  return (b == Kind::nvswitch && switched_.contains(link.a)) || (a == Kind::nvswitch && switched_.contains(link.b));
}

std::string NvlinksKnown::stands_for(const Node& node) const {
  return is_stand_in(node) && switches_.size() == 1 ? *switches_.begin() : std::string();
}

bool NvlinksKnown::is_stand_in(const Node& node) {
  return node.kind == Kind::nvswitch && (node.key == "nvswitch" || node.key == "os:nvswitch");
}

}  // namespace railgauge::topo
