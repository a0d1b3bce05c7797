// Steps through the rounds of all ranks as if nothing were ever buffered: a transfer happens when both of its ends have posted
// their round, a round ends when all its transfers have happened. A schedule that completes so completes over any transport.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bench/schedule/schedule.hpp"

namespace railgauge {

// One end of a transfer. `counterpart` is the index of the other end among the peer's, found by match().
struct TransferEnd {
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  Transfer::Kind kind = Transfer::Kind::send;
  std::int32_t peer = 0;
  std::uint32_t round = 0;
  std::uint32_t counterpart = nobody;
};

// The ends of one rank in order. Round i has those from first[i] to first[i + 1].
struct TransferEnds {
  std::vector<std::uint32_t> first = {0};
  std::vector<TransferEnd> ends;
  [[nodiscard]] std::uint32_t rounds() const { return static_cast<std::uint32_t>(first.size()) - 1; }
  void add(Transfer::Kind kind, std::int32_t peer) { ends.push_back({kind, peer, rounds()}); }
  void close_round() { first.push_back(static_cast<std::uint32_t>(ends.size())); }
};

// Pairs the n-th send from p to q with the n-th receive of q from p. Ends without a counterpart keep `nobody`.
void match(std::vector<TransferEnds>& ranks);

// Where a rank is.
struct Position {
  std::uint32_t run = 0, round = 0;
};

// `runs` executions one directly after the other. Calls, in an order that some execution could have:
//   observer.post(rank, position)                                    the rank begins a round
//   observer.meet(sender, send end, receiver, receive end, run)      both ends are posted (indices into TransferEnds::ends)
//   observer.complete(rank, position)                                all transfers of the round have met: its locals run
// Returns the ranks that can never go on, with where they are.
template <class Observer>
std::vector<std::pair<std::int32_t, Position>> step_through(const std::vector<TransferEnds>& ranks, std::uint32_t runs,
                                                            Observer& observer) {
  struct State {
    Position at;
    std::uint32_t pending = 0;
    bool posted = false;
  };
  std::vector<State> states(ranks.size());
  std::vector<std::int32_t> complete;  // ranks whose round is complete and not yet closed
  const auto post = [&](std::int32_t rank) {
    const TransferEnds& mine = ranks[static_cast<std::size_t>(rank)];
    State& state = states[static_cast<std::size_t>(rank)];
    if (state.at.round == mine.rounds()) state.at = {state.at.run + 1, 0};
    state.posted = state.at.run < runs && mine.rounds() != 0;
    if (!state.posted) return;
    observer.post(rank, state.at);
    const std::uint32_t begin = mine.first[state.at.round];
    const std::uint32_t end = mine.first[state.at.round + 1];
    state.pending += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) {
      const TransferEnd& own = mine.ends[i];
      if (own.counterpart == TransferEnd::nobody) continue;
      State& other = states[static_cast<std::size_t>(own.peer)];
      const TransferEnd& theirs = ranks[static_cast<std::size_t>(own.peer)].ends[own.counterpart];
      if (!other.posted || other.at.run != state.at.run || other.at.round != theirs.round) continue;
      if (own.kind == Transfer::Kind::send)
        observer.meet(rank, i, own.peer, own.counterpart, state.at.run);
      else
        observer.meet(own.peer, own.counterpart, rank, i, state.at.run);
      --state.pending;
      if (--other.pending == 0) complete.push_back(own.peer);
    }
    if (state.pending == 0) complete.push_back(rank);
  };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) post(static_cast<std::int32_t>(rank));
  while (!complete.empty()) {
    const std::int32_t rank = complete.back();
    complete.pop_back();
    State& state = states[static_cast<std::size_t>(rank)];
    observer.complete(rank, state.at);
    ++state.at.round;
    post(rank);
  }
  std::vector<std::pair<std::int32_t, Position>> stuck;
  for (std::size_t rank = 0; rank < states.size(); ++rank)
    if (states[rank].posted) stuck.emplace_back(static_cast<std::int32_t>(rank), states[rank].at);
  return stuck;
}

}  // namespace railgauge
