// Algorithms of others mapped to schedules of ours: that they are proved, keep the order of their steps, and that what is wrong
// is refused.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "bench/schedule/map/map.hpp"
#include "bench/schedule/map/rounds.hpp"
#include "bench/schedule/proof/counts.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "tests/schedule/programs.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::test;
using Catch::Matchers::StartsWith;

namespace {

std::string why_not(const Program& program) {
  try {
    (void)map_program(program, "made.xml");
    return "";
  } catch (const Error& error) { return error.what(); }
}

std::size_t count(const std::vector<Schedule>& ranks, Transfer::Kind kind) {
  std::size_t all = 0;
  for (const Schedule& schedule : ranks)
    for (const Round& round : schedule.rounds)
      for (const Transfer& transfer : round.transfers) all += transfer.kind == kind ? 1 : 0;
  return all;
}

// What a step waits for has happened before it, and a message has one round at both of its ends.
void check_order(const Program& program) {
  const StepTable table(program);
  const ProgramRounds rounds = rounds_of(program, table);
  std::map<std::uint32_t, std::uint32_t> latest;  // message of each connection
  for (std::uint32_t step = 0; step < table.steps.size(); ++step) {
    const StepTable::Row& row = table.steps[step];
    const std::uint32_t first = table.blocks[row.thread_block].first;
    const std::uint32_t sender = table.sender_of(step), awaited = table.awaited(step);
    INFO(table.text(step));
    if (step > first) CHECK(rounds.done[step] >= rounds.done[step - 1]);
    if (awaited != nothing) CHECK(rounds.done[step] >= rounds.done[awaited]);
    if (sender != nothing) {
      CHECK(rounds.done[step] >= rounds.message[sender]);
      if (awaited != nothing) CHECK(rounds.message[sender] >= rounds.done[awaited]);
    }
    if (!sends(row.step->kind)) continue;
    CHECK(rounds.message[step] > rounds.done[step]);
    std::uint32_t& before = latest[table.blocks[row.thread_block].outgoing];
    CHECK(rounds.message[step] >= before);
    before = rounds.message[step];
  }
}

Step step(StepType kind, Buffer buffer, std::uint32_t block) {
  Step it;
  it.kind = kind;
  it.source_buffer = it.target_buffer = buffer;
  it.source = it.target = block;
  it.count = 1;
  return it;
}

Step moved(StepType kind, Buffer source, std::uint32_t from, Buffer target, std::uint32_t to) {
  Step it = step(kind, source, from);
  it.target_buffer = target;
  it.target = to;
  return it;
}

Program empty(Collective collective, std::size_t ranks, std::uint32_t blocks) {
  Program program;
  program.name = "made";
  program.protocol = "Simple";
  program.collective = collective;
  program.blocks = blocks;
  program.channels = 1;
  program.ranks.resize(ranks);
  const BufferBlocks whole = buffer_blocks(program);
  for (ProgramRank& rank : program.ranks) {
    rank.input = whole.input;
    rank.output = whole.output;
  }
  return program;
}

// Rank 2 to rank 1 to rank 0, which alone has an output: rank 1 uses its own all the same.
Program chain_to_root(Collective collective) {
  using enum StepType;
  const bool reduces = collective == Collective::reduce;
  constexpr Buffer i = Buffer::input, o = Buffer::output;
  Program program = empty(collective, 3, reduces ? 1 : 3);
  program.ranks[2].thread_blocks = {{1, Step::none, 0, {step(s, i, 0)}, 0}};
  if (reduces) {
    program.ranks[1].thread_blocks = {{0, 2, 0, {moved(rrc, i, 0, o, 0), step(s, o, 0)}, 0}};
    program.ranks[0].thread_blocks = {{Step::none, 1, 0, {moved(rrc, i, 0, o, 0)}, 0}};
  } else {
    program.ranks[1].thread_blocks = {{0, 2, 0, {step(r, o, 2), step(s, o, 2), step(s, i, 0)}, 0}};
    program.ranks[0].thread_blocks = {{Step::none, 1, 0, {moved(cpy, i, 0, o, 0), step(r, o, 2), step(r, o, 1)}, 0}};
  }
  return program;
}

// Rank 0 to rank 1 to rank 2, of which the former alone has an input: rank 1 uses its own all the same.
Program chain_from_root(Collective collective) {
  using enum StepType;
  constexpr Buffer i = Buffer::input, o = Buffer::output;
  Program program = empty(collective, 3, 3);
  const bool all = collective == Collective::broadcast;
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto target = all ? block : 0;
    if (block == 0 || all)
      program.ranks[0].thread_blocks.push_back({Step::none, Step::none, 0, {moved(cpy, i, block, o, target)}, 0});
    if (block == 0 && !all) continue;
    program.ranks[0].thread_blocks.push_back({1, Step::none, block, {step(s, i, block)}, 0});
    program.ranks[1].thread_blocks.push_back({2, 0, block, {step(r, i, block)}, 0});
    if (block == 1 || all) program.ranks[1].thread_blocks.back().steps.push_back(moved(cpy, i, block, o, target));
    if (block == 1 && !all) continue;
    program.ranks[1].thread_blocks.back().steps.push_back(step(s, i, block));
    program.ranks[2].thread_blocks.push_back({Step::none, 1, block, {step(r, o, target)}, 0});
  }
  return program;
}

