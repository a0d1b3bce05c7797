// Steps as assignments to blocks, and sentences for what is wrong in the end.
#include "bench/schedule/proof/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

// What a set costs: its bits twice, and its places in three tables.
std::size_t most_sets(std::int32_t ranks) {
  constexpr std::size_t bytes = 160'000'000, tables = 170;
  return bytes / (tables + static_cast<std::size_t>(ranks) / 4);
}

}  // namespace

Contents::Contents(const Program& program, const StepTable& table, std::span<const std::uint32_t> order, bool in_place)
    : program_(program),
      table_(table),
      ranks_(static_cast<std::int32_t>(program.ranks.size())),
      contributors_(ranks_),
      cells_(program.ranks.size()),
      messages_(table.steps.size()) {
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    places_.emplace_back(program, rank, in_place);
    cells_[rank].resize(places_[rank].size());
    for (std::uint32_t block = 0; block < buffer_blocks(program).input; ++block)
      cells_[rank][places_[rank].at(Buffer::input, block)].value = {block, Contributors::only(static_cast<std::int32_t>(rank)),
                                                                    nothing};
  }
  for (const std::uint32_t step : order) run(step);
}

Value Contents::reduced(const Value& a, const Value& b, std::uint32_t step) {
  if (a.mistake != nothing) return a;
  if (b.mistake != nothing) return b;
  if (a.block != nothing && a.block == b.block)
    if (const auto together = contributors_.disjoint_union(a.ranks, b.ranks)) {
      if (contributors_.size() > most_sets(ranks_))
        throw Error(Fault::usage,
                    "its reductions form so many sets of contributions that it cannot be proved in reasonable memory");
      return {a.block, *together, nothing};
    }
  mistakes_.push_back({step, a, b});
  return {nothing, 0, static_cast<std::uint32_t>(mistakes_.size() - 1)};
}

void Contents::store(Cell& cell, const Value& value, std::uint32_t step) {
  if (cell.value.block != nothing) {
    cell.overwritten = cell.value;
    cell.overwriter = step;
  }
  cell.value = value;
  cell.writer = step;
}

void Contents::run(std::uint32_t step) {
  const Step& it = *table_.steps[step].step;
  if (it.kind == StepType::move) return move(step, it);
  if (it.count == 0) return;
  const auto rank = static_cast<std::size_t>(table_.rank_of(step));
  const Places& places = places_[rank];
  std::vector<Value> moved;
  if (receives(it.kind)) moved = std::move(messages_[table_.sender_of(step)]);
  if (reads_source(it.kind)) {
    moved.resize(it.count);
    for (std::uint32_t i = 0; i < it.count; ++i) {
      const Value& source = cells_[rank][places.source(it) + i].value;
      moved[i] = receives(it.kind) ? reduced(moved[i], source, step) : source;
    }
  }
  if (reads_target(it.kind))
    for (std::uint32_t i = 0; i < it.count; ++i) moved[i] = reduced(cells_[rank][places.target(it) + i].value, moved[i], step);
  if (writes_target(it.kind))
    for (std::uint32_t i = 0; i < it.count; ++i) store(cells_[rank][places.target(it) + i], moved[i], step);
  if (sends(it.kind)) messages_[step] = std::move(moved);
}

// All sources of a block are read before any target of it is written.
void Contents::move(std::uint32_t step, const Step& it) {
  const auto cell = [&](const Operand& operand, std::uint32_t i) -> Cell& {
    const auto rank = static_cast<std::size_t>(operand.rank);
    return cells_[rank][places_[rank].at(operand.buffer, operand.block) + i];
  };
  const std::span<const Operand> sources = sources_of(program_, it), targets = targets_of(program_, it);
  for (std::uint32_t i = 0; i < it.count; ++i) {
    Value value = cell(sources.front(), i).value;
    for (const Operand& source : sources.subspan(1)) value = reduced(value, cell(source, i).value, step);
    for (const Operand& target : targets) store(cell(target, i), value, step);
  }
}

std::optional<Value> Contents::expected(Collective collective, std::int32_t root, std::int32_t rank, std::uint32_t block) const {
  const std::uint32_t part = std::max(program_.blocks / static_cast<std::uint32_t>(ranks_), 1U);
  const auto owner = static_cast<std::int32_t>(block / part);
  const std::uint32_t own = static_cast<std::uint32_t>(rank) * part;
  const auto of = [&](std::uint32_t which, Contributors::Set whose) { return Value{which, whose, nothing}; };
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      return of(block, contributors_.all());
    case Collective::broadcast:
      return of(block, Contributors::only(root));
    case Collective::send_receive:
      return of(block, Contributors::only((rank + ranks_ - 1) % ranks_));
    case Collective::all_gather:
    case Collective::gather:
      return of(block % part, Contributors::only(owner));
    case Collective::all_to_all:
      return of(own + block % part, Contributors::only(owner));
    case Collective::reduce_scatter:
      return of(own + block, contributors_.all());
    case Collective::scatter:
      return of(own + block, Contributors::only(root));
    default:
      return std::nullopt;
  }
}

