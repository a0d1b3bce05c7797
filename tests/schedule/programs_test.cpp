// The proof of foreign algorithms, compared with plain executions; and the files that others have published, where they are at
// hand.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::size_t any_number = 1U << 20;

std::string kinds(const Proof& proof) {
  std::string text;
  for (const ProofFinding& it : proof.findings) text += std::string(it.kind ? name(*it.kind) : "") + ": " + it.sentence + "\n";
  return text;
}

bool has(const Proof& proof, FindingKind kind) {
  return std::any_of(proof.findings.begin(), proof.findings.end(), [&](const ProofFinding& it) { return it.kind == kind; });
}

Program pairs_of_two() { return right_programs(2)[1]; }

std::string only_sentence(const Program& program) {
  const Proof proof = prove(program);
  return proof.findings.empty() ? "" : proof.findings.front().sentence;
}

}  // namespace

TEST_CASE("programs that are right are proved, come back from their text, and run right in every order") {
  std::mt19937 random(1);
  for (std::int32_t ranks = 2; ranks <= 6; ++ranks)
    for (Program program : right_programs(ranks)) {
      INFO(program.name << " of " << ranks);
      const Program read = read_algorithm_text(msccl_xml(program), "made.xml");
      const Proof proof = prove(read);
      CHECK(kinds(proof) == "");
      CHECK(msccl_xml(program) == [&] {
        Program again = read;
        return msccl_xml(again);
      }());
      for (int i = 0; i < 10; ++i) CHECK(executed(read, read.in_place, 0, messages_per_connection(read), random) == "");
      REQUIRE(proof.buffering);
      for (int i = 0; i < 10; ++i)
        CHECK(executed(read, read.in_place, 0, std::max<std::size_t>(*proof.buffering, 1), random) == "");
      if (*proof.buffering > 1) CHECK(executed(read, read.in_place, 0, *proof.buffering - 1, random) == "it hangs");
    }
}

TEST_CASE("mutations: the proof finds each that some execution shows, and each that it finds is shown", "[long]") {
  const int count = sanitized ? 400 : usual_or_thorough(3000, 30000);
  constexpr unsigned seed = 27;
  constexpr int runs = 12;
  std::mt19937 random(seed);
  int mutants = 0, refused = 0, found = 0, shown = 0;
  while (mutants < count) {
    const auto ranks = static_cast<std::int32_t>(2 + random() % 4);
    std::vector<Program> all = right_programs(ranks);
    Program& program = all[random() % all.size()];
    const std::string what = mutate(program, random);
    if (what.empty()) continue;
    ++mutants;
    try {
      check_program(program, "mutant");
    } catch (const Error&) {
      ++refused;
      continue;
    }
    const Proof proof = prove(program);
    INFO("seed " << seed << ", mutant " << mutants << ": " << program.name << " of " << ranks << ": " << what << "\n"
                 << kinds(proof));
    const std::size_t held = messages_per_connection(program);
    int wrong = 0;
    std::string failure;
    for (int run = 0; run < runs; ++run)
      if (const std::string said = executed(program, program.in_place, proof.root.value_or(0), held, random); !said.empty()) {
        ++wrong;
        failure = said;
      }
    if (wrong > 0) ++shown;
    if (!proof.right()) ++found;
    INFO(failure);
    if (wrong > 0) REQUIRE(!proof.right());
    // What is no matter of order must show in every run.
    const bool order = has(proof, FindingKind::race) || has(proof, FindingKind::not_awaited);
    if (!proof.right() && !order) REQUIRE(wrong == runs);
  }
  INFO(refused << " refused, " << found << " found, " << shown << " shown");
  CHECK(shown > count / 4);
  CHECK(found > count / 4);
}

