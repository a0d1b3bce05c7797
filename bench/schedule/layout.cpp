// The arithmetic behind bench/schedule/layout.hpp.
#include "bench/schedule/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "bench/schedule/traffic.hpp"

namespace railgauge {
namespace {

std::vector<std::size_t> split(std::uint64_t elements, std::size_t parts) {
  std::vector<std::size_t> sizes(parts);
  for (std::size_t i = 0; i < parts; ++i) sizes[i] = elements / parts + (i < elements % parts ? 1 : 0);
  return sizes;
}

// The block of each rank, in parts.
std::vector<std::size_t> split_ranks(std::uint64_t elements, std::size_t ranks, std::size_t parts) {
  std::vector<std::size_t> sizes;
  for (const std::size_t block : split(elements, ranks))
    for (const std::size_t part : split(block, parts)) sizes.push_back(part);
  return sizes;
}

std::vector<std::size_t> of_rank(const std::vector<std::size_t>& sizes, std::size_t rank, std::size_t parts) {
  const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(rank * parts);
  return {first, first + static_cast<std::ptrdiff_t>(parts)};
}

// Relative sizes of all_to_all_v: rank `from` sends weight(from, to) shares to rank `to`. Uneven in both directions, some twice
// or more the others.
constexpr std::uint64_t weight(std::int32_t from, std::int32_t to) {
  return 1 + (static_cast<std::uint64_t>(from) * 3 + static_cast<std::uint64_t>(to) * 5) % 7;
}

std::uint64_t heaviest_sender(std::int32_t ranks) {
  std::uint64_t most = 0;
  // The weights of a row repeat with period 7, so seven rows are all there are.
  for (std::int32_t from = 0; from < std::min(ranks, 7); ++from) {
    std::uint64_t sum = 0;
    for (std::int32_t to = 0; to < ranks; ++to) sum += weight(from, to);
    most = std::max(most, sum);
  }
  return most;
}

std::size_t total(const std::vector<std::size_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); }

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Whether any scratch reference spans several blocks, which must then lie without gaps.
bool packs_scratch(const Schedule& schedule) {
  const auto packed = [](const Blocks& blocks) { return blocks.buffer == Buffer::scratch && blocks.count > 1; };
  for (const Round& round : schedule.rounds) {
    for (const Transfer& transfer : round.transfers)
      if (packed(transfer.blocks)) return true;
    for (const Local& local : round.locals)
      if (packed(local.source) || packed(local.target)) return true;
  }
  return false;
}

}  // namespace

std::uint64_t elements_of(std::span<const std::uint64_t> counts, int ranks) {
  const auto number = static_cast<std::size_t>(ranks);
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (counts.size() != number * number)
    throw Error(Fault::usage, fmt::format("{} ranks exchange {} blocks with all_to_all_v, and {} counts are given", ranks,
                                          number * number, counts.size()));
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < number; ++i) {
    std::uint64_t sent = 0, received = 0;
    for (std::size_t j = 0; j < number; ++j) {
      sent += std::min(counts[i * number + j], most);
      received += std::min(counts[j * number + i], most);
    }
    if (sent >= most || received >= most)
      throw Error(Fault::usage, fmt::format("rank {} would exchange 2^40 elements or more with all_to_all_v", i));
    largest = std::max(largest, sent);
  }
  return largest;
}

BlockSizes divide(Collective collective, const Shape& shape, std::uint32_t blocks, std::uint64_t elements,
                  std::span<const std::uint64_t> counts) {
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  const auto me = static_cast<std::size_t>(shape.rank);
  const bool root = shape.rank == shape.root;
  const std::size_t parts = parts_of_rank(shape.ranks, blocks);
  BlockSizes sizes;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
      sizes.input = sizes.output = split(elements, blocks);
      sizes.has_output = collective != Collective::reduce || root;
      sizes.has_input = collective != Collective::broadcast || root;
      break;
    case Collective::reduce_scatter:
    case Collective::scatter:
      sizes.input = split_ranks(elements, ranks, parts);
      sizes.output = of_rank(sizes.input, me, parts);
      sizes.has_input = collective != Collective::scatter || root;
      break;
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      sizes.output = split_ranks(elements, ranks, parts);
      sizes.input = of_rank(sizes.output, me, parts);
      sizes.has_output = collective != Collective::gather || root;
      break;
    case Collective::all_to_all:
      for (std::size_t peer = 0; peer < ranks; ++peer)
        for (const std::size_t part : split(elements / ranks, parts)) sizes.input.push_back(part);
      sizes.output = sizes.input;
      break;
    case Collective::all_to_all_v: {
      if (!counts.empty()) {
        for (std::size_t peer = 0; peer < ranks; ++peer) {
          sizes.input.push_back(counts[me * ranks + peer]);
          sizes.output.push_back(counts[peer * ranks + me]);
        }
        break;
      }
      const std::uint64_t share = elements / heaviest_sender(shape.ranks);
      for (std::int32_t peer = 0; peer < shape.ranks; ++peer) {
        sizes.input.push_back(share * weight(shape.rank, peer));
        sizes.output.push_back(share * weight(peer, shape.rank));
      }
      break;
    }
    case Collective::send_receive:
    case Collective::ping_pong:
      sizes.input = sizes.output = {elements};
      break;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs: {
      const Traffic messages = traffic(collective, shape);
      sizes.input.assign(messages.to.size(), elements);
      sizes.output.assign(messages.from.size(), elements);
      break;
    }
    case Collective::barrier:
      break;
  }
  return sizes;
}

