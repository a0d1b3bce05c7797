// The symbolic interpreter: static checks of each round, then two runs of all ranks in step.
#include "bench/schedule/verify/verify.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bench/schedule/verify/credit_check.hpp"
#include "bench/schedule/verify/meaning.hpp"
#include "bench/schedule/verify/unbuffered.hpp"

namespace railgauge {
namespace {

std::string number(std::size_t value) { return std::to_string(value); }
std::string plural(std::size_t count, const char* word) { return number(count) + " " + word + (count == 1 ? "" : "s"); }

class Report {
 public:
  [[nodiscard]] bool empty() const { return findings_.empty(); }
  [[nodiscard]] bool full() const { return findings_.size() >= findings_limit; }
  void add(std::int32_t rank, std::optional<std::uint32_t> round, const std::string& what) {
    if (full()) return;
    findings_.push_back("rank " + std::to_string(rank) + (round ? ", round " + std::to_string(*round) : "") + ": " + what);
  }
  Findings take() { return std::move(findings_); }

 private:
  Findings findings_;
};

// What each rank has, over all lanes.
struct Memories {
  std::vector<Layout> layouts;
  std::vector<std::vector<Cell>> cells;
  std::vector<std::vector<std::uint8_t>> lane_of;  // which lane uses a unit: its number + 1, 0 for none yet
};

// One lane of all ranks, resolved to ranges.
struct LaneOfRanks {
  std::vector<ResolvedSchedule> schedules;
  std::vector<TransferEnds> ends;
};

const ResolvedMessage& message(const LaneOfRanks& lane, std::int32_t rank, std::uint32_t end) {
  const TransferEnds& ends = lane.ends[static_cast<std::size_t>(rank)];
  const std::uint32_t round = ends.ends[end].round;
  return lane.schedules[static_cast<std::size_t>(rank)][round].messages[end - ends.first[round]];
}

// No receive of a round may overlap another transfer of it.
void check_overlaps(const ResolvedRound& round, std::int32_t rank, std::uint32_t index, Report& report) {
  std::vector<const ResolvedMessage*> order;
  for (const ResolvedMessage& one : round.messages)
    if (one.range.size() != 0) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->range.begin < b->range.begin; });
  std::size_t end_of_any = 0, end_of_receives = 0;
  for (const ResolvedMessage* one : order) {
    const bool receives = one->kind == Transfer::Kind::receive;
    if (one->range.begin < (receives ? end_of_any : end_of_receives)) {
      report.add(rank, index, "a receive overlaps another transfer of the round");
      return;
    }
    end_of_any = std::max(end_of_any, one->range.end);
    if (receives) end_of_receives = std::max(end_of_receives, one->range.end);
  }
}

// What can be said of one rank alone.
void check_rank(const ResolvedSchedule& schedule, const Layout& layout, std::int32_t rank, std::int32_t ranks, bool in_place,
                std::uint8_t lane, std::vector<std::uint8_t>& lane_of, Report& report) {
  for (std::uint32_t r = 0; r < schedule.size() && !report.full(); ++r) {
    const auto use = [&](const Range& range, bool writes) {
      if (writes && !in_place && overlap(range, layout.input())) report.add(rank, r, "writes to its input");
      for (std::size_t i = range.begin; i < range.end; ++i) {
        if (lane_of[i] != 0 && lane_of[i] != lane + 1) {
          report.add(rank, r, "uses what belongs to another lane");
          return;
        }
        lane_of[i] = static_cast<std::uint8_t>(lane + 1);
      }
    };
    for (const ResolvedMessage& one : schedule[r].messages) {
      use(one.range, one.kind == Transfer::Kind::receive);
      if (one.peer < 0 || one.peer >= ranks)
        report.add(rank, r, "names rank " + std::to_string(one.peer) + ", which does not exist");
      if (one.peer == rank) report.add(rank, r, "sends to or receives from itself");
    }
    check_overlaps(schedule[r], rank, r, report);
    for (const ResolvedLocal& local : schedule[r].locals) {
      use(local.source, false);
      use(local.target, true);
      if (overlap(local.source, local.target)) report.add(rank, r, "a local's source and target overlap");
    }
  }
}

