// Fleets by arithmetic alone.
#include "tests/reports/validation/made.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace railgauge::test {
namespace {

using namespace validation;

constexpr double usual = 24.2;      // GB/s
constexpr double latency = 2.1e-6;  // seconds

// In [-1, 1], the same everywhere.
double chance(std::uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15ULL;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebULL;
  number ^= number >> 31U;
  return static_cast<double>(number >> 11U) * 0x1p-52 - 1;
}

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

// How much of the usual a host sends on a rail.
double sent_share(const Validation& of, std::size_t host, std::size_t rail) {
  const auto& figures = of.hosts[host].rails;
  return rail < figures.size() && figures[rail].send_off ? 1 + *figures[rail].send_off : 1;
}

void add_pairs(Validation& of, std::size_t rounds) {
  const std::size_t size = of.hosts.size();
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < size / 2; ++i) {
      // The circle method: the last host stands still, the others turn.
      const std::size_t turn = size - 1, a = i == 0 ? size - 1 : (round + i) % turn, b = (round + turn - i) % turn;
      for (std::size_t rail = 0; rail < static_cast<std::size_t>(of.rails); ++rail)
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
          if (of.hosts[from].state == HostState::lost || of.hosts[to].state == HostState::lost) continue;
          const double noise = 1 + 0.01 * chance(((round * 8191 + from) * 8191 + to) * 16 + rail);
          of.pairs.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(rail),
                              static_cast<std::uint32_t>(round), rounded(usual * noise * sent_share(of, from, rail)),
                              Seconds(latency), false});
        }
    }
}

void add_map(Validation& of, const Fleet& fleet) {
  if (fleet.hosts_a_leaf == 0) return;
  const std::size_t units = (fleet.hosts + fleet.hosts_a_leaf - 1) / fleet.hosts_a_leaf, leaves = units * fleet.rails;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) of.map.switches.push_back({fmt::format("leaf{}", leaf), 0});
  for (std::size_t spine = 0; spine < fleet.spines; ++spine) of.map.switches.push_back({fmt::format("spine{}", spine), 1});
  for (std::size_t host = 0; host < fleet.hosts; ++host)
    for (std::size_t rail = 0; rail < fleet.rails; ++rail) {
      RailFigures& figures = of.hosts[host].rails[rail];
      const std::size_t leaf = host / fleet.hosts_a_leaf * fleet.rails + rail;
      figures.leaf = of.map.switches[leaf].name;
      figures.leaf_port = static_cast<unsigned>(host % fleet.hosts_a_leaf + 1);
      of.map.links.push_back({of.hosts[host].name, static_cast<std::uint32_t>(rail), static_cast<std::uint32_t>(leaf), 0,
                              figures.port, fmt::format("{}", figures.leaf_port), 1 + *figures.send_off, false});
    }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (std::size_t spine = 0; spine < fleet.spines; ++spine)
      of.map.links.push_back({"", 0, static_cast<std::uint32_t>(leaf), static_cast<std::uint32_t>(leaves + spine),
                              fmt::format("{}", fleet.hosts_a_leaf + spine + 1), fmt::format("{}", leaf + 1), std::nullopt,
                              false});
}

void add_stages(Validation& of) {
  of.stages = {{"preflight", StageState::done, "", Seconds(3.2), Seconds(60), false, {}},
               {"node", StageState::done, "", Seconds(21.4), Seconds(90), false, {"4 measurements of each host, side by side"}},
               {"pairs", StageState::done, "", Seconds(64), Seconds(240), false, {"7 rounds; scatter of one measurement 1.0 %"}},
               {"groups", StageState::done, "", Seconds(31), Seconds(120), false, {}},
               {"congestion", StageState::done, "", Seconds(18), Seconds(60), false, {}},
               {"soak", StageState::skipped, "it is left out with --quick", {}, std::nullopt, false, {}}};
  Figure all;
  all.stage = "groups";
  all.what = "all_reduce, 64 MiB";
  all.subject = "all";
  all.unit = "GB/s";
  all.value = 23.41;
  all.ceiling = 25;
  all.basis = "ring: 200 Gbit/s a host, each direction";
  all.reference = 23.1;
  all.source = "the built-in table: 8 nodes, HDR";
  all.least = 20;
  Figure memory;
  memory.stage = "node";
  memory.what = "host memory reduction, float32";
  memory.subject = "n0";
  memory.unit = "GB/s";
  memory.value = 41.2;
  memory.peers = 41.5;
  Figure time;
  time.stage = "pairs";
  time.what = "latency, 8 B, median";
  time.subject = "all";
  time.unit = "us";
  time.value = 2.1;
  of.figures = {all, memory, time};
}

}  // namespace

