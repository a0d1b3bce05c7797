// Tells each peer what this rank will send and receive, compares, and lays out the rounds.
#include "transports/shm/agreement.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/words.hpp"

namespace railgauge::shm {
namespace {

// What one rank tells a peer: the lane, its counters for this pair, and its messages in both directions.
struct Offer {
  std::uint64_t lane = 0;
  std::uint64_t ready = 0;  // of its counters: the one where the peer announces messages
  std::uint64_t taken = 0;  // of its counters: the one where the peer says what it has taken
  struct Block {
    std::uint64_t bytes = 0, region = 0, offset = 0, address = 0;
  };
  std::vector<Block> sends;
  std::vector<std::uint64_t> receives;  // bytes
};

Blob write(const Offer& offer) {
  std::vector<std::uint64_t> words = {offer.lane, offer.ready, offer.taken, offer.sends.size(), offer.receives.size()};
  for (const Offer::Block& block : offer.sends)
    words.insert(words.end(), {block.bytes, block.region, block.offset, block.address});
  words.insert(words.end(), offer.receives.begin(), offer.receives.end());
  return to_blob(words);
}

std::optional<Offer> read(const Blob& blob) {
  const std::vector<std::uint64_t> words = to_words(blob);
  if (words.size() < 5 || words[3] > words.size() || words.size() != 5 + 4 * words[3] + words[4]) return std::nullopt;
  Offer offer{.lane = words[0], .ready = words[1], .taken = words[2], .sends = {}, .receives = {}};
  std::size_t at = 5;
  for (; at < 5 + 4 * words[3]; at += 4) offer.sends.push_back({words[at], words[at + 1], words[at + 2], words[at + 3]});
  offer.receives.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return offer;
}

std::vector<std::uint64_t> bytes_of(const std::vector<Offer::Block>& blocks) {
  std::vector<std::uint64_t> bytes;
  for (const Offer::Block& block : blocks) bytes.push_back(block.bytes);
  return bytes;
}

// A block of a peer, as this process reaches it.
Block reach(const Peer& peer, const Offer::Block& block, const Message& message) {
  Block found{.target = message.address, .bytes = message.bytes};
  if (block.bytes == 0) return found;
  const bool known = block.region < peer.windows.size();
  found.through_kernel = !known || peer.region(block.region) == nullptr;
  found.source = found.through_kernel ? reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(block.address))
                                      : peer.region(block.region) + block.offset;
  return found;
}

void add_sends(PreparedRounds& prepared, std::size_t direction, const std::vector<std::vector<Message>>& all) {
  Direction& to = prepared.outgoing[direction];
  for (std::size_t r = 0; r < all.size(); ++r) {
    const std::uint64_t before = to.messages;
    for (const Message& message : all[r])
      if (message.kind == Message::Kind::send && message.peer == to.peer) ++to.messages;
    if (to.messages != before) prepared.rounds[r].sends.push_back({direction, to.messages});
  }
}

void add_receives(PreparedRounds& prepared, std::size_t direction, const std::vector<std::vector<Message>>& all, const Peer& peer,
                  const Offer& theirs) {
  Direction& from = prepared.incoming[direction];
  for (std::size_t r = 0; r < all.size(); ++r) {
    RoundWork::Burst burst{direction, prepared.blocks.size(), prepared.blocks.size(), prepared.blocks.size(), from.messages};
    for (const Message& message : all[r])
      if (message.kind == Message::Kind::receive && message.peer == from.peer)
        prepared.blocks.push_back(reach(peer, theirs.sends[from.messages++], message));
    burst.last = prepared.blocks.size();
    if (burst.first != burst.last) prepared.rounds[r].bursts.push_back(burst);
  }
}

}  // namespace

PreparedRounds agree(ShmEndpoint& endpoint, std::size_t lane, const std::vector<std::vector<Message>>& rounds) {
  Group& group = endpoint.group();
  std::map<int, Offer> offers;
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const Message& message : rounds[r]) {
      const Spot spot = locate(message, r, group, endpoint.regions());
      Offer& offer = offers[message.peer];
      if (message.kind == Message::Kind::send)
        offer.sends.push_back({message.bytes, spot.region, spot.offset, reinterpret_cast<std::uintptr_t>(message.address)});
      else
        offer.receives.push_back(message.bytes);
    }
  std::vector<int> peers;
  std::vector<Blob> blobs;
  for (auto& [peer, offer] : offers) {
    offer.lane = lane;
    if (!offer.receives.empty()) offer.ready = endpoint.new_counter();
    if (!offer.sends.empty()) offer.taken = endpoint.new_counter();
    peers.push_back(peer);
    blobs.push_back(write(offer));
  }
  const std::vector<Blob> answers = group.exchange(peers, blobs);

  PreparedRounds prepared;
  prepared.rounds.resize(rounds.size());
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const int rank = peers[i];
    const Peer& peer = endpoint.peer(rank);
    const Offer& mine = offers[rank];
    const std::optional<Offer> theirs = read(answers[i]);
    if (!theirs || theirs->lane != lane)
      throw Error(Fault::usage, fmt::format("ranks {} and {} prepare different lanes at once", group.rank(), rank));
    check_match(bytes_of(mine.sends), group.rank(), theirs->receives, rank);
    check_match(bytes_of(theirs->sends), rank, mine.receives, group.rank());
    if (!mine.sends.empty()) {
      prepared.outgoing.push_back(
          {rank, peer.process, &endpoint.counter(rank, theirs->ready), &endpoint.counter(group.rank(), mine.taken), 0});
      add_sends(prepared, prepared.outgoing.size() - 1, rounds);
    }
    if (!mine.receives.empty()) {
      prepared.incoming.push_back(
          {rank, peer.process, &endpoint.counter(group.rank(), mine.ready), &endpoint.counter(rank, theirs->taken), 0});
      add_receives(prepared, prepared.incoming.size() - 1, rounds, peer, *theirs);
    }
  }
  return prepared;
}

}  // namespace railgauge::shm
