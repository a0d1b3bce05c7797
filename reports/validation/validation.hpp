// What a validation of a cluster found: plain records that each writer of reports/validation reads and none changes.
// docs/validate.md explains them to people, docs/validation.schema.json to programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "topo/check/check.hpp"

namespace railgauge::validation {

enum class Outcome : std::uint8_t {
  passed,
  failed,        // somebody is faulty, or a figure is below what it must be
  inconclusive,  // nobody is faulty, and something was suspected and not decided, or too little could be measured
  interrupted    // stopped from outside; what was found until then is kept
};

// What became of a stage.
enum class StageState : std::uint8_t {
  done,
  skipped,   // with the reason
  cut_short  // its budget was over; with what is missing
};

// Stages that others look at.
inline constexpr const char *preflight_stage = "preflight", *pairs_stage = "pairs";

struct Stage {
  std::string name;  // "preflight", "node", "pairs", "groups", "congestion", "watch", "soak"
  StageState state = StageState::done;
  std::string reason;  // empty where it is done
  Seconds took{};
  std::optional<Seconds> budget;
  bool resumed = false;            // taken from a journal of an earlier start, wholly or partly
  std::vector<std::string> notes;  // "8 rounds of 4 pairs; scatter of one measurement 1.2 %": a sentence each, without the dot
};

enum class HostState : std::uint8_t {
  good,      // measured, and no finding names it
  faulty,    // a finding names it
  doubtful,  // something was suspected and not decided
  lost,      // died, was stopped or was never heard of
  unmeasured
};

// One host on one rail, against the others: GB/s and seconds, medians over its pairs. Empty where it was not measured.
struct RailFigures {
  std::string port;                             // "mlx5_0/1" or "eth0"; empty where it is not known
  std::string leaf;                             // name of the switch that it is attached to; empty where it is not known
  unsigned leaf_port = 0;                       // 0: not known
  std::optional<double> send, receive;          // GB/s
  std::optional<double> send_off, receive_off;  // share that it is off its peers: -0.05 is 5 % slower
  std::optional<Seconds> latency;
};

struct Host {
  std::string name;   // as the launcher says it
  std::string model;  // of hosts that should be alike: the class that it is compared with
  std::vector<int> ranks;
  HostState state = HostState::unmeasured;
  std::string reason;  // of lost, doubtful and unmeasured: a sentence
  std::vector<RailFigures> rails;
};

// What is at fault.
enum class Blame : std::uint8_t {
  gpu,
  nvlink,
  pcie,
  nic,
  cable_port,     // a host's cable, or either port that it joins
  leaf,           // a leaf switch, or its cable to a spine
  spine,          // above the leaves: a switch, a cable, or congestion
  configuration,  // of a host
  unstable,       // slow at times
  inconclusive
};

// What is off.
enum class Symptom : std::uint8_t {
  bandwidth,
  latency,
  reach,     // no data passes
  presence,  // a host does not answer
  setting,
  data,  // which is wrong
  loss   // packets are lost and sent again
};

// A finding, or a suspicion that was not confirmed.
struct Diagnosis {
  Blame blame = Blame::inconclusive;
  bool faulty = false;    // false: it is only told
  std::string stage;      // that found it
  std::string from, to;   // both ends: "n17:mlx5_0/1" and "leaf3 port 18"; `to` is empty where there is one
  std::string host;       // name of the host that it is about; empty for what lies between switches
  std::string direction;  // "sending", "receiving", "both ways", "up", "down"; may be empty
  Symptom measure = Symptom::bandwidth;
  // As a share, of bandwidth or of latency's inverse: 0.05 is 5 % slower; 1: no data passes. Of `loss` the share that is lost.
  std::optional<double> slower;
  std::optional<double> confidence;   // 0 to 1: that it is no chance
  std::string sentence;               // all of that
  std::string next;                   // what to do
  std::vector<std::string> evidence;  // sentences: what else speaks for it, counters above all
  std::vector<std::string> hosts;     // to take out of service meanwhile
};

// A figure beside what it should be: all_reduce of a group, copies of a host, the fleet's median of a pair.
struct Figure {
  std::string stage;
  std::string what;     // "all_reduce of 8 hosts, 64 MiB", "pairs, median", "host memory reduction, float32"
  std::string subject;  // "rack 3", "n17", "all": whom it is of
  std::string unit;     // "GB/s", "us"
  double value = 0;
  std::optional<double> peers;        // median of the same figure of its peers of the same class
  std::optional<double> ceiling;      // what the topology allows, in the same unit
  std::string basis;                  // how the ceiling was reckoned
  std::optional<double> reference;    // what others measured on such hardware
  std::string source;                 // of the reference
  std::optional<double> least, most;  // the thresholds that were asked for
  bool below = false;                 // below `least` or above `most`: it is not what it must be, and the outcome is `failed`
};

// One measured pair of hosts on one rail, in one round, for the matrix of the report.
struct PairFigure {
  std::uint32_t from = 0, to = 0;  // places in Validation::hosts
  std::uint32_t rail = 0, round = 0;
  double gigabytes_per_second = 0;  // 0: no data came through
  Seconds latency{};                // 0: not measured
  bool confirming = false;          // of the rounds that confirm suspicions
};

// What a host said of itself that differs from its peers, or is wrong by itself.
struct Difference {
  std::string host, subject, name;  // "n3", "eth0", "MTU"
  std::string found, expected;      // "1500", "9000 (7 of 8 hosts)"
  topo::Severity severity = topo::Severity::note;
  std::string why, action;
};

// What could not be read, and of whom: said rather than passed over.
struct Unread {
  std::string name, reason;
  std::vector<std::string> hosts;
};

// Whether pairs reach what their links should carry.
struct LevelCheck {
  bool checked = false;   // pairs were measured; else the rest says nothing
  bool verified = false;  // each host has reached its level, sending and receiving, on all rails
  bool relative = false;  // --relative: nobody asked for more than a comparison between hosts
  std::string source;     // of the level: "the port's rate, 400 Gb/sec (4X NDR)"; empty where none is known
  std::string reason;     // why it is not verified: of the first host that is not; empty where findings say it
};

// The fabric as far as it is known, for the map. Hosts are those of Validation::hosts.
struct MapSwitch {
  std::string name;
  unsigned tier = 0;  // 0 leaf, 1 spine, 2 core
};
struct MapLink {
  std::string host;  // name; empty between switches
  std::uint32_t rail = 0;
  std::uint32_t a = 0, b = 0;   // switches; of a host's link `a` alone
  std::string a_port, b_port;   // as people say it: "mlx5_0/1", "18"
  std::optional<double> share;  // of what is usual; 1 is as usual
  bool faulty = false;
};
struct Map {
  std::vector<MapSwitch> switches;
  std::vector<MapLink> links;
};

// Which faults this run would have found; made for a chance of 99 %, and docs/validate-method.md has what simulations showed.
struct Power {
  std::optional<double> slowdown;       // the least by which a host must be slower than its peers; empty: not known
  std::optional<unsigned> slow_hosts;   // so many hosts that carry half are found at the same time; empty: not known
  std::optional<double> share_of_time;  // the least share of the time in which it is slow; empty: nobody looked for it
};

struct Validation {
  std::string run;    // the name of the run
  std::string begun;  // UTC, "2026-11-23T16:00:00Z"
  Seconds took{};
  std::optional<Seconds> budget;  // of all stages
  std::string version;            // of railgauge
  std::string transport;          // "ucx"
  std::string launcher;           // "srun"; empty for ranks of one command
  int ranks = 0;
  int rails = 1;
  Outcome outcome = Outcome::passed;
  std::string sentence;  // the outcome in one sentence: "1 of 8 hosts is at fault: n3:eth0 (cable/port), 5.1 % slower sending"
  std::vector<Stage> stages;
  std::vector<Host> hosts;
  std::vector<Diagnosis> diagnoses;  // findings first, the worst first
  std::vector<Figure> figures;
  std::vector<PairFigure> pairs;
  std::vector<Difference> differences;
  std::vector<Unread> unread;
  LevelCheck level;
  Power power;
  Map map;
};

// Hosts to take out of service: those that findings name, each once, in the order of the fleet.
[[nodiscard]] std::vector<std::string> to_drain(const Validation& validation);

// 0 passed, 1 failed, 4 inconclusive, 5 interrupted or a host was lost, in the order of docs/exit-codes.
[[nodiscard]] int exit_code(const Validation& validation) noexcept;

[[nodiscard]] constexpr const char* name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "?";
}
[[nodiscard]] std::string_view name(Blame blame) noexcept;      // "gpu", "cable/port", "spine/congestion", "host configuration"
[[nodiscard]] std::string_view name(Symptom symptom) noexcept;  // "bandwidth"
// For people: "faulty", for which JSON says "accused"; the others are the words of JSON.
[[nodiscard]] std::string_view name(HostState state) noexcept;

}  // namespace railgauge::validation
