// Execution plans of MSCCL++: right ones are proved, and what is wrong in one is told with its operation.
#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "tests/schedule/plans.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The findings, or why it is refused; "" for what is right.
std::string judged(const std::string& text) {
  try {
    std::string said;
    for (const ProofFinding& it : prove(read_algorithm_text(text, "a.json")).findings)
      said += std::string(it.kind ? name(*it.kind) : "") + ": " + it.sentence + "\n";
    return said;
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
}

const std::string last_wait = R"(,
    {"name": "wait", "channel_ids": [0], "channel_type": "memory"})";

}  // namespace

TEST_CASE("plans of every dialect and type of channel are proved") {
  for (std::int32_t ranks = 2; ranks <= 6; ++ranks) {
    INFO(ranks);
    CHECK(judged(read_reduce_plan(ranks)) == "");
    CHECK(judged(packet_plan(ranks)) == "");
    CHECK(judged(port_plan(ranks)) == "");
    CHECK(judged(former_plan(ranks)) == "");
  }
}

TEST_CASE("plans: what they cost") {
  const Counts counts = count(read_algorithm_text(read_reduce_plan(4), "a.json"));
  CHECK(counts.rounds == 2);
  CHECK(counts.messages == 24);
  CHECK(counts.busiest == 6);
  CHECK(count(read_algorithm_text(port_plan(4), "a.json")).rounds == 1);
  CHECK(count(read_algorithm_text(packet_plan(4), "a.json")).rounds == 2);
}

TEST_CASE("plans: signals that are missing are deadlocks and races") {
  const std::string plan = read_reduce_plan(2);
  CHECK_THAT(
      judged(with(plan, R"("rlxsignal")", R"("nop")")),
      ContainsSubstring("deadlock: rank 1, thread block 0, operation 6 (wait, line 26) waits for a signal, and none comes"));
  CHECK_THAT(
      judged(with(plan, R"("rlxwait")", R"("nop")")),
      ContainsSubstring("race in place: rank 0, thread block 0, operation 3 (rres, line 10) reads input block 0 of rank 1, and "
                        "nothing says that this rank has begun"));
  CHECK_THAT(
      judged(with(plan, last_wait, "")),
      ContainsSubstring("race in place: rank 1, thread block 0, operation 3 (rres, line 22) writes input block 1 of rank 0, and "
                        "that rank may end before"));
  // A relaxed signal does not say that what was written before can be read.
  CHECK_THAT(judged(with(plan, R"({"name": "signal")", R"({"name": "rlxsignal")")), ContainsSubstring("race in place: "));
  CHECK_THAT(judged(with(plan, R"({"name": "signal")",
                         R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"}, {"name": "signal")")),
             ContainsSubstring("message: 3 signals are awaited 2 times, and the next run takes those that are left"));
  // Each waits before it signals.
  std::string circle = plan;
  for (int rank = 0; rank < 2; ++rank)
    circle = with(with(with(circle, R"("rlxsignal")", R"("first")"), R"("rlxwait")", R"("signal")"), R"("first")", R"("wait")");
  CHECK_THAT(judged(circle), ContainsSubstring("2 thread blocks of 2 are stuck, and 2 of them wait for each other in a circle"));
}

TEST_CASE("plans: what is wrong with the data is told") {
  CHECK_THAT(judged(with(read_reduce_plan(2), R"({"buffer_id": 0, "index": 0, "size": 1}], "dst)",
                         R"({"buffer_id": 0, "index": 1, "size": 1}], "dst)")),
             ContainsSubstring("operation 3 (rres, line 10) reduces input block 0 of rank 0 with input block 1 of ranks 0, 1"));
  CHECK_THAT(
      judged(with(packet_plan(2), R"("type": "s", "index": 1)", R"("type": "s", "index": 0)")),
      ContainsSubstring("deadlock: rank 0, thread block 0, operation 1 (respkt, line 8) waits for a packet, and none comes"));
  CHECK_THAT(judged(with(packet_plan(3), R"({"buffer_id": 0, "index": 0, "size": 1}, {"buffer_id": 1)",
                         R"({"buffer_id": 1, "index": 0, "size": 1}, {"buffer_id": 1)")),
             ContainsSubstring("race: ") && ContainsSubstring("who reads one cannot tell which it has"));
  CHECK_THAT(judged(with(packet_plan(2), R"("name": "upkt")", R"("name": "copy")")),
             ContainsSubstring("data: rank 0, ") && ContainsSubstring("as plain data, and rank 1, "));
  std::string idle = read_reduce_plan(2);
  idle.insert(idle.rfind(']'), R"(, {"id": 2, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0, "threadblocks": []})");
  CHECK_THAT(judged(idle), ContainsSubstring("the contribution of rank 2 is missing"));
}

