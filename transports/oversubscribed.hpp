// Finds hosts with more ranks than cores.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transports/group.hpp"
#include "transports/words.hpp"

namespace railgauge {

struct OversubscribedHost {
  std::string name;
  int ranks = 0, cores = 0;
};

// Collective, and the same on all ranks: the hosts that have more ranks than the cores that their ranks together may run on.
// Launchers bind each rank to its own cores, so the cores of one rank are not those of the host. A host whose cores are unknown
// is not in the answer.
[[nodiscard]] inline std::vector<OversubscribedHost> oversubscribed_hosts(Group& group) {
  constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> mine;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
    mine.resize(CPU_SETSIZE / bits);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &cores)) mine[core / bits] |= std::uint64_t{1} << core % bits;
  }
  struct HostCores {
    std::array<std::uint64_t, CPU_SETSIZE / bits> cores{};
    int ranks = 0;
    bool known = true;
  };
  std::map<std::string, HostCores> hosts;
  const std::vector<Blob> all = group.allgather(to_blob(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    HostCores& host = hosts[group.nodes()[rank]];
    const std::vector<std::uint64_t> theirs = to_words(all[rank]);
    ++host.ranks;
    host.known = host.known && theirs.size() == host.cores.size();
    for (std::size_t word = 0; host.known && word < theirs.size(); ++word) host.cores[word] |= theirs[word];
  }
  std::vector<OversubscribedHost> found;
  for (const auto& [name, host] : hosts) {
    int count = 0;
    for (const std::uint64_t word : host.cores) count += __builtin_popcountll(word);
    if (host.known && host.ranks > count) found.push_back({name, host.ranks, count});
  }
  return found;
}

[[nodiscard]] inline bool any_host_is_oversubscribed(Group& group) { return !oversubscribed_hosts(group).empty(); }

}  // namespace railgauge