void check_matching(const LaneOfRanks& lane, Report& report) {
  for (std::size_t r = 0; r < lane.ends.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    for (std::uint32_t i = 0; i < lane.ends[r].ends.size(); ++i) {
      const TransferEnd& end = lane.ends[r].ends[i];
      const bool sends = end.kind == Transfer::Kind::send;
      const std::string peer = "rank " + std::to_string(end.peer);
      if (end.counterpart == TransferEnd::nobody) {
        report.add(
            rank, end.round,
            sends ? "sends to " + peer + ", which has no receive for it" : "waits for " + peer + ", which has no send for it");
      } else if (sends) {
        const std::size_t sent = message(lane, rank, i).range.size();
        const std::size_t received = message(lane, end.peer, end.counterpart).range.size();
        if (sent != received)
          report.add(rank, end.round, "sends " + plural(sent, "unit") + " to " + peer + ", which receives " + number(received));
      }
    }
  }
}

// The credit of each receive, by rank and end.
std::vector<std::vector<Credit>> find_credits(const LaneOfRanks& lane, const CreditRule& rule) {
  std::vector<std::vector<Credit>> found;
  for (std::size_t q = 0; q < lane.ends.size(); ++q) {
    const std::vector<TransferEnd>& ends = lane.ends[q].ends;
    std::vector<std::vector<std::uint32_t>> from(lane.ends.size());
    for (std::uint32_t i = 0; i < ends.size(); ++i)
      if (ends[i].kind == Transfer::Kind::receive) from[static_cast<std::size_t>(ends[i].peer)].push_back(i);
    std::vector<Credit>& mine = found.emplace_back(ends.size());
    for (std::size_t p = 0; p < from.size(); ++p) {
      if (from[p].empty()) continue;
      const std::vector<Credit> row =
          rule(lane.schedules[q], static_cast<std::int32_t>(q), lane.schedules[p], static_cast<std::int32_t>(p));
      for (std::size_t i = 0; i < from[p].size(); ++i) mine[from[p][i]] = row.at(i);
    }
  }
  return found;
}

// Follows two runs: the values in the first, who may write when in both.
class Observer {
 public:
  Observer(const LaneOfRanks& lane, Memories& memories, Contributors& contributors, const VerifyOptions& options, bool barrier,
           Report& report)
      : lane_(lane),
        memories_(memories),
        contributors_(contributors),
        credits_(find_credits(lane, options.credits)),
        landing_(lane.ends, memory_sizes(memories)),
        barrier_(barrier),
        touched_between_(options.touched_between),
        report_(report) {}

  void post(std::int32_t rank, Position at) { landing_.post(rank, at); }

  void meet(std::int32_t sender, std::uint32_t send, std::int32_t receiver, std::uint32_t receive, std::uint32_t run) {
    const Range& source = message(lane_, sender, send).range;
    const Range& target = message(lane_, receiver, receive).range;
    const Credit& credit = credits_[static_cast<std::size_t>(receiver)][receive];
    const std::uint32_t round = lane_.ends[static_cast<std::size_t>(receiver)].ends[receive].round;
    const std::string wrong = landing_.meet(sender, send, source, receiver, receive, target, credit, run);
    if (!wrong.empty()) report_.add(receiver, round, "the message from rank " + std::to_string(sender) + " " + wrong);
    if (run != 0) return;
    if (!defined(sender, source))
      report_.add(sender, lane_.ends[static_cast<std::size_t>(sender)].ends[send].round, "sends what was never written");
    std::copy_n(at(sender, source), source.size(), at(receiver, target));
  }

