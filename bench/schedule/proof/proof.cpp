// The order of judgement: messages that fit, waits that end, accesses that are ordered, and only then what the data is.
#include "bench/schedule/proof/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bench/schedule/proof/contents.hpp"
#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/proof/races.hpp"

namespace railgauge {
namespace {

constexpr std::string_view kind_names[] = {"message", "deadlock", "not_awaited", "race", "data"};

class Prover {
 public:
  explicit Prover(const Program& program) : program_(program), table_(program) {}

  Proof run() {
    messages();
    flags();
    packets();
    plain_packets();
    signals();
    for (const StepTable::Block& block : table_.blocks) waits(block);
    const Execution execution = execute(table_, unlimited);
    if (!execution.stuck.empty())
      deadlock(execution, "whatever its connections hold");
    else if (leftover_ == 0 && !table_.connections.empty())
      buffering();
    const bool complete = execution.stuck.empty() && unequal_ == 0;
    for (const bool in_place : {true, false})
      if (complete && (in_place ? program_.in_place : program_.out_of_place)) data(execution, in_place);
    notes();
    return std::move(proof_);
  }

 private:
  ProofFinding* add(FindingKind kind, std::uint32_t step, std::string sentence) {
    const auto same =
        std::count_if(proof_.findings.begin(), proof_.findings.end(), [&](const ProofFinding& it) { return it.kind == kind; });
    if (static_cast<std::size_t>(same) >= findings_shown) return nullptr;
    ProofFinding finding;
    finding.kind = kind;
    finding.sentence = std::move(sentence);
    if (step != nothing) {
      const StepTable::Block& block = table_.blocks[table_.steps[step].thread_block];
      finding.rank = block.rank;
      finding.thread_block = static_cast<std::int32_t>(block.number);
      finding.step = static_cast<std::int32_t>(step - block.first);
      finding.line = table_.steps[step].step->line;
    }
    proof_.findings.push_back(std::move(finding));
    return &proof_.findings.back();
  }

  void messages() {
    for (const PeerConnection& it : table_.connections) {
      const std::string between = fmt::format("from rank {} to rank {} on channel {}", it.sender, it.receiver, it.channel);
      const std::size_t pairs = std::min(it.sends.size(), it.receives.size());
      if (it.sends.size() > pairs) {
        ++leftover_;
        (void)add(FindingKind::message, it.sends[pairs],
                  fmt::format("{} messages go {}, and {} are received: the first that is not is sent by {}", it.sends.size(),
                              between, pairs, table_.text(it.sends[pairs])));
      }
      if (it.receives.size() > pairs)
        (void)add(FindingKind::message, it.receives[pairs],
                  fmt::format("{} messages are received {}, and {} are sent: the first that is not is awaited by {}",
                              it.receives.size(), between, pairs, table_.text(it.receives[pairs])));
      for (std::size_t i = 0; i < pairs; ++i) {
        const std::uint32_t sent = table_.steps[it.sends[i]].step->count, taken = table_.steps[it.receives[i]].step->count;
        if (sent == taken) continue;
        ++unequal_;
        (void)add(FindingKind::message, it.receives[i],
                  fmt::format("message {} {} has {} blocks where {} sends it, and {} where {} receives it", i, between, sent,
                              table_.text(it.sends[i]), taken, table_.text(it.receives[i])));
        break;
      }
    }
  }

  void packets() {
    for (const StepTable::DoublePacket& it : table_.double_packets)
      (void)add(
          FindingKind::race, it.second,
          fmt::format("race: {} and {} write packets to scratch block {} of rank {}: who reads one cannot tell which it has",
                      table_.text(it.first), table_.text(it.second), it.block, it.rank));
  }

  void plain_packets() {
    for (const StepTable::DoublePacket& it : table_.plain_packets)
      (void)add(FindingKind::data, it.second,
                fmt::format("{} accesses scratch block {} of rank {} as plain data, and {} writes packets to it",
                            table_.text(it.second), it.block, it.rank, table_.text(it.first)));
  }

  // Counters outlive a run: what is left over lets a wait of the next one go on too early.
  void signals() {
    for (std::size_t c = 0; c < table_.counters.size(); ++c) {
      const auto& [signals, waits] = table_.counters[c];
      if (program_.counters[c].meeting != 0 || signals.size() <= waits.size()) continue;
      (void)add(FindingKind::message, signals.back(),
                fmt::format(
                    "{} signals are awaited {} times, and the next run takes those that are left for its own: the last is of {}",
                    signals.size(), waits.size(), table_.text(signals.back())));
    }
  }