TEST_CASE("plans: one step that reads and writes overlapping blocks is a race, in another rank's memory too") {
  std::string plan = read_reduce_plan(3);
  const std::size_t begin = plan.find(R"({"name": "rres")"), end = plan.find('\n', begin);
  std::string operation = plan.substr(begin, end - begin);
  for (std::size_t at = 0; (at = operation.find(R"("size": 1)", at)) != std::string::npos;) operation[at + 8] = '2';
  const std::size_t targets = operation.find("dst_buff");
  operation = operation.substr(0, targets) +
              with(operation.substr(targets), R"("buffer_id": 0, "index": 0)", R"("buffer_id": 0, "index": 1)");
  CHECK_THAT(judged(plan.replace(begin, end - begin, operation)),
             ContainsSubstring(
                 "race in place: rank 0, thread block 0, operation 3 (rres, line 10) reads and writes overlapping blocks"));
}

TEST_CASE("plans: puts of a port go on until they are flushed, and signals of it follow them") {
  CHECK_THAT(judged(with(port_plan(2), R"({"name": "flush", "channel_ids": [0], "channel_type": "port"},)", "")),
             ContainsSubstring("(put, line 17) reads output block 0, and that rank may end before"));
  CHECK_THAT(judged(with(port_plan(2), R"({"name": "sem_acquire", "semaphore_ids": [0]},)", "")),
             ContainsSubstring("race out of place: ") && ContainsSubstring("nothing orders the two"));
}

TEST_CASE("plans: threads of a thread block meet in a nop, and not before a signal or behind a wait") {
  const std::string meet = R"({"name": "nop"},)";
  const std::string plan = read_reduce_plan(2);
  const std::size_t second = plan.find(meet, plan.find(meet) + 1);
  CHECK_THAT(judged(with(plan, meet, "")), ContainsSubstring("race in place: rank 0, thread block 0, operation 2 (rres, line 10) "
                                                             "reads input block 0 of rank 1, and nothing says that this rank has "
                                                             "begun"));
  CHECK_THAT(judged(plan.substr(0, second) + plan.substr(second + meet.size())), ContainsSubstring("race in place: "));
  CHECK_THAT(judged(with(port_plan(2), meet, "")),
             ContainsSubstring("race out of place: rank 0, thread block 0, operation 0 (copy, line 7) writes output block 0") &&
                 ContainsSubstring("nothing orders the two"));
}

TEST_CASE("plans: barriers join thread blocks, and groups of them share a block") {
  const std::string meet = R"({"name": "barrier", "barrier_id": 0, "num_threadblocks": 2})";
  std::string plan = port_plan(2);
  for (int rank = 0; rank < 2; ++rank)
    for (const char* const name : {"sem_release", "sem_acquire"})
      plan = with(plan, fmt::format(R"({{"name": "{}", "semaphore_ids": [0]}})", name), meet);
  CHECK(judged(plan) == "");
  CHECK_THAT(
      judged(with(plan, meet, R"({"name": "nop"})")),
      ContainsSubstring("deadlock: rank 0, thread block 1, operation 2 (barrier, line 15) waits for a signal, and none comes"));
  CHECK_THAT(judged(with(plan, meet, R"({"name": "barrier", "barrier_id": 0, "num_threadblocks": 1})")),
             ContainsSubstring("operation 2 (barrier) is for 2 thread blocks, and 1 at another"));

  // One of two thread blocks copies its half, and the other is not there.
  const std::string copy = R"({"name": "copy",)";
  const std::string half = R"({"name": "copy", "tbg_info": {"tb_id": 0, "tbg_size": 2},)";
  CHECK_THAT(judged(with(port_plan(2), copy, half)),
             ContainsSubstring("rank 0, output block 1: no step writes it, and input block 1 of rank 0 is to be there"));
}

