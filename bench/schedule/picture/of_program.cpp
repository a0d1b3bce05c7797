// Of programs of thread blocks: a lane a thread block, a column a step of time. Ranks that access each other's memory have a lane
// for it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/output/text.hpp"
#include "bench/schedule/picture/data_blocks.hpp"
#include "bench/schedule/picture/places.hpp"
#include "bench/schedule/picture/step_times.hpp"

namespace railgauge::picture {
namespace {

constexpr double column = 54, dot = 3.5, mark = 7;  // dot, mark: half of what stands at an end of an arrow

bool reduces(const Program& program, const Step& it) {
  switch (it.kind) {
    case StepType::re:
    case StepType::rrc:
    case StepType::rrs:
    case StepType::rrcs:
      return true;
    case StepType::move:
      return sources_of(program, it).size() > 1;
    default:
      return false;
  }
}

class OfProgram {
 public:
  OfProgram(const Program& program, const Request& request)
      : program_(program),
        request_(request),
        table_(program),
        execution_(execute(table_, messages_per_connection(program))),
        times_(step_times(table_, execution_)),
        data_(data_of(program, table_, execution_.order)),
        one_sided_(std::any_of(table_.steps.begin(), table_.steps.end(),
                               [](const StepTable::Row& row) { return one_sided(row.step->kind); })),
        item_of_(table_.steps.size(), nothing) {
    picture_.blocks = program.blocks;
  }

  Picture build(const Proof& proof) {
    std::size_t items = 0;
    for (const StepTable::Row& row : table_.steps)
      items += 1 + (sends(row.step->kind) ? 1 : 0) + (row.step->awaited_step != Step::none ? 1 : 0) + row.step->sources +
               row.step->targets;
    check_items(items, request_.name);
    for (std::uint32_t step = 0; step < times_.steps; ++step)
      picture_.columns.push_back({fmt::format("{}", step), column * step, column});
    picture_.width = column * std::max<std::uint32_t>(times_.steps, 1);
    lanes();
    for (const std::uint32_t step : execution_.order)
      for (const std::uint32_t writer : table_.packets(step))
        if (writer != nothing) readers_[writer].push_back(step);
    for (const std::uint32_t step : execution_.order) add(step);
    for (std::uint32_t step = 0; step < table_.steps.size(); ++step)
      if (times_.at[step] != nothing) dependency(step);
    stops();
    findings(proof);
    finish_items(picture_);
    return std::move(picture_);
  }

 private:
  void lanes() {
    const double pitch = pitch_of(table_.blocks.size() + (one_sided_ ? program_.ranks.size() : 0));
    double y = 0;
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      Band band{fmt::format("rank {}", rank), y, y};
      y += band_margin;
      const std::uint32_t begin = table_.first_block[rank], end = table_.first_block[rank + 1];
      const bool names = one_sided_ || end - begin > 1;
      const auto lane = [&](std::string name, bool memory) {
        picture_.lanes.push_back(
            {names ? std::move(name) : "", static_cast<std::int32_t>(rank), y + pitch / 2, 0, false, memory});
        y += pitch;
      };
      if (one_sided_) {
        memory_.push_back(picture_.lanes.size());
        lane("memory", true);
        picture_.lanes.back().end = picture_.width;
      }
      for (std::uint32_t block = begin; block < end; ++block) {
        lane_of_.push_back(picture_.lanes.size());
        const StepTable::Block& it = table_.blocks[block];
        lane(it.proxy ? "port" : fmt::format("tb {}", it.number), false);
        for (std::uint32_t step = it.first; step < it.end; ++step)
          if (times_.end[step] != nothing) picture_.lanes.back().end = column * times_.end[step];
      }
      y += band_margin;
      band.bottom = y;
      picture_.bands.push_back(band);
    }
    picture_.height = y;
  }

