// Steps become transfers and locals in the rounds that were found for them.
#include "bench/schedule/map/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "bench/schedule/map/named_blocks.hpp"
#include "bench/schedule/map/noted.hpp"
#include "bench/schedule/map/plan_map.hpp"
#include "bench/schedule/map/raise.hpp"
#include "bench/schedule/map/rounds.hpp"
#include "bench/schedule/map/timed.hpp"
#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/verify/verify.hpp"

namespace railgauge {
namespace {

class Mapper {
 public:
  Mapper(const Program& program, const std::string& origin, std::int32_t root)
      : program_(program), table_(program), named_(program, table_, origin, root) {}

  // By the rounds that the file notes; nothing where it has none that are possible.
  std::vector<Schedule> by_notes() {
    const std::optional<ProgramRounds> noted = noted_rounds(table_);
    if (!noted) return {};
    rounds_ = *noted;
    return run();
  }
  std::vector<Schedule> by_levels() {
    rounds_ = rounds_of(program_, table_);
    return run();
  }

 private:
  std::vector<Schedule> run() {
    slots_.assign(table_.steps.size(), 0);
    position_.resize(table_.steps.size());
    for (std::uint32_t i = 0; i < rounds_.order.size(); ++i) position_[rounds_.order[i]] = i;
    std::vector<Schedule> all;
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) all.push_back(of(rank));
    return all;
  }

  Blocks source(std::uint32_t step) const {
    const Step& it = *table_.steps[step].step;
    return noted(step, named_.at(step, table_.rank_of(step), it.source_buffer, it.source, it.count));
  }
  Blocks target(std::uint32_t step) const {
    const Step& it = *table_.steps[step].step;
    return noted(step, named_.at(step, table_.rank_of(step), it.target_buffer, it.target, it.count));
  }
  // With the number of its data, where it is scratch and the file notes one.
  [[nodiscard]] Blocks noted(std::uint32_t step, Blocks blocks) const {
    const std::int32_t data = table_.steps[step].step->note.data;
    if (rounds_.noted && blocks.buffer == Buffer::scratch && data >= 0 &&
        static_cast<std::uint32_t>(data) + blocks.count <= program_.blocks)
      blocks.first = static_cast<std::uint32_t>(data);
    return blocks;
  }
  // Blocks of scratch for this step alone; their data is that of the operand that has a name.
  [[nodiscard]] Blocks unnamed(std::uint32_t step) const {
    const Step& it = *table_.steps[step].step;
    const bool source = reads_source(it.kind);
    return named_.added(step, table_.rank_of(step), source ? it.source_buffer : it.target_buffer, source ? it.source : it.target,
                        it.count, slots_[step]);
  }

  // --- what a step uses
  [[nodiscard]] bool combines(std::uint32_t step) const {
    const StepType kind = table_.steps[step].step->kind;
    return receives(kind) && reads_source(kind);
  }
  [[nodiscard]] bool receives_unnamed(std::uint32_t step) const {
    return combines(step) && !receives_in_target(program_, table_, step);
  }
  [[nodiscard]] bool needs_slots(std::uint32_t step) const { return receives_unnamed(step) || rounds_.buffered[step] != 0; }
  [[nodiscard]] std::uint32_t round_of_message(std::uint32_t receiver) const { return rounds_.received[receiver]; }

  std::pair<std::uint32_t, std::uint32_t> use_of_slots(std::uint32_t step) const {
    const StepType kind = table_.steps[step].step->kind;
    const std::uint32_t done = rounds_.done[step];
    const std::uint32_t begin = receives_unnamed(step) ? round_of_message(step) : done;
    return {begin, sends_unnamed(kind) || rounds_.buffered[step] != 0 ? rounds_.message[step] : done};
  }

  std::uint32_t give_slots(std::size_t rank, std::uint32_t first) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> uses;  // begin, step, last
    for (std::uint32_t step = begin_of(rank); step < begin_of(rank + 1); ++step) {
      if (!needs_slots(step)) continue;
      const auto [begin, last] = use_of_slots(step);
      uses.emplace_back(begin, step, last);
    }
    std::sort(uses.begin(), uses.end());
    Slots slots(first);
    for (const auto& [begin, step, last] : uses) slots_[step] = slots.take(table_.steps[step].step->count, begin, last);
    return slots.end();
  }
  [[nodiscard]] std::uint32_t begin_of(std::size_t rank) const {
    const std::uint32_t block = table_.first_block[rank];
    return block < table_.blocks.size() ? table_.blocks[block].first : static_cast<std::uint32_t>(table_.steps.size());
  }

  // --- the schedule of one rank
  Schedule of(std::size_t rank) {
    transfers_.clear();
    locals_.clear();
    Schedule schedule;
    schedule.blocks = program_.blocks;
    schedule.slots = give_slots(rank, named_.first_added(rank));
    for (std::uint32_t step = begin_of(rank); step < begin_of(rank + 1); ++step) add(step);
    assemble(transfers_, locals_, !rounds_.noted, schedule);
    return schedule;
  }

