// Follows the numbers through all buffers.
#include "bench/schedule/picture/data_blocks.hpp"

#include <algorithm>
#include <optional>

#include "bench/schedule/proof/memory.hpp"

namespace railgauge::picture {
namespace {

constexpr std::uint32_t unwritten = nothing;
using Numbers = std::vector<std::uint32_t>;

BlockRanges ranges_of(const Numbers& numbers) {
  BlockRanges ranges;
  for (const std::uint32_t number : numbers) {
    if (number == unwritten) continue;
    if (!ranges.empty() && number == ranges.back().first + ranges.back().second)
      ++ranges.back().second;
    else
      ranges.emplace_back(number, 1);
  }
  return ranges;
}

class Follower {
 public:
  Follower(const Program& program, const StepTable& table)
      : program_(program), table_(table), sent_(table.steps.size()), result_(table.steps.size()) {
    const bool in_place = !program.out_of_place;
    const BufferBlocks whole = buffer_blocks(program);
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      places_.emplace_back(program, rank, in_place);
      Numbers& cells = cells_.emplace_back(places_.back().size(), unwritten);
      const auto fill = [&](Buffer buffer, std::uint32_t blocks, std::uint32_t other) {
        const std::uint32_t first = blocks < other ? static_cast<std::uint32_t>(rank) * blocks : 0;
        for (std::uint32_t i = 0; i < blocks; ++i)
          if (const std::uint32_t at = places_[rank].at(buffer, i); at < cells.size()) cells[at] = first + i;
      };
      fill(Buffer::output, whole.output, whole.input);
      fill(Buffer::input, whole.input, whole.output);
    }
  }

  void run(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    const std::int32_t rank = table_.rank_of(step);
    Numbers data;
    if (it.kind == StepType::move) {
      const auto sources = sources_of(program_, it);
      if (sources.empty()) return;
      data = read(sources.front().rank,
                  places_[static_cast<std::size_t>(sources.front().rank)].at(sources.front().buffer, sources.front().block),
                  it.count);
      for (const Operand& target : targets_of(program_, it))
        write(target.rank, places_[static_cast<std::size_t>(target.rank)].at(target.buffer, target.block), data);
      result_[step] = ranges_of(data);
      return;
    }
    const Places& places = places_[static_cast<std::size_t>(rank)];
    if (receives(it.kind)) {
      const std::uint32_t sender = table_.sender_of(step);
      data = sender == nothing ? Numbers{} : sent_[sender];
      data.resize(it.count, unwritten);
    } else if (it.kind == StepType::re) {
      data = read(rank, places.target(it), it.count);
    } else if (reads_source(it.kind)) {
      data = read(rank, places.source(it), it.count);
    }
    if (writes_target(it.kind)) write(rank, places.target(it), data);
    result_[step] = ranges_of(data);
    if (sends(it.kind)) sent_[step] = std::move(data);
  }
  [[nodiscard]] std::vector<BlockRanges> take() { return std::move(result_); }

 private:
  [[nodiscard]] Numbers read(std::int32_t rank, std::uint32_t first, std::uint32_t count) const {
    const Numbers& cells = cells_[static_cast<std::size_t>(rank)];
    Numbers data(count, unwritten);
    for (std::uint32_t i = 0; i < count && first + i < cells.size(); ++i) data[i] = cells[first + i];
    return data;
  }
  void write(std::int32_t rank, std::uint32_t first, const Numbers& data) {
    Numbers& cells = cells_[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < data.size() && first + i < cells.size(); ++i) cells[first + i] = data[i];
  }

  const Program& program_;
  const StepTable& table_;
  std::vector<Places> places_;
  std::vector<Numbers> cells_, sent_;
  std::vector<BlockRanges> result_;
};

}  // namespace

std::vector<BlockRanges> data_of(const Program& program, const StepTable& table, std::span<const std::uint32_t> order) {
  Follower follower(program, table);
  for (const std::uint32_t step : order) follower.run(step);
  return follower.take();
}

}  // namespace railgauge::picture
