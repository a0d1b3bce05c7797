// The same ranks, rounds and paths in SimGrid: reference CASE prints the simulated seconds. Built by tests/campaigns/simgrid.py.
//
// SimGrid shares links between flows by max-min fairness, but weighs them by their latency; so links have none here, and a
// transfer waits for its latency before it sends. --cfg=network/model:CM02, without cross traffic and without a window of TCP:
// its factors are 1.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sg = simgrid::s4u;

struct Channel {
  unsigned from, to;
  double latency;
  std::vector<unsigned> arcs;
  unsigned long sends = 0, receives = 0;
};
struct Message {
  bool sends;
  unsigned channel;
  unsigned long bytes;
};
struct Round {
  double local;
  std::vector<Message> messages;
};
struct Case {
  double predicted = 0, gap = 0;
  std::vector<double> arcs;
  std::vector<Channel> channels;
  std::vector<std::vector<Round>> ranks;
};

static Case read(const char* path) {
  std::ifstream in(path);
  std::string word;
  std::size_t count = 0;
  Case it;
  in >> word >> it.predicted >> word >> word >> count;
  it.arcs.resize(count);
  for (double& capacity : it.arcs) in >> capacity;
  in >> word >> count;
  it.channels.resize(count);
  for (Channel& channel : it.channels) {
    in >> channel.from >> channel.to >> channel.latency >> count;
    channel.arcs.resize(count);
    for (unsigned& arc : channel.arcs) in >> arc;
  }
  in >> word >> it.gap >> word >> count;
  it.ranks.resize(count);
  for (auto& rounds : it.ranks) {
    in >> word >> count;
    rounds.resize(count);
    for (Round& round : rounds) {
      in >> word >> round.local >> word >> count;
      round.messages.resize(count);
      for (Message& message : round.messages) {
        in >> word >> message.channel >> message.bytes;
        message.sends = word == "s";
      }
    }
  }
  if (!in) throw std::runtime_error("the case is cut");
  return it;
}

static Case given;
static std::vector<sg::Host*> hosts;
static std::vector<sg::SemaphorePtr> done;

// Begins when both ranks have posted it.
static void post(const Message& message) {
  Channel& channel = given.channels[message.channel];
  const unsigned long before = std::min(channel.sends, channel.receives);
  ++(message.sends ? channel.sends : channel.receives);
  if (std::min(channel.sends, channel.receives) == before) return;
  sg::Actor::create("transfer", hosts[channel.from], [message]() {
    const Channel& its = given.channels[message.channel];
    sg::this_actor::sleep_for(its.latency);
    if (message.bytes > 0) sg::Comm::sendto(hosts[its.from], hosts[its.to], message.bytes);
    done[its.from]->release();
    done[its.to]->release();
  });
}

static void rank(unsigned me) {
  for (const Round& round : given.ranks[me]) {
    const double begin = sg::Engine::get_clock();
    for (const Message& message : round.messages)
      if (!message.sends) post(message);
    unsigned sent = 0;
    for (const Message& message : round.messages) {
      if (!message.sends) continue;
      if (sent > 0) sg::this_actor::sleep_until(begin + sent * given.gap);
      post(message);
      ++sent;
    }
    for (std::size_t i = 0; i < round.messages.size(); ++i) done[me]->acquire();
    sg::this_actor::sleep_for(round.local);
  }
}

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  given = read(argv[1]);
  auto* zone = sg::create_full_zone("all");
  std::vector<sg::Link*> links;
  for (std::size_t i = 0; i < given.arcs.size(); ++i)
    links.push_back(zone->create_link("arc" + std::to_string(i), given.arcs[i])->set_latency(0)->seal());
  for (std::size_t i = 0; i < given.ranks.size(); ++i) {
    hosts.push_back(zone->create_host("rank" + std::to_string(i), 1e9)->seal());
    done.push_back(sg::Semaphore::create(0));
  }
  for (const Channel& channel : given.channels) {
    std::vector<sg::LinkInRoute> route;
    for (const unsigned arc : channel.arcs) route.emplace_back(links[arc]);
#if SIMGRID_VERSION_MAJOR < 4
    zone->add_route(hosts[channel.from]->get_netpoint(), hosts[channel.to]->get_netpoint(), nullptr, nullptr, route, false);
#else
    zone->add_route(hosts[channel.from], hosts[channel.to], route, false);
#endif
  }
  zone->seal();
  for (unsigned i = 0; i < hosts.size(); ++i) sg::Actor::create("rank", hosts[i], rank, i);
  engine.run();
  std::printf("%.17g\n", sg::Engine::get_clock());
  return 0;
}
