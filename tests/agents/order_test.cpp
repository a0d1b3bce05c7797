// Messages between a conductor and its agents: round trips, and what is none.
#include <random>
#include <string>

#include "bench/agents/order.hpp"
#include "tests/test.hpp"

namespace railgauge::agents {
namespace {

TEST_CASE("orders and answers come out as they went in") {
  Order order;
  order.number = 7;
  order.task = "measure";
  order.words = {{"seconds", 0.25}};
  order.members = {3, 1};
  order.nodes = {"n1", "n\"0\n"};
  order.seats = {{0, 2}, {1, 2}};
  order.oversubscribed = true;
  order.limit = Seconds(2.5);
  const wire::Body body = body_of(to_json(order));
  const Order back = order_of(message_of(*body));
  CHECK(back.number == 7);
  CHECK(back.task == "measure");
  CHECK(back.words == order.words);
  CHECK(back.members == order.members);
  CHECK(back.nodes == order.nodes);
  CHECK(back.seats[1].place == 1);
  CHECK(back.seats[1].of == 2);
  CHECK(back.oversubscribed);
  CHECK(back.limit == order.limit);

  for (const Answer::Ending ending : {Answer::Ending::done, Answer::Ending::failed, Answer::Ending::late, Answer::Ending::stopped,
                                      Answer::Ending::killed, Answer::Ending::lost}) {
    Answer answer;
    answer.order = 7;
    answer.rank = 1;
    answer.ending = ending;
    answer.sentence = "why";
    if (ending == Answer::Ending::failed) answer.fault = Fault::usage;
    const Answer again = answer_of(message_of(*body_of(to_json(answer))));
    CHECK(again.ending == ending);
    CHECK(again.fault == answer.fault);
    CHECK(again.sentence == "why");
    CHECK(again.rank == 1);
  }
}

TEST_CASE("what is no message of agents is refused in a sentence") {
  for (const std::string text : {"", "{", "[]", "null", "{\"is\": 3}", "{\"task\": \"x\"}"}) {
    INFO(text);
    CHECK_THROWS_AS(message_of(std::as_bytes(std::span(text))), Error);
  }
  for (const std::string text : {R"({"is":"order"})", R"({"is":"order","number":-1,"task":"x","words":{},"members":"all"})",
                                 R"({"is":"answer","order":1,"rank":0,"ending":"well","sentence":"","figures":null})"}) {
    INFO(text);
    const nlohmann::json message = message_of(std::as_bytes(std::span(text)));
    CHECK_THROWS_AS(kind_of(message) == "order" ? (void)order_of(message) : (void)answer_of(message), Error);
  }
}

TEST_CASE("garbage never gets further than an Error") {
  const wire::Body body = body_of(to_json(Order{}));
  std::minstd_rand random(1);
  int refused = 0, taken = 0;
  for (int i = 0; i < 2000; ++i) {
    Blob bytes = *body;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    try {
      // What is taken for an order all the same is a whole one: it says the same when it is sent on.
      const nlohmann::json order = to_json(order_of(message_of(bytes)));
      CHECK(to_json(order_of(message_of(*body_of(order)))) == order);
      ++taken;
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::lost);
      CHECK_FALSE(std::string(error.what()).empty());
      ++refused;
    }
  }
  CHECK(refused > taken);
}

}  // namespace
}  // namespace railgauge::agents
