// Makes matched messages into work requests.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "transports/verbs/exchange.hpp"
#include "transports/verbs/matching.hpp"

namespace railgauge::verbs {

// What both ends have said of a pair, and where the answers stand in Work.
struct Agreed {
  Offer mine, theirs;
  std::size_t outgoing = 0, source = 0;  // of Work; where there are sends, and receives
};

// Fills sends, grants and rounds of `work`, whose channels are those of the offers. `rounds` are what the offers were made of.
void lay_out(Work& work, VerbsLane& lane, const std::vector<std::vector<Message>>& rounds, const std::map<int, Agreed>& pairs);

// How a message is spread over the queue pairs of a connection, the same at both ends: by `count` of them from `first` on, each
// with a part of `step` bytes, the last with the rest.
struct Striping {
  std::size_t first = 0, count = 1, step = 0;
};
[[nodiscard]] Striping stripe(std::uint64_t ordinal, std::size_t bytes, std::size_t queue_pairs);

}  // namespace railgauge::verbs
