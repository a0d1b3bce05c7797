// Of schedules: a lane a rank, a column a step of time, in which messages travel and copies and reductions follow.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/output/text.hpp"
#include "bench/schedule/picture/places.hpp"
#include "bench/schedule/shares.hpp"
#include "bench/schedule/show.hpp"
#include "bench/schedule/verify/times.hpp"

namespace railgauge::picture {
namespace {

constexpr double before = 14, travel = 56, behind = 12, of_local = 17;  // parts of a column

// In scratch it is slots that they lie in; elsewhere, blocks.
bool touch(const Blocks& a, const Blocks& b) {
  const std::uint32_t first = a.buffer == Buffer::scratch ? a.slot : a.first;
  const std::uint32_t other = b.buffer == Buffer::scratch ? b.slot : b.first;
  return a.buffer == b.buffer && first < other + b.count && other < first + a.count;
}

class OfSchedules {
 public:
  OfSchedules(const ScheduleFile& file, const Request& request)
      : file_(file), request_(request), times_(round_times(file.ranks, true)) {
    for (const Schedule& schedule : file.ranks) {
      first_line_.push_back(line_);
      line_ += schedule.rounds.size();
      picture_.blocks = std::max(picture_.blocks, schedule.blocks);
    }
    parts_ = parts_of_rank(static_cast<std::int32_t>(file.ranks.size()), picture_.blocks);
    picture_.numbered_blocks = file.collective != Collective::barrier;
  }

  Picture build() {
    std::size_t items = 0;
    for (const Schedule& schedule : file_.ranks)
      for (const Round& round : schedule.rounds) items += round.transfers.size() / 2 + round.locals.size();
    check_items(items, request_.name);
    columns();
    lanes();
    for (std::size_t rank = 0; rank < file_.ranks.size(); ++rank) add_rank(rank);
    stops();
    finish_items(picture_);
    return std::move(picture_);
  }

 private:
  void columns() {
    std::vector<std::size_t> locals(times_.steps), travels(times_.steps);
    bool lockstep = true;
    for (std::size_t rank = 0; rank < file_.ranks.size(); ++rank) {
      const Schedule& schedule = file_.ranks[rank];
      for (const std::uint32_t met : times_.met[rank])
        if (met != never) travels[met] = 1;
      for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
        lockstep = lockstep && (times_.begun[rank][round] == round || times_.begun[rank][round] == never);
        const std::uint32_t end = times_.complete[rank][round];
        if (end == never || schedule.rounds[round].locals.empty()) continue;
        const std::uint32_t step = end == 0 ? 0 : end - 1;
        if (locals.size() <= step) continue;
        locals[step] = std::max(locals[step], schedule.rounds[round].locals.size());
      }
    }
    picture_.column_word = lockstep ? "round" : "step";
    double left = 0;
    for (std::size_t step = 0; step < times_.steps; ++step) {
      const double width =
          before + static_cast<double>(travels[step]) * travel + behind + static_cast<double>(locals[step]) * of_local;
      picture_.columns.push_back({fmt::format("{}", step), left, width});
      locals_at_.push_back(left + before + static_cast<double>(travels[step]) * travel + behind);
      left += width;
    }
    total_ = left;
    const double stops = times_.stuck.empty() ? 0 : before + travel;  // what ranks wait for that are stuck
    picture_.width = std::max(left + stops, before + travel + behind);
  }

  void lanes() {
    const double pitch = pitch_of(file_.ranks.size());
    for (std::size_t rank = 0; rank < file_.ranks.size(); ++rank) {
      const double top = static_cast<double>(rank) * pitch;
      picture_.bands.push_back({fmt::format("rank {}", rank), top, top + pitch});
      std::uint32_t last = 0;
      for (const std::uint32_t end : times_.complete[rank])
        if (end != never) last = std::max(last, end);
      picture_.lanes.push_back({"", static_cast<std::int32_t>(rank), top + pitch / 2, left_of(last)});
    }
    picture_.height = static_cast<double>(file_.ranks.size()) * pitch;
  }

