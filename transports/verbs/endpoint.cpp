// Chooses ports, registers memory and prepares Exchanges.
#include "transports/verbs/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/oversubscribed.hpp"
#include "transports/verbs/exchange.hpp"
#include "transports/verbs/layout.hpp"

namespace railgauge::verbs {
namespace {

// Among the ranks of this host.
std::size_t number_of(const Group& group) {
  const auto mine = group.nodes().begin() + group.rank();
  return static_cast<std::size_t>(std::count(group.nodes().begin(), mine, *mine));
}

bool names_all(const Place& place) {
  return std::none_of(place.lanes.begin(), place.lanes.end(), [](const Place::LaneResources& lane) { return lane.port.empty(); });
}

std::vector<PortName> asked_ports(const Options& options) {
  std::vector<PortName> ports;
  for (const std::string& port : options.ports) ports.push_back(parse_port(port));
  return ports;
}

}  // namespace

std::vector<PortName> ports_of(const Place& place, std::span<const PortName> asked, std::span<const PortName> active,
                               std::size_t number) {
  const std::span<const PortName> ports = asked.empty() ? active : asked;
  std::vector<PortName> chosen;
  for (std::size_t i = 0; i < place.lanes.size(); ++i) {
    const std::string& named = place.lanes[i].port;
    chosen.push_back(named.empty() || !asked.empty() ? ports[(number + i) % ports.size()] : parse_port(named));
  }
  return chosen;
}

VerbsEndpoint::VerbsEndpoint(Group& group, const Place& place, const Options& options)
    : group_(group),
      oversubscribed_(any_host_is_oversubscribed(group) || place.oversubscribed),
      given_(options),
      options_(options) {
  // Ranks that share a core and poll keep each other, and the kernel's part of a device that has one, waiting.
  options_.events = options.events || (!options.polling && oversubscribed_);
  const std::vector<PortName> asked = asked_ports(options);
  const std::vector<PortName> active = asked.empty() && !names_all(place) ? active_ports() : std::vector<PortName>();
  for (const PortName& name : ports_of(place, asked, active, number_of(group))) {
    auto port = std::find_if(ports_.begin(), ports_.end(), [&](const auto& known) { return known->where() == name.text(); });
    if (port == ports_.end()) port = ports_.insert(ports_.end(), std::make_unique<Port>(options_, name));
    lanes_.push_back(std::make_unique<VerbsLane>(group, **port, options_));
  }
}

std::string VerbsEndpoint::refusal(const Region& region) {
  for (const auto& port : ports_)
    if (std::string reason = port->refusal(region); !reason.empty()) return reason;
  return {};
}

void VerbsEndpoint::attach(const Region& region) {
  for (const auto& port : ports_) port->attach(region);
}

std::vector<std::string> VerbsEndpoint::ports() const {
  std::vector<std::string> names;
  for (const auto& port : ports_) names.push_back(port->where());
  return names;
}

std::unique_ptr<Exchange> VerbsEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= lanes_.size()) throw Error(Fault::usage, fmt::format("lane {} of an endpoint that has {}", lane, lanes_.size()));
  VerbsLane& here = *lanes_[lane];
  check_credits(group_.rank(), rounds);

  auto work = std::make_unique<Work>();
  const std::uint32_t spoil = options_.wrong_key ? 0x5a5a00 : 0;
  std::map<int, Agreed> pairs;  // in the order of ranks on every rank
  for (const std::vector<Message>& round : rounds)
    for (const Message& message : round) {
      if (message.peer < 0 || message.peer >= group_.size() || message.peer == group_.rank())
        throw Error(Fault::usage, fmt::format("a message of rank {} names rank {}: it must be another of the {} ranks",
                                              group_.rank(), message.peer, group_.size()));
      const ibv_mr* memory = message.bytes == 0 ? nullptr : &here.port().memory_of(message.address, message.bytes);
      Offer& offer = pairs[message.peer].mine;
      if (message.kind == Message::Kind::send)
        offer.sends.push_back({message.bytes, message.elided ? 1U : 0U});
      else
        offer.receives.push_back({message.bytes, message.elided ? 1U : 0U, message.credit,
                                  reinterpret_cast<std::uintptr_t>(message.address),
                                  memory == nullptr ? 0 : memory->rkey ^ spoil});
    }

  std::vector<int> peers, strangers;
  for (auto& [peer, pair] : pairs) {
    peers.push_back(peer);
    if (const Connection* known = here.find(peer); known == nullptr || !known->met) strangers.push_back(peer);
    Offer& offer = pair.mine;
    offer.lane = lane;
    if (!offer.sends.empty()) {
      pair.outgoing = work->outgoing.size();
      Work::Outgoing& out = *work->outgoing.emplace_back(std::make_unique<Work::Outgoing>(here));
      offer.grants = out.channel.number;
      offer.granted = out.granted.address();
      offer.granted_key = out.granted.remote_key;
    }
    if (!offer.receives.empty()) {
      pair.source = work->sources.size();
      offer.channel = work->sources.emplace_back(std::make_unique<Work::Source>(here))->channel.number;
    }
  }
  const std::vector<Address> introductions = here.introduce(strangers);
  for (std::size_t i = 0; i < strangers.size(); ++i) pairs[strangers[i]].mine.address = introductions[i];

  std::vector<Blob> blobs;
  for (const int peer : peers) blobs.push_back(pack(pairs[peer].mine));
  if (!peers.empty()) {
    const std::vector<Blob> answers = group_.exchange(peers, blobs);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      Agreed& pair = pairs[peers[i]];
      pair.theirs = unpack(answers[i], peers[i]);
      check_match(pair.mine, group_.rank(), pair.theirs, peers[i]);
    }
  }
  if (!strangers.empty()) {
    std::vector<Address> theirs;
    for (const int peer : strangers) theirs.push_back(*pairs[peer].theirs.address);
    here.connect(strangers, theirs);
    // A message that comes before its queue pair is ready would be sent again only after a long time.
    (void)group_.exchange(strangers, std::vector<Blob>(strangers.size()));
  }
  lay_out(*work, here, rounds, pairs);
  return std::make_unique<VerbsExchange>(here, group_, std::move(work));
}

std::unique_ptr<Native> VerbsEndpoint::make_native(Operation operation, const NativeRun& run, bool ping_pong) {
  if (operation == Operation::fetch_add && !lanes_.front()->port().atomics())
    throw Error(Fault::usage, fmt::format("{} has no atomic operations", lanes_.front()->port().where()));
  Port& port = lanes_.front()->port();
  Options options = given_;
  std::uint32_t receives = 0;
  if (operation == Operation::send) receives = options.depth;
  if (!ping_pong) {
    // More than are in flight, so that a sender does not come to rest because the receiver has no turn yet.
    constexpr std::uint32_t plenty = 512;
    const auto most = static_cast<std::uint32_t>(std::max(port.device().max_qp_wr, 1));
    if (operation == Operation::send) receives = std::max(options.depth, std::min(plenty, most));
    // Who polls takes the core from the peer, and from the kernel's part of a device that has one.
    options.events = options.events || (oversubscribed_ && !options.polling);
  }
  auto link = std::make_unique<Link>(group_, port, options, run, receives, oversubscribed_);
  return ping_pong ? make_ping_pong(std::move(link), operation, run, options)
                   : make_stream(std::move(link), operation, run, options, receives);
}

}  // namespace railgauge::verbs