Validation fleet(const Fleet& fleet) {
  Validation of;
  of.run = "20261123T160000Z-4711";
  of.begun = "2026-11-23T16:00:00Z";
  of.took = Seconds(161.2);
  of.budget = Seconds(600);
  of.version = "0.1.0";
  of.transport = "ucx";
  of.launcher = "srun";
  of.ranks = static_cast<int>(fleet.hosts);
  of.rails = static_cast<int>(fleet.rails);
  of.sentence = fmt::format("all {} hosts are as their peers", fleet.hosts);
  for (std::size_t i = 0; i < fleet.hosts; ++i) {
    Host& host = of.hosts.emplace_back();
    host.name = fmt::format("n{}", i);
    host.model = "8 x H100, 8 x ConnectX-7";
    host.ranks = {static_cast<int>(i)};
    host.state = HostState::good;
    for (std::size_t rail = 0; rail < fleet.rails; ++rail) {
      RailFigures& figures = host.rails.emplace_back();
      figures.port = fleet.rails == 1 ? "eth0" : fmt::format("mlx5_{}/1", rail);
      figures.send_off = rounded(0.004 * chance(i * 64 + rail));
      figures.receive_off = rounded(0.004 * chance(i * 64 + rail + 32));
      figures.send = rounded(usual * (1 + *figures.send_off));
      figures.receive = rounded(usual * (1 + *figures.receive_off));
      figures.latency = Seconds(latency);
    }
  }
  add_map(of, fleet);
  add_stages(of);
  add_pairs(of, fleet.rounds);
  return of;
}

Validation healthy() { return fleet({}); }

Validation faulty_cable() {
  Validation of = fleet({.hosts = 8, .rails = 2, .rounds = 0, .hosts_a_leaf = 4, .spines = 2});
  of.outcome = Outcome::failed;
  of.sentence = "1 of 8 hosts is at fault: n3:mlx5_1/1 (cable/port), 5.1 % slower sending";
  Host& host = of.hosts[3];
  host.state = HostState::faulty;
  host.rails[1].send_off = -0.051;
  host.rails[1].send = rounded(usual * 0.949);
  for (MapLink& link : of.map.links)
    if (link.host == "n3" && link.rail == 1) {
      link.faulty = true;
      link.share = 0.949;
    }
  Diagnosis diagnosis;
  diagnosis.blame = Blame::cable_port;
  diagnosis.faulty = true;
  diagnosis.stage = "pairs";
  diagnosis.from = "n3:mlx5_1/1";
  diagnosis.to = "leaf1 port 4";
  diagnosis.host = "n3";
  diagnosis.direction = "sending";
  diagnosis.measure = Symptom::bandwidth;
  diagnosis.slower = 0.051;
  diagnosis.confidence = 0.9987;
  diagnosis.sentence = "n3 sends 5.1 % less by mlx5_1/1 than its 7 peers, and so it does with 3 hosts that are proven good";
  diagnosis.next =
      "reseat the cable at n3:mlx5_1/1 and at leaf1 port 4, run again with --stages pairs; if it stays, change the cable";
  diagnosis.evidence = {"symbol errors of leaf1 port 4 grew by 1204 meanwhile", "n3 sends as usual by mlx5_0/1"};
  diagnosis.hosts = {"n3"};
  of.diagnoses = {diagnosis};
  of.differences = {{"n5", "mlx5_0", "firmware", "28.39.1002", "28.40.1000 (7 of 8 hosts)", topo::Severity::warning,
                     "peers that differ in firmware may differ in speed", "bring n5 to 28.40.1000"}};
  add_pairs(of, 7);
  for (PairFigure confirming : {PairFigure{3, 0, 1, 7, 22.97, {}, true}, PairFigure{3, 5, 1, 8, 22.94, {}, true}})
    of.pairs.push_back(confirming);
  return of;
}

