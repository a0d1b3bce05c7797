// Writes a graph as JSON, docs/topology.schema.json: a line for each node and link, so that files can be searched and compared by
// line, and a fabric of 16,000 hosts is no larger than it has to be.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "topo/write/formats.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;  // keys stay as they are written here, so that two files can be compared by eye

Json attributes_of(const Attributes& attributes) {
  Json json = Json::object();
  for (const auto& attribute : attributes) std::visit([&](const auto& it) { json[attribute.first] = it; }, attribute.second);
  return json;
}

Json rate_of(const Rate& rate) { return {{"width", rate.width}, {"speed", rate.speed}}; }

Json node_of(const Node& node) {
  return {{"key", node.key},
          {"kind", row(node.kind).name},
          {"name", node.name},
          {"parent", node.parent.empty() ? Json(nullptr) : Json(node.parent)},
          {"attributes", attributes_of(node.attributes)},
          {"provenance", node.provenance}};
}

bool known(const Rate& rate) { return rate.width != 0 || rate.speed != 0; }

Json link_of(const Link& link) {
  Json json = {{"a", link.a},
               {"b", link.b},
               {"kind", row(link.kind).name},
               {"count", link.count},
               {"line_gigabytes_per_second", link.bandwidth.line},
               {"nominal_gigabytes_per_second", link.bandwidth.nominal},
               {"usable_gigabytes_per_second", link.bandwidth.usable},
               {"capable", rate_of(link.capable)},
               {"active", rate_of(link.active)}};
  if (known(link.active_at_b)) json["active_at_b"] = rate_of(link.active_at_b);
  if (link.a_port != 0) json["a_port"] = link.a_port;
  if (link.b_port != 0) json["b_port"] = link.b_port;
  if (link.state != LinkState::unknown) json["state"] = row(link.state).name;
  if (!link.a_counters.empty()) json["a_counters"] = link.a_counters;
  if (!link.b_counters.empty()) json["b_counters"] = link.b_counters;
  json["attributes"] = attributes_of(link.attributes);
  json["provenance"] = link.provenance;
  return json;
}

}  // namespace

std::string to_json(const Graph& graph) {
  std::string text = "{\"schema\":\"railgauge.topology/1\",\n\"nodes\":[";
  const auto put = [&](bool first, const Json& json) {  // firmware writes what it likes, UTF-8 or not
    text += (first ? "\n" : ",\n") + json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  for (const Node& node : graph.nodes) put(&node == graph.nodes.data(), node_of(node));
  text += "\n],\n\"links\":[";
  for (const Link& link : graph.links) put(&link == graph.links.data(), link_of(link));
  return text + "\n]}\n";
}

}  // namespace railgauge::topo
