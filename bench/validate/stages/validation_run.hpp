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
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/verdict.hpp"
#include "bench/validate/orders/orders.hpp"
#include "bench/validate/preflight/facts.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validate {

using agents::Answer;
using agents::Member;
using agents::Order;

// Its members and its limit are still to be set.
template <class Task>
[[nodiscard]] Order order_to(const Task& task) {
  Order order;
  order.task = Task::name;
  order.words = task;
  return order;
}

struct ValidationOptions {
  std::string transport;
  bool quick = false;
  std::optional<Index> rounds;  // of pairs; empty: as the fleet and the budget allow
  std::string bytes = "256K";   // of a message between two hosts
  Seconds measured{0.25};       // that one way between two hosts, or a group, is measured
  Seconds watchdog{3};          // without progress of a transfer
  std::uint64_t seed = 1;
  std::string inside = "shm";           // transport between the ranks of a host
  bool on_device = false;               // buffers are a GPU's
  std::map<std::string, double> least;  // by collective: GB/s of bus bandwidth that all hosts together must reach
  std::vector<std::string> ports;       // that ranks were told to send by, in the order of the rails: for names
};

// What a host does by itself, as a share of what is usual among its peers.
struct OwnShare {
  OwnPart part = OwnPart::host;
  std::string of;  // which of several
  double share = 1;
};

// Gives orders, and returns one answer for each member of each order. `key` names them in the journal.
using CarryOut = std::function<std::vector<std::vector<Answer>>(const std::string& key, std::vector<Order> orders)>;

class ValidationRun {
 public:
  // Hosts in the order of their first ranks; rank k of a host is its rail k. `crowding`: agents for each core of the machine that
  // has most.
  ValidationRun(const std::vector<Member>& members, ValidationOptions given, CarryOut carry_out);

  ValidationOptions options;
  Fleet fleet;
  validation::Validation found;  // hosts in the order of the fleet
  double crowding = 1;
  std::map<Index, std::vector<OwnShare>> own;         // by host, once each was measured by itself beside its peers
  std::optional<double> pair_median;                  // GB/s, once pairs were measured
  std::map<Index, topo::preflight::HostFacts> facts;  // by host, once the preflight has read them
  std::vector<Component> faulty;                      // parts between hosts
  std::size_t turn = 1;                               // of a soak: each has its own chances to name somebody faulty by mistake
  std::vector<std::string> notes;                     // of what was learnt before the first stage, as those of a stage

  [[nodiscard]] int rank_of(Index host, Index rail) const { return ranks_[host][rail]; }
  [[nodiscard]] const std::vector<int>& ranks_of(Index host) const { return ranks_[host]; }
  [[nodiscard]] Index host_of(int rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  // Takes part still.
  [[nodiscard]] bool lives(Index host) const { return !out_[host]; }
  [[nodiscard]] std::vector<Index> living() const;

  // As CarryOut; who is lost, or whose process was killed or stopped, has a verdict then and takes no part any more.
  [[nodiscard]] std::vector<std::vector<Answer>> carry_out(const std::string& stage, const std::string& key,
                                                           std::vector<Order> orders);
  // It no longer answers. Has a verdict then, and takes no part any more; the same of one that cannot do what it is told.
  void lose(Index host, const std::string& stage, const std::string& sentence);
  void expel(Index host, const std::string& stage, const std::string& sentence);
  // The same of one whose port has no link.
  void cut_off(Index host, const std::string& stage, const std::string& port, const std::string& sentence);
  // Adds the verdict, of `host` where it names one, unless the same ends are faulty already.
  void tell(const std::string& stage, const Verdict& verdict, const std::string& host);

  // Who was measured in as many rounds as a suspicion takes, and has no other state yet.
  void mark_good(std::span<const Measurement> measured);
  void add_figure(const std::string& stage, const std::string& what, const std::string& subject, const std::string& unit,
                  double value);

  // A moment after which a stage begins nothing new; nothing where it has all the time it wants.
  std::optional<std::chrono::steady_clock::time_point> until;
  [[nodiscard]] bool time_is_over() const { return until && std::chrono::steady_clock::now() >= *until; }

  [[nodiscard]] Seconds limit_of(int parts) const;  // of an order that measures so many parts

 private:
  void look_for_wrong_data(const std::string& stage, const std::vector<Answer>& answers);
  validation::Verdict& leave(Index host, const std::string& stage, Blame blame, Symptom measure, const std::string& sentence,
                             const char* next);

  CarryOut carry_out_;
  std::vector<std::vector<int>> ranks_;
  std::vector<Index> host_of_;
  std::vector<bool> out_;  // by host
};

}  // namespace railgauge::validate