  [[nodiscard]] double lane_y(std::uint32_t step) const { return picture_.lanes[lane_of_[table_.steps[step].thread_block]].y; }
  // A nop takes no time and has no mark: it stands between two columns.
  [[nodiscard]] double x_of(std::uint32_t step) const {
    return column * times_.at[step] + (table_.steps[step].step->kind == StepType::nop ? 0 : column / 2);
  }
  [[nodiscard]] double size_of(std::uint32_t step) const {
    const Step& it = *table_.steps[step].step;
    if (it.kind == StepType::nop) return 0;
    return reduces(program_, it) || it.kind == StepType::cpy ? mark : dot;
  }
  [[nodiscard]] Point behind(std::uint32_t step) const { return {x_of(step) + size_of(step), lane_y(step)}; }
  [[nodiscard]] Point in_front(std::uint32_t step) const { return {x_of(step) - size_of(step), lane_y(step)}; }

  [[nodiscard]] static std::string text_of_operand(const Operand& it, std::uint32_t count) {
    return fmt::format("{} {} of rank {}{}", buffer_names[static_cast<std::size_t>(it.buffer)],
                       text_of({{it.block, count}}, false), it.rank, it.packet ? ", as packets" : "");
  }
  [[nodiscard]] static std::string text_of_blocks(Buffer buffer, std::uint32_t first, std::uint32_t count) {
    return fmt::format("{} {}", buffer_names[static_cast<std::size_t>(buffer)], text_of({{first, count}}, false));
  }

  void add(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    if (it.kind == StepType::nop) return;
    const std::int32_t rank = table_.rank_of(step);
    if (times_.ready[step] < times_.at[step])
      picture_.bars.push_back({column * times_.ready[step] + 4, x_of(step), lane_y(step)});
    Item item;
    item.sort = reduces(program_, it) ? Sort::reduce : it.kind == StepType::cpy || local_copy(it, rank) ? Sort::copy : Sort::step;
    item.from = item.to = {x_of(step), lane_y(step)};
    item.rank = item.peer = rank;
    item.blocks = data_[step];
    item.title = table_.text(step);
    if (it.kind == StepType::move) {
      for (const Operand& source : sources_of(program_, it)) item.facts.push_back({"source", text_of_operand(source, it.count)});
      for (const Operand& target : targets_of(program_, it)) item.facts.push_back({"target", text_of_operand(target, it.count)});
    } else {
      if (reads_source(it.kind)) item.facts.push_back({"source", text_of_blocks(it.source_buffer, it.source, it.count)});
      if (writes_target(it.kind)) item.facts.push_back({"target", text_of_blocks(it.target_buffer, it.target, it.count)});
    }
    if (!item.blocks.empty()) item.facts.push_back(data_fact(item.blocks));
    if (const std::uint32_t awaited = table_.awaited(step); awaited != nothing)
      item.facts.push_back({"waits for", table_.text(awaited)});
    item_of_[step] = static_cast<std::uint32_t>(picture_.items.size());
    picture_.items.push_back(std::move(item));
    if (sends(it.kind)) message(step);
    if (it.kind == StepType::move) accesses(step);
    if (it.kind == StepType::wait)
      table_.signals_before(step, false, [&](std::uint32_t signal) {
        if (times_.at[signal] != nothing) join(Sort::signal, signal, step, "signal");
      });
  }

  [[nodiscard]] bool local_copy(const Step& it, std::int32_t rank) const {
    if (it.kind != StepType::move) return false;
    const auto all = operands_of(program_, it);
    return std::all_of(all.begin(), all.end(), [&](const Operand& operand) { return operand.rank == rank; });
  }
  [[nodiscard]] Fact data_fact(const BlockRanges& blocks) const {
    return {"data", fmt::format("block {} of {}", text_of(blocks, false), program_.blocks)};
  }
  [[nodiscard]] std::string size_text(std::uint32_t count) const {
    return share_text(static_cast<double>(count) / program_.blocks, request_.bytes);
  }