TEST_CASE("a proof names the rank, the contribution and the step") {
  // Rank 1 leaves out its reduction: its own contribution is missing from its part, here and at rank 0.
  Program program = right_programs(3)[4];  // reduce_scatter
  program.ranks[1].thread_blocks[0].steps[1].kind = StepType::rcs;
  program.ranks[1].thread_blocks[0].steps[1].target_buffer = Buffer::output;
  program.ranks[1].thread_blocks[0].steps[1].target = 0;
  CHECK_THAT(only_sentence(program),
             ContainsSubstring("out of place: rank 2, output block 0: the contribution of rank 1 is missing; the last "
                               "to write it is rank 2, thread block 0, step 2 (rrc)"));

  program = pairs_of_two();
  Step again = program.ranks[0].thread_blocks[0].steps[1];
  again.announced = false;
  program.ranks[0].thread_blocks[0].steps.insert(program.ranks[0].thread_blocks[0].steps.begin() + 1, again);
  program.ranks[0].thread_blocks[1].steps[2].awaited_step = 2;
  CHECK_THAT(only_sentence(program),
             ContainsSubstring("contributions are doubled: rank 0, thread block 0, step 2 (re) reduces input "
                               "block 0 of ranks 0, 1 with input block 0 of rank 1"));

  program = pairs_of_two();
  program.ranks[1].thread_blocks[1].steps[3].target = 2;
  const Proof proof = prove(program);
  CHECK_THAT(kinds(proof),
             ContainsSubstring("it holds input block 0 of ranks 0, 1, which rank 1, thread block 1, step 3 (r) wrote, and input "
                               "block 2 of ranks 0, 1 is to be there"));
  CHECK(proof.wrong_blocks == 4);
}

TEST_CASE("a contribution that is overwritten is told with the step that did it") {
  Program program = pairs_of_two();
  // After its reduction rank 0 copies what rank 1 had sent over it.
  program.ranks[0].thread_blocks[0].steps[1].announced = false;
  Step copy = program.ranks[0].thread_blocks[0].steps[1];
  copy.kind = StepType::cpy;
  copy.announced = true;
  program.ranks[0].thread_blocks[0].steps.push_back(copy);
  program.ranks[0].thread_blocks[1].steps[2].awaited_step = 2;
  CHECK_THAT(only_sentence(program),
             ContainsSubstring("the contribution of rank 0 was overwritten by rank 0, thread block 0, step 2 (cpy)"));
}

TEST_CASE("deadlocks: the circle of waits, and the number of messages with which it goes away") {
  Program program = right_programs(2)[0];
  for (ProgramRank& rank : program.ranks)
    for (ThreadBlock& block : rank.thread_blocks) std::rotate(block.steps.begin(), block.steps.end() - 1, block.steps.end());
  Proof proof = prove(program);
  REQUIRE(proof.findings.size() == 1);
  CHECK(proof.findings[0].kind == FindingKind::deadlock);
  CHECK_THAT(proof.findings[0].sentence, ContainsSubstring("whatever its connections hold"));
  CHECK(proof.findings[0].details ==
        std::vector<std::string>{"rank 0, thread block 0, step 0 (r) waits for a message of rank 1, thread block 0",
                                 "rank 1, thread block 0, step 0 (r) waits for a message of rank 0, thread block 0"});
  CHECK(!proof.buffering);

  // Each sends three messages before it receives any.
  program = right_programs(2)[5];
  program.collective = Collective::all_gather;
  program.blocks = 6;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    program.ranks[rank] = {3, 6, 0, {}, 0};
    const auto other = static_cast<std::int32_t>(1 - rank);
    ThreadBlock block{other, other, 0, {}, 0};
    for (const StepType kind : {StepType::s, StepType::r})
      for (std::uint32_t i = 0; i < 3; ++i) {
        Step step;
        step.kind = kind;
        step.source_buffer = step.target_buffer = Buffer::output;
        step.source = static_cast<std::uint32_t>(rank) * 3 + i;
        step.target = static_cast<std::uint32_t>(other) * 3 + i;
        step.count = 1;
        block.steps.push_back(step);
      }
    program.ranks[rank].thread_blocks.push_back(block);
  }
  proof = prove(program);
  REQUIRE(proof.findings.size() == 1);
  CHECK_THAT(proof.findings[0].sentence,
             ContainsSubstring("where a connection holds 2 messages, as with Simple; with 3 it completes"));
  CHECK(proof.findings[0].details[0] ==
        "rank 0, thread block 0, step 2 (s) waits until rank 1, thread block 0 has taken a message");
  CHECK(proof.buffering == 3U);
  program.protocol = "LL";
  CHECK(prove(program).right());
}

TEST_CASE("a race is told with both steps, and a dependency or a message ends it") {
  Program program = pairs_of_two();
  program.ranks[0].thread_blocks[1].steps[2].awaited_thread_block = Step::none;
  const Proof proof = prove(program);
  REQUIRE(has(proof, FindingKind::race));
  CHECK_THAT(kinds(proof), ContainsSubstring("race in place: "));
  CHECK_THAT(kinds(proof), ContainsSubstring("nothing orders the two"));
}