  [[nodiscard]] double left_of(std::uint32_t step) const {
    return step < picture_.columns.size() ? picture_.columns[step].left : total_;
  }
  [[nodiscard]] double y_of(std::size_t rank) const { return picture_.lanes[rank].y; }

  // As in the larger one of input and output.
  [[nodiscard]] BlockRanges blocks_of(std::size_t rank, const Blocks& it) const {
    if (it.count == 0 || !picture_.numbered_blocks) return {};
    const bool small_input = file_.collective == Collective::all_gather || file_.collective == Collective::gather ||
                             file_.collective == Collective::hypercube;
    const bool small_output = file_.collective == Collective::reduce_scatter || file_.collective == Collective::scatter;
    const bool own = (it.buffer == Buffer::input && small_input) || (it.buffer == Buffer::output && small_output);
    return {{it.first + (own ? static_cast<std::uint32_t>(rank) * parts_ : 0), it.count}};
  }

  [[nodiscard]] std::string place(std::size_t rank, std::size_t round) const {
    std::string text = fmt::format("rank {}, round {}", rank, round);
    if (request_.file) text += fmt::format(" (line {})", first_line_[rank] + round);
    return text;
  }

  void add_rank(std::size_t rank) {
    const Schedule& schedule = file_.ranks[rank];
    Shape shape;
    shape.ranks = static_cast<std::int32_t>(file_.ranks.size());
    shape.rank = static_cast<std::int32_t>(rank);
    shape.root = file_.root;
    shares_.emplace(file_.collective, shape, schedule);
    for (std::size_t number = 0; number < schedule.rounds.size(); ++number) {
      const Round& round = schedule.rounds[number];
      const std::uint32_t begun = times_.begun[rank][number], complete = times_.complete[rank][number];
      if (begun == never) break;
      if (!round.transfers.empty())
        picture_.bars.push_back(
            {left_of(begun) + 4, complete == never ? left_of(begun) + before : left_of(complete) - 4, y_of(rank)});
      for (std::size_t i = 0; i < round.transfers.size(); ++i)
        if (round.transfers[i].kind == Transfer::Kind::send) message(rank, number, i);
      if (complete == never) break;
      for (std::size_t i = 0; i < round.locals.size(); ++i) local(rank, number, i, complete);
    }
  }

  void message(std::size_t rank, std::size_t number, std::size_t index) {
    const Transfer& sent = file_.ranks[rank].rounds[number].transfers[index];
    const std::size_t end = times_.ends[rank].first[number] + index;
    const std::uint32_t counterpart = times_.ends[rank].ends[end].counterpart, met = times_.met[rank][end];
    const auto peer = static_cast<std::size_t>(sent.peer);
    const double left = left_of(met == never ? times_.begun[rank][number] : met) + before;
    Item item;
    item.from = {left, y_of(rank)};
    item.rank = static_cast<std::int32_t>(rank);
    item.peer = sent.peer;
    item.blocks = blocks_of(rank, sent.blocks);
    item.label = text_of(item.blocks, true);
    item.title = fmt::format("message of rank {} to rank {}", rank, peer);
    item.facts = {{"sent", fmt::format("{}: {}", place(rank, number), railgauge::text_of(sent.blocks))}};
    if (met == never) {
      item.lost = true;
      item.to = {left + travel / 2, y_of(rank) + (y_of(peer) - y_of(rank)) / 4};
      item.facts.push_back({"received", "never"});
    } else {
      item.to = {left + travel, y_of(peer)};
      const std::size_t at = times_.ends[peer].ends[counterpart].round;
      const Round& theirs = file_.ranks[peer].rounds[at];
      const Blocks& received = theirs.transfers[counterpart - times_.ends[peer].first[at]].blocks;
      const bool reduced = std::any_of(theirs.locals.begin(), theirs.locals.end(), [&](const Local& local) {
        return local.kind == Local::Kind::reduce && (touch(local.source, received) || touch(local.target, received));
      });
      item.sort = reduced ? Sort::reduced : Sort::stored;
      item.facts.push_back({"received", fmt::format("{}: {}", place(peer, at), railgauge::text_of(received))});
    }
    if (picture_.numbered_blocks) {
      item.facts.push_back({"data", fmt::format("block {} of {}", text_of(item.blocks, false), picture_.blocks)});
      item.facts.push_back({"size", share_text(shares_->of(sent.blocks), request_.bytes)});
    }
    if (!item.lost) item.facts.push_back({"there", item.sort == Sort::reduced ? "reduced" : "stored"});
    picture_.items.push_back(std::move(item));
  }

