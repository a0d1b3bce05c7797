// The process that does the work of one rank: takes an order, meets the other members of it, answers, and waits for the next. It
// may hang, crash or be killed: its agent ends it and makes another.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/agents/order.hpp"
#include "bench/launch/control_tree.hpp"

namespace railgauge::agents {

// The network over which this rank's workers reach other workers.
struct WorkerNetwork {
  Reach reach = Reach::network;
  Network network;
};

// One order as one of its members sees it.
class TaskContext {
 public:
  // `pipe`: to the agent, which passes on where the first member waits.
  TaskContext(const Order& order, int place, const WorkerNetwork& network, int pipe)
      : order_(order), place_(place), network_(network), pipe_(pipe) {}
  [[nodiscard]] const Order& order() const { return order_; }
  [[nodiscard]] int place() const { return place_; }  // this rank among the members
  // The group of all members, each of which must call this. The first call is the rendezvous of the members. Throws Error(lost)
  // when a member does not come.
  [[nodiscard]] ControlTree& group();
  [[nodiscard]] bool met() const { return group_ != nullptr; }

 private:
  [[nodiscard]] std::string address_of_first();

  const Order& order_;
  int place_;
  const WorkerNetwork& network_;
  int pipe_;
  std::unique_ptr<ControlTree> group_;
};

// Carries out the order, and returns its figures. An exception becomes the answer.
using Work = std::function<nlohmann::json(TaskContext&)>;

// Takes orders from `pipe` until it closes.
[[noreturn]] void run_worker(int pipe, int rank, const WorkerNetwork& network, const Work& work);

// A frame is its length and JSON. write_frame throws Error(lost) when the other end is closed; read_frame returns nothing then.
void write_frame(int pipe, const nlohmann::json& message);
[[nodiscard]] std::optional<nlohmann::json> read_frame(int pipe);
inline constexpr std::uint32_t longest_frame = 1U << 30;  // in bytes

}  // namespace railgauge::agents