  void message(std::uint32_t step) {
    const StepTable::Row& row = table_.steps[step];
    const PeerConnection& connection = table_.connections[table_.blocks[row.thread_block].outgoing];
    const std::uint32_t receive = row.outgoing < connection.receives.size() ? connection.receives[row.outgoing] : nothing;
    Item item;
    item.from = behind(step);
    item.rank = connection.sender;
    item.peer = connection.receiver;
    item.blocks = data_[step];
    item.label = text_of(item.blocks, true);
    item.title = fmt::format("message of rank {} to rank {}", connection.sender, connection.receiver);
    item.facts = {{"sent", table_.text(step)}};
    if (receive == nothing || times_.at[receive] == nothing) {
      item.lost = true;
      const double y = connection.receiving == nothing ? item.from.y : picture_.lanes[lane_of_[connection.receiving]].y;
      item.to = {item.from.x + column / 2 - mark - 1, item.from.y + (y - item.from.y) / 4};
      item.facts.push_back(
          {"received", receive == nothing ? "never: no step takes it" : "never: " + table_.text(receive) + " is not reached"});
    } else {
      item.to = in_front(receive);
      const Step& taken = *table_.steps[receive].step;
      item.sort = reduces(program_, taken) ? Sort::reduced : Sort::stored;
      item.facts.push_back({"received", table_.text(receive)});
    }
    if (!item.blocks.empty()) item.facts.push_back(data_fact(item.blocks));
    item.facts.push_back({"size", size_text(row.step->count)});
    item.facts.push_back({"channel", fmt::format("{}", connection.channel)});
    picture_.items.push_back(std::move(item));
  }

  // Of a move: what it reads and writes of other ranks.
  void accesses(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    const std::int32_t rank = table_.rank_of(step);
    const auto arrow = [&](const Operand& operand, bool writes) {
      Item item;
      item.rank = writes ? rank : operand.rank;
      item.peer = writes ? operand.rank : rank;
      item.blocks = data_[step];
      item.label = text_of(item.blocks, true);
      item.title = fmt::format("rank {} {} the memory of rank {}", rank, writes ? "writes to" : "reads from", operand.rank);
      item.facts = {{"by", table_.text(step)}, {"where", text_of_operand(operand, it.count)}};
      if (!item.blocks.empty()) item.facts.push_back(data_fact(item.blocks));
      item.facts.push_back({"size", size_text(it.count)});
      const Point far{x_of(step) + (writes ? 0.3 : -0.3) * column,
                      picture_.lanes[memory_[static_cast<std::size_t>(operand.rank)]].y};
      item.from = writes ? behind(step) : far;
      item.to = writes ? far : in_front(step);
      if (!writes && reduces(program_, it)) item.sort = Sort::reduced;
      return item;
    };
    for (const Operand& source : sources_of(program_, it))
      if (source.rank != rank) picture_.items.push_back(arrow(source, false));
    for (const Operand& target : targets_of(program_, it)) {
      if (target.rank == rank) continue;
      Item item = arrow(target, true);
      // Packets go to those that wait for them.
      bool taken = false;
      const auto found = target.packet ? readers_.find(step) : readers_.end();
      if (found != readers_.end())
        for (const std::uint32_t reader : found->second) {
          if (table_.rank_of(reader) != target.rank) continue;
          Item each = item;
          each.to = in_front(reader);
          each.sort = reduces(program_, *table_.steps[reader].step) ? Sort::reduced : Sort::stored;
          each.facts.push_back({"taken by", table_.text(reader)});
          picture_.items.push_back(std::move(each));
          taken = true;
        }
      if (taken) continue;
      picture_.items.push_back(std::move(item));
    }
  }

  void join(Sort sort, std::uint32_t from, std::uint32_t to, const char* what) {
    if (table_.steps[from].thread_block == table_.steps[to].thread_block) return;
    Item item;
    item.sort = sort;
    item.from = behind(from);
    item.to = in_front(to);
    item.rank = table_.rank_of(from);
    item.peer = table_.rank_of(to);
    item.title = what;
    item.facts = {{"from", table_.text(from)}, {"to", table_.text(to)}};
    picture_.items.push_back(std::move(item));
  }

