// Differences of counters, gathered over hosts.
#include "bench/watch/wire_watch.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/nodes.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t least_part = 100;  // of what was asked for, that an unplanned port is worth a line

// Counters of a device that was reset meanwhile go back: what they say since is all that is known.
std::uint64_t growth(std::uint64_t before, std::uint64_t after) { return after >= before ? after - before : after; }

Json to_json(const PortTraffic& port) {
  const auto number = [](const std::optional<std::uint64_t>& count) { return count ? Json(*count) : Json(nullptr); };
  return {{"node", port.node},
          {"port", port.port},
          {"planned", port.planned},
          {"sent", number(port.sent)},
          {"received", number(port.received)},
          {"errors", port.errors}};
}

PortTraffic from_json(const Json& json) {
  PortTraffic port;
  json.at("node").get_to(port.node);
  json.at("port").get_to(port.port);
  json.at("planned").get_to(port.planned);
  if (!json.at("sent").is_null()) port.sent = json.at("sent").get<std::uint64_t>();
  if (!json.at("received").is_null()) port.received = json.at("received").get<std::uint64_t>();
  json.at("errors").get_to(port.errors);
  return port;
}

}  // namespace

std::vector<PortTraffic> traffic_between(const std::string& node, const std::vector<topo::PortCounters>& before,
                                         const std::vector<topo::PortCounters>& after, const std::vector<std::string>& planned,
                                         std::uint64_t least) {
  std::vector<PortTraffic> found;
  for (const topo::PortCounters& now : after) {
    const auto then =
        std::find_if(before.begin(), before.end(), [&](const topo::PortCounters& one) { return one.port == now.port; });
    if (then == before.end()) continue;
    PortTraffic port;
    port.node = node;
    port.port = now.port;
    port.planned = std::find(planned.begin(), planned.end(), now.port) != planned.end();
    if (then->sent && now.sent) port.sent = growth(*then->sent, *now.sent);
    if (then->received && now.received) port.received = growth(*then->received, *now.received);
    for (const auto& [name, count] : now.errors) {
      const auto old = then->errors.find(name);
      const std::uint64_t grown = growth(old == then->errors.end() ? 0 : old->second, count);
      if (grown != 0) port.errors[name] = grown;
    }
    if (port.planned || port.sent.value_or(0) >= least || !port.errors.empty()) found.push_back(std::move(port));
  }
  return found;
}

WireWatch::WireWatch(Group& group, const Endpoint& endpoint, bool composed) : group_(group) {
  const std::vector<std::string>& nodes = group.nodes();
  const std::string& here = nodes[static_cast<std::size_t>(group.rank())];
  const bool first = std::find(nodes.begin(), nodes.end(), here) == nodes.begin() + group.rank();
  if (first) before_ = topo::read_port_counters();
  reads_ = !before_.empty();
  for (const Json& theirs : gather_json(group, {{"reads", reads_}, {"ports", endpoint.ports()}})) {
    any_ = any_ || theirs.at("reads").get<bool>();
    ports_.push_back(theirs.at("ports").get<std::vector<std::string>>());
    local_ = local_ || (!composed && !ports_.back().empty());
  }
  if (!local_ && count_nodes(group) == 1) any_ = false;
  reads_ = reads_ && any_;
}

bool WireWatch::counts(int peer) const {
  const std::vector<std::string>& nodes = group_.nodes();
  const auto me = static_cast<std::size_t>(group_.rank()), other = static_cast<std::size_t>(peer);
  if (nodes[other] != nodes[me]) return any_;
  return any_ && local_ && ports_[other] != ports_[me];
}

void WireWatch::begin() {
  if (reads_) before_ = topo::read_port_counters();
}

std::optional<Wire> WireWatch::end(std::uint64_t asked) {
  if (!any_) return std::nullopt;
  const std::vector<topo::PortCounters> after = reads_ ? topo::read_port_counters() : std::vector<topo::PortCounters>();
  // First what all have asked for and where: then each host knows what is worth telling.
  Wire wire;
  const std::string& here = group_.nodes()[static_cast<std::size_t>(group_.rank())];
  std::set<std::string> planned;
  for (const Json& theirs : gather_json(group_, asked)) wire.asked += theirs.get<std::uint64_t>();
  for (std::size_t rank = 0; rank < ports_.size(); ++rank)
    if (group_.nodes()[rank] == here) planned.insert(ports_[rank].begin(), ports_[rank].end());
  Json mine = Json::array();
  if (reads_)
    for (const PortTraffic& port : traffic_between(here, before_, after, {planned.begin(), planned.end()},
                                                   std::max<std::uint64_t>(1, wire.asked / least_part)))
      mine.push_back(to_json(port));
  for (const Json& theirs : gather_json(group_, mine))
    for (const Json& port : theirs) wire.ports.push_back(from_json(port));
  return wire;
}

}  // namespace railgauge