bool Contents::right(Collective collective, std::int32_t root) {
  (void)wrong(collective, root, 0);
  return count_ == 0;
}

std::vector<WrongBlock> Contents::wrong(Collective collective, std::int32_t root, std::size_t most) {
  std::vector<WrongBlock> all;
  count_ = 0;
  const bool at_root = collective == Collective::reduce || collective == Collective::gather;
  for (std::int32_t rank = at_root ? root : 0; rank < (at_root ? root + 1 : ranks_); ++rank)
    for (std::uint32_t block = 0; block < buffer_blocks(program_).output; ++block) {
      const auto wanted = expected(collective, root, rank, block);
      const auto me = static_cast<std::size_t>(rank);
      const Cell& cell = cells_[me][places_[me].at(Buffer::output, block)];
      if (!wanted || cell.value == *wanted) continue;
      ++count_;
      if (all.size() < most) all.push_back(explain(rank, block, cell, *wanted));
      if (most == 0) return all;
    }
  return all;
}

std::string Contents::text(const Value& value) const {
  if (value.block == nothing) return "undefined data";
  return fmt::format("input block {} of {}", value.block, contributors_.text(value.ranks));
}

bool Contents::is_part(const Value& part, const Value& whole) const {
  for (std::int32_t rank = 0; rank < ranks_; ++rank)
    if (contributors_.has(part.ranks, rank) && !contributors_.has(whole.ranks, rank)) return false;
  return true;
}

// Which contributions it lacks, and who overwrote them if they had stood there.
std::string Contents::missing(const Value& wanted, const Cell& cell, std::uint32_t& step) const {
  std::vector<std::int32_t> lacking;
  for (std::int32_t rank = 0; rank < ranks_; ++rank)
    if (contributors_.has(wanted.ranks, rank) && !contributors_.has(cell.value.ranks, rank)) lacking.push_back(rank);
  constexpr std::size_t shown = 4;
  std::string whose = lacking.size() == 1 ? "the contribution of rank" : "the contributions of ranks";
  for (std::size_t i = 0; i < std::min(lacking.size(), shown); ++i) whose += fmt::format("{}{}", i == 0 ? " " : ", ", lacking[i]);
  if (lacking.size() > shown) whose += fmt::format(" and {} more", lacking.size() - shown);
  const bool stood = cell.overwriter != nothing && cell.overwritten.block == wanted.block &&
                     contributors_.has(cell.overwritten.ranks, lacking.front());
  const char* const verb = lacking.size() == 1 ? "is" : "are";
  step = stood ? cell.overwriter : cell.writer;
  if (stood)
    return fmt::format("{} {} overwritten by {}", whose, lacking.size() == 1 ? "was" : "were", table_.text(cell.overwriter));
  if (cell.writer == nothing) return fmt::format("{} {} missing; no step writes the block", whose, verb);
  return fmt::format("{} {} missing; the last to write it is {}", whose, verb, table_.text(cell.writer));
}

WrongBlock Contents::explain(std::int32_t rank, std::uint32_t block, const Cell& cell, const Value& wanted) const {
  WrongBlock result{rank, cell.writer, fmt::format("rank {}, output block {}: ", rank, block)};
  if (cell.value.mistake != nothing) {
    const BadReduction& mistake = mistakes_[cell.value.mistake];
    result.step = mistake.step;
    const std::string step = table_.text(mistake.step);
    if (mistake.a.block == nothing || mistake.b.block == nothing)
      result.sentence += fmt::format("{} reduces a block that nothing has written", step);
    else if (mistake.a.block != mistake.b.block)
      result.sentence += fmt::format("{} reduces {} with {}", step, text(mistake.a), text(mistake.b));
    else
      result.sentence += fmt::format("contributions are doubled: {} reduces {} with {}", step, text(mistake.a), text(mistake.b));
    return result;
  }
  if (cell.value.block == nothing)
    result.sentence += cell.writer == nothing ? fmt::format("no step writes it, and {} is to be there", text(wanted))
                                              : fmt::format("it holds undefined data, which {} wrote", table_.text(cell.writer));
  else if (cell.value.block == wanted.block && is_part(cell.value, wanted))
    result.sentence += missing(wanted, cell, result.step);
  else
    result.sentence += fmt::format("it holds {}{}, and {} is to be there", text(cell.value),
                                   cell.writer == nothing ? "" : ", which " + table_.text(cell.writer) + " wrote", text(wanted));
  return result;
}

}  // namespace railgauge
