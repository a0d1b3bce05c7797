// Runs the list of one rank: each node as soon as its predecessors are done and its stream is free.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/measure/loop.hpp"
#include "bench/workload/run/computations.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// What of a step runs.
enum class Part : std::uint8_t { all, communication, computation };

class Executor {
 public:
  // `calls[i]` is the plan of node i, null for computations and markers; nodes may share one, which they then use one after
  // the other, in the order of the list, as their partners on other ranks do. All arguments outlive it. Throws Error(usage) where
  // a node of the list is no call and has no plan.
  Executor(std::span<const WorkNode> nodes, std::vector<Runnable*> calls, Computations& computations, Clock clock);

  struct Patience {
    std::function<void()> check;  // called while nothing proceeds: throws where the step cannot be completed any more
    Seconds watchdog{30};         // in which some node must begin or end
    bool yield = false;           // ranks share cores
  };
  // A call has ended, the nth of those that share its plan (from 0), and the next of them has not begun.
  using CallEnded = std::function<void(std::uint32_t node, std::uint32_t nth)>;
  // Runs all nodes once, and fills `times`, one for each node, in seconds of the clock. What does not run takes no time. Throws
  // Error(lost) that names the nodes that wait when nothing proceeds for the watchdog's time.
  void run(Part part, std::span<Interval> times, const Patience& patience, const CallEnded& call_ended = nullptr);

  // The streams that compute, numbered from 0 in the order of their numbers in the list.
  [[nodiscard]] static std::size_t computing_streams(std::span<const WorkNode> nodes);

 private:
  struct Stream {
    std::vector<std::uint32_t> nodes;
    std::size_t next = 0;
    bool running = false;
    std::size_t computes = 0;  // its number among streams that compute
  };
  bool advance(Stream& stream, Part part, std::span<Interval> times, const CallEnded& call_ended);
  [[nodiscard]] bool is_ready(std::uint32_t node) const;
  bool begin(const Stream& stream, std::uint32_t node, Part part);
  bool ended(const Stream& stream, std::uint32_t node, Part part, const CallEnded& call_ended);
  void wait(Part part, const Patience& patience, Seconds since);
  [[nodiscard]] std::string waiting_for() const;

  std::span<const WorkNode> nodes_;
  std::vector<Runnable*> calls_;
  std::vector<std::uint32_t> plan_of_;  // by node: which of the distinct plans
  std::vector<std::uint32_t> nth_;      // by node: how many nodes before it in the list have its plan
  std::vector<std::uint32_t> used_;     // by distinct plan: nodes that have ended with it
  Computations& computations_;
  Clock clock_;
  std::vector<Stream> streams_;
  std::vector<std::uint8_t> done_;
};

}  // namespace railgauge