  void complete(std::int32_t rank, Position position) {
    landing_.complete(rank);
    const ResolvedSchedule& schedule = lane_.schedules[static_cast<std::size_t>(rank)];
    for (const ResolvedLocal& local : schedule[position.round].locals) {
      landing_.touch(rank, position, local.source);
      landing_.touch(rank, position, local.target);
      if (position.run == 0) perform(rank, position.round, local);
    }
    if (touched_between_ && position.round + 1 == schedule.size())
      landing_.touch(rank, position, {0, memories_.cells[static_cast<std::size_t>(rank)].size()});
    const auto ranks = static_cast<std::int32_t>(lane_.ends.size());
    if (barrier_ && position.run == 0 && position.round + 1 == schedule.size() && landing_.known_to_have_begun(rank) < ranks)
      report_.add(rank, position.round, "leaves the barrier before all ranks have entered");
  }

 private:
  static std::vector<std::size_t> memory_sizes(const Memories& memories) {
    std::vector<std::size_t> sizes;
    sizes.reserve(memories.cells.size());
    for (const auto& cells : memories.cells) sizes.push_back(cells.size());
    return sizes;
  }
  std::vector<Cell>::iterator at(std::int32_t rank, const Range& range) {
    return memories_.cells[static_cast<std::size_t>(rank)].begin() + static_cast<std::ptrdiff_t>(range.begin);
  }
  bool defined(std::int32_t rank, const Range& range) {
    return std::all_of(at(rank, range), at(rank, range) + static_cast<std::ptrdiff_t>(range.size()),
                       [](const Cell& cell) { return cell.element != Cell::undefined; });
  }

  void perform(std::int32_t rank, std::uint32_t round, const ResolvedLocal& local) {
    const std::string which = "local " + number(local.index);
    const auto source = at(rank, local.source);
    const auto target = at(rank, local.target);
    const bool copies = local.kind == Local::Kind::copy;
    if (!defined(rank, local.source) || (!copies && !defined(rank, local.target))) {
      report_.add(rank, round, which + " reads what was never written");
      return;
    }
    if (copies) {
      std::copy_n(source, local.source.size(), target);
      return;
    }
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(local.source.size()); ++i) {
      if (source[i].element != target[i].element) {
        report_.add(rank, round, which + " reduces two different elements");
        return;
      }
      const auto joined = contributors_.disjoint_union(source[i].contributors, target[i].contributors);
      if (!joined) {
        report_.add(rank, round,
                    which + " reduces contributions of " + contributors_.text(source[i].contributors) + " with " +
                        contributors_.text(target[i].contributors) + ", so that some count twice");
        return;
      }
      target[i].contributors = *joined;
    }
  }

  const LaneOfRanks& lane_;
  Memories& memories_;
  Contributors& contributors_;
  std::vector<std::vector<Credit>> credits_;
  CreditCheck landing_;
  bool barrier_, touched_between_;
  Report& report_;
};

Memories make_memories(Collective collective, std::span<const Schedule> ranks, Shape shape, const VerifyOptions& options,
                       const Meaning& meaning) {
  Memories memories;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const std::vector<Schedule> lanes(options.lanes, ranks[static_cast<std::size_t>(shape.rank)]);
    const Layout& layout =
        memories.layouts.emplace_back(collective, shape, meaning.sizes(shape.rank), lanes, options.in_place, std::size_t{1});
    const std::vector<Cell> input = meaning.before(shape.rank);
    std::vector<Cell>& cells = memories.cells.emplace_back(layout.size());
    std::copy(input.begin(), input.end(), cells.begin() + static_cast<std::ptrdiff_t>(layout.input().begin));
    memories.lane_of.emplace_back(layout.size());
  }
  return memories;
}

