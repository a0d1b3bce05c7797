// The proof and the mapping of plans of MSCCL++, compared with plain executions: right plans, and plans that are changed at
// random.
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "bench/schedule/map/map.hpp"
#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "bench/schedule/write/mscclpp.hpp"
#include "tests/schedule/plan_runs.hpp"
#include "tests/schedule/plans.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;
using Catch::Matchers::StartsWith;

namespace {

std::string findings(const Proof& proof) {
  std::string text;
  for (const ProofFinding& it : proof.findings) text += std::string(it.kind ? name(*it.kind) : "") + ": " + it.sentence + "\n";
  return text;
}

std::string not_mapped(const Program& program) {
  try {
    (void)map_program(program, "made.json");
    return "";
  } catch (const Error& error) { return error.what(); }
}

// How many runs can follow each other without a barrier.
int runs_of(const Proof& proof) {
  const bool noted = std::any_of(proof.notes.begin(), proof.notes.end(),
                                 [](const std::string& it) { return it.find(" may write scratch block ") != std::string::npos; });
  return noted ? 1 : 3;
}

bool timing(const ProofFinding& it) { return it.kind == FindingKind::race || it.kind == FindingKind::message; }

std::vector<Program> plans_of(std::int32_t ranks) {
  std::vector<Program> all;
  for (const std::string& text : {read_reduce_plan(ranks), packet_plan(ranks), port_plan(ranks), former_plan(ranks)})
    all.push_back(read_algorithm_text(text, "a.json"));
  for (const Program& program : right_programs(ranks)) all.push_back(read_algorithm_text(to_mscclpp(program), "a.json"));
  return all;
}

}  // namespace

TEST_CASE("plans that are right run right in every order, and are mapped") {
  std::mt19937 random(1);
  for (std::int32_t ranks = 2; ranks <= (sanitized ? 3 : 5); ++ranks)
    for (const Program& program : plans_of(ranks)) {
      const Proof proof = prove(program);
      INFO(program.name << " of " << ranks << "\n" << findings(proof));
      CHECK(proof.right());
      CHECK(runs_of(proof) == 3);
      for (int i = 0; i < 20; ++i) REQUIRE(executed_plan(program, proof.root.value_or(0), runs_of(proof), random) == "");
      CHECK(not_mapped(program) == "");
    }
}

TEST_CASE("what a plan writes and reads elsewhere is a message, in the round that its waits allow") {
  for (std::int32_t ranks = 2; ranks <= 5; ++ranks)
    for (const std::string& text : {read_reduce_plan(ranks), packet_plan(ranks), port_plan(ranks), former_plan(ranks)}) {
      const Program program = read_algorithm_text(text, "a.json");
      INFO(program.name << " of " << ranks);
      const Counts counts = railgauge::count(program);
      std::size_t sent = 0;
      for (const Schedule& schedule : map_program(program, "a.json").ranks) {
        std::size_t rounds = 0;
        for (const Round& round : schedule.rounds) {
          rounds += round.transfers.empty() ? 0 : 1;
          for (const Transfer& it : round.transfers) sent += it.kind == Transfer::Kind::send ? 1 : 0;
        }
        CHECK(rounds == counts.rounds);
      }
      CHECK(sent == counts.messages);
    }
}

TEST_CASE("runs that follow each other: scratch that is written again too early is noted, and shown") {
  std::mt19937 random(3);
  for (const bool halves : {false, true}) {
    // What ends each thread block says that its peer has taken everything.
    Program program = read_algorithm_text(to_mscclpp(right_programs(2)[2]), "a.json");
    program.double_scratch = halves;
    for (ProgramRank& rank : program.ranks)
      for (ThreadBlock& block : rank.thread_blocks)
        if (block.steps.back().kind == StepType::wait) block.steps.resize(block.steps.size() - 2);
    const Proof proof = prove(program);
    INFO(findings(proof));
    CHECK(proof.right());
    CHECK(runs_of(proof) == (halves ? 3 : 1));
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
      CHECK(executed_plan(program, 0, 1, random) == "");
      wrong += executed_plan(program, 0, 3, random).empty() ? 0 : 1;
    }
    CHECK((wrong > 0) == !halves);
  }
}

TEST_CASE("mutations of plans: the proof finds each that some execution shows, and each that it finds is shown") {
  const int count = sanitized ? 100 : usual_or_thorough(150, 20000);
  constexpr unsigned seed = 28;
  const int executions = thorough() ? 12 : 8;
  std::mt19937 random(seed);
  int mutants = 0, refused = 0, found = 0, shown = 0, mapped = 0;
  std::array<std::vector<Program>, 3> all{plans_of(2), plans_of(3), plans_of(4)};
  while (mutants < count) {
    const std::vector<Program>& plans = all[random() % all.size()];
    Program program = plans[random() % plans.size()];
    const std::string what = mutate_plan(program, random);
    if (what.empty()) continue;
    ++mutants;
    INFO("seed " << seed << ", mutant " << mutants << ": " << program.name << " of " << program.ranks.size() << ": " << what);
    try {
      check_program(program, "mutant");
    } catch (const Error&) {
      ++refused;
      continue;
    }
    const Proof proof = prove(program);
    INFO(findings(proof));
    int wrong = 0;
    std::string failure;
    for (int run = 0; run < executions; ++run)
      if (const std::string said = executed_plan(program, proof.root.value_or(0), runs_of(proof), random); !said.empty()) {
        ++wrong;
        failure = said;
      }
    INFO(failure);
    if (wrong > 0) {
      ++shown;
      REQUIRE(!proof.right());
    }
    const std::string refusal = not_mapped(program);
    if (proof.right()) {
      // A schedule leaves its input alone, out of place; a plan need not.
      if (refusal.find("writes to its input") == std::string::npos) REQUIRE(refusal == "");
      ++mapped;
    } else {
      ++found;
      CHECK_THAT(refusal, StartsWith("made.json: the algorithm is wrong: "));
      // What is no matter of time must show in every execution.
      if (std::none_of(proof.findings.begin(), proof.findings.end(), timing)) REQUIRE(wrong == executions);
    }
  }
  WARN(mutants << " mutants: " << refused << " refused, " << found << " found, " << shown << " shown, " << mapped
               << " right and mapped");
  CHECK(shown > count / 4);
  CHECK(mapped > 0);
}

TEST_CASE("published plans that are right run right in every order, and are mapped") {
  const std::filesystem::path folder = std::filesystem::path(RAILGAUGE_FIXTURES) / "algorithms";
  if (!std::filesystem::exists(folder)) skip("no fixtures " + folder.string());
  std::mt19937 random(2);
  int right = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().string();
    // Those that reduce in a switch, and one of an older form, are not read.
    if (!file.ends_with(".json") || file.find("nvls") != std::string::npos || file.find("stale") != std::string::npos) continue;
    INFO(file);
    const Program program = read_algorithm(file);
    const Proof proof = prove(program);
    CHECK(findings(proof) == "");
    ++right;
    for (int i = 0; i < 20; ++i) REQUIRE(executed_plan(program, proof.root.value_or(0), runs_of(proof), random) == "");
    CHECK(not_mapped(program) == "");
  }
  CHECK(right == 8);
}