  // A nop is a dependency of the step behind it.
  void dependency(std::uint32_t step) {
    const std::uint32_t awaited = table_.awaited(step);
    if (awaited == nothing || times_.at[awaited] == nothing) return;
    std::uint32_t waits = step;
    const std::uint32_t end = table_.blocks[table_.steps[step].thread_block].end;
    while (table_.steps[waits].step->kind == StepType::nop && waits + 1 < end && times_.at[waits + 1] != nothing) ++waits;
    join(Sort::dependency, awaited, waits, "dependency");
  }

  void stops() {
    for (const Wait& wait : execution_.stuck) {
      Lane& lane = picture_.lanes[lane_of_[table_.steps[wait.step].thread_block]];
      const bool first = wait.step == table_.blocks[table_.steps[wait.step].thread_block].first;
      lane.stuck = true;
      lane.end = (first ? 0 : column * times_.end[wait.step - 1]) + column / 2;
      lane.why = text(table_, wait);
    }
    double beside = 9;  // of the crosses, and of each other
    for (const Wait& wait : reason(table_, execution_)) {
      if (wait.thread_block == nothing) continue;
      const Lane& mine = picture_.lanes[lane_of_[table_.steps[wait.step].thread_block]];
      const Lane& other = picture_.lanes[lane_of_[wait.thread_block]];
      Item item;
      item.sort = Sort::waits;
      item.from = {mine.end + beside, mine.y};
      item.to = {other.end + beside, other.y};
      beside = beside < column / 3 ? beside + 5 : 9;
      item.rank = mine.rank;
      item.peer = other.rank;
      item.title = text(table_, wait);
      picture_.width = std::max({picture_.width, item.from.x + dot, item.to.x + dot});
      picture_.items.push_back(std::move(item));
    }
    for (const Lane& lane : picture_.lanes) picture_.width = std::max(picture_.width, lane.end + (lane.stuck ? column / 2 : 0));
  }

  void findings(const Proof& proof) {
    for (std::size_t i = 0; i < proof.findings.size(); ++i) {
      const ProofFinding& finding = proof.findings[i];
      std::string sentence = printable(finding.sentence);
      for (const std::string& detail : finding.details) sentence += "; " + printable(detail);
      picture_.findings.push_back(std::move(sentence));
      if (finding.rank < 0 || finding.thread_block < 0 || finding.step < 0) continue;
      const auto number = static_cast<std::uint32_t>(i + 1);
      for (std::uint32_t block = 0; block < table_.blocks.size(); ++block) {
        const StepTable::Block& it = table_.blocks[block];
        const auto place = static_cast<std::uint32_t>(finding.step);
        if (it.rank != finding.rank || it.number != static_cast<std::uint32_t>(finding.thread_block) ||
            place >= it.end - it.first)
          continue;
        if (const std::uint32_t item = item_of_[it.first + place]; item != nothing)
          picture_.items[item].wrong = number;
        else
          picture_.lanes[lane_of_[block]].wrong = number;
        break;
      }
    }
  }

  const Program& program_;
  const Request& request_;
  StepTable table_;
  Execution execution_;
  StepTimes times_;
  std::vector<BlockRanges> data_;
  bool one_sided_;
  std::vector<std::size_t> lane_of_;  // by thread block of the table
  std::vector<std::size_t> memory_;   // lane of each rank's
  std::vector<std::uint32_t> item_of_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> readers_;  // of packets, by the step that writes them
  Picture picture_;
};

}  // namespace

Picture picture_of(const Program& program, const Proof& proof, const Request& request) {
  Picture picture = OfProgram(program, request).build(proof);
  add_words(picture, request, program.collective, program.ranks.size(), proof.right());
  return picture;
}

}  // namespace railgauge::picture