std::uint64_t used_elements(Collective collective, int ranks, std::uint64_t elements) {
  if (collective == Collective::all_to_all)
    return elements / static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks);
  if (collective == Collective::all_to_all_v) return elements / heaviest_sender(ranks) * heaviest_sender(ranks);
  return collective == Collective::barrier ? 0 : elements;
}

Layout::Layout(Collective collective, const Shape& shape, BlockSizes sizes, std::span<const Schedule> lanes, bool in_place,
               std::size_t alignment)
    : sizes_(std::move(sizes)) {
  const std::size_t input_units = sizes_.has_input ? total(sizes_.input) : 0;
  const std::size_t output_units = sizes_.has_output ? total(sizes_.output) : 0;
  if (in_place && sizes_.has_input && sizes_.has_output) {
    const auto own_block = [&](const std::vector<std::size_t>& blocks) {
      const auto before =
          static_cast<std::ptrdiff_t>(shape.rank) * static_cast<std::ptrdiff_t>(parts_of_rank(shape.ranks, blocks.size()));
      return std::accumulate(blocks.begin(), blocks.begin() + before, std::size_t{0});
    };
    switch (collective) {
      case Collective::reduce_scatter:
      case Collective::scatter:
        input_ = {0, input_units};
        output_ = {own_block(sizes_.input), own_block(sizes_.input) + output_units};
        break;
      case Collective::all_gather:
      case Collective::hypercube:
      case Collective::gather:
        output_ = {0, output_units};
        input_ = {own_block(sizes_.output), own_block(sizes_.output) + input_units};
        break;
      default:
        input_ = output_ = {0, input_units};
        break;
    }
  } else {
    input_ = {0, input_units};
    const std::size_t start = round_up(input_units, alignment);
    output_ = {start, start + output_units};
  }
  size_ = std::max(input_.end, output_.end);

  const std::vector<std::size_t>& data = sizes_.output.size() > sizes_.input.size() ? sizes_.output : sizes_.input;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const auto begin_of = [&](std::size_t block) { return block * l / lanes.size(); };
    const auto end_of = [&](std::size_t block) { return block * (l + 1) / lanes.size(); };
    const auto ranges = [&](bool exists, std::size_t base, const std::vector<std::size_t>& blocks) {
      std::vector<Range> result;
      if (!exists) return result;
      for (const std::size_t block : blocks) {
        result.push_back({base + begin_of(block), base + end_of(block)});
        base += block;
      }
      return result;
    };
    LaneLayout lane;
    lane.input = ranges(sizes_.has_input, input_.begin, sizes_.input);
    lane.output = ranges(sizes_.has_output, output_.begin, sizes_.output);
    for (const std::size_t block : data) lane.data.push_back(end_of(block) - begin_of(block));
    lane.slots = lanes[l].slots;
    const std::size_t largest = lane.data.empty() ? 0 : *std::max_element(lane.data.begin(), lane.data.end());
    lane.stride = packs_scratch(lanes[l]) ? largest : round_up(largest, alignment);
    lane.scratch = round_up(size_, alignment);
    if (lane.slots != 0) size_ = lane.scratch + lane.slots * lane.stride;
    lanes_.push_back(std::move(lane));
  }
}

std::vector<Range> Layout::pieces(std::size_t lane_index, const Blocks& blocks) const {
  const LaneLayout& lane = lanes_.at(lane_index);
  const auto fail = [&](const char* what) -> std::out_of_range {
    return std::out_of_range(std::string(what) + " blocks " + std::to_string(blocks.first) + "+" + std::to_string(blocks.count) +
                             " slot " + std::to_string(blocks.slot) + " do not exist");
  };
  const std::size_t last = std::size_t{blocks.first} + blocks.count;
  std::vector<Range> result;
  if (blocks.buffer == Buffer::scratch) {
    if (last > lane.data.size() || std::size_t{blocks.slot} + blocks.count > lane.slots) throw fail("scratch");
    std::size_t begin = lane.scratch + blocks.slot * lane.stride;
    for (std::size_t b = blocks.first; b < last; ++b) {
      result.push_back({begin, begin + lane.data[b]});
      begin += lane.data[b];
    }
    return result;
  }
  const std::vector<Range>& ranges = blocks.buffer == Buffer::input ? lane.input : lane.output;
  if (last > ranges.size()) throw fail(blocks.buffer == Buffer::input ? "input" : "output");
  result.assign(ranges.begin() + blocks.first, ranges.begin() + static_cast<std::ptrdiff_t>(last));
  return result;
}

std::vector<Range> Layout::resolve(std::size_t lane, const Blocks& blocks) const {
  std::vector<Range> result;
  for (const Range& piece : pieces(lane, blocks)) {
    if (piece.size() == 0) continue;
    if (!result.empty() && result.back().end == piece.begin)
      result.back().end = piece.end;
    else
      result.push_back(piece);
  }
  return result;
}

}  // namespace railgauge