// Two ranks exchange blocks that lie where the other's come to.
Program exchange() {
  Program program = empty(Collective::all_to_all, 2, 2);
  program.in_place = true;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    const std::int32_t peer = 1 - rank;
    const auto theirs = static_cast<std::uint32_t>(peer);
    program.ranks[static_cast<std::size_t>(rank)] = {
        2, 2, 0, {{peer, peer, 0, {step(StepType::s, Buffer::input, theirs), step(StepType::r, Buffer::input, theirs)}, 0}}, 0};
  }
  return program;
}

}  // namespace

TEST_CASE("programs that are right are mapped, message by message, and their waits are kept") {
  for (std::int32_t ranks = 2; ranks <= (sanitized ? 4 : 9); ++ranks)
    for (const Program& program : right_programs(ranks)) {
      INFO(program.name << " of " << ranks);
      REQUIRE(why_not(program) == "");
      check_order(program);
      const MappedProgram mapped = map_program(program, "made.xml");
      CHECK(mapped.collective == program.collective);
      CHECK(mapped.in_place == program.in_place);
      CHECK(mapped.out_of_place == program.out_of_place);
      CHECK(mapped.equal_blocks == (program.name == "pairs"));
      std::size_t sent = 0;
      for (const ProgramRank& rank : program.ranks)
        for (const ThreadBlock& block : rank.thread_blocks)
          for (const Step& it : block.steps) sent += sends(it.kind) ? 1 : 0;
      CHECK(count(mapped.ranks, Transfer::Kind::send) == sent);
      CHECK(count(mapped.ranks, Transfer::Kind::receive) == sent);
    }
}

TEST_CASE("buffers that a rank has in place, apart, both, or not at all") {
  std::vector<Program> all = right_programs(4);
  for (const Collective it : {Collective::reduce, Collective::gather}) all.push_back(chain_to_root(it));
  for (const Collective it : {Collective::broadcast, Collective::scatter}) all.push_back(chain_from_root(it));
  std::map<std::pair<std::string, Collective>, int> places;
  for (Program& program : all)
    for (const auto& [in_place, out_of_place] : {std::pair(true, false), {false, true}, {true, true}}) {
      program.in_place = in_place;
      program.out_of_place = out_of_place;
      INFO(program.name << " of " << name(program.collective) << (in_place ? ", in place" : "")
                        << (out_of_place ? ", apart" : ""));
      if (!prove(program).right()) continue;
      ++places[{program.name, program.collective}];
      CHECK(why_not(program) == "");
    }
  for (const auto& [program, count_of_places] : places) {
    INFO(program.first << " of " << name(program.second));
    const bool one = program.first == "ring" || program.first == "pairs" || program.second == Collective::broadcast;
    CHECK(count_of_places == (one ? 1 : 3));
  }
  CHECK(places.size() == all.size());
}