  // The nth signal, wait or semaphore of an operation is its nth thread's: two that wait for one channel may take the signals in
  // any order, unless they meet in between.
  void waits(const StepTable::Block& block) {
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> latest;  // by counter: the step, and its thread
    std::uint32_t thread = 0;
    for (std::uint32_t step = block.first; step < block.end; ++step) {
      const Step& it = *table_.steps[step].step;
      const Step* const before = step == block.first ? nullptr : table_.steps[step - 1].step;
      const bool same = before != nullptr && before->kind == it.kind && before->place.operation == it.place.operation &&
                        before->place.inner == it.place.inner;
      thread = same ? thread + 1 : 0;
      if (table_.meets(step)) latest.clear();
      if (it.kind != StepType::wait || !table_.alone(step)) continue;
      const auto [found, added] = latest.try_emplace(it.counter, step, thread);
      if (!added && found->second.second != thread)
        (void)add(
            FindingKind::race, step,
            fmt::format("race: {} and {} wait for the same signals in different threads, and no nop lets these meet in between",
                        table_.text(found->second.first), table_.text(step)));
      found->second = {step, thread};
    }
  }

  void flags() {
    for (std::uint32_t step = 0; step < table_.steps.size(); ++step) {
      const std::uint32_t awaited = table_.awaited(step);
      if (awaited != nothing && !table_.steps[awaited].step->announced)
        (void)add(FindingKind::not_awaited, step,
                  fmt::format("{} waits for {}, whose hasdep is 0: MSCCL never sets its flag, and hangs", table_.text(step),
                              table_.text(awaited)));
    }
  }

  void deadlock(const Execution& execution, const std::string& buffering) {
    const std::vector<Wait> chain = reason(table_, execution);
    const bool circle = chain.size() > 1 || chain.front().thread_block == table_.steps[chain.front().step].thread_block;
    ProofFinding* const finding =
        add(FindingKind::deadlock, chain.front().step,
            circle ? fmt::format("deadlock, {}: {} thread blocks of {} are stuck, and {} of them wait for each other in a circle",
                                 buffering, execution.stuck.size(), table_.blocks.size(), chain.size())
                   : fmt::format("deadlock: {}, and none comes", text(table_, chain.front())));
    if (!circle) return;
    constexpr std::size_t shown = 16;
    for (std::size_t i = 0; i < std::min(chain.size(), shown); ++i) finding->details.push_back(text(table_, chain[i]));
    if (chain.size() > shown) finding->details.push_back(fmt::format("and {} more waits", chain.size() - shown));
  }

  void buffering() {
    if (runs_unbuffered(table_)) {
      proof_.buffering = 0;
      return;
    }
    std::size_t most = 1;
    for (const PeerConnection& it : table_.connections) most = std::max(most, it.sends.size());
    std::uint32_t least = 1, enough = static_cast<std::uint32_t>(most);
    while (least < enough) {
      const std::uint32_t middle = least + (enough - least) / 2;
      if (execute(table_, middle).stuck.empty())
        enough = middle;
      else
        least = middle + 1;
    }
    proof_.buffering = enough;
    const std::uint32_t held = messages_per_connection(program_);
    if (enough > held)
      deadlock(execute(table_, held), fmt::format("where a connection holds {} messages, as with {}; with {} it completes", held,
                                                  program_.protocol, enough));
  }

  void data(const Execution& execution, bool in_place) {
    const char* const where = in_place ? "in place" : "out of place";
    const Races all = races(program_, table_, execution.order, in_place, findings_shown);
    if (all.next_run && next_run_.empty()) next_run(*all.next_run);
    next_run_unknown_ = next_run_unknown_ || all.next_run_unknown;
    for (const Race& race : all.found) {
      const auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
      const std::string block = fmt::format("{} block {}", buffer_names[static_cast<std::size_t>(race.buffer)], race.block);
      const std::uint32_t step = race.later == nothing ? race.earlier : race.later;
      const std::string whose = table_.rank_of(step) == race.rank ? block : fmt::format("{} of rank {}", block, race.rank);
      if (race.earlier == nothing || race.later == nothing) {
        (void)add(FindingKind::race, step,
                  fmt::format("race {}: {} {} {}, and {}", where, table_.text(step),
                              verb(race.earlier == nothing ? race.later_writes : race.earlier_writes), whose,
                              race.earlier == nothing ? "nothing says that this rank has begun" : "that rank may end before"));
        continue;
      }
      (void)add(FindingKind::race, race.later,
                race.earlier == race.later
                    ? fmt::format("race {}: {} reads and writes overlapping blocks that do not coincide", where,
                                  table_.text(race.later))
                    : fmt::format("race {}: {} {} {}, {} {} it, and nothing orders the two", where, table_.text(race.earlier),
                                  verb(race.earlier_writes), whose, table_.text(race.later), verb(race.later_writes)));
    }
    Contents contents(program_, table_, execution.order, in_place);
    const std::int32_t root = root_of(contents, program_.collective);
    if (contents.right(program_.collective, root)) {
      if (row(program_.collective).rooted) proof_.root = root;
      return;
    }
    for (WrongBlock& wrong : contents.wrong(program_.collective, root, findings_shown))
      if (ProofFinding* const finding = add(FindingKind::data, wrong.step, fmt::format("{}: {}", where, wrong.sentence)))
        if (finding->rank < 0) finding->rank = wrong.rank;
    proof_.wrong_blocks = std::max(proof_.wrong_blocks, contents.count_wrong());
    if (proof_.instead.empty()) instead(execution, contents, in_place);
  }

