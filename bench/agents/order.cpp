// Messages as JSON.
#include "bench/agents/order.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace railgauge::agents {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> endings{"done", "failed", "late", "stopped", "killed", "lost"};

template <class Read>
auto read(const char* what, const Read& reading) {
  try {
    return reading();
  } catch (const json::exception& error) {
    throw Error(Fault::lost, std::string(what) + " of an agent or its conductor cannot be read: " + error.what());
  }
}

Answer::Ending ending_of(std::string_view name) {
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (endings[i] == name) return static_cast<Answer::Ending>(i);
  throw Error(Fault::lost, "an answer has an unknown ending: " + std::string(name.substr(0, 40)));
}

}  // namespace

json to_json(const Order& order) {
  json seats = json::array();
  for (const Order::Seat& seat : order.seats) seats.push_back({seat.place, seat.of});
  return {{"is", "order"},
          {"number", order.number},
          {"task", order.task},
          {"words", order.words},
          {"members", order.members},
          {"nodes", order.nodes},
          {"seats", std::move(seats)},
          {"oversubscribed", order.oversubscribed},
          {"limit", order.limit.count()}};
}

json to_json(const Answer& answer) {
  json message{{"is", "answer"},
               {"order", answer.order},
               {"rank", answer.rank},
               {"ending", endings[static_cast<std::size_t>(answer.ending)]},
               {"sentence", answer.sentence},
               {"figures", answer.figures}};
  if (answer.fault) message["fault"] = static_cast<int>(*answer.fault);
  if (answer.begun > Seconds(0)) message["begun"] = answer.begun.count();
  return message;
}

Order order_of(const json& message) {
  return read("an order", [&] {
    Order order;
    order.number = message.at("number").get<std::uint64_t>();
    order.task = message.at("task").get<std::string>();
    order.words = message.at("words");
    order.members = message.at("members").get<std::vector<int>>();
    order.nodes = message.at("nodes").get<std::vector<std::string>>();
    for (const json& seat : message.at("seats")) order.seats.push_back({seat.at(0).get<int>(), seat.at(1).get<int>()});
    order.oversubscribed = message.at("oversubscribed").get<bool>();
    order.limit = Seconds(message.at("limit").get<double>());
    return order;
  });
}

Answer answer_of(const json& message) {
  return read("an answer", [&] {
    Answer answer;
    answer.order = message.at("order").get<std::uint64_t>();
    answer.rank = message.at("rank").get<int>();
    answer.ending = ending_of(message.at("ending").get<std::string>());
    answer.sentence = message.at("sentence").get<std::string>();
    answer.figures = message.at("figures");
    if (message.contains("fault")) answer.fault = static_cast<Fault>(message.at("fault").get<int>());
    answer.begun = Seconds(message.value("begun", 0.0));
    return answer;
  });
}

wire::Body body_of(const json& message) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const Blob>(bytes.begin(), bytes.end());
}

json message_of(std::span<const std::byte> bytes) {
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  json message = json::parse(begin, begin + bytes.size(), nullptr, false);
  if (!message.is_object() || !message.contains("is") || !message["is"].is_string())
    throw Error(Fault::lost, "an agent or its conductor sent what is no message");
  return message;
}

std::string kind_of(const json& message) { return message.at("is").get<std::string>(); }

}  // namespace railgauge::agents
