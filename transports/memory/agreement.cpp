// Tells each peer what this rank will send and receive, compares, and lays out the rounds.
#include "transports/memory/agreement.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/memory/directory.hpp"
#include "transports/words.hpp"

namespace railgauge::memory {
namespace {

// What one rank tells a peer: the lane, the number of its channel for messages from that peer (0: none), how many messages go
// in each direction, and then for each send and each receive its bytes, whether it is elided, and the address.
struct Offer {
  std::uint64_t lane = 0, channel = 0;
  std::vector<const Message*> sends, receives;
};

struct Transfers {
  struct MessageRow {
    std::uint64_t bytes, elided, address;
  };
  std::uint64_t lane = 0, channel = 0;
  std::vector<MessageRow> sends, receives;
};

Blob write(const Offer& offer) {
  std::vector<std::uint64_t> words = {offer.lane, offer.channel, offer.sends.size(), offer.receives.size()};
  for (const auto* list : {&offer.sends, &offer.receives})
    for (const Message* message : *list) {
      words.push_back(message->bytes);
      words.push_back(message->elided ? 1 : 0);
      words.push_back(reinterpret_cast<std::uintptr_t>(message->address));
    }
  return to_blob(words);
}

std::optional<Transfers> read(const Blob& blob) {
  const std::vector<std::uint64_t> words = to_words(blob);
  if (words.size() < 4 || words.size() != 4 + 3 * (words[2] + words[3])) return std::nullopt;
  Transfers transfers{.lane = words[0], .channel = words[1], .sends = {}, .receives = {}};
  std::size_t at = 4;
  for (; at < 4 + 3 * words[2]; at += 3) transfers.sends.push_back({words[at], words[at + 1], words[at + 2]});
  for (; at < words.size(); at += 3) transfers.receives.push_back({words[at], words[at + 1], words[at + 2]});
  return transfers;
}

// The messages of one direction, seen from both ends.
void compare(int sender, std::span<const Transfers::MessageRow> sends, int receiver,
             std::span<const Transfers::MessageRow> receives) {
  const auto bytes = [](std::span<const Transfers::MessageRow> rows) {
    std::vector<std::uint64_t> values;
    for (const Transfers::MessageRow& row : rows) values.push_back(row.bytes);
    return values;
  };
  check_match(bytes(sends), sender, bytes(receives), receiver);
  for (std::size_t i = 0; i < sends.size(); ++i)
    if (sends[i].elided != receives[i].elided)
      throw Error(Fault::usage,
                  fmt::format("message {} from rank {} to rank {} needs a credit at one end only", i, sender, receiver));
}

std::vector<Transfers::MessageRow> rows(const std::vector<const Message*>& messages) {
  std::vector<Transfers::MessageRow> result;
  for (const Message* message : messages)
    result.push_back({message->bytes, message->elided ? 1U : 0U, reinterpret_cast<std::uintptr_t>(message->address)});
  return result;
}

// Sends to one peer and receives from it, in the order of rounds, with the counts that each must see.
class Layer {
 public:
  explicit Layer(std::vector<RoundWork>& rounds) : rounds_(rounds) {}

  void add_sends(std::size_t outgoing, int peer, const std::vector<std::vector<Message>>& all, const Transfers& theirs,
                 PreparedRounds& prepared) {
    Outgoing& out = prepared.outgoing[outgoing];
    for (std::size_t r = 0; r < all.size(); ++r) {
      RoundWork::Burst burst{outgoing, prepared.senders.size(), prepared.senders.size(), 0, out.messages};
      for (const Message& message : all[r]) {
        if (message.kind != Message::Kind::send || message.peer != peer) continue;
        const std::uint64_t credit = needs_credit(message) ? ++out.credits : 0;
        auto* target = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(theirs.receives[out.messages].address));
        prepared.senders.push_back({message.address, target, message.bytes, credit});
        ++out.messages;
      }
      burst.last = prepared.senders.size();
      burst.next = burst.last;
      if (burst.first != burst.last) rounds_[r].bursts.push_back(burst);
    }
  }

  void add_receives(std::size_t incoming, int peer, const std::vector<std::vector<Message>>& all, PreparedRounds& prepared) {
    PreparedRounds::Source& source = prepared.sources[incoming];
    std::map<std::size_t, std::uint64_t> grants;  // by round: credits given so far
    for (std::size_t r = 0; r < all.size(); ++r) {
      const std::uint64_t before = source.messages;
      for (const Message& message : all[r]) {
        if (message.kind != Message::Kind::receive || message.peer != peer) continue;
        ++source.messages;
        if (!needs_credit(message)) continue;
        grants[message.credit] = ++source.credits;
      }
      if (source.messages != before) rounds_[r].awaits.push_back({incoming, source.messages});
    }
    for (const auto& [round, count] : grants) rounds_[round].grants.push_back({incoming, count});
  }

 private:
  std::vector<RoundWork>& rounds_;
};

}  // namespace

PreparedRounds agree(Group& group, std::size_t lane, const std::vector<std::vector<Message>>& rounds, bool timed) {
  check_credits(group.rank(), rounds);
  std::map<int, Offer> offers;
  for (const auto& round : rounds)
    for (const Message& message : round) {
      Offer& offer = offers[message.peer];
      (message.kind == Message::Kind::send ? offer.sends : offer.receives).push_back(&message);
    }

  PreparedRounds prepared;
  std::map<int, std::size_t> incoming;
  std::vector<int> peers;
  std::vector<Blob> blobs;
  for (auto& [peer, offer] : offers) {
    offer.lane = lane;
    if (!offer.receives.empty()) {
      incoming[peer] = prepared.sources.size();
      prepared.sources.push_back({Incoming(timed ? offer.receives.size() : 0), 0, 0});
      offer.channel = prepared.sources.back().incoming.publish();
    }
    peers.push_back(peer);
    blobs.push_back(write(offer));
  }
  const std::vector<Blob> answers = group.exchange(peers, blobs);

  prepared.rounds.resize(rounds.size());
  Layer layer(prepared.rounds);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const int peer = peers[i];
    const Offer& mine = offers[peer];
    const std::optional<Transfers> theirs = read(answers[i]);
    if (!theirs || theirs->lane != lane)
      throw Error(Fault::usage, fmt::format("ranks {} and {} prepare different lanes at once", group.rank(), peer));
    compare(group.rank(), rows(mine.sends), peer, theirs->receives);
    compare(peer, theirs->sends, group.rank(), rows(mine.receives));
    if (!mine.sends.empty()) {
      std::shared_ptr<Channel> channel = directory().take<Channel>(theirs->channel);
      if (!channel) {  // the peer has let go of its Exchange, or has failed, already: nothing may be written any more
        channel = std::make_shared<Channel>(timed ? mine.sends.size() : 0);
        channel->closed.store(true, std::memory_order_relaxed);
      }
      prepared.outgoing.push_back({.channel = std::move(channel), .peer = peer});
      layer.add_sends(prepared.outgoing.size() - 1, peer, rounds, *theirs, prepared);
    }
    if (const auto at = incoming.find(peer); at != incoming.end()) layer.add_receives(at->second, peer, rounds, prepared);
  }
  return prepared;
}

}  // namespace railgauge::memory
