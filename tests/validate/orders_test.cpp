// Tasks and answers as JSON and from it, and what is refused.
#include "bench/validate/orders/orders.hpp"

#include <nlohmann/json.hpp>

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validate;
using nlohmann::json;

TEST_CASE("orders: a task to measure is read as it was written") {
  MeasureTask task;
  task.points = {{"stream", "256K", std::uint64_t{7}, 16U, true}, {"all_reduce", "16M", {}, {}}};
  task.seconds = Seconds(0.25);
  task.watchdog = Seconds(3);
  task.transport = "shm";
  task.expect = true;
  const json words = task;
  CHECK(words.at("parts").at(0) == json{{"what", "stream"}, {"bytes", "256K"}, {"seed", 7}, {"window", 16}, {"back", true}});
  CHECK_FALSE(words.at("parts").at(1).contains("window"));
  const auto back = words.get<MeasureTask>();
  CHECK(json(back) == words);
  CHECK(back.points.at(0).window == 16U);
  CHECK_FALSE(back.points.at(1).seed);
  CHECK(json(MeasureTask{}).get<MeasureTask>().transport.empty());
}

TEST_CASE("orders: a training step and its times are read as they were written") {
  StepTask task{"resnet50", 0.25, Seconds(2), Seconds(9)};
  CHECK(json(json(task).get<StepTask>()) == json(task));
  task.watchdog.reset();
  CHECK_FALSE(json(task).get<StepTask>().watchdog);
  const StepTimes times{7, Seconds(0.5), Seconds(0.125)};
  const auto back = json(times).get<StepTimes>();
  CHECK(back.steps == 7);
  CHECK(back.step == Seconds(0.5));
  CHECK(back.exposed == Seconds(0.125));
  json odd = times;
  odd.erase("step");
  CHECK_THROWS_AS(odd.get<StepTimes>(), json::exception);
}

TEST_CASE("orders: results keep their status, their stretches and the ceiling where there is one") {
  MeasuredPoint point;
  point.what = "stream";
  point.status = Status::wrong;
  point.reason = "element 77";
  point.median = Seconds(0.5);
  point.stretches = {Seconds(0.25), Seconds(0.75)};
  const json figures = Measured{{point}};
  CHECK(has_results(figures));
  CHECK_FALSE(figures.at("results").at(0).contains("ceiling"));
  const MeasuredPoint back = figures.get<Measured>().results.at(0);
  CHECK(back.status == Status::wrong);
  CHECK(back.median == Seconds(0.5));
  CHECK(back.stretches == point.stretches);
  CHECK_FALSE(back.ceiling);
  point.ceiling = 50;
  point.basis = "the slowest link";
  CHECK(json(Measured{{point}}).get<Measured>().results.at(0).basis == "the slowest link");
  CHECK_FALSE(has_results(nullptr));
  json odd = figures;
  odd["results"][0]["status"] = "splendid";
  CHECK_THROWS_AS(odd.get<Measured>(), json::exception);
}

TEST_CASE("orders: what each member sent is read as it was written, and may be absent") {
  MeasureTask task;
  task.packets = true;
  CHECK(json(task).get<MeasureTask>().packets);
  CHECK_FALSE(json(MeasureTask{}).contains("packets"));
  const json figures = Measured{{}, {{{"TCP", 21000, 12}, {"mlx5_0/1", 7, 0}}, {}}};
  const auto back = figures.get<Measured>().packets;
  REQUIRE(back.size() == 2);
  REQUIRE(back[0].size() == 2);
  CHECK(back[0][0].by == "TCP");
  CHECK(back[0][0].sent == 21000);
  CHECK(back[0][0].resent == 12);
  CHECK(back[1].empty());
  CHECK(json(Measured{}).get<Measured>().packets.empty());
  json odd = figures;
  odd["packets"][0][0]["sent"] = "many";
  CHECK_THROWS_AS(odd.get<Measured>(), json::exception);
}

TEST_CASE("orders: figures of one host keep which part they are of") {
  const OwnFigures own{{{"copy", HostComponent::pcie, 25, "numa0 -> cuda:1"}}, {{"loopback", "there is no port"}}};
  const json figures = own;
  CHECK(figures.at("figures").at(0).at("part") == "pcie");
  const auto back = figures.get<OwnFigures>();
  CHECK(back.figures.at(0).component == HostComponent::pcie);
  CHECK(back.figures.at(0).of == "numa0 -> cuda:1");
  CHECK(back.unread.at(0).reason == "there is no port");
  json odd = figures;
  odd["figures"][0]["part"] = "fan";
  CHECK_THROWS_AS(odd.get<OwnFigures>(), json::exception);
}

TEST_CASE("orders: the other tasks are read as they were written") {
  CHECK(json(FactsTask{true}).get<FactsTask>().counters_only);
  CHECK_FALSE(json(FactsTask{}).get<FactsTask>().counters_only);
  CHECK(json(Facts{"text"}).get<Facts>().facts == "text");
  CHECK(json(ThresholdsTask{{{"all_reduce", 350}}}).get<ThresholdsTask>().least.at("all_reduce") == 350);
  CHECK(json(NodeTask{Seconds(0.25), 3}).get<NodeTask>().rank_of_host == 3);
  CHECK(json(CopiesTask{Seconds(0.1)}).get<CopiesTask>().seconds == Seconds(0.1));
  const auto loopback = json(LoopbackTask{{"mlx5_0:1"}, "256K", Seconds(0.25), Seconds(3)}).get<LoopbackTask>();
  CHECK(loopback.ports == std::vector<std::string>{"mlx5_0:1"});
  CHECK(loopback.watchdog == Seconds(3));
  CHECK_FALSE(json(LoopbackTask{}).get<LoopbackTask>().watchdog);
}
