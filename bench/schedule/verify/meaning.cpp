// The table of docs/schedules.md ("What the buffers hold") in code.
#include "bench/schedule/verify/meaning.hpp"

#include <algorithm>

#include "bench/schedule/traffic.hpp"

namespace railgauge {
namespace {

constexpr std::size_t largest_pair = 13;  // units that a pair of ranks exchanges at most, for one lane

// What the numbers of blocks are: parts of one vector, one part a rank, or nothing of the kind.
bool one_part_a_rank(Collective collective) {
  switch (collective) {
    case Collective::reduce_scatter:
    case Collective::scatter:
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      return true;
    default:
      return false;
  }
}

}  // namespace

Meaning::Meaning(Collective collective, const Shape& shape, std::uint32_t blocks, Sizes sizes, std::size_t lanes)
    : collective_(collective),
      shape_(shape),
      sizes_(sizes),
      lanes_(lanes),
      parts_(parts_of_rank(shape.ranks, blocks)),
      starts_{0} {
  const std::size_t parts = one_part_a_rank(collective) ? static_cast<std::size_t>(shape.ranks) * parts_ : blocks;
  // With few blocks multiplication by 7 modulo 37 gives each its own size.
  const std::size_t modulus = parts <= 37 ? 37 : 11;
  for (std::size_t b = 0; b < parts; ++b) {
    std::size_t size = sizes == Sizes::equal ? 2 : 1 + (b * 7 + 3) % modulus;
    if (sizes == Sizes::some_empty && b % 3 == 1) size = 0;
    // An odd unit more in some blocks: the lanes' shares then differ.
    const std::size_t odd = lanes > 1 && sizes != Sizes::equal ? b % 2 : 0;
    starts_.push_back(starts_.back() + size * lanes + odd);
  }
}

Shape Meaning::of(std::int32_t rank) const {
  Shape shape = shape_;
  shape.rank = rank;
  return shape;
}

std::size_t Meaning::size_of(std::size_t block) const { return starts_[block + 1] - starts_[block]; }

std::uint32_t Meaning::parts_of_pair() const {
  return collective_ == Collective::all_to_all ? static_cast<std::uint32_t>(parts_) : 1;
}

std::size_t Meaning::pair_size(std::int32_t from, std::int32_t to, std::uint32_t nth) const {
  if (sizes_ == Sizes::equal) return 2 * lanes_;
  const auto mixed = static_cast<std::size_t>(from) * 3 + static_cast<std::size_t>(to) * 7 + nth * std::size_t{5};
  if (sizes_ == Sizes::some_empty && mixed % 3 == 1) return 0;
  return (1 + mixed % (shape_.ranks <= 37 ? largest_pair : 5)) * lanes_;
}

BlockSizes Meaning::sizes(std::int32_t rank) const {
  BlockSizes sizes;
  const bool root = rank == shape_.root;
  const auto me = static_cast<std::size_t>(rank);
  std::vector<std::size_t> all;
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) all.push_back(size_of(b));
  const auto own = [&] {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(me * parts_);
    return std::vector<std::size_t>(first, first + static_cast<std::ptrdiff_t>(parts_));
  };
  switch (collective_) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::send_receive:
    case Collective::ping_pong:
      sizes.input = sizes.output = all;
      sizes.has_output = collective_ != Collective::reduce || root;
      sizes.has_input = collective_ != Collective::broadcast || root;
      break;
    case Collective::reduce_scatter:
    case Collective::scatter:
      sizes.input = all;
      sizes.output = own();
      sizes.has_input = collective_ != Collective::scatter || root;
      break;
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      sizes.output = all;
      sizes.input = own();
      sizes.has_output = collective_ != Collective::gather || root;
      break;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      for (std::int32_t peer = 0; peer < shape_.ranks; ++peer)
        for (std::uint32_t part = 0; part < parts_of_pair(); ++part) {
          sizes.input.push_back(pair_size(rank, peer, part));
          sizes.output.push_back(pair_size(peer, rank, part));
        }
      break;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs: {
      const Traffic messages = traffic(collective_, of(rank));
      for (const auto& [peer, nth] : messages.to) sizes.input.push_back(pair_size(rank, peer, nth));
      for (const auto& [peer, nth] : messages.from) sizes.output.push_back(pair_size(peer, rank, nth));
      break;
    }
    case Collective::barrier:
      break;
  }
  return sizes;
}

