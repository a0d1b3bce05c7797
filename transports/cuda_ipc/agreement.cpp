// Tells each peer what this rank will send and receive, compares, and lays out the rounds.
#include "transports/cuda_ipc/agreement.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/words.hpp"

namespace railgauge::cuda_ipc {
namespace {

// The messages between two ranks as one of them sees them: of sends bytes, region and offset, of receives bytes.
struct Offer {
  std::vector<std::uint64_t> sent, regions, offsets, received;
};

Blob write(std::size_t lane, const Offer& offer) {
  std::vector<std::uint64_t> words = {lane, offer.sent.size()};
  for (std::size_t i = 0; i < offer.sent.size(); ++i)
    words.insert(words.end(), {offer.sent[i], offer.regions[i], offer.offsets[i]});
  words.insert(words.end(), offer.received.begin(), offer.received.end());
  return to_blob(words);
}

// False when it is of another lane, or none at all.
bool read(const Blob& blob, std::size_t lane, Offer& offer) {
  const std::vector<std::uint64_t> words = to_words(blob);
  if (words.size() < 2 || words[0] != lane || words[1] > words.size() || 2 + 3 * words[1] > words.size()) return false;
  std::size_t at = 2;
  for (; at != 2 + 3 * words[1]; at += 3) {
    offer.sent.push_back(words[at]);
    offer.regions.push_back(words[at + 1]);
    offer.offsets.push_back(words[at + 2]);
  }
  offer.received.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return true;
}

}  // namespace

std::vector<PreparedRound> agree(CudaIpcEndpoint& endpoint, std::size_t lane, const std::vector<std::vector<Message>>& rounds) {
  Group& group = endpoint.group();
  std::map<int, Offer> mine, theirs;
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const Message& message : rounds[r]) {
      const Spot spot = locate(message, r, group, endpoint.regions());
      Offer& offer = mine[message.peer];
      if (message.kind == Message::Kind::receive) {
        offer.received.push_back(message.bytes);
        continue;
      }
      offer.sent.push_back(message.bytes);
      offer.regions.push_back(spot.region);
      offer.offsets.push_back(spot.offset);
    }
  std::vector<int> peers;
  std::vector<Blob> blobs;
  for (const auto& [peer, offer] : mine) {
    peers.push_back(peer);
    blobs.push_back(write(lane, offer));
  }
  const std::vector<Blob> answers = group.exchange(peers, blobs);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Offer& offer = theirs[peers[i]];
    if (!read(answers[i], lane, offer))
      throw Error(Fault::usage, fmt::format("ranks {} and {} prepare different lanes at once", group.rank(), peers[i]));
    check_match(mine[peers[i]].sent, group.rank(), offer.received, peers[i]);
    check_match(offer.sent, peers[i], mine[peers[i]].received, group.rank());
  }

  std::vector<PreparedRound> prepared(rounds.size());
  std::map<int, std::uint64_t> sent, received;  // by peer: messages so far
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::map<int, PreparedRound::Direction> sends, receives;
    for (const Message& message : rounds[r]) {
      const bool sends_it = message.kind == Message::Kind::send;
      PreparedRound::Direction& direction = (sends_it ? sends : receives)[message.peer];
      const std::uint64_t n = (sends_it ? sent : received)[message.peer]++;
      const Offer& offer = theirs[message.peer];
      direction.peer = message.peer;
      direction.messages = n + 1;
      direction.last = direction.messages == (sends_it ? mine[message.peer] : offer).sent.size();
      if (message.bytes != 0 || direction.last) direction.taken = direction.messages;
      if (sends_it || message.bytes == 0) continue;
      const std::byte* const source = endpoint.region(message.peer, offer.regions[n]) + offer.offsets[n];
      direction.blocks.push_back({source, message.address, message.bytes});
    }
    for (auto& [peer, direction] : sends) prepared[r].sends.push_back(std::move(direction));
    for (auto& [peer, direction] : receives) prepared[r].receives.push_back(std::move(direction));
  }
  return prepared;
}

}  // namespace railgauge::cuda_ipc
