// Times of points on a topology that was named: for whom there are some, and that they are those of bench/predict.
#include "bench/run/forecast.hpp"

#include <string>
#include <vector>

#include "bench/predict/predict.hpp"
#include "tests/test.hpp"
#include "topo/read/request.hpp"

namespace railgauge::test {
namespace {

Case point_of(int ranks, std::uint64_t bytes) {
  Case point;
  point.collective = "all_reduce";
  point.algorithm = "ring";
  point.transport = "ucx";
  point.type = "float32";
  point.op = "sum";
  point.ranks = ranks;
  point.bytes = bytes;
  return point;
}

double predicted(const topo::Graph& graph, bool machines, const std::vector<std::int32_t>& ranks, std::uint64_t bytes) {
  predict::Question question;
  question.algorithms = {"ring"};
  question.sizes = {bytes};
  question.machines = machines;
  question.groups = {ranks};
  return predict::predict(graph, question).columns.front().predictions.front().seconds;
}

std::string only_note(const Forecast& forecast) {
  REQUIRE(forecast.notes().size() == 1);
  return forecast.notes().front();
}

}  // namespace

TEST_CASE("a point is predicted for the GPUs of its ranks, in the order of the ranks") {
  const topo::Graph graph = topo::graph_of_files({"rail:hosts=4"});
  // Round robin: ranks 0 and 2 on the first host that is named, which is the last of the graph.
  Forecast forecast(graph, {{"node4", "node2", "node4", "node2"}, true});
  REQUIRE(forecast.notes().size() > 1);
  const std::optional<Seconds> time = forecast.of(point_of(4, 1 << 20));
  REQUIRE(time.has_value());
  CHECK(time->count() == predicted(graph, false, {24, 8, 25, 9}, 1 << 20));
  CHECK(time->count() != predicted(graph, false, {24, 25, 26, 27}, 1 << 20));
  CHECK(forecast.of(point_of(4, 1 << 20)) == time);
}

TEST_CASE("ranks in host memory are on the machines, though these have GPUs") {
  const topo::Graph graph = topo::graph_of_files({"rail:hosts=4"});
  Forecast forecast(graph, {{"node1", "node2.example.org", "node4"}, false});
  const std::optional<Seconds> time = forecast.of(point_of(3, 1 << 24));
  REQUIRE(time.has_value());
  CHECK(time->count() == predicted(graph, true, {0, 1, 3}, 1 << 24));
}

TEST_CASE("a machine that is alone in the graph may have another name, and what is told twice is predicted once") {
  Forecast forecast(topo::graph_of_files({"dgx-h100"}), {std::vector<std::string>(8, "this"), true});
  CHECK(forecast.of(point_of(8, 1 << 20)).has_value());
  CHECK_FALSE(forecast.of(point_of(4, 1 << 20)).has_value());  // another number of ranks
  Case native = point_of(8, 1 << 20);
  native.algorithm = native.path = "native";
  CHECK_FALSE(forecast.of(native).has_value());
  Case cell = point_of(8, 1 << 20);
  cell.from = cell.to = 1;
  CHECK_FALSE(forecast.of(cell).has_value());
}

TEST_CASE("where nothing can be predicted, a note says why") {
  const topo::Graph graph = topo::graph_of_files({"rail:hosts=2"});
  const auto note = [&](const std::vector<std::string>& hosts, bool gpus) { return only_note(Forecast(graph, {hosts, gpus})); };
  CHECK(note({"node1", "nobody"}, true) == "predicted: unknown, there is no machine nobody in this graph");
  CHECK(note({"here", "here"}, false) ==
        "predicted: unknown, all ranks are in the memory of one host, and what that carries stands in no topology");
  CHECK(note({"node1", "node2", "node2"}, false) ==
        "predicted: unknown, node2 has several ranks in host memory, and what that carries stands in no topology");
  std::vector<std::string> many(9, "node1");
  many.emplace_back("node2");
  CHECK(note(many, true) == "predicted: unknown, node1 has more ranks than the topology has GPUs there, which are 8");
  CHECK_FALSE(Forecast(graph, {many, true}).of(point_of(10, 64)).has_value());
}

}  // namespace railgauge::test