  // Whoever runs plans may put a barrier between two runs: no fault of the plan.
  void next_run(const Race& race) {
    next_run_ =
        fmt::format("{} of {} may write scratch block {} of rank {} before {} of this one has {} it, unless runs are kept apart",
                    table_.text(race.later), program_.double_scratch ? "the run after the next" : "the next run", race.block,
                    race.rank, table_.text(race.earlier), race.earlier_writes ? "written" : "read");
  }

  // The root with which it is right; 0 where there is none.
  std::int32_t root_of(Contents& contents, Collective collective) const {
    if (!row(collective).rooted) return 0;
    const auto ranks = static_cast<std::int32_t>(program_.ranks.size());
    for (std::int32_t root = 0; root < ranks; ++root)
      if (contents.right(collective, root)) return root;
    return 0;
  }

  // The other collectives whose buffers are as large, in the order of how much each demands.
  void instead(const Execution& execution, Contents& contents, bool in_place) {
    const BufferBlocks mine = buffer_blocks(program_);
    for (const Collective other :
         {Collective::all_reduce, Collective::all_gather, Collective::all_to_all, Collective::reduce_scatter,
          Collective::broadcast, Collective::scatter, Collective::reduce, Collective::gather}) {
      if (other == program_.collective) continue;
      Program program = program_;
      program.collective = other;
      const BufferBlocks whole = buffer_blocks(program);
      const bool fits = std::all_of(program.ranks.begin(), program.ranks.end(), [&](const ProgramRank& rank) {
        return rank.input <= whole.input && rank.output <= whole.output;
      });
      if (!fits || !divides(program)) continue;
      std::optional<Contents> own;  // where the buffers are others
      if (whole.input != mine.input || whole.output != mine.output) own.emplace(program, table_, execution.order, in_place);
      Contents& run = own ? *own : contents;
      const std::int32_t root = root_of(run, other);
      if (!run.right(other, root)) continue;
      proof_.instead = row(other).rooted ? fmt::format("{} with root {}", name(other), root) : std::string(name(other));
      return;
    }
  }

  void notes() {
    // Of src/include/msccl.h in microsoft/msccl and of src/include/msccl/msccl_struct.h in ROCm/rccl.
    constexpr std::size_t steps_of_msccl = 256, steps_of_rccl = 64, blocks_of_msccl = 216, blocks_of_rccl = 64;
    std::size_t steps = 0, blocks = 0;
    for (const StepTable::Block& it : table_.blocks) steps = std::max(steps, static_cast<std::size_t>(it.end - it.first));
    for (const ProgramRank& rank : program_.ranks) blocks = std::max(blocks, rank.thread_blocks.size());
    if (program_.format == AlgorithmFormat::mscclpp) {
      constexpr std::int32_t operations_of_mscclpp = 64;
      std::int32_t operations = 0;
      for (const StepTable::Row& it : table_.steps) operations = std::max(operations, it.step->place.operation + 1);
      if (!next_run_.empty())
        proof_.notes.push_back(next_run_);
      else if (next_run_unknown_)
        proof_.notes.emplace_back("too large to judge whether scratch is free for the next run");
      if (operations > operations_of_mscclpp)
        proof_.notes.push_back(
            fmt::format("{} operations in a thread block, and MSCCL++ reads at most {}", operations, operations_of_mscclpp));
      return;
    }
    const auto note = [&](std::size_t has, std::size_t msccl, std::size_t rccl, const char* what) {
      if (has <= rccl) return;
      proof_.notes.push_back(fmt::format("{} {}, and {} at most {}", has, what, has > msccl ? "MSCCL reads" : "RCCL reads",
                                         has > msccl ? msccl : rccl));
    };
    note(steps, steps_of_msccl, steps_of_rccl, "steps in a thread block");
    note(blocks, blocks_of_msccl, blocks_of_rccl, "thread blocks a rank");
  }

  const Program& program_;
  StepTable table_;
  Proof proof_;
  std::size_t leftover_ = 0, unequal_ = 0;
  std::string next_run_;
  bool next_run_unknown_ = false;
};

}  // namespace

std::string_view name(FindingKind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)]; }

Proof prove(const Program& program) { return Prover(program).run(); }

}  // namespace railgauge