TEST_CASE("mutations of programs: what is proved is mapped and proved again, what is not is refused") {
  const int mutants = sanitized ? 60 : usual_or_thorough(400, 20000);
  constexpr unsigned seed = 2711;
  std::mt19937 random(seed);
  int right = 0, wrong = 0;
  for (int i = 0; i < mutants; ++i) {
    const auto ranks = static_cast<std::int32_t>(2 + random() % 4);
    std::vector<Program> all = right_programs(ranks);
    Program& program = all[random() % all.size()];
    const std::string what = mutate(program, random);
    try {
      check_program(program, "mutant");
    } catch (const Error&) { continue; }
    INFO("seed " << seed << ", mutant " << i << ": " << program.name << " of " << ranks << ": " << what);
    const std::string refusal = why_not(program);
    if (prove(program).right()) {
      ++right;
      REQUIRE(refusal == "");
      check_order(program);
    } else {
      ++wrong;
      CHECK_THAT(refusal, StartsWith("made.xml: the algorithm is wrong: "));
    }
  }
  CHECK(right > 0);
  CHECK(wrong > 0);
}

TEST_CASE("a send does not wait until what it sent may be overwritten: its data is copied") {
  const Program program = exchange();
  REQUIRE(why_not(program) == "");
  const MappedProgram mapped = map_program(program, "made.xml");
  const Schedule& rank = mapped.ranks[0];
  CHECK(rank.slots == 1);
  REQUIRE(rank.rounds.size() == 2);
  CHECK(rank.rounds[0].transfers.empty());
  CHECK(rank.rounds[0].locals == std::vector<Local>{{Local::Kind::copy, {Buffer::input, 1, 1, 0}, {Buffer::scratch, 1, 1, 0}}});
}

TEST_CASE("a program that cannot be mapped is refused with the step and its line") {
  // A message of more blocks of scratch than the buffers have.
  Program program = exchange();
  program.in_place = false;
  program.out_of_place = true;
  for (ProgramRank& rank : program.ranks) {
    rank.scratch = 8;
    std::vector<Step>& steps = rank.thread_blocks[0].steps;
    const std::uint32_t theirs = steps[0].source;
    steps[1].target_buffer = Buffer::output;
    Step own = step(StepType::cpy, Buffer::input, 1 - theirs);
    own.target_buffer = Buffer::output;
    Step many = step(StepType::cpy, Buffer::scratch, 0), back = many;
    many.count = back.count = 3;
    many.target = 3;
    many.line = 7;
    steps.push_back(own);
    steps.push_back(many);
  }
  CHECK(why_not(program) ==
        "made.xml:7: rank 0, thread block 0, step 3 (cpy, line 7) moves 3 blocks of scratch at once, where the buffers have 2, "
        "which a schedule cannot say");
}

TEST_CASE("a program that deadlocks is refused with the waits that form a circle") {
  Program program = exchange();
  for (ProgramRank& rank : program.ranks) std::swap(rank.thread_blocks[0].steps[0], rank.thread_blocks[0].steps[1]);
  CHECK_THAT(why_not(program), StartsWith("made.xml: the algorithm is wrong: deadlock, whatever its connections hold: ") &&
                                   ContainsSubstring("rank 0, thread block 0, step 0 (r) waits for a message of rank 1"));
}

TEST_CASE("published files that are right are mapped") {
  const std::filesystem::path folder = std::filesystem::path(RAILGAUGE_FIXTURES) / "algorithms";
  if (!std::filesystem::exists(folder)) skip("no fixtures " + folder.string());
  int right = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (file.find(".xml") == std::string::npos) continue;
    INFO(file);
    const Program program = read_algorithm(file);
    if (!prove(program).right() || (sanitized && program.ranks.size() > 4)) continue;
    ++right;
    check_order(program);
    const MappedProgram mapped = map_program(program, file);
    CHECK(mapped.ranks.size() == program.ranks.size());
    const std::vector<std::uint32_t> rounds = rounds_of(program, StepTable(program)).message;
    CHECK(*std::max_element(rounds.begin(), rounds.end()) >= railgauge::count(program).rounds);
  }
  CHECK(right > 0);
}
