// Ranks tell each other their cores and their kernel's boot, as words.
#include "transports/oversubscribed.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/boot.hpp"
#include "base/digest.hpp"
#include "transports/words.hpp"

namespace railgauge {
namespace {

constexpr std::size_t bits = 64, words_of_cores = CPU_SETSIZE / bits;

// The boot, 0 where it is unknown; and behind it the cores, where these are known.
std::vector<std::uint64_t> own_words() {
  Digest boot;
  const std::string name = boot_of_kernel();
  for (const char letter : name) boot.add(static_cast<unsigned char>(letter));
  std::vector<std::uint64_t> mine{name.empty() ? 0 : boot.value()};
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return mine;
  mine.resize(1 + words_of_cores);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) mine[1 + core / bits] |= std::uint64_t{1} << core % bits;
  return mine;
}

struct HostCores {
  std::array<std::uint64_t, words_of_cores> cores{};
  std::vector<std::string> nodes;  // in the order of their first ranks
  int ranks = 0;
  bool known = true;
};

std::string name_of(const HostCores& host) {
  if (host.nodes.size() == 1) return host.nodes.front();
  return fmt::format("{} and {} other node{}, which are one machine", host.nodes.front(), host.nodes.size() - 1,
                     host.nodes.size() == 2 ? "" : "s");
}

}  // namespace

std::vector<OversubscribedHost> oversubscribed_hosts(Group& group) {
  const std::vector<Blob> all = group.allgather(to_blob(own_words()));
  std::vector<HostCores> hosts;               // in the order of their first ranks
  std::map<std::string, std::size_t> places;  // by boot, or by node where that is unknown
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::vector<std::uint64_t> theirs = to_words(all[rank]);
    const std::string& node = group.nodes()[rank];
    const std::uint64_t boot = theirs.empty() ? 0 : theirs.front();
    const auto [place, added] = places.try_emplace(boot == 0 ? node : fmt::format("boot {}", boot), hosts.size());
    if (added) hosts.emplace_back();
    HostCores& host = hosts[place->second];
    if (std::find(host.nodes.begin(), host.nodes.end(), node) == host.nodes.end()) host.nodes.push_back(node);
    ++host.ranks;
    host.known = host.known && theirs.size() == 1 + words_of_cores;
    for (std::size_t word = 0; host.known && word < words_of_cores; ++word) host.cores[word] |= theirs[1 + word];
  }
  std::vector<OversubscribedHost> found;
  for (const HostCores& host : hosts) {
    int count = 0;
    for (const std::uint64_t word : host.cores) count += __builtin_popcountll(word);
    if (host.known && host.ranks > count)
      found.push_back({name_of(host), host.ranks, count, static_cast<int>(host.nodes.size())});
  }
  return found;
}

bool nodes_share_cores(const std::vector<OversubscribedHost>& hosts) {
  return std::any_of(hosts.begin(), hosts.end(), [](const OversubscribedHost& host) { return host.nodes > 1; });
}

}  // namespace railgauge
