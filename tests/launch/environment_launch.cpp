// Ranks that variables alone tell who they are.
#include "bench/launch/environment_launch.hpp"

#include <map>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/control_tree.hpp"
#include "tests/launch/run_processes.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;
using test::ContainsSubstring;

Environment environment(const Variables& variables) {
  return [&variables](std::string_view name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional<std::string>(at->second);
  };
}

template <class Read>
std::string sentence_of(const Read& read) {
  try {
    (void)read();
    return "";
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
}

const Variables torch{{"RANK", "5"},       {"WORLD_SIZE", "8"},       {"LOCAL_RANK", "1"},     {"LOCAL_WORLD_SIZE", "4"},
                      {"GROUP_RANK", "1"}, {"MASTER_ADDR", "gpu-12"}, {"MASTER_PORT", "29500"}};
const Variables step{{"SLURM_PROCID", "4"},
                     {"SLURM_NTASKS", "99"},
                     {"SLURM_STEP_NUM_TASKS", "7"},
                     {"SLURM_LOCALID", "0"},
                     {"SLURM_NODEID", "2"},
                     {"SLURMD_NODENAME", "gpu005"},
                     {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                     {"SLURM_STEP_NODELIST", "gpu[003-005,12]"},
                     {"SLURM_JOB_ID", "1000"},
                     {"SLURM_STEP_ID", "3"}};
const Variables own{{"RAILGAUGE_RANKS", "16"},     {"RAILGAUGE_RANK", "9"},     {"RAILGAUGE_LOCAL_RANKS", "8"},
                    {"RAILGAUGE_LOCAL_RANK", "1"}, {"RAILGAUGE_NODE", "gpu-1"}, {"RAILGAUGE_RENDEZVOUS", "[fd00::1]:4711"}};
constexpr const char* token = "00112233445566778899aabbccddeeff";

}  // namespace

TEST_CASE("told: how long ranks may take to meet") {
  CHECK(rendezvous_deadline(environment({})) == Deadlines{}.rendezvous);
  const Variables patient{{"RAILGAUGE_RENDEZVOUS_TIMEOUT", "600"}};
  CHECK(rendezvous_deadline(environment(patient)) == Seconds(600));
  for (const char* wrong : {"", "0", "-1", "1.5", "86401", "5m", "99999999999"}) {
    const Variables variables{{"RAILGAUGE_RENDEZVOUS_TIMEOUT", wrong}};
    CHECK_THAT(sentence_of([&] { return rendezvous_deadline(environment(variables)); }),
               ContainsSubstring("expected a number of seconds from 1 to 86400"));
  }
}

TEST_CASE("told: each complete set says who a rank is and where rank 0 waits") {
  const EnvironmentLaunch of_torch = torchrun_launch(environment(torch)).value();
  CHECK(of_torch.placement.rank == 5);
  CHECK(of_torch.placement.size == 8);
  CHECK(of_torch.placement.local_rank == 1);
  CHECK(of_torch.placement.local_size == 4);
  CHECK(of_torch.placement.node.ends_with(".1"));
  CHECK(of_torch.root.host == "gpu-12");
  CHECK(of_torch.root.port == 29501);

  const EnvironmentLaunch of_slurm = slurm_launch(environment(step)).value();
  CHECK(of_slurm.placement.rank == 4);
  CHECK(of_slurm.placement.size == 7);
  CHECK(of_slurm.placement.local_size == 2);
  CHECK(of_slurm.placement.node == "gpu005");
  CHECK(of_slurm.root.host == "gpu003");
  CHECK(of_slurm.root.port == 20'000 + 16'003 % 10'000);

  const EnvironmentLaunch of_own = railgauge_launch(environment(own)).value();
  CHECK(of_own.placement.rank == 9);
  CHECK(of_own.placement.local_rank == 1);
  CHECK(of_own.placement.node == "gpu-1");
  CHECK(of_own.root.host == "fd00::1");
  CHECK(of_own.root.port == 4711);

  const Variables nothing;
  CHECK_FALSE(torchrun_launch(environment(nothing)));
  CHECK_FALSE(slurm_launch(environment(nothing)));
  CHECK_FALSE(railgauge_launch(environment(nothing)));
}

TEST_CASE("told: RAILGAUGE_RENDEZVOUS wins over what a launcher says") {
  for (const Variables& set : {torch, step}) {
    Variables variables = set;
    variables["RAILGAUGE_RENDEZVOUS"] = "10.0.0.1:99";
    const auto told = variables.contains("RANK") ? torchrun_launch(environment(variables)) : slurm_launch(environment(variables));
    CHECK(told.value().root.host == "10.0.0.1");
    CHECK(told.value().root.port == 99);
  }
}

TEST_CASE("told: whatever is missing or wrong in a set is named") {
  struct Reader {
    const Variables& variables;
    std::string_view marker;
    std::optional<EnvironmentLaunch> (*read)(const Environment&);
    std::vector<std::string_view> may_lack;
  };
  const Reader readers[] = {
      {torch, "LOCAL_WORLD_SIZE", torchrun_launch, {"GROUP_RANK"}},
      {step, "SLURM_PROCID", slurm_launch, {"SLURM_STEP_NUM_TASKS"}},
      {own, "RAILGAUGE_RANKS", railgauge_launch, {"RAILGAUGE_LOCAL_RANKS", "RAILGAUGE_LOCAL_RANK", "RAILGAUGE_NODE"}}};
  for (const Reader& reader : readers) {
    for (const auto& [name, good] : reader.variables) {
      if (name == "SLURM_NTASKS" || name == "RAILGAUGE_NODE") continue;  // hidden by the step's own number; any text
      CAPTURE(name);
      Variables variables = reader.variables;
      for (const char* bad : {"", "x", "-1", "99999999999999999999", "1 "}) {
        if (name == "MASTER_ADDR" || name == "SLURMD_NODENAME") break;  // names
        CAPTURE(bad);
        variables[name] = bad;
        if (name == "SLURM_STEP_NODELIST" && std::string_view(bad) != "" && std::string_view(bad) != "1 ") continue;
        CHECK_THAT(sentence_of([&] { return reader.read(environment(variables)); }), ContainsSubstring(name));
      }
      variables.erase(name);
      const bool may =
          name == reader.marker || std::find(reader.may_lack.begin(), reader.may_lack.end(), name) != reader.may_lack.end();
      // A rank on its node cannot be counted without how many there are.
      if (may && name != "RAILGAUGE_LOCAL_RANKS") {
        CHECK_NOTHROW(reader.read(environment(variables)));
      } else if (!may) {
        CHECK_THAT(sentence_of([&] { return reader.read(environment(variables)); }), ContainsSubstring(name));
      }
    }
  }
}

TEST_CASE("told: the first host of Slurm's lists, and the tasks of a node") {
  CHECK(first_host("gpu003") == "gpu003");
  CHECK(first_host("gpu[003-007,12],login1") == "gpu003");
  CHECK(first_host("a,b") == "a");
  CHECK(first_host("rack[1-2]node[07-09]") == "rack1node07");
  CHECK(first_host("n[5]-ib,x") == "n5-ib");
  for (const char* wrong : {"", ",", "gpu[", "gpu[]", "gpu[a-b]", "gpu[-3]", "a]b", "x[1]y[", "a b"}) {
    CAPTURE(wrong);
    CHECK_FALSE(first_host(wrong));
  }
  CHECK(tasks_of_node("4", 0) == 4);
  CHECK(tasks_of_node("2(x3),1", 0) == 2);
  CHECK(tasks_of_node("2(x3),1", 2) == 2);
  CHECK(tasks_of_node("2(x3),1", 3) == 1);
  for (const char* wrong : {"", "x", "2(x", "2(x0)", "2(x-1)", "2(x3", "(x3)", "2(x3),1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(tasks_of_node(wrong, 4));
  }
  // Whatever it is, it is refused or a name without a bracket.
  std::mt19937 draw(7);
  constexpr std::string_view letters = "ab01[]-,(x) ";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t length = draw() % 12; length > 0; --length) text += letters[draw() % letters.size()];
    CAPTURE(text);
    if (const auto host = first_host(text)) CHECK(host->find_first_of("[], ") == std::string::npos);
    (void)tasks_of_node(text, static_cast<int>(draw() % 5));
  }
}

TEST_CASE("told: a token is 32 hexadecimal digits, and is not repeated in the sentence") {
  Variables variables{{"RAILGAUGE_TOKEN", token}};
  CHECK(token_of(environment(variables)).value()[1] == std::byte{0x11});
  for (const std::string wrong : {"", "secret", "00112233445566778899aabbccddeefg", "00112233445566778899aabbccddeeff0"}) {
    variables["RAILGAUGE_TOKEN"] = wrong;
    const std::string said = sentence_of([&] { return token_of(environment(variables)); });
    CHECK_THAT(said, ContainsSubstring("32 hexadecimal digits"));
    if (!wrong.empty()) CHECK(said.find(wrong) == std::string::npos);
  }
  variables.clear();
  CHECK_FALSE(token_of(environment(variables)));
}

TEST_CASE("told: one process of a node starts its ranks") {
  Variables variables{{"RAILGAUGE_NODES", "16"}, {"RAILGAUGE_LOCAL_RANKS", "8"}, {"JOB_COMPLETION_INDEX", "3"}};
  const NodeLaunch spread = node_launch_of(environment(variables)).value();
  CHECK(spread.nodes == 16);
  CHECK(spread.index == 3);
  CHECK(spread.local == 8);
  variables["RAILGAUGE_NODE_INDEX"] = "16";
  CHECK_THAT(sentence_of([&] { return node_launch_of(environment(variables)); }),
             ContainsSubstring("RAILGAUGE_NODE_INDEX=16: expected"));
  variables["RAILGAUGE_RANK"] = "0";
  CHECK_FALSE(node_launch_of(environment(variables)));
  variables = {{"RAILGAUGE_NODES", "2"}, {"RAILGAUGE_LOCAL_RANKS", "8"}};
  CHECK_THAT(sentence_of([&] { return node_launch_of(environment(variables)); }), ContainsSubstring("JOB_COMPLETION_INDEX"));
}

TEST_CASE("told: ranks meet where they were told to, whoever comes first") {
  // A port that was free a moment ago.
  const std::string port = std::to_string(listen_on(Reach::machine).port);
  std::vector<std::string> said(3);
  std::vector<std::thread> ranks;
  for (const int rank : {2, 1, 0})
    ranks.emplace_back([&, rank] {
      const Variables variables{{"RAILGAUGE_RANKS", "3"},
                                {"RAILGAUGE_RANK", std::to_string(rank)},
                                {"RAILGAUGE_NODE", "n" + std::to_string(rank)},
                                {"RAILGAUGE_TOKEN", token},
                                {"RAILGAUGE_RENDEZVOUS", "localhost:" + port}};
      try {
        const Launched launched = join_launched(environment(variables), {}, "same", test::patient());
        launched.tree->barrier();
        for (const std::string& node : launched.tree->nodes()) said[static_cast<std::size_t>(rank)] += node;
      } catch (const Error& error) { said[static_cast<std::size_t>(rank)] = error.what(); }
    });
  for (std::thread& rank : ranks) rank.join();
  for (const std::string& each : said) CHECK(each == "n0n1n2");
}

TEST_CASE("told: who has another token is told so at its deadline, and who is absent is named", "[long]") {
  const std::string port = std::to_string(listen_on(Reach::machine).port);
  const auto variables_of = [&](int rank, const char* its_token) {
    return Variables{{"RAILGAUGE_RANKS", "2"},
                     {"RAILGAUGE_RANK", std::to_string(rank)},
                     {"RAILGAUGE_TOKEN", its_token},
                     {"RAILGAUGE_RENDEZVOUS", "127.0.0.1:" + port}};
  };
  std::string zero, one;
  const auto join_as = [&](int rank, const char* its_token, Seconds deadline, std::string& said) {
    const Variables variables = variables_of(rank, its_token);
    try {
      (void)join_launched(environment(variables), {}, "same", {deadline, Seconds{10}});
    } catch (const Error& error) { said = error.fault() == Fault::lost ? error.what() : "another fault"; }
  };
  std::thread first([&] { join_as(0, token, Seconds{4}, zero); });
  join_as(1, "ffffffffffffffffffffffffffffffff", Seconds{3}, one);
  first.join();
  CHECK(zero == "rank 1 did not come to the rendezvous within 4 s");
  CHECK_THAT(one, ContainsSubstring("rank 1 cannot reach rank 0 (127.0.0.1:" + port) && ContainsSubstring("another token"));
}

}  // namespace railgauge