  void add(std::uint32_t step) {
    const StepTable::Row& row = table_.steps[step];
    const StepType kind = row.step->kind;
    if (kind == StepType::nop) return;
    if (receives(kind))
      transfers_.push_back({round_of_message(step),
                            channel(step),
                            row.incoming,
                            {Transfer::Kind::receive, table_.connections[block(step).incoming].sender,
                             receives_unnamed(step) ? unnamed(step) : target(step)}});
    TimedLocals work{rounds_.done[step], position_[step], {}};
    if (kind == StepType::cpy) {
      work.locals.push_back({Local::Kind::copy, source(step), target(step)});
    } else if (kind == StepType::re || (combines(step) && !receives_unnamed(step))) {
      work.locals.push_back({Local::Kind::reduce, source(step), target(step)});
    } else if (sends_unnamed(kind)) {
      work.locals.push_back({Local::Kind::reduce, source(step), unnamed(step)});
    } else if (combines(step)) {
      // In place the two are one block, which may have two names.
      if (source(step) != target(step)) work.locals.push_back({Local::Kind::copy, source(step), target(step)});
      work.locals.push_back({Local::Kind::reduce, unnamed(step), target(step)});
    }
    if (sends(kind)) {
      Blocks sent = sends_unnamed(kind) ? unnamed(step) : writes_target(kind) ? target(step) : source(step);
      if (rounds_.buffered[step] != 0) {
        work.locals.push_back({Local::Kind::copy, sent, unnamed(step)});
        sent = unnamed(step);
      }
      transfers_.push_back({rounds_.message[step],
                            channel(step),
                            row.outgoing,
                            {Transfer::Kind::send, table_.connections[block(step).outgoing].receiver, sent}});
    }
    if (!work.locals.empty()) locals_.push_back(std::move(work));
  }
  [[nodiscard]] const StepTable::Block& block(std::uint32_t step) const { return table_.blocks[table_.steps[step].thread_block]; }
  [[nodiscard]] std::uint32_t channel(std::uint32_t step) const {
    const StepTable::Block& its = block(step);
    return table_.connections[its.incoming != nothing ? its.incoming : its.outgoing].channel;
  }

  const Program& program_;
  StepTable table_;
  NamedBlocks named_;
  ProgramRounds rounds_;
  std::vector<std::uint32_t> slots_, position_;
  std::vector<TimedTransfer> transfers_;
  std::vector<TimedLocals> locals_;
};

// Of both places where it may be used.
Findings findings_of(const MappedProgram& mapped, Sizes sizes) {
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(mapped.ranks.size());
  shape.root = mapped.root;
  for (const bool in_place : {true, false}) {
    if (!(in_place ? mapped.in_place : mapped.out_of_place)) continue;
    VerifyOptions options;
    options.in_place = in_place;
    options.sizes = sizes;
    if (Findings found = verify(mapped.collective, mapped.ranks, shape, options); !found.empty()) return found;
  }
  return {};
}

Findings prove_schedules(MappedProgram& mapped) {
  mapped.equal_blocks = !findings_of(mapped, Sizes::distinct).empty();
  return mapped.equal_blocks ? findings_of(mapped, Sizes::equal) : Findings{};
}

}  // namespace

MappedProgram map_program(const Program& program, const std::string& origin) {
  const Proof proof = prove(program);
  if (!proof.right()) {
    const ProofFinding& first = proof.findings.front();
    throw Error(Fault::usage, fmt::format("{}: the algorithm is wrong: {}{}", origin, first.sentence,
                                          first.details.empty() ? "" : "; " + first.details.front()));
  }
  MappedProgram mapped;
  mapped.collective = program.collective;
  mapped.root = proof.root.value_or(0);
  mapped.in_place = program.in_place;
  mapped.out_of_place = program.out_of_place;
  const std::int32_t root = row(program.collective).rooted ? mapped.root : -1;
  const bool plan = program.format == AlgorithmFormat::mscclpp;
  const std::optional<Program> messages = plan ? raised(program) : std::nullopt;
  if (messages || !plan) {
    mapped.ranks = Mapper(messages ? *messages : program, origin, root).by_notes();
    if (!mapped.ranks.empty() && prove_schedules(mapped).empty()) return mapped;
  }
  mapped.ranks = plan ? map_plan(program, origin, root) : Mapper(program, origin, root).by_levels();
  if (const Findings found = prove_schedules(mapped); !found.empty())
    throw Error(Fault::usage, fmt::format("{}: {} of {} ranks is right, and cannot be mapped to rounds: {}", origin,
                                          name(program.collective), mapped.ranks.size(), found.front()));
  return mapped;
}

}  // namespace railgauge
