// Files of schedules: what was written comes back, and what is broken is refused with its line.
#include "bench/schedule/file/schedule_file.hpp"

#include <random>
#include <string>

#include "base/error.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/synthesise/tree_schedule.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string refusal(const std::string& text) {
  try {
    (void)read_schedules(text, "f");
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

ScheduleFile any_file() {
  const topo::Graph graph = wired(3, 1, {{0, 3, 2}, {1, 3, 2}, {2, 3, 1}});
  const topo::Forest forest = topo::forest_of(topo::network_of(graph, {}), {});
  return {Collective::all_reduce, 0, tree_schedules(Collective::all_reduce, forest, 3, 2)};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("schedule files: every algorithm of the catalog comes back as it was") {
  for (const Algorithm& algorithm : catalog()) {
    Shape shape;
    shape.ranks = 4;
    shape.ranks_per_node = 2;
    if (!algorithm.refusal(shape).empty()) continue;
    ScheduleFile file{algorithm.collective, 0, {}};
    for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) file.ranks.push_back(algorithm.build(shape));
    INFO(algorithm.name);
    const ScheduleFile read = read_schedules(to_text(file), "f");
    CHECK(read.collective == file.collective);
    CHECK(read.ranks == file.ranks);
  }
}

TEST_CASE("schedule files: what is broken is refused with its line") {
  const std::string text = to_text(any_file());
  CHECK(refusal(text) == "no error");
  CHECK(refusal("") == "f:1: the file ends before the first line: it was cut");
  CHECK(refusal("{}\n") == "f:1: \"schema\" is missing");
  CHECK(refusal("[[[[[[\n") == "f:1: the first line has brackets 5 deep, and 4 are the most");
  CHECK(refusal("hello\n") == "f:1: the first line is no JSON object");
  CHECK(refusal(replaced(text, "schedule/1", "schedule/9")) ==
        "f:1: this is no file of schedules: its schema is not railgauge.schedule/1");
  CHECK(refusal(replaced(text, "all_reduce", "all_reduces")) == "f:1: there is no collective \"all_reduces\"");
  CHECK_THAT(refusal(replaced(text, "\"ranks\":3", "\"ranks\":1000000")),
             ContainsSubstring("f:1: \"ranks\" is to be a number from 1"));
  CHECK_THAT(refusal(replaced(text, "\"rounds\":[", "\"rounds\":[999999999,")),
             ContainsSubstring("f:1: \"rounds\" is to be a list"));
  CHECK_THAT(refusal("{\"schema\":\"railgauge.schedule/1\",\"collective\":\"all_gather\",\"ranks\":2,\"root\":0,\"blocks\":2,"
                     "\"slots\":[0,0],\"rounds\":[1,9]}\n"),
             ContainsSubstring("f:1: each of \"rounds\" (which have a line each) is to be a number from 0 to 0, and 9"));
  CHECK_THAT(refusal(replaced(text, "\"rank\":0,\"round\":1", "\"rank\":0,\"round\":7")),
             ContainsSubstring("f:3: \"round\" is to be a number from 1 to 1, and 7 stands there"));
  CHECK_THAT(refusal(replaced(text, "[\"send\",", "[\"sends\",")), ContainsSubstring("a transfer is to be"));
  CHECK_THAT(refusal(replaced(text, "\"copy\",\"input\"", "\"copy\",\"inputs\"")),
             ContainsSubstring("a buffer is input, output or"));
  CHECK_THAT(refusal(text + "{}\n"), ContainsSubstring("nothing is expected behind the last round"));
}

TEST_CASE("schedule files: cut after any byte, or with any byte changed, they are read or refused with a line") {
  const std::string text = to_text(any_file());
  constexpr unsigned seed = 77;
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    INFO("seed " << seed << ", round " << round);
    const std::size_t size = random() % text.size();
    CHECK(refusal(text.substr(0, size)).starts_with("f:"));
    std::string changed = text;
    changed[random() % text.size()] = static_cast<char>(random() % 256);
    const std::string said = refusal(changed);
    CHECK((said == "no error" || said.starts_with("f:")));
  }
}
