// Cables before ports, ports before nothing, and the slot above all of them.
#include "topo/nic_bandwidth.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace railgauge::topo {
namespace {

// Of the cables that end there; nothing where there is none, or where one that is up tells no rate.
std::optional<double> of_cables(const View& view, std::size_t end) {
  std::optional<double> sum;
  for (const std::size_t at : view.links(end)) {
    const Link& link = view.link(at);
    if (!is_cable(link.kind)) continue;
    if (!is_off(link) && payload(link.bandwidth) <= 0) return std::nullopt;
    sum = sum.value_or(0) + (is_off(link) ? 0 : payload(link.bandwidth));
  }
  return sum;
}

// Of a port: 0 where it is down.
std::optional<double> of_port(const View& view, std::size_t nic, std::size_t port) {
  if (const std::optional<double> cables = of_cables(view, port)) return cables;
  for (const std::size_t at : view.links(port)) {
    const Link& link = view.link(at);
    if (link.kind != LinkKind::internal || view.other_end(at, port) != nic) continue;
    if (is_off(link)) return 0;
    if (payload(link.bandwidth) > 0) return payload(link.bandwidth);
  }
  if (text_of(view.node(port).attributes, "state") == "down") return 0;
  return std::nullopt;
}

double slot_of(const View& view, std::size_t nic) {
  const std::size_t slot = view.pcie_above(nic);
  return slot == View::none ? 0 : payload(view.link(slot).bandwidth);
}

// The card that a function is of: its address without the function's number.
std::string card_of(const std::string& key) {
  const std::size_t point = key.rfind('.');
  const bool address = point != std::string::npos && point >= 7 && point + 2 == key.size() && key[point - 3] == ':';
  return address ? key.substr(0, point) : key;
}

}  // namespace

std::optional<double> nic_bandwidth(const View& view, std::size_t nic) {
  const std::optional<double> cables = of_cables(view, nic);
  std::optional<double> sum = cables;
  std::map<std::string, std::optional<double>> ports;  // by name, since each source has a key of its own
  for (const std::size_t child : view.children(nic)) {
    if (view.node(child).kind != Kind::port) continue;
    const std::optional<double> here = of_port(view, nic, child);
    const auto [at, fresh] = ports.try_emplace(view.label(child), here);
    if (!fresh && here) at->second = std::max(at->second.value_or(0), *here);
  }
  for (const auto& [name, here] : ports) {
    if (!here && !cables) return std::nullopt;
    sum = sum.value_or(0) + here.value_or(0);
  }
  if (!sum) return std::nullopt;
  const double most = slot_of(view, nic);
  return most > 0 ? std::min(*sum, most) : *sum;
}

NicsTogether nics_together(const View& view, std::span<const std::size_t> nics) {
  NicsTogether all;
  struct Card {
    double sum = 0, slot = 0;
  };
  std::map<std::string, Card> cards;
  for (const std::size_t nic : nics) {
    const std::optional<double> here = nic_bandwidth(view, nic);
    if (!here) all.unknown.push_back(nic);
    if (here.value_or(0) <= 0) continue;
    ++all.told;
    all.fastest = std::max(all.fastest, *here);
    Card& card = cards[card_of(view.node(nic).key)];
    card.sum += *here;
    card.slot = std::max(card.slot, slot_of(view, nic));
  }
  for (const auto& [key, card] : cards) all.bandwidth += card.slot > 0 ? std::min(card.sum, card.slot) : card.sum;
  return all;
}

}  // namespace railgauge::topo
