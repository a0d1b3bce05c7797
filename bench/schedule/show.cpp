// How schedules are written out.
#include "bench/schedule/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "bench/schedule/layout.hpp"

namespace railgauge {
namespace {

std::vector<std::string> lines(const Round& round) {
  std::vector<std::string> result;
  result.reserve(round.transfers.size() + round.locals.size());
  for (const Transfer& transfer : round.transfers) result.push_back(text_of(transfer));
  for (const Local& local : round.locals) result.push_back(text_of(local));
  return result;
}

std::size_t most_rounds(std::span<const Schedule> ranks) {
  std::size_t most = 0;
  for (const Schedule& schedule : ranks) most = std::max(most, schedule.rounds.size());
  return most;
}

void append_row(std::string& out, std::string_view head, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  std::string line = fmt::format("{:<10}", head);
  for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}", cells[i], widths[i] + 2);
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::uint64_t bytes_of(const std::vector<Range>& ranges) {
  std::uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.size();
  return bytes;
}

}  // namespace

std::string text_of(const Blocks& blocks) {
  if (blocks.count == 0) return "nothing";
  const std::string which = blocks.count == 1
                                ? fmt::format("{}", blocks.first)
                                : fmt::format("{}-{}", blocks.first, std::uint64_t{blocks.first} + blocks.count - 1);
  if (blocks.buffer == Buffer::scratch) return fmt::format("scratch {} ({})", blocks.slot, which);
  return (blocks.buffer == Buffer::input ? "input " : "output ") + which;
}

std::string text_of(const Transfer& transfer) {
  const bool sends = transfer.kind == Transfer::Kind::send;
  return fmt::format("{} {} {} {}", sends ? "send" : "receive", text_of(transfer.blocks), sends ? "->" : "<-", transfer.peer);
}

std::string text_of(const Local& local) {
  const std::string_view verb = local.kind == Local::Kind::copy ? "copy" : "reduce";
  return fmt::format("{} {} -> {}", verb, text_of(local.source), text_of(local.target));
}

std::string show(std::span<const Schedule> ranks) {
  std::vector<std::string> heads;
  std::vector<std::size_t> widths;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    heads.push_back(fmt::format("rank {}", r));
    std::size_t width = heads.back().size();
    for (const Round& round : ranks[r].rounds)
      for (const std::string& line : lines(round)) width = std::max(width, line.size());
    widths.push_back(width);
  }
  std::string out;
  append_row(out, "", heads, widths);
  for (std::size_t i = 0; i < most_rounds(ranks); ++i) {
    std::vector<std::vector<std::string>> columns;
    std::size_t height = 1;
    for (const Schedule& schedule : ranks) {
      columns.push_back(i < schedule.rounds.size() ? lines(schedule.rounds[i]) : std::vector<std::string>{});
      height = std::max(height, columns.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) {
      std::vector<std::string> cells;
      cells.reserve(columns.size());
      for (const auto& column : columns) cells.push_back(line < column.size() ? column[line] : "");
      append_row(out, line == 0 ? fmt::format("round {}", i) : "", cells, widths);
    }
  }
  return out;
}

std::string show(const Schedule& schedule, std::int32_t rank) {
  std::string out = fmt::format("rank {}: {} rounds, {} blocks, {} scratch slots\n", rank, schedule.rounds.size(),
                                schedule.blocks, schedule.slots);
  for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
    out += fmt::format("round {}\n", i);
    for (const std::string& line : lines(schedule.rounds[i])) out += "  " + line + "\n";
  }
  return out;
}

std::string goal(Collective collective, std::span<const Schedule> ranks, Shape shape, std::uint64_t bytes) {
  std::string out = fmt::format("num_ranks {}\n", ranks.size());
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const Schedule& schedule = ranks[static_cast<std::size_t>(shape.rank)];
    const Layout layout(collective, shape, divide(collective, shape, schedule.blocks, bytes), {&schedule, 1}, false, 1);
    out += fmt::format("\nrank {} {{\n", shape.rank);
    std::map<std::pair<Transfer::Kind, std::int32_t>, int> tags;  // the n-th send from p to q has tag n
    int label = 0;
    std::vector<int> before, now;  // labels that the next line waits for, and those of its own stage
    const auto append = [&](const std::string& what) {
      out += fmt::format("l{}: {}\n", ++label, what);
      for (const int earlier : before) out += fmt::format("l{} requires l{}\n", label, earlier);
      now.push_back(label);
    };
    const auto next_stage = [&] {
      if (!now.empty()) before = std::move(now);
      now.clear();
    };
    for (const Round& round : schedule.rounds) {
      for (const Transfer& transfer : round.transfers) {
        const bool sends = transfer.kind == Transfer::Kind::send;
        const int tag = tags[{transfer.kind, transfer.peer}]++;
        append(fmt::format("{} {}b {} {} tag {}", sends ? "send" : "recv", bytes_of(layout.resolve(0, transfer.blocks)),
                           sends ? "to" : "from", transfer.peer, tag));
      }
      next_stage();
      for (const Local& local : round.locals) {
        append(fmt::format("calc {}", bytes_of(layout.resolve(0, local.source))));
        next_stage();
      }
    }
    out += "}\n";
  }
  return out;
}

}  // namespace railgauge
