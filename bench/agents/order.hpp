// The messages between the conductor of a run and the agents of its ranks: one JSON object a message; its key "is" has the kind.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/launch/wire.hpp"

namespace railgauge::agents {

// A task that some ranks do together. Each rank has one order at a time.
struct Order {
  std::uint64_t number = 0;  // given by the conductor
  std::string task;          // a name that the workers know
  nlohmann::json words;      // of the task
  std::vector<int> members;  // ranks of the run; their place here is their rank in the order's own group
  // Given by the conductor, of each member: its node, and its place among the agents of its machine.
  struct Seat {
    int place = 0, of = 1;
  };
  std::vector<std::string> nodes;
  std::vector<Seat> seats;
  bool oversubscribed = false;  // some machine has more agents than cores, whatever its launcher calls it
  Seconds limit{30};            // from its beginning; a worker that is not done then is ended
};

// The outcome of an order on one of its members.
struct Answer {
  enum class Ending : std::uint8_t {
    done,
    failed,   // the task threw, and the worker lives
    late,     // it was not done in time, and was ended
    stopped,  // the same of a process that somebody had stopped
    killed,   // the worker was ended by a signal that was not ours, or by itself
    lost,     // nothing is heard of the agent any more
  };
  std::uint64_t order = 0;
  int rank = 0;
  Ending ending = Ending::done;
  std::optional<Fault> fault;  // of `failed`
  std::string sentence;        // why it is not done
  nlohmann::json figures;      // of the task; null where it is not done
  Seconds begun{};             // when the order was given, since the run began: by whoever gave it, and not by the agent
};

// Whether that process will answer no more orders.
[[nodiscard]] constexpr bool lost(Answer::Ending ending) {
  return ending == Answer::Ending::lost || ending == Answer::Ending::stopped || ending == Answer::Ending::killed;
}

[[nodiscard]] nlohmann::json to_json(const Order& order);
[[nodiscard]] nlohmann::json to_json(const Answer& answer);
// Throw Error(lost) for a message of another form.
[[nodiscard]] Order order_of(const nlohmann::json& message);
[[nodiscard]] Answer answer_of(const nlohmann::json& message);

[[nodiscard]] wire::Body body_of(const nlohmann::json& message);
// Throws Error(lost) for what is no JSON object with a text "is".
[[nodiscard]] nlohmann::json message_of(std::span<const std::byte> bytes);
[[nodiscard]] std::string kind_of(const nlohmann::json& message);

}  // namespace railgauge::agents