TEST_CASE("plans: what cannot be read is one sentence with its line") {
  struct Row {
    const char *from, *to, *said;
  };
  const std::string plan = read_reduce_plan(2);
  for (const auto& [from, to, said] :
       {Row{R"("collective": "allreduce")", R"("collective": "custom")", "a.json:1: collective \"custom\": what it must"},
        Row{R"("protocol": "Simple")", R"("protocol": "LL128")", "a.json:1: protocol \"LL128\" is none of"},
        Row{R"("gpus")", R"("ranks")", "a.json:1: \"gpus\" is missing"},
        Row{R"("inplace": true,)", "", "a.json:1: \"inplace\" is to be true or false"},
        Row{R"("id": 1)", R"("id": 7)", "a.json:16: a rank has \"id\" 7 where 1 is expected"},
        Row{R"("input_chunks": 2,)", "", "a.json:3: \"input_chunks\" is missing"},
        Row{R"("input_chunks": 2)", R"("input_chunks": -1)", "a.json:3: \"input_chunks\": -1 is no number from 0 to 65536"},
        Row{R"("connected_to": [1])", R"("connected_to": [2])", "a.json:3: rank 0 has a channel to rank 2, which does not exist"},
        Row{R"("connected_to": [1])", R"("connected_to": [0])", "a.json:3: rank 0 has a channel to rank 0, which is itself"},
        Row{R"("channel_ids": [0])", R"("channel_ids": [3])",
            "a.json:7: rank 0, thread block 0, operation 0 (rlxsignal) names channel 3"},
        Row{R"("buffer_id": 0)", R"("buffer_id": 1)", "operation 3 (rres) names remote buffer 1"},
        Row{R"("index": 0)", R"("index": 2)",
            "a.json:10: rank 0, thread block 0, operation 3 (rres) names blocks 2 to 2 of input, which has 2"},
        Row{R"("size": 1)", R"("size": 2)",
            "a.json:10: rank 0, thread block 0, operation 3 (rres) has operands of 1 and 2 blocks"},
        Row{R"("type": "i", "index")", R"("type": "x", "index")", "a.json:10: \"type\": \"x\" is no buffer"},
        Row{R"("name": "rres")", R"("name": "rrcs")", "a.json:10: there is no operation \"rrcs\" in current plans"},
        Row{R"("name": "rres")", R"("name": "glres")", "operation 3 (glres) reduces or stores inside the NVLink switch"},
        Row{R"("name": "nop")", R"("name": 5)", "a.json:9: \"name\": 5 is no text"},
        Row{R"({"name": "nop"})", "5", "a.json:9: \"ops\" is to be a list of objects"},
        Row{R"({"name": "nop"})", R"({"name": [[[[[[[[[[[[[]]]]]]]]]]]]]})", "a.json:9: brackets are more than 12 deep"},
        Row{R"({"name": "nop"})", "{", "a.json:9: "}}) {
    INFO(from << " -> " << to);
    CHECK_THAT(judged(with(plan, from, to)), ContainsSubstring(said));
  }
  CHECK(judged(with(plan, R"("name": "read_reduce",)", "")) == "");
  CHECK_THAT(judged("[1, 2]"), ContainsSubstring("a.json:1: a plan of MSCCL++ is a JSON object"));
  CHECK_THAT(judged("{}"), ContainsSubstring("a.json:1: \"gpus\" is missing"));
}

TEST_CASE("plans: one that ends anywhere, or is damaged, is judged or one sentence") {
  const std::string whole = port_plan(2);
  for (std::size_t length = 1; length + 2 < whole.size(); ++length) CHECK(judged(whole.substr(0, length)).starts_with("a.json:"));
  constexpr unsigned seed = 2701;
  std::mt19937 random(seed);
  const std::string odd = "{}[]\"',: 0129-isor\n\x7f";
  for (const std::string& text : {read_reduce_plan(3), packet_plan(2), port_plan(2), former_plan(2)})
    for (int round = 0; round < 200; ++round) {
      std::string damaged = text;
      for (int change = 0; change < 2; ++change) damaged[random() % damaged.size()] = odd[random() % odd.size()];
      INFO("seed " << seed << ", round " << round);
      (void)judged(damaged);
    }
}
