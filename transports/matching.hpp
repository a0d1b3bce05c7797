// Validates prepared messages: whether a rank can send and receive them, whether both ends of a directed pair agree, and whether
// a rank's credits are in order.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Where a message lies in its rank's memory: in which attached region, and how far into it. Without bytes: none.
struct Spot {
  std::size_t region = 0;
  std::uint64_t offset = 0;
};

// Locates a message of round `round`, as this rank of `group` prepares it, in `regions`. Throws Error(usage) where its peer is
// no other rank of the group, or its bytes do not lie in one region.
[[nodiscard]] inline Spot locate(const Message& message, std::size_t round, const Group& group, std::span<const Region> regions) {
  if (message.peer < 0 || message.peer >= group.size() || message.peer == group.rank())
    throw Error(Fault::usage, fmt::format("rank {} names peer {} in round {}: it must be another of the {} ranks", group.rank(),
                                          message.peer, round, group.size()));
  if (message.bytes == 0) return {};
  const auto at = reinterpret_cast<std::uintptr_t>(message.address);
  for (std::size_t k = 0; k < regions.size(); ++k) {
    const auto begin = reinterpret_cast<std::uintptr_t>(regions[k].address);
    if (at >= begin && at - begin <= regions[k].bytes && message.bytes <= regions[k].bytes - (at - begin)) return {k, at - begin};
  }
  throw Error(Fault::usage, fmt::format("rank {} prepares {} bytes for peer {} in round {} that lie in no attached region",
                                        group.rank(), message.bytes, message.peer, round));
}

// `sent` and `received` are the bytes of each message, as the sender and the receiver prepared them. Throws Error(usage) that
// names both ranks and the message where they differ.
inline void check_match(std::span<const std::uint64_t> sent, int sender, std::span<const std::uint64_t> received, int receiver) {
  if (sent.size() != received.size())
    throw Error(Fault::usage, fmt::format("rank {} prepares {} messages to rank {}, which expects {}", sender, sent.size(),
                                          receiver, received.size()));
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (sent[i] != received[i])
      throw Error(Fault::usage, fmt::format("message {} from rank {} to rank {}: {} bytes are sent, {} are received", i, sender,
                                            receiver, sent[i], received[i]));
}

// Nothing is written for an empty message, so it needs no credit.
[[nodiscard]] inline bool needs_credit(const Message& message) { return !message.elided && message.bytes > 0; }

// Throws Error(usage) where a credit is given after its message's round or before an earlier one of the same peer. Only the rank
// itself can know, so it is asked before anything is said to peers.
inline void check_credits(int rank, const std::vector<std::vector<Message>>& rounds) {
  std::map<int, std::uint32_t> latest;  // by sender
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const Message& message : rounds[r]) {
      if (message.kind != Message::Kind::receive || !needs_credit(message)) continue;
      std::uint32_t& before = latest[message.peer];
      if (message.credit > r || message.credit < before)
        throw Error(Fault::usage, fmt::format("the credit of a message from rank {} to rank {} is given at round {}, after the "
                                              "message's round {} or before an earlier credit",
                                              message.peer, rank, message.credit, r));
      before = message.credit;
    }
}

}  // namespace railgauge