TEST_CASE("a step that is awaited and does not say so is told") {
  Program program = pairs_of_two();
  program.ranks[0].thread_blocks[0].steps[1].announced = false;
  CHECK_THAT(only_sentence(program), ContainsSubstring("whose hasdep is 0: MSCCL never sets its flag, and hangs"));
}

TEST_CASE("a program that does another collective than it says is told which") {
  Program program = right_programs(4)[5];
  program.collective = Collective::all_reduce;
  CHECK(prove(program).instead == "broadcast with root 0");
  program.collective = Collective::broadcast;
  CHECK(prove(program).root == 0);
}

TEST_CASE("counts of a ring: rounds, messages and shares, beside their bounds") {
  const Counts counts = count(right_programs(4)[0]);
  CHECK(counts.rounds == 6);
  CHECK(counts.messages == 48);
  CHECK(counts.links.size() == 4);
  CHECK(counts.least_rounds == 2);
  CHECK_THAT(static_cast<double>(counts.busiest) / 8, WithinAbs(counts.least_share, 1e-9));
  CHECK(counts.complete);
}

TEST_CASE("no program that is right has fewer rounds or bytes than its bounds") {
  // All to rank 0 at once: one round.
  constexpr std::int32_t ranks = 8;
  Program gather;
  gather.protocol = "Simple";
  gather.collective = Collective::gather;
  gather.blocks = ranks;
  gather.channels = 1;
  gather.out_of_place = true;
  gather.ranks.resize(ranks);
  for (ProgramRank& rank : gather.ranks) {
    rank.input = 1;
    rank.output = ranks;
  }
  ThreadBlock own;
  own.steps.push_back({.kind = StepType::cpy, .target_buffer = Buffer::output, .count = 1});
  gather.ranks[0].thread_blocks.push_back(own);
  for (std::int32_t rank = 1; rank < ranks; ++rank) {
    ThreadBlock sending, receiving;
    sending.send_peer = 0;
    sending.steps.push_back({.kind = StepType::s, .count = 1});
    gather.ranks[static_cast<std::size_t>(rank)].thread_blocks.push_back(sending);
    receiving.receive_peer = rank;
    receiving.steps.push_back(
        {.kind = StepType::r, .target_buffer = Buffer::output, .target = static_cast<std::uint32_t>(rank), .count = 1});
    gather.ranks[0].thread_blocks.push_back(receiving);
  }
  std::vector<Program> programs{gather};
  for (std::int32_t count = 2; count <= 6; ++count)
    for (Program& program : right_programs(count)) programs.push_back(std::move(program));
  for (const Program& program : programs) {
    INFO(program.name << " of " << program.ranks.size());
    CHECK(prove(program).right());
    const Counts counts = count(program);
    CHECK(counts.rounds >= counts.least_rounds);
    CHECK(static_cast<double>(counts.busiest) / program.blocks >= counts.least_share - 1e-9);
  }
}

TEST_CASE("published files are judged as their index says") {
  const std::filesystem::path folder = std::filesystem::path(RAILGAUGE_FIXTURES) / "algorithms";
  std::ifstream index(folder / "index.tsv");
  if (!index) skip("no fixtures " + folder.string());
  std::string line;
  std::getline(index, line);
  int judged = 0;
  while (std::getline(index, line)) {
    std::istringstream row(line);
    std::vector<std::string> columns;
    for (std::string column; std::getline(row, column, '\t');) columns.push_back(column);
    REQUIRE(columns.size() == 8);
    const std::string &file = columns[0], &note = columns[7];
    INFO(file);
    const bool plan = file.find(".json") != std::string::npos;
    ++judged;
    if (note.find("refused") != std::string::npos || note.find("NOT loadable") != std::string::npos) {
      CHECK_THROWS_AS(read_algorithm((folder / file).string()), Error);
      continue;
    }
    const Program program = read_algorithm((folder / file).string());
    std::string collective(name(program.collective));
    std::erase(collective, '_');
    CHECK((collective == columns[5] || (collective == "sendreceive" && columns[5] == "sendrecv")));
    CHECK(std::to_string(program.ranks.size()) == columns[6]);
    const Proof proof = prove(program);
    INFO(kinds(proof));
    if (note.find("NEGATIVE") != std::string::npos) {
      CHECK(has(proof, FindingKind::deadlock));
      CHECK(!proof.buffering);
    } else {
      CHECK((plan || note.find("proves") != std::string::npos));
      CHECK(proof.right());
      if (!plan) CHECK((proof.buffering == 2U) == (note.find("stuck if a connection holds 1 message") != std::string::npos));
    }
  }
  CHECK(judged == 27);
}
