// Packs, unpacks and compares offers.
#include "transports/verbs/matching.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/words.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::uint64_t mark = 0x72675f7662733031;  // "rg_vbs01"
constexpr std::size_t head_words = 9;
constexpr std::size_t sent_words = 2;
constexpr std::size_t received_words = 5;

bool needs_credit(const Offer::Received& receive) { return receive.elided == 0 && receive.bytes > 0; }

template <typename Row>
std::vector<std::uint64_t> bytes_of(const std::vector<Row>& rows) {
  std::vector<std::uint64_t> bytes;
  for (const Row& row : rows) bytes.push_back(row.bytes);
  return bytes;
}

void check_direction(const std::vector<Offer::Sent>& sends, int sender, const std::vector<Offer::Received>& receives,
                     int receiver) {
  railgauge::check_match(bytes_of(sends), sender, bytes_of(receives), receiver);
  for (std::size_t i = 0; i < sends.size(); ++i)
    if (sends[i].elided != receives[i].elided)
      throw Error(Fault::usage,
                  fmt::format("message {} from rank {} to rank {} needs a credit at one end only", i, sender, receiver));
}

}  // namespace

Blob pack(const Offer& offer) {
  std::vector<std::uint64_t> words{mark,
                                   offer.lane,
                                   offer.channel,
                                   offer.grants,
                                   offer.granted,
                                   offer.granted_key,
                                   offer.sends.size(),
                                   offer.receives.size(),
                                   offer.address ? std::uint64_t{1} : 0};
  for (const Offer::Sent& sent : offer.sends) words.insert(words.end(), {sent.bytes, sent.elided});
  for (const Offer::Received& one : offer.receives)
    words.insert(words.end(), {one.bytes, one.elided, one.credit, one.address, one.key});
  if (offer.address) append(words, *offer.address);
  return to_blob(words);
}

Offer unpack(const Blob& blob, int peer) {
  const std::vector<std::uint64_t> all = to_words(blob);
  std::span<const std::uint64_t> words(all);
  const auto refuse = [&] {
    return Error(Fault::usage,
                 fmt::format("rank {} is not preparing the same thing over verbs: its {} bytes are no offer of messages", peer,
                             blob.size()));
  };
  if (words.size() < head_words || words[0] != mark) throw refuse();
  const std::size_t rest = words.size() - head_words, sends = words[6], receives = words[7];
  if (sends > rest / sent_words || receives > (rest - sends * sent_words) / received_words) throw refuse();
  Offer offer{.lane = words[1],
              .channel = words[2],
              .grants = words[3],
              .granted = words[4],
              .granted_key = words[5],
              .sends = {},
              .receives = {},
              .address = {}};
  const bool has_address = words[8] != 0;
  words = words.subspan(head_words);
  for (std::size_t i = 0; i < sends; ++i, words = words.subspan(sent_words)) offer.sends.push_back({words[0], words[1]});
  for (std::size_t i = 0; i < receives; ++i, words = words.subspan(received_words))
    offer.receives.push_back({words[0], words[1], words[2], words[3], words[4]});
  if (has_address) offer.address = take_address(words, peer);
  if (!words.empty()) throw refuse();
  return offer;
}

void check_match(const Offer& mine, int rank, const Offer& theirs, int peer) {
  if (mine.lane != theirs.lane)
    throw Error(Fault::usage,
                fmt::format("rank {} prepares lane {} while rank {} prepares lane {}", rank, mine.lane, peer, theirs.lane));
  check_direction(mine.sends, rank, theirs.receives, peer);
  check_direction(theirs.sends, peer, mine.receives, rank);
  if (mine.address.has_value() != theirs.address.has_value())
    throw Error(Fault::usage, fmt::format("rank {} and rank {} do not agree on whether they are connected", rank, peer));
}

Grants::Grants(const std::vector<Offer::Received>& receives) {
  // Credits never go back along the receives from one peer, so rounds come in order.
  for (const Offer::Received& receive : receives)
    if (needs_credit(receive)) by_round_.emplace(receive.credit, by_round_.size() + 1);
}

std::uint64_t Grants::of(const Offer::Received& receive) const {
  return needs_credit(receive) ? by_round_.at(receive.credit) : 0;
}

}  // namespace railgauge::verbs
