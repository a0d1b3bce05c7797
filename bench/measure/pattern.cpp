// Fills and compares memory, block by block.
#include "bench/measure/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bench/device/element.hpp"
#include "bench/measure/pattern_block.hpp"
#include "bench/measure/pattern_words.hpp"

namespace railgauge {
namespace {

using namespace pattern;

// Which bits of an element the rank at each position gives, `length` positions in a row, round and round.
template <Type type>
std::vector<Word<type>> shares_of(Op op, std::uint64_t ranks) {
  using W = Word<type>;
  std::vector<W> shares(ranks + block_elements);
  const auto count = static_cast<std::uint64_t>(digits<type>());
  for (std::uint64_t i = 0; i < shares.size(); ++i) {
    const std::uint64_t position = i % ranks;
    if (family<type>(op) == Family::shared) {
      const auto begin = static_cast<int>(count * position / ranks), end = static_cast<int>(count * (position + 1) / ranks);
      shares[i] = low_bits<W>(end) & ~low_bits<W>(begin);
    } else if (family<type>(op) == Family::float_product) {
      if (position == 0) shares[i] = low_bits<W>(static_cast<int>(count) - 1);
      if (position >= 1 && position <= product_positions) shares[i] = W{1} << (count - 1 + position - 1);
    } else {
      shares[i] = position == 0 ? ~W{0} : W{0};
    }
  }
  return shares;
}

}  // namespace

Pattern::Pattern(Type type, Op op, int ranks) : type_(type), op_(op), ranks_(ranks) {
  if (op == Op::none) return;
  element::with_type(type, [&]<Type t>() {
    const auto shares = shares_of<t>(op, static_cast<std::uint64_t>(ranks));
    // Where every rank has two bits or more, one of them is always set.
    if (family<t>(op) == Family::shared && digits<t>() >= 2 * ranks)
      for (int position = 0; position < ranks; ++position) {
        const std::uint64_t share = shares[static_cast<std::size_t>(position)];
        forced_ |= share & (~share + 1);
      }
    if constexpr (sizeof(Word<t>) == 8)
      wide_shares_ = shares;
    else
      shares_ = shares;
  });
}

void Pattern::generate(std::byte* target, Source source, std::uint64_t number, std::uint64_t seed) const {
  const auto ranks = static_cast<std::uint64_t>(ranks_);
  BlockOrder order{type_, op_, source, seed, number, ranks, nullptr, forced_};
  if (source.kind == Source::Kind::input) {
    const std::uint64_t position = (source.number + number % ranks * (block_elements % ranks)) % ranks;
    if (bytes_of(type_) == 8)
      order.share = wide_shares_.data() + position;
    else
      order.share = shares_.data() + position;
  }
  make_block(order, target);
}

namespace {

// Calls piece(block number, first element within it, offset in elements, count) for each block that [first, first + count)
// touches.
template <class Piece>
void for_each_block(std::uint64_t first, std::uint64_t count, Piece&& piece) {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t within = (first + done) % block_elements;
    const std::uint64_t here = std::min(block_elements - within, count - done);
    piece((first + done) / block_elements, within, done, here);
    done += here;
  }
}

}  // namespace

void Pattern::fill(Bytes target, Source source, std::uint64_t first, std::uint64_t seed) const {
  const std::size_t size = bytes_of(type_);
  alignas(64) std::byte made[block_elements * sizeof(std::uint64_t)];
  for_each_block(first, target.size() / size,
                 [&](std::uint64_t block, std::uint64_t within, std::uint64_t offset, std::uint64_t count) {
                   generate(made, source, block, seed);
                   std::memcpy(target.data() + offset * size, made + within * size, count * size);
                 });
}

std::optional<Pattern::Difference> Pattern::compare(ConstBytes got, Source source, std::uint64_t first,
                                                    std::uint64_t seed) const {
  const std::size_t size = bytes_of(type_);
  std::optional<Difference> difference;
  alignas(64) std::byte made[block_elements * sizeof(std::uint64_t)];
  for_each_block(first, got.size() / size,
                 [&](std::uint64_t block, std::uint64_t within, std::uint64_t offset, std::uint64_t count) {
                   generate(made, source, block, seed);
                   const std::byte* const want = made + within * size;
                   const std::byte* const have = got.data() + offset * size;
                   if (std::memcmp(want, have, count * size) == 0) return;
                   for (std::uint64_t i = 0; i < count; ++i) {
                     if (std::memcmp(want + i * size, have + i * size, size) == 0) continue;
                     if (!difference) difference = Difference{offset + i, 0};
                     ++difference->wrong;
                   }
                 });
  return difference;
}

std::string element_text(Type type, const std::byte* address) {
  return element::with_type(type, [&]<Type t>() {
    Stored<t> stored;
    Bits<t> bits;
    std::memcpy(&stored, address, sizeof(stored));
    std::memcpy(&bits, address, sizeof(bits));
    return fmt::format("{} (0x{:0{}x})", +element::Element<t>::number(stored), bits, 2 * sizeof(bits));
  });
}

}  // namespace railgauge
