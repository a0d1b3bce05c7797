// The client's side of PMI-1, against a launcher that the test plays.
#include "bench/launch/pmi.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/address.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

// Answers each line by its rows: what the line begins with, and what is said. "hang up" closes; "silence" says nothing more.
struct Played {
  std::vector<std::pair<std::string, std::string>> rows{
      {"cmd=init ", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"},
      {"cmd=get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n"},
      {"cmd=get_my_kvsname", "cmd=my_kvsname kvsname=kvs_7\n"},
      {"cmd=get kvsname=kvs_7 key=PMI_process_mapping", "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n"},
      {"cmd=put kvsname=kvs_7 key=railgauge-root value=", "cmd=put_result rc=0 msg=success\n"},
      {"cmd=barrier_in", "cmd=barrier_out\n"},
      {"cmd=get kvsname=kvs_7 key=railgauge-root", "cmd=get_result rc=0 msg=success value=here\n"},
      {"cmd=finalize", "cmd=finalize_ack\n"}};
  std::string& answer_to(std::string_view command) {
    for (auto& [begin, answer] : rows)
      if (std::string_view(begin).starts_with(command)) return answer;
    throw std::runtime_error("no such row");
  }
};

struct Conversation {
  std::string said;  // why it ended, if not well
  std::vector<std::string> heard;
  Placement placement;
  std::string root;
};

using Variables = std::map<std::string, std::string, std::less<>>;

Conversation converse(const Played& played, int rank, Seconds deadline = Seconds{60}, const Variables& more = {}) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  Conversation result;
  std::thread launcher([&, end = ends[1]] {
    std::string line;
    bool silent = false;
    char letter = 0;
    while (read(end, &letter, 1) == 1) {
      if (letter != '\n') {
        line += letter;
        continue;
      }
      result.heard.push_back(line);
      std::string answer = "cmd=unknown rc=-1\n";
      for (const auto& [begin, its] : played.rows)
        if (line.starts_with(begin)) answer = its;
      line.clear();
      if (answer == "hang up") break;
      silent = silent || answer == "silence";
      if (!silent && send(end, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
    }
    close(end);
  });
  Variables variables{{"PMI_FD", std::to_string(ends[0])}, {"PMI_RANK", std::to_string(rank)}, {"PMI_SIZE", "4"}};
  variables.insert(more.begin(), more.end());
  try {
    const auto session = open_pmi(
        [&](std::string_view name) -> std::optional<std::string> {
          const auto at = variables.find(name);
          return at == variables.end() ? std::nullopt : std::optional(at->second);
        },
        deadline);
    result.placement = session->placement();
    result.root = session->publish(rank == 0 ? "me@10.0.0.1:5" : "", deadline);
  } catch (const Error& error) { result.said = error.what(); }
  close(ends[0]);
  launcher.join();
  return result;
}

}  // namespace

TEST_CASE("pmi: rank 0 puts its address, and all meet at the barrier") {
  const Conversation zero = converse({}, 0);
  CHECK(zero.said.empty());
  CHECK(zero.root == "here");
  CHECK(zero.heard == std::vector<std::string>{"cmd=init pmi_version=1 pmi_subversion=1", "cmd=get_maxes", "cmd=get_my_kvsname",
                                               "cmd=get kvsname=kvs_7 key=PMI_process_mapping",
                                               "cmd=put kvsname=kvs_7 key=railgauge-root value=me@10.0.0.1:5", "cmd=barrier_in",
                                               "cmd=get kvsname=kvs_7 key=railgauge-root", "cmd=finalize"});
  const Conversation three = converse({}, 3);
  CHECK(three.said.empty());
  CHECK(three.placement.rank == 3);
  CHECK(three.placement.local_rank == 1);
  CHECK(three.placement.local_size == 2);
  CHECK(three.heard.size() == zero.heard.size() - 1);
}

TEST_CASE("pmi: what a launcher does not answer as it should is said", "[long]") {
  for (const char* command : {"cmd=init", "cmd=get_maxes", "cmd=get_my_kvsname", "cmd=get kvsname=kvs_7 key=PMI", "cmd=put",
                              "cmd=barrier_in", "cmd=get kvsname=kvs_7 key=rail"}) {
    CAPTURE(command);
    Played played;
    played.answer_to(command) = "hang up";
    CHECK_THAT(converse(played, 0).said, ContainsSubstring("hung up"));
    played = {};
    played.answer_to(command) = "cmd=something_else rc=0\n";
    CHECK_THAT(converse(played, 0).said, ContainsSubstring("answered 'cmd=something_else rc=0'"));
    played = {};
    std::string& refused = played.answer_to(command);
    refused = refused.substr(0, refused.find_first_of(" \n")) + " rc=-7 msg=no\n";
    const bool mapping = std::string_view(command).ends_with("key=PMI");  // does without: below
    CHECK_THAT(converse(played, 0).said, mapping ? ContainsSubstring("") : ContainsSubstring("rc=-7"));
    played = {};
    played.answer_to(command) = "silence";
    CHECK_THAT(converse(played, 0, Seconds{0.2}).said, ContainsSubstring("did not answer"));
    played = {};
    played.answer_to(command) = std::string(100'000, 'x');
    CHECK_THAT(converse(played, 0).said, ContainsSubstring("no end"));
  }
  Played absent;
  absent.answer_to("cmd=barrier_in") = "silence";
  CHECK_THAT(converse(absent, 1, Seconds{2}).said, ContainsSubstring("not all ranks came to its barrier"));
  Played small;
  small.answer_to("cmd=get_maxes") = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=8\n";
  CHECK_THAT(converse(small, 0).said, ContainsSubstring("has 13 bytes, and the launcher takes 7"));
}

TEST_CASE("pmi: without a mapping a rank counts as the only one of its node") {
  Played played;
  played.answer_to("cmd=get kvsname=kvs_7 key=PMI") = "cmd=get_result rc=-1 msg=key_not_found\n";
  const Conversation it = converse(played, 2, Seconds{60}, {{"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "n7"}});
  CHECK(it.said.empty());
  CHECK(it.root == "here");
  CHECK(it.placement.node == "n7");
  CHECK(it.placement.local_rank == 0);
  CHECK(it.placement.local_size == 1);
}

TEST_CASE("pmi: Slurm's own numbers win over its mapping, which knows no other distribution than blocks") {
  Played played;
  played.answer_to("cmd=get kvsname=kvs_7 key=PMI") = "cmd=get_result rc=0 msg=success value=(vector,(0,4,1))\n";
  const Variables step{{"SLURM_PROCID", "3"},
                       {"SLURM_STEP_NUM_TASKS", "4"},
                       {"SLURM_LOCALID", "2"},
                       {"SLURM_NODEID", "1"},
                       {"SLURM_STEP_TASKS_PER_NODE", "1,3"}};
  const Conversation its = converse(played, 3, Seconds{60}, step);
  CHECK(its.said.empty());
  CHECK(its.placement.local_rank == 2);
  CHECK(its.placement.local_size == 3);
  // A helper of hydra that srun started has numbers of its own.
  Variables helper = step;
  helper["SLURM_PROCID"] = "1";
  CHECK(converse(played, 3, Seconds{60}, helper).placement.local_size == 1);
}

TEST_CASE("pmi: where ranks are follows from the mapping") {
  const std::string mapping = "(vector,(0,2,2),(2,1,1))";
  const auto place = [&](int rank, int size) { return place_in_mapping(mapping, rank, size); };
  CHECK(place(0, 5).node == 0);
  CHECK(place(3, 5).node == 1);
  CHECK(place(3, 5).local_rank == 1);
  CHECK(place(4, 5).node == 2);
  CHECK(place(4, 5).local_size == 1);
  // What is listed is repeated: ranks 5 and 6 are on node 0 again.
  CHECK(place(6, 7).node == 0);
  CHECK(place(6, 7).local_rank == 3);
  CHECK(place(0, 7).local_size == 4);
  // On each node local ranks count up from 0, and every rank is somewhere.
  for (int size = 1; size < 20; ++size) {
    std::map<int, int> on_node;
    for (int rank = 0; rank < size; ++rank) CHECK(place(rank, size).local_rank == on_node[place(rank, size).node]++);
    for (int rank = 0; rank < size; ++rank) CHECK(place(rank, size).local_size == on_node[place(rank, size).node]);
  }
}

TEST_CASE("pmi: a mapping that is none is refused") {
  for (const char* wrong : {"", "(vector", "(vector,)", "(vector,())", "(vector,(0,1))", "(vector,(0,1,0))", "(vector,(-1,1,1))",
                            "(vector,(0,1,1)", "(vector,(0,1,1),)", "(matrix,(0,1,1))", "(vector,(0,1,99999999999))"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(place_in_mapping(wrong, 0, 4), Error);
  }
  CHECK_NOTHROW(place_in_mapping("(vector,(16777216,16777216,16777216))", 3, 4));
  std::mt19937 draw(11);
  constexpr std::string_view letters = "(),0123456789-v";
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "(vector,(0,2,2))";
    for (std::size_t changes = 1 + draw() % 3; changes > 0; --changes)
      text[draw() % text.size()] = letters[draw() % letters.size()];
    try {
      const MappedPlace place = place_in_mapping(text, 1, 4);
      CHECK(place.local_rank < place.local_size);
    } catch (const Error&) {}
  }
}

}  // namespace railgauge