  void local(std::size_t rank, std::size_t number, std::size_t index, std::uint32_t complete) {
    const Local& it = file_.ranks[rank].rounds[number].locals[index];
    const std::uint32_t step = complete == 0 ? 0 : complete - 1;
    if (step >= locals_at_.size()) return;
    Item item;
    item.sort = it.kind == Local::Kind::copy ? Sort::copy : Sort::reduce;
    item.from = item.to = {locals_at_[step] + static_cast<double>(index) * of_local, y_of(rank)};
    item.rank = item.peer = static_cast<std::int32_t>(rank);
    item.blocks = blocks_of(rank, it.target);
    item.title = fmt::format("{} on rank {}", it.kind == Local::Kind::copy ? "copy" : "reduction", rank);
    item.facts = {{"in", place(rank, number)},
                  {"what", railgauge::text_of(it)},
                  {"data", fmt::format("block {} of {}", text_of(item.blocks, false), picture_.blocks)},
                  {"size", share_text(shares_->of(it.target), request_.bytes)}};
    picture_.items.push_back(std::move(item));
  }

  // Each rank that can never go on waits for the first transfer of its round that does not happen.
  void stops() {
    for (const auto& [rank, at] : times_.stuck) {
      const auto r = static_cast<std::size_t>(rank);
      Lane& lane = picture_.lanes[r];
      lane.stuck = true;
      lane.end = left_of(times_.begun[r][at.round]) + before;
      for (std::uint32_t end = times_.ends[r].first[at.round]; end < times_.ends[r].first[at.round + 1]; ++end) {
        const TransferEnd& it = times_.ends[r].ends[end];
        if (times_.met[r][end] != never) continue;
        const bool sends = it.kind == Transfer::Kind::send;
        lane.why =
            fmt::format("{} waits for rank {} to {} what it {}{}", place(r, at.round), it.peer, sends ? "receive" : "send",
                        sends ? "sends" : "receives", it.counterpart == TransferEnd::nobody ? ", which it never does" : "");
        waits_.emplace_back(r, static_cast<std::size_t>(it.peer));
        break;
      }
    }
    double beside = 9;  // of the crosses, and of each other
    for (const auto& [rank, peer] : waits_) {
      Item item;
      item.sort = Sort::waits;
      item.from = {picture_.lanes[rank].end + beside, y_of(rank)};
      item.to = {picture_.lanes[peer].end + beside, y_of(peer)};
      beside = beside < travel / 2 ? beside + 5 : 9;
      item.rank = static_cast<std::int32_t>(rank);
      item.peer = static_cast<std::int32_t>(peer);
      item.title = picture_.lanes[rank].why;
      picture_.items.push_back(std::move(item));
    }
  }

  const ScheduleFile& file_;
  const Request& request_;
  RoundTimes times_;
  std::uint32_t parts_ = 1;
  std::size_t line_ = 2;                 // behind the head
  std::vector<std::size_t> first_line_;  // of each rank
  std::vector<double> locals_at_;        // of each column
  double total_ = 0;                     // width of all columns
  std::optional<Shares> shares_;         // of the rank that is being added
  std::vector<std::pair<std::size_t, std::size_t>> waits_;
  Picture picture_;
};

}  // namespace

Picture picture_of(const ScheduleFile& file, const std::vector<std::string>& findings, const Request& request) {
  Picture picture = OfSchedules(file, request).build();
  add_words(picture, request, file.collective, file.ranks.size(), findings.empty());
  for (const std::string& finding : findings) picture.findings.push_back(printable(finding));
  return picture;
}

}  // namespace railgauge::picture
