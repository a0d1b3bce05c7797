// Schedules without their buffers, and the bytes of blocks.
#include "bench/predict/rounds/steps.hpp"

namespace railgauge::predict {
namespace {

Amount amount_of(const Blocks& blocks) {
  constexpr Numbering numberings[] = {Numbering::input, Numbering::output, Numbering::data};
  return {numberings[static_cast<std::size_t>(blocks.buffer)], blocks.first, blocks.count};
}

// A reduction reads its target too, unless a copy directly before it says what the target holds.
void add_passes(const Round& round, std::vector<Pass>& passes) {
  const Local* before = nullptr;
  for (const Local& local : round.locals) {
    const bool reduces = local.kind == Local::Kind::reduce;
    if (before != nullptr && reduces && before->target == local.target)
      ++passes.back().operands;
    else
      passes.push_back({amount_of(local.target), reduces ? 2U : 1U});
    before = &local;
  }
}

}  // namespace

Steps steps_of(const Algorithm& algorithm, const Shape& shape) {
  const Schedule schedule = algorithm.schedule(shape);
  Steps steps;
  steps.blocks = schedule.blocks;
  for (const Round& round : schedule.rounds) {
    for (const Transfer& transfer : round.transfers)
      steps.messages.push_back({transfer.peer, transfer.kind == Transfer::Kind::send, amount_of(transfer.blocks)});
    add_passes(round, steps.passes);
    steps.message_starts.push_back(static_cast<std::uint32_t>(steps.messages.size()));
    steps.pass_starts.push_back(static_cast<std::uint32_t>(steps.passes.size()));
  }
  return steps;
}

Steps one_round(const Steps& steps, std::size_t round) {
  Steps one;
  one.blocks = steps.blocks;
  if (round < steps.rounds()) {
    const auto messages = steps.messages_of(round);
    const auto passes = steps.passes_of(round);
    one.messages.assign(messages.begin(), messages.end());
    one.passes.assign(passes.begin(), passes.end());
  }
  one.message_starts.push_back(static_cast<std::uint32_t>(one.messages.size()));
  one.pass_starts.push_back(static_cast<std::uint32_t>(one.passes.size()));
  return one;
}

std::vector<Steps> side_by_side(const std::vector<Steps>& steps, std::int32_t groups) {
  std::vector<Steps> all;
  for (std::int32_t group = 0; group < groups; ++group)
    for (const Steps& its : steps) {
      Steps& added = all.emplace_back(its);
      for (Message& message : added.messages) message.peer += group * static_cast<std::int32_t>(steps.size());
    }
  return all;
}

Sizes::Sizes(Collective collective, const Shape& shape, std::uint32_t blocks, std::uint64_t elements, std::size_t element_bytes,
             std::span<const std::uint64_t> counts, unsigned lanes)
    : lanes_(lanes) {
  const BlockSizes sizes = divide(collective, shape, blocks, elements, counts);
  const auto sum = [&](const std::vector<std::size_t>& each) {
    std::vector<std::uint64_t> sums = {0};
    for (const std::size_t block : each) sums.push_back(sums.back() + block * element_bytes);
    return sums;
  };
  sums_[0] = sum(sizes.input);
  sums_[1] = sum(sizes.output);
  sums_[2] = sizes.output.size() > sizes.input.size() ? sums_[1] : sums_[0];
}

double moved(const Steps& steps, const Sizes& sizes, std::size_t round) {
  double bytes = 0;
  for (const Pass& pass : steps.passes_of(round)) bytes += sizes.bytes(pass.amount) * (pass.operands + 1.0);
  return bytes;
}

}  // namespace railgauge::predict
