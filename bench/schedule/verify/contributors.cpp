// The sets behind their numbers, and the unions that were asked for before.
#include "bench/schedule/verify/contributors.hpp"

namespace railgauge {

std::size_t Contributors::Hash::operator()(const Bits& bits) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : bits) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

Contributors::Contributors(std::int32_t ranks) {
  const std::size_t words = (static_cast<std::size_t>(ranks) + 63) / 64;
  Bits everybody(words);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    Bits one(words);
    one[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64);
    everybody[static_cast<std::size_t>(rank) / 64] |= one[static_cast<std::size_t>(rank) / 64];
    number_of(one);
  }
  all_ = number_of(everybody);
}

Contributors::Set Contributors::number_of(const Bits& bits) {
  const auto [found, added] = numbers_.try_emplace(bits, static_cast<Set>(sets_.size()));
  if (added) sets_.push_back(bits);
  return found->second;
}

std::optional<Contributors::Set> Contributors::disjoint_union(Set a, Set b) {
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  if (has_latest_ && key == latest_key_) return latest_;
  has_latest_ = true;
  latest_key_ = key;
  const auto [found, added] = unions_.try_emplace(key);
  if (added) {
    Bits bits = sets_[a];
    bool disjoint = true;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      disjoint = disjoint && (bits[i] & sets_[b][i]) == 0;
      bits[i] |= sets_[b][i];
    }
    if (disjoint) found->second = number_of(bits);
  }
  return latest_ = found->second;
}

bool Contributors::has(Set set, std::int32_t rank) const {
  return (sets_[set][static_cast<std::size_t>(rank) / 64] >> (rank % 64) & 1) != 0;
}

std::string Contributors::text(Set set) const {
  constexpr int limit = 8;
  std::string result;
  int count = 0;
  for (std::size_t rank = 0; rank < sets_[set].size() * 64; ++rank) {
    if ((sets_[set][rank / 64] >> (rank % 64) & 1) == 0) continue;
    if (++count > limit) continue;
    result += (count == 1 ? "" : ", ") + std::to_string(rank);
  }
  if (count > limit) result += " and " + std::to_string(count - limit) + " more";
  return (count == 1 ? "rank " : "ranks ") + result;
}

}  // namespace railgauge