LaneOfRanks make_lane(std::span<const Schedule> ranks, const Memories& memories, std::size_t lane, std::size_t lanes,
                      Report& report) {
  LaneOfRanks result;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    TransferEnds ends;
    try {
      result.schedules.push_back(resolve(ranks[r], memories.layouts[r], lane, lanes));
    } catch (const std::logic_error& wrong) {  // std::out_of_range and std::invalid_argument: what resolve() throws
      report.add(static_cast<std::int32_t>(r), std::nullopt, wrong.what());
      result.schedules.emplace_back();
    }
    for (const ResolvedRound& round : result.schedules.back()) {
      for (const ResolvedMessage& one : round.messages) ends.add(one.kind, one.peer);
      ends.close_round();
    }
    result.ends.push_back(std::move(ends));
  }
  match(result.ends);
  return result;
}

void check_lane(Collective collective, std::span<const Schedule> ranks, const Shape& shape, const VerifyOptions& options,
                std::size_t index, Memories& memories, Contributors& contributors, Report& report) {
  const LaneOfRanks lane = make_lane(ranks, memories, index, options.lanes, report);
  if (!report.empty()) return;
  for (std::int32_t r = 0; r < shape.ranks; ++r) {
    const auto i = static_cast<std::size_t>(r);
    check_rank(lane.schedules[i], memories.layouts[i], r, shape.ranks, options.in_place, static_cast<std::uint8_t>(index),
               memories.lane_of[i], report);
    if (collective == Collective::barrier && shape.ranks > 1 && lane.schedules[i].empty())
      report.add(r, std::nullopt, "leaves the barrier before all ranks have entered");
  }
  if (!report.empty()) return;
  check_matching(lane, report);
  if (!report.empty()) return;
  Observer observer(lane, memories, contributors, options, collective == Collective::barrier, report);
  for (const auto& [rank, at] : step_through(lane.ends, 2, observer))
    report.add(rank, at.round, "waits for ever when nothing is buffered");
}

void check_output(const Meaning& meaning, const Contributors& contributors, const Memories& memories, std::int32_t rank,
                  Report& report) {
  const std::vector<Cell> expected = meaning.after(rank, contributors);
  const auto index = static_cast<std::size_t>(rank);
  const std::size_t begin = memories.layouts[index].output().begin;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Cell& got = memories.cells[index][begin + i];
    if (expected[i].element == Cell::undefined || got == expected[i]) continue;
    std::string what = "unit " + number(i) + " of the output ends ";
    if (got.element == Cell::undefined)
      what += "without a value";
    else if (got.element != expected[i].element)
      what += "as another element";
    else
      what += "with the contributions of " + contributors.text(got.contributors) + " instead of " +
              contributors.text(expected[i].contributors);
    {
      report.add(rank, std::nullopt, what);
      return;
    }
  }
}

}  // namespace

Findings verify(Collective collective, std::span<const Schedule> ranks, const Shape& shape, const VerifyOptions& options) {
  Report report;
  if (ranks.size() != static_cast<std::size_t>(shape.ranks) || ranks.empty())
    return {number(ranks.size()) + " schedules were given for " + plural(static_cast<std::size_t>(shape.ranks), "rank")};
  for (std::size_t r = 1; r < ranks.size(); ++r)
    if (ranks[r].blocks != ranks[0].blocks)
      report.add(static_cast<std::int32_t>(r), std::nullopt,
                 "divides the data into " + plural(ranks[r].blocks, "block") + ", and rank 0 into " + number(ranks[0].blocks));
  if (!report.empty()) return report.take();
  const Meaning meaning(collective, shape, ranks[0].blocks, options.sizes, options.lanes);
  Contributors contributors(shape.ranks);
  Memories memories = make_memories(collective, ranks, shape, options, meaning);
  for (std::size_t lane = 0; lane < options.lanes && report.empty(); ++lane)
    check_lane(collective, ranks, shape, options, lane, memories, contributors, report);
  for (std::int32_t rank = 0; rank < shape.ranks && report.empty(); ++rank)
    check_output(meaning, contributors, memories, rank, report);
  return report.take();
}

}  // namespace railgauge
