// A validation in progress: who takes part, who still does, and what was found. Each stage (bench/validate/stages/stages.hpp)
// reads and adds.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/agents/conductor.hpp"
#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/latency.hpp"
#include "bench/validate/orders/orders.hpp"
#include "bench/validate/preflight/facts.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validate {

using agents::Answer;
using agents::Member;
using agents::Order;

// Makes an order of a task. The caller sets its members and its limit.
template <class Task>
[[nodiscard]] Order order_to(const Task& task) {
  Order order;
  order.task = Task::name;
  order.words = task;
  return order;
}

// How long a training step may take at most.
struct StepLimit {
  double times_predicted = 0;  // so many times what is predicted; 0: `most` counts
  Seconds most{};
  std::string words;  // "120ms", "1.5x"
};

struct ValidationOptions {
  std::string transport;
  bool quick = false;
  std::optional<Index> rounds;  // of pairs; empty: as the fleet and the budget allow
  std::string bytes = "256K";   // of a message between two hosts
  Seconds measured{0.25};       // how long one direction between two hosts, or a group, is measured
  Seconds watchdog{3};          // how long a transfer may make no progress
  std::uint64_t seed = 1;
  std::string inside = "shm";            // transport between the ranks of a host
  bool on_device = false;                // buffers are in the memory of a GPU
  std::map<std::string, double> least;   // by collective: GB/s of bus bandwidth that all hosts together must reach
  std::optional<double> pair_least;      // GB/s that one direction between two hosts must carry on each rail
  std::string workload;                  // a model of the stage workload; empty: it does not run
  std::optional<double> workload_scale;  // of its bytes and computations; nothing: comfortable_factor()
  std::optional<StepLimit> step_most;    // of that step
  bool relative = false;           // hosts are compared with each other alone: that their level is unknown is no reason to doubt
  std::vector<std::string> ports;  // by which ranks were told to send, in the order of the rails: they name the rails
};

// A figure of a host by itself, as a share of the median of its peers.
struct OwnShare {
  HostComponent component = HostComponent::host;
  std::string of;  // which of several
  double share = 1;
};

// Transfers of a rail that are slower than both of their hosts have shown with others.
struct Unexplained {
  Index rail = 0;
  double share = 0, slower = 0;  // of all transfers; and by what share they are slower, in the median
};

// What the stage pairs measured, for the stage watch.
struct Seen {
  std::vector<Measurement> bandwidth;  // with the repeats of each transfer
  std::vector<Latency> latency;
  std::vector<bool> without;  // by host: it could not be reached
  Index rounds = 0;           // the number of the next round
  std::vector<Finding> open;  // of hosts that look slow at times, which the stage watch decides
  std::vector<Unexplained> unexplained;
};

// Gives orders, and returns one answer for each member of each order, in their order. `key` names the orders in the journal.
using CarryOut = std::function<std::vector<std::vector<Answer>>(const std::string& key, std::vector<Order> orders)>;

class ValidationRun {
 public:
  // Hosts are in the order of their first ranks, and rank k of a host is its rail k.
  ValidationRun(const std::vector<Member>& members, ValidationOptions given, CarryOut carry_out);

  ValidationOptions options;
  Fleet fleet;
  validation::Validation found;                       // hosts in the order of the fleet
  double crowding = 1;                                // agents for each core, of the machine that has most
  std::map<Index, std::vector<OwnShare>> own;         // by host, once the stage node has measured it
  std::optional<double> pair_median;                  // GB/s, once pairs were measured
  std::map<Index, topo::preflight::HostFacts> facts;  // by host, once the preflight has read them
  std::vector<Component> faulty;                      // faulty components between hosts
  Seen seen;
  bool watches = false;            // the stage watch comes after the pairs
  std::size_t turn = 1;            // number of the turn of a soak: each has its own chance to name somebody by mistake
  std::vector<std::string> notes;  // sentences about what was learnt before the first stage

  [[nodiscard]] int rank_of(Index host, Index rail) const { return ranks_[host][rail]; }
  [[nodiscard]] const std::vector<int>& ranks_of(Index host) const { return ranks_[host]; }
  [[nodiscard]] Index host_of(int rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  // Whether the host still takes part.
  [[nodiscard]] bool lives(Index host) const { return !out_[host]; }
  [[nodiscard]] std::vector<Index> living() const;

  // Does what CarryOut does. A host that is lost, or whose process was killed or stopped, gets a diagnosis and takes no part any
  // more.
  [[nodiscard]] std::vector<std::vector<Answer>> carry_out(const std::string& stage, const std::string& key,
                                                           std::vector<Order> orders);
  // Each gives a host a diagnosis, and excludes it: lose() where it no longer answers, expel() where it cannot do what it is
  // told, cut_off() where its port has no link.
  void lose(Index host, const std::string& stage, const std::string& sentence);
  void expel(Index host, const std::string& stage, const std::string& sentence);
  void cut_off(Index host, const std::string& stage, const std::string& port, const std::string& sentence);
  // Adds the diagnosis, or its sentence as evidence where the same ends are faulty already. `host` is the name of the host; may
  // be empty.
  void tell(const std::string& stage, const Diagnosis& diagnosis, const std::string& host);

  // Where nothing was found: transfers of two heaps that hosts do not tell apart are no pass.
  void tell_unexplained(const std::string& stage, const std::vector<Unexplained>& all);

  // Marks the hosts as good that were measured in enough rounds and have no other state yet.
  void mark_good(std::span<const Measurement> measured);
  void add_figure(const std::string& stage, const std::string& what, const std::string& subject, const std::string& unit,
                  double value);

  // After this moment a stage begins nothing new; empty where its time is unlimited.
  std::optional<std::chrono::steady_clock::time_point> until;
  [[nodiscard]] bool time_is_over() const { return until && now() >= *until; }
  std::function<std::chrono::steady_clock::time_point()> now = &std::chrono::steady_clock::now;

  [[nodiscard]] Seconds limit_of(int points) const;  // of an order that measures so many points

 private:
  void look_for_wrong_data(const std::string& stage, const std::vector<Answer>& answers);
  validation::Diagnosis& leave(Index host, const std::string& stage, Blame blame, Symptom measure, const std::string& sentence,
                               const char* next);

  CarryOut carry_out_;
  std::vector<std::vector<int>> ranks_;
  std::vector<Index> host_of_;
  std::vector<bool> out_;  // by host
};

}  // namespace railgauge::validate
