// How the ends of transfers find each other.
#include "bench/schedule/verify/unbuffered.hpp"

#include <algorithm>

namespace railgauge {
namespace {

// The ends of one kind, by peer and then in order.
std::vector<std::uint32_t> by_peer(const TransferEnds& rank, Transfer::Kind kind) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < rank.ends.size(); ++i)
    if (rank.ends[i].kind == kind) found.push_back(i);
  std::stable_sort(found.begin(), found.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rank.ends[a].peer < rank.ends[b].peer; });
  return found;
}

}  // namespace

void match(std::vector<TransferEnds>& ranks) {
  std::vector<std::vector<std::uint32_t>> receives;
  receives.reserve(ranks.size());
  for (const TransferEnds& rank : ranks) receives.push_back(by_peer(rank, Transfer::Kind::receive));
  // How many receives of q from each sender are taken: senders come in ascending order, so one position is enough.
  std::vector<std::size_t> taken(ranks.size());
  for (std::size_t p = 0; p < ranks.size(); ++p) {
    const auto sender = static_cast<std::int32_t>(p);
    for (const std::uint32_t send : by_peer(ranks[p], Transfer::Kind::send)) {
      const std::int32_t peer = ranks[p].ends[send].peer;
      if (peer < 0 || static_cast<std::size_t>(peer) >= ranks.size()) continue;
      const auto q = static_cast<std::size_t>(peer);
      std::vector<TransferEnd>& theirs = ranks[q].ends;
      while (taken[q] < receives[q].size() && theirs[receives[q][taken[q]]].peer < sender) ++taken[q];
      if (taken[q] == receives[q].size() || theirs[receives[q][taken[q]]].peer != sender) continue;
      const std::uint32_t receive = receives[q][taken[q]++];
      theirs[receive].counterpart = send;
      ranks[p].ends[send].counterpart = receive;
    }
  }
}

}  // namespace railgauge
