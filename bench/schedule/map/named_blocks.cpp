// A buffer that a collective does not give a rank becomes a part of the other one where both share storage, else scratch.
#include "bench/schedule/map/named_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace railgauge {

NamedBlocks::NamedBlocks(const Program& program, const StepTable& table, const std::string& origin, std::int32_t root)
    : program_(program),
      table_(table),
      origin_(origin),
      root_(root),
      whole_(buffer_blocks(program)),
      uses_absent_(program.ranks.size()) {
  const auto use = [&](std::int32_t rank, Buffer buffer, std::uint32_t first, std::uint32_t count) {
    if (absent(rank, buffer, first, count)) uses_absent_[static_cast<std::size_t>(rank)] = true;
  };
  for (std::uint32_t step = 0; step < table.steps.size(); ++step) {
    const Step& it = *table.steps[step].step;
    if (reads_source(it.kind)) use(table.rank_of(step), it.source_buffer, it.source, it.count);
    if (reads_target(it.kind) || writes_target(it.kind)) use(table.rank_of(step), it.target_buffer, it.target, it.count);
    if (it.kind != StepType::move) continue;
    for (const Operand& operand : operands_of(program, it)) use(operand.rank, operand.buffer, operand.block, it.count);
  }
}

bool NamedBlocks::has(std::size_t rank, Buffer buffer) const {
  if (static_cast<std::int32_t>(rank) == root_) return true;
  const Collective it = program_.collective;
  if (buffer == Buffer::input) return it != Collective::broadcast && it != Collective::scatter;
  if (buffer == Buffer::output) return it != Collective::reduce && it != Collective::gather;
  return true;
}

// The number of these blocks as scratch counts them.
std::uint32_t NamedBlocks::data_number(std::size_t rank, Buffer buffer, std::uint32_t first) const {
  if (buffer == Buffer::scratch) return 0;
  const bool part = buffer == Buffer::input ? whole_.input < whole_.output : whole_.output < whole_.input;
  return part ? static_cast<std::uint32_t>(rank) * std::min(whole_.input, whole_.output) + first : first;
}

bool NamedBlocks::absent(std::int32_t rank, Buffer buffer, std::uint32_t first, std::uint32_t count) const {
  const auto me = static_cast<std::size_t>(rank);
  if (has(me, buffer)) return false;
  const Buffer other = buffer == Buffer::input ? Buffer::output : Buffer::input;
  const std::uint32_t number = data_number(me, buffer, first), others_first = data_number(me, other, 0);
  const std::uint32_t others = other == Buffer::input ? whole_.input : whole_.output;
  return !program_.in_place || program_.out_of_place || number < others_first || number + count > others_first + others;
}

Blocks NamedBlocks::at(std::uint32_t step, std::int32_t rank, Buffer buffer, std::uint32_t first, std::uint32_t count) const {
  const auto me = static_cast<std::size_t>(rank);
  if (buffer == Buffer::scratch) return in_scratch(step, 0, count, first);
  if (has(me, buffer)) return {buffer, first, count, 0};
  const std::uint32_t number = data_number(me, buffer, first);
  if (absent(rank, buffer, first, count)) return in_scratch(step, number, count, program_.ranks[me].scratch + first);
  const Buffer other = buffer == Buffer::input ? Buffer::output : Buffer::input;
  return {other, number - data_number(me, other, 0), count, 0};
}

Blocks NamedBlocks::added(std::uint32_t step, std::int32_t rank, Buffer like, std::uint32_t first, std::uint32_t count,
                          std::uint32_t slot) const {
  return in_scratch(step, data_number(static_cast<std::size_t>(rank), like, first), count, slot);
}

std::uint32_t NamedBlocks::first_added(std::size_t rank) const {
  return program_.ranks[rank].scratch + (uses_absent_[rank] ? program_.blocks : 0);
}

Blocks NamedBlocks::in_scratch(std::uint32_t step, std::uint32_t number, std::uint32_t count, std::uint32_t slot) const {
  if (count > std::max(whole_.input, whole_.output))
    throw Error(
        Fault::usage,
        fmt::format("{}:{}: {} moves {} blocks of scratch at once, where the buffers have {}, which a schedule cannot say",
                    origin_, table_.steps[step].step->line, table_.text(step), count, program_.blocks));
  return {Buffer::scratch, number, count, slot};
}

}  // namespace railgauge
