// Registers memory and prepares Exchanges.
#include "transports/ucx/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "transports/ucx/matching.hpp"

namespace railgauge::ucx {
namespace {
constexpr std::chrono::seconds close_deadline{2};
}

UcxEndpoint::UcxEndpoint(Group& group, const Place& place, const Options& options) : group_(group) {
  for (const Place::LaneResources& lane : place.lanes) {
    const std::string listen_at = options.listener ? (lane.port.empty() ? options.device() : lane.port) : std::string();
    if (options.listener && listen_at.empty())
      throw Error(Fault::usage, "ucx.connect=listener needs an interface: name it, for example --set ucx.devices=mlx5_0:1");
    auto port = std::find_if(ports_.begin(), ports_.end(), [&](const Port& known) { return known.name == lane.port; });
    if (port == ports_.end())
      port = ports_.insert(ports_.end(), Port{lane.port, open_context(options, lane.port, group.size()), {}});
    rails_.push_back({static_cast<std::size_t>(port - ports_.begin()),
                      std::make_unique<UcxLane>(group, port->opened.context.get(), options.peer_errors, listen_at)});
  }
}

// What UCX has not finished with stays as it is until the process ends, and nobody calls for it to move on.
void UcxEndpoint::abandon() {
  struct Remains {
    std::vector<Port> ports;
    std::vector<Rail> rails;
  };
  static auto& all = *new std::vector<Remains>;  // NOLINT(cppcoreguidelines-owning-memory): never destroyed
  static std::mutex lock;
  const std::lock_guard guard(lock);  // ranks may be threads
  all.push_back({std::move(ports_), std::move(rails_)});
}

UcxEndpoint::~UcxEndpoint() {
  const auto deadline = UcxLane::Clock::now() + close_deadline;
  bool closed = true;
  for (Rail& rail : rails_) closed = rail.lane->close(deadline) && closed;
  if (!closed) abandon();
}

std::string UcxEndpoint::refusal(const Region& region) {
  const ucs_memory_type_t type = memory_type(region.kind);
  for (const Port& port : ports_) {
    if ((port.opened.memory_types & (std::uint64_t{1} << type)) == 0)
      return fmt::format("this UCX ({}) cannot send {} memory: it was built without it, or its module for it was not found",
                         ucp_get_version_string(), ucs_memory_type_names[type]);
    try {
      const Registration trial(port.opened.context.get(), region);
    } catch (const Error& error) { return error.what(); }
  }
  return {};
}

void UcxEndpoint::attach(const Region& region) {
  for (Port& port : ports_)
    port.memory.push_back(region.bytes == 0 ? nullptr : std::make_unique<Registration>(port.opened.context.get(), region));
  regions_.push_back(region);
}

std::size_t UcxEndpoint::region_of(const Message& message) const {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (message.address >= region.address && message.address + message.bytes <= region.address + region.bytes) return i;
  }
  throw Error(Fault::usage, fmt::format("a message of {} bytes between rank {} and rank {} does not lie in attached memory",
                                        message.bytes, group_.rank(), message.peer));
}

std::unique_ptr<Exchange> UcxEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= rails_.size()) throw Error(Fault::usage, fmt::format("lane {} of an endpoint that has {}", lane, rails_.size()));
  UcxLane& here = *rails_[lane].lane;
  const Port& port = ports_[rails_[lane].port];

  std::map<int, Offer> mine;  // by peer, in the order of ranks on every rank
  const std::uint64_t number = here.next_number();
  for (const std::vector<Message>& round : rounds)
    for (const Message& message : round) {
      if (message.peer < 0 || message.peer >= group_.size())
        throw Error(Fault::usage,
                    fmt::format("a message of rank {} names rank {} of {} ranks", group_.rank(), message.peer, group_.size()));
      Offer& offer = mine[message.peer];
      (message.kind == Message::Kind::send ? offer.send_bytes : offer.receive_bytes).push_back(message.bytes);
    }

  std::vector<int> peers;
  std::vector<Blob> blobs;
  Blob address;
  for (auto& [peer, offer] : mine) {
    offer.lane = lane;
    offer.number = number;
    if (here.find(peer) == nullptr) {
      if (address.empty()) address = here.address();
      offer.address = address;
    }
    if (peer == group_.rank()) continue;
    peers.push_back(peer);
    blobs.push_back(pack(offer));
  }
  std::map<int, Offer> theirs;
  if (!peers.empty()) {
    const std::vector<Blob> answers = group_.exchange(peers, blobs);
    for (std::size_t i = 0; i < peers.size(); ++i) theirs[peers[i]] = unpack(answers[i], peers[i]);
  }
  if (const auto self = mine.find(group_.rank()); self != mine.end()) theirs[group_.rank()] = self->second;

  std::vector<int> strangers;
  std::vector<Blob> addresses;
  for (const auto& [peer, offer] : mine) {
    check_match(offer, group_.rank(), theirs[peer], peer);
    if (offer.address.empty()) continue;
    strangers.push_back(peer);
    addresses.push_back(theirs[peer].address);
  }
  here.connect(strangers, addresses);

  std::vector<Resolved> resolved;
  for (std::uint32_t round = 0; round < rounds.size(); ++round)
    for (const Message& message : rounds[round]) {
      const bool send = message.kind == Message::Kind::send;
      Resolved& one = resolved.emplace_back(Resolved{.message = message, .round = round});
      if (message.bytes != 0) {
        const std::size_t region = region_of(message);
        one.memory = port.memory[region]->handle();
        one.type = memory_type(regions_[region].kind);
      }
      one.tag = send ? exchange_tag(theirs[message.peer].number, group_.rank()) : exchange_tag(number, message.peer);
      if (send) one.endpoint = here.find(message.peer)->endpoint;
    }
  return std::make_unique<UcxExchange>(here, make_work(resolved, rounds.size(), port.opened.request_bytes));
}

}  // namespace railgauge::ucx
