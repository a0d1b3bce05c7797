// Which rank's elements each collective leaves where; the rest of bench/measure/check.hpp.
#include "bench/measure/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/schedule/traffic.hpp"

namespace railgauge {
namespace {

constexpr std::byte poison{0xff};

// What rank `from` sends to rank `to` where each pair has data of its own.
Source between(std::uint64_t from, std::uint64_t to, std::uint64_t ranks) {
  return {Source::Kind::bits, ranks + from * ranks + to};
}
Source all_of(std::uint64_t rank) { return {Source::Kind::bits, rank}; }

// Of each `parts` blocks that follow each other, the sum.
std::vector<std::size_t> joined(const std::vector<std::size_t>& blocks, std::size_t parts) {
  std::vector<std::size_t> sums(blocks.size() / parts);
  for (std::size_t i = 0; i < sums.size() * parts; ++i) sums[i / parts] += blocks[i];
  return sums;
}

}  // namespace

std::string sentence(const Mistake& mistake) {
  return fmt::format("rank {} has {} wrong element{}; the first is element {} of its output: expected {}, got {}", mistake.rank,
                     mistake.wrong, mistake.wrong == 1 ? "" : "s", mistake.index, mistake.expected, mistake.got);
}

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t set, std::uint64_t epoch) noexcept {
  std::uint64_t mixed = 0;
  for (const std::uint64_t part : {seed, set, epoch}) {
    mixed = (mixed ^ part) * 0x9fb21c651e98df25U + 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 32;
  }
  return mixed;
}

Check::Check(Collective collective, Type type, Op op, const Shape& shape, const Layout& layout)
    : pattern_(type, row(collective).reduces ? op : Op::none, shape.ranks),
      rank_(shape.rank),
      element_bytes_(bytes_of(type)),
      size_(layout.size()),
      output_begin_(layout.output().begin) {
  const auto ranks = static_cast<std::uint64_t>(shape.ranks);
  const auto me = static_cast<std::uint64_t>(shape.rank);
  const auto root = static_cast<std::uint64_t>(shape.root);
  const BlockSizes& sizes = layout.sizes();
  const std::uint64_t parts = parts_of_rank(shape.ranks, std::max(sizes.input.size(), sizes.output.size()));
  const auto blocks = [](std::vector<Piece>& pieces, std::size_t begin, const std::vector<std::size_t>& lengths, auto&& source) {
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      pieces.push_back({{begin, begin + lengths[b]}, source(b), 0});
      begin += lengths[b];
    }
  };
  // Elements of the larger buffer in front of this rank's block.
  const auto before_me = [&] {
    std::uint64_t elements = 0;
    for (std::uint64_t b = 0; b < me * parts; ++b) elements += sizes.input[b];
    return elements;
  };
  const auto whole_input = [&](Source source) {
    if (sizes.has_input) input_.push_back({layout.input(), source, 0});
  };
  const auto whole_output = [&](Source source, std::uint64_t first) {
    if (sizes.has_output) output_.push_back({layout.output(), source, first});
  };

  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::reduce_scatter:
      whole_input({Source::Kind::input, me});
      whole_output({Source::Kind::reduced, 0}, collective == Collective::reduce_scatter ? before_me() : 0);
      break;
    case Collective::broadcast:
    case Collective::scatter:
      whole_input(all_of(root));
      whole_output(all_of(root), collective == Collective::scatter ? before_me() : 0);
      break;
    case Collective::all_gather:
    case Collective::gather:
    case Collective::hypercube:
      whole_input(all_of(me));
      if (sizes.has_output)
        blocks(output_, layout.output().begin, joined(sizes.output, parts), [](std::uint64_t b) { return all_of(b); });
      break;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      blocks(input_, layout.input().begin, joined(sizes.input, parts), [&](std::uint64_t b) { return between(me, b, ranks); });
      blocks(output_, layout.output().begin, joined(sizes.output, parts), [&](std::uint64_t b) { return between(b, me, ranks); });
      break;
    case Collective::send_receive:
      whole_input(all_of(me));
      whole_output(all_of((me + ranks - 1) % ranks), 0);
      break;
    case Collective::ping_pong:
      whole_input(all_of(me));
      if (me < 2 && ranks > 1) whole_output(all_of(1 - me), 0);
      break;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs: {
      const Traffic messages = traffic(collective, shape);
      const auto end = [&](const Correspondence& other, bool sends) {
        const auto peer = static_cast<std::uint64_t>(other.peer);
        Source source = sends ? between(me, peer, ranks) : between(peer, me, ranks);
        source.number += other.nth * ranks * ranks;
        return source;
      };
      blocks(input_, layout.input().begin, sizes.input, [&](std::uint64_t b) { return end(messages.to[b], true); });
      blocks(output_, layout.output().begin, sizes.output, [&](std::uint64_t b) { return end(messages.from[b], false); });
      break;
    }
    case Collective::barrier:
      break;
  }
}

void Check::restore(Bytes memory, std::uint64_t seed) const {
  if (memory.size() < size_ * element_bytes_) throw std::length_error("the memory is smaller than its layout");
  std::fill_n(memory.begin(), size_ * element_bytes_, poison);
  for (const Piece& piece : input_)
    pattern_.fill(memory.subspan(piece.range.begin * element_bytes_, piece.range.size() * element_bytes_), piece.source,
                  piece.first, seed);
}

std::optional<Mistake> Check::check(ConstBytes memory, std::uint64_t seed) const {
  std::optional<Mistake> mistake;
  for (const Piece& piece : output_) {
    const ConstBytes got = memory.subspan(piece.range.begin * element_bytes_, piece.range.size() * element_bytes_);
    const auto difference = pattern_.compare(got, piece.source, piece.first, seed);
    if (!difference) continue;
    if (!mistake) {
      std::vector<std::byte> wanted(element_bytes_);
      pattern_.fill(wanted, piece.source, piece.first + difference->index, seed);
      mistake =
          Mistake{rank_, piece.range.begin - output_begin_ + difference->index, element_text(pattern_.type(), wanted.data()),
                  element_text(pattern_.type(), got.data() + difference->index * element_bytes_), 0};
    }
    mistake->wrong += difference->wrong;
  }
  return mistake;
}

std::uint64_t Check::checked() const {
  std::uint64_t elements = 0;
  for (const Piece& piece : output_) elements += piece.range.size();
  return elements;
}

}  // namespace railgauge
