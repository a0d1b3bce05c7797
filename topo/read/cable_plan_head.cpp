// What the columns of a cable plan are, by the words of their names.
#include <algorithm>
#include <initializer_list>

#include "topo/read/cable_plan.hpp"

namespace railgauge::topo {
namespace {

enum class Side : std::uint8_t { none, a, b };
enum class Thing : std::uint8_t { other, device, adapter, port, speed };

// "StartDevice", "from_host" and "Port 2" are two words each.
std::vector<std::string> words_of(std::string_view name) {
  const auto sort_of = [](char c) {
    return c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : c >= '0' && c <= '9' ? '0' : ' ';
  };
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : name) {
    const char sort = sort_of(c);
    const bool begins = before == ' ' || (sort == 'A' && before != 'A') || (sort == '0') != (before == '0');
    before = sort;
    if (sort == ' ') continue;
    if (begins) words.emplace_back();
    words.back() += sort == 'A' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

bool has(const std::vector<std::string>& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(any.begin(), any.end(), word) != any.end(); });
}

bool names_host(const std::vector<std::string>& words) { return has(words, {"host", "hostname", "server", "compute"}); }
bool names_switch(const std::vector<std::string>& words) { return has(words, {"switch", "leaf", "spine"}); }

// `ends` is whether another column has "start": then "end" is the other side, and not "A end".
Side side_of(const std::vector<std::string>& words, bool ends) {
  if (has(words, {"from", "source", "src", "start", "local", "near", "a", "1"})) return Side::a;
  if (has(words, {"to", "destination", "dest", "dst", "target", "remote", "peer", "far", "b", "z", "2"})) return Side::b;
  if (ends && has(words, {"end"})) return Side::b;
  if (names_host(words) || has(words, {"node", "hca", "nic"})) return Side::a;
  return names_switch(words) ? Side::b : Side::none;
}

Thing thing_of(const std::vector<std::string>& words, Side side) {
  if (has(words, {"speed", "rate", "bandwidth"})) return Thing::speed;
  if (has(words, {"location", "rack",  "height", "serial", "length", "label", "color",  "colour", "type",    "model", "status",
                  "state",    "mac",   "ip",     "guid",   "lid",    "part",  "vendor", "row",    "domain",  "site",  "room",
                  "comment",  "notes", "note",   "cable",  "id",     "pod",   "su",     "unit",   "address", "asset"}))
    return Thing::other;
  if (has(words, {"port", "interface", "if", "ifname"})) return Thing::port;
  if (has(words, {"hca", "nic", "adapter", "card"})) return Thing::adapter;
  if (names_host(words) || names_switch(words) || has(words, {"device", "node", "system", "name", "machine", "equipment"}))
    return Thing::device;
  return side != Side::none && words.size() == 1 ? Thing::device : Thing::other;  // "From" and "To" alone
}

}  // namespace

std::optional<PlanColumns> plan_columns(const std::vector<std::string>& head) {
  PlanColumns columns;
  bool ends = false;
  for (const std::string& name : head) ends = ends || has(words_of(name), {"start"});
  Side last = Side::none;  // of the device before: a plain "port" is one of its own
  for (std::size_t i = 0; i < head.size(); ++i) {
    const std::vector<std::string> words = words_of(head[i]);
    const Side told = side_of(words, ends);
    const Thing thing = thing_of(words, told);
    if (thing == Thing::speed && !columns.speed) columns.speed = i;
    if (thing == Thing::other || thing == Thing::speed) continue;
    const Side side = told == Side::none ? last : told;
    if (side == Side::none) continue;
    PlanEnd& end = side == Side::a ? columns.a : columns.b;
    std::optional<std::size_t>& place = thing == Thing::device ? end.device : thing == Thing::port ? end.port : end.adapter;
    if (!place) place = i;
    if (thing != Thing::device) continue;
    last = side;
    end.host = end.host || names_host(words);
    end.fabric_switch = end.fabric_switch || names_switch(words);
  }
  for (const PlanEnd* end : {&columns.a, &columns.b})
    if (!end->device || (!end->port && !end->adapter)) return std::nullopt;
  return columns;
}

}  // namespace railgauge::topo