std::vector<Cell> Meaning::whole(Contributors::Set contributors) const {
  std::vector<Cell> cells;
  cells.reserve(starts_.back());
  for (std::size_t i = 0; i < starts_.back(); ++i) cells.push_back({static_cast<std::uint32_t>(i), contributors});
  return cells;
}

std::vector<Cell> Meaning::block(std::int32_t rank, Contributors::Set contributors) const {
  const auto index = static_cast<std::size_t>(rank);
  std::vector<Cell> cells;
  for (std::size_t i = starts_[index * parts_]; i < starts_[(index + 1) * parts_]; ++i)
    cells.push_back({static_cast<std::uint32_t>(i), contributors});
  return cells;
}

void Meaning::append_pair(std::vector<Cell>& cells, std::int32_t from, std::int32_t to, std::uint32_t nth) const {
  const auto ranks = static_cast<std::size_t>(shape_.ranks);
  const std::size_t pair = static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to);
  const std::size_t base = (nth * ranks * ranks + pair) * largest_pair * lanes_;
  for (std::size_t i = 0; i < pair_size(from, to, nth); ++i)
    cells.push_back({static_cast<std::uint32_t>(base + i), Contributors::only(from)});
}

std::vector<Cell> Meaning::before(std::int32_t rank) const {
  const Contributors::Set mine = Contributors::only(rank);
  std::vector<Cell> cells;
  switch (collective_) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::send_receive:
    case Collective::ping_pong:
      return whole(mine);
    case Collective::broadcast:
    case Collective::scatter:
      return rank == shape_.root ? whole(mine) : cells;
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      return block(rank, mine);
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      for (std::int32_t peer = 0; peer < shape_.ranks; ++peer)
        for (std::uint32_t part = 0; part < parts_of_pair(); ++part) append_pair(cells, rank, peer, part);
      return cells;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      for (const auto& [peer, nth] : traffic(collective_, of(rank)).to) append_pair(cells, rank, peer, nth);
      return cells;
    case Collective::barrier:
      break;
  }
  return cells;
}

std::vector<Cell> Meaning::after(std::int32_t rank, const Contributors& contributors) const {
  std::vector<Cell> cells;
  switch (collective_) {
    case Collective::all_reduce:
      return whole(contributors.all());
    case Collective::reduce:
      return rank == shape_.root ? whole(contributors.all()) : cells;
    case Collective::reduce_scatter:
      return block(rank, contributors.all());
    case Collective::broadcast:
      return whole(Contributors::only(shape_.root));
    case Collective::scatter:
      return block(rank, Contributors::only(shape_.root));
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      if (collective_ == Collective::gather && rank != shape_.root) return cells;
      for (std::int32_t other = 0; other < shape_.ranks; ++other) {
        const std::vector<Cell> part = block(other, Contributors::only(other));
        cells.insert(cells.end(), part.begin(), part.end());
      }
      return cells;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      for (std::int32_t peer = 0; peer < shape_.ranks; ++peer)
        for (std::uint32_t part = 0; part < parts_of_pair(); ++part) append_pair(cells, peer, rank, part);
      return cells;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      for (const auto& [peer, nth] : traffic(collective_, of(rank)).from) append_pair(cells, peer, rank, nth);
      return cells;
    case Collective::send_receive:
      return whole(Contributors::only((rank + shape_.ranks - 1) % shape_.ranks));
    case Collective::ping_pong:
      if (rank < 2) return whole(Contributors::only(1 - rank));
      cells.resize(starts_.back());
      return cells;
    case Collective::barrier:
      break;
  }
  return cells;
}

}  // namespace railgauge