Validation inconclusive() {
  Validation of = fleet({.hosts = 128, .rails = 1, .rounds = 0, .hosts_a_leaf = 0, .spines = 0});
  of.outcome = Outcome::inconclusive;
  of.launcher = "";
  of.sentence =
      "n17 was lost, and of n64 nothing could be decided before the budget was over; 126 of 128 hosts are as their peers";
  Host& lost = of.hosts[17];
  lost.state = HostState::lost;
  lost.reason = "nothing was heard of rank 17 for 10 s in round 2 of the stage pairs";
  lost.rails.clear();
  Host& doubtful = of.hosts[64];
  doubtful.state = HostState::doubtful;
  doubtful.reason = "suspected of receiving 2.4 % less, and not confirmed";
  doubtful.rails[0].receive_off = -0.024;
  Diagnosis presence;
  presence.blame = Blame::unstable;
  presence.faulty = true;
  presence.stage = "pairs";
  presence.from = presence.host = "n17";
  presence.measure = Symptom::presence;
  presence.sentence = "n17 was there when the stage began, and nothing was heard of it for 10 s";
  presence.next = "look at its console and its kernel log, then run again";
  presence.hosts = {"n17"};
  Diagnosis doubt;
  doubt.blame = Blame::inconclusive;
  doubt.stage = "pairs";
  doubt.from = "n64:eth0";
  doubt.host = "n64";
  doubt.direction = "receiving";
  doubt.measure = Symptom::bandwidth;
  doubt.slower = 0.024;
  doubt.confidence = 0.91;
  doubt.sentence = "n64 receives 2.4 % less than its peers, which 20 squares neither confirmed nor cleared";
  doubt.next = "run again with a larger --budget";
  of.diagnoses = {presence, doubt};
  of.stages[2].state = StageState::cut_short;
  of.stages[2].reason = "its budget of 240 s was over with 2 of 9 rounds missing";
  of.stages[2].resumed = true;
  of.stages[3].state = StageState::skipped;
  of.stages[3].reason = "nothing was left of the budget";
  of.figures.pop_back();
  of.figures.front().below = true;
  of.figures.front().value = 18.9;
  std::vector<std::string> every, some;
  for (const Host& host : of.hosts) {
    every.push_back(host.name);
    if (some.size() < 40) some.push_back(host.name);
  }
  of.unread = {{"PCIe payload sizes", "lspci needs root", every}, {"row remaps", "nvidia-smi is not there", some}};
  of.differences = {{"n3", "eth0", "MTU", "1500", "9000 (127 of 128 hosts)", topo::Severity::fault,
                     "large messages go in six times as many packets", "ip link set eth0 mtu 9000 on n3"}};
  add_pairs(of, 7);
  return of;
}

Validation named(Validation of, const std::string& text) {
  for (std::string* word : {&of.run, &of.begun, &of.version, &of.transport, &of.launcher, &of.sentence}) *word = text;
  for (Stage& it : of.stages) {
    it.name = it.reason = text;
    it.notes = {text};
  }
  std::size_t number = 0;
  for (Host& it : of.hosts) {
    const std::string before = it.name;
    it.name = text + std::to_string(number++);
    for (MapLink& link : of.map.links)
      if (link.host == before) link.host = it.name;
    it.model = it.reason = text;
    for (RailFigures& rail : it.rails) rail.port = rail.leaf = text;
  }
  for (Diagnosis& it : of.diagnoses) {
    for (std::string* word : {&it.stage, &it.from, &it.to, &it.host, &it.direction, &it.sentence, &it.next}) *word = text;
    it.evidence = {text};
    it.hosts = {of.hosts[3].name};
  }
  for (Figure& it : of.figures)
    for (std::string* word : {&it.stage, &it.what, &it.subject, &it.unit, &it.basis, &it.source}) *word = text;
  for (Difference& it : of.differences)
    for (std::string* word : {&it.host, &it.subject, &it.name, &it.found, &it.expected, &it.why, &it.action}) *word = text;
  for (Unread& it : of.unread) {
    it.name = it.reason = text;
    it.hosts = {text};
  }
  for (MapSwitch& it : of.map.switches) it.name = text;
  for (MapLink& it : of.map.links) it.a_port = it.b_port = text;
  return of;
}

Validation without_numbers(Validation of) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  of.took = Seconds(none);
  of.budget = Seconds(endless);
  for (Stage& it : of.stages) {
    it.took = Seconds(none);
    it.budget = Seconds(endless);
  }
  for (Host& host : of.hosts)
    for (RailFigures& rail : host.rails) {
      rail.send = rail.receive_off = none;
      rail.receive = rail.send_off = endless;
      rail.latency = Seconds(none);
    }
  for (Diagnosis& it : of.diagnoses) it.slower = it.confidence = none;
  for (Figure& it : of.figures) {
    it.value = none;
    it.peers = it.ceiling = it.reference = it.least = endless;
  }
  for (PairFigure& it : of.pairs) {
    it.gigabytes_per_second = none;
    it.latency = Seconds(endless);
  }
  for (MapLink& it : of.map.links) it.share = none;
  return of;
}

}  // namespace railgauge::test
