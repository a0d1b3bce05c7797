#include "topo/layout/fabric_words.hpp"

#include <fmt/format.h>

#include <map>

#include "topo/judge.hpp"
#include "topo/layout/facts.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {

namespace {
constexpr std::size_t most_facts = 12;
}  // namespace

std::string tier_words(unsigned tier, unsigned tiers, std::uint64_t count) {
  if (tiers == 1) return counted(count, "switch", "switches");
  if (tier == 1) return counted(count, "leaf", "leaves");
  if (tier == 2) return counted(count, "spine", "spines");
  if (tier == 3) return counted(count, "core", "cores");
  return fmt::format("{} of tier {}", count, tier);
}

std::size_t links_up(const Fabric& fabric, const Switch& it) {
  std::size_t count = 0;
  for (const Peer& peer : it.peers) count += fabric.switches[peer.other].tier > it.tier ? peer.count() : 0;
  return count;
}
std::size_t links_down(const Fabric& fabric, const Switch& it) {
  std::size_t count = 0;
  for (const Peer& peer : it.peers) count += fabric.switches[peer.other].tier < it.tier ? peer.count() : 0;
  return count;
}

std::vector<Fact> rates_of_links(const Fabric& fabric, const std::vector<std::uint32_t>& links) {
  const std::vector<Link>& all = fabric.view->graph().links;
  if (links.size() == 1) return facts_of(all[links.front()]);
  std::map<std::string, std::size_t> rates;
  for (const std::uint32_t at : links) ++rates[rate_words(all[at].kind, all[at].active)];
  std::vector<Fact> facts{{"kind", std::string(row(all[links.front()].kind).word)}, {"links", fmt::format("{}", links.size())}};
  for (const auto& [rate, count] : rates)
    if (!rate.empty()) facts.push_back({"run at " + rate, fmt::format("{}", count)});
  for (const std::uint32_t at : links)
    if (fabric.wrong_links.contains(at) && facts.size() < most_facts)
      facts.push_back({"wrong", fmt::format("{} - {}{}", end_words(fabric, all[at].a, all[at].a_port),
                                            end_words(fabric, all[at].b, all[at].b_port), after_colon(words_of_wrong(all[at])))});
  return facts;
}

std::string after_colon(const std::string& words) { return words.empty() ? std::string() : ": " + words; }

std::string words_of_wrong(const Link& link) {
  if (without_traffic(link)) return std::string(row(link.state).name);
  std::string runs = rate_words(link.kind, link.active);
  const std::string other = ends_disagree(link) ? rate_words(link.kind, link.active_at_b) : rate_words(link.kind, link.capable);
  if (other.empty() || other == runs) return runs;
  return fmt::format("{} {} {}", runs, ends_disagree(link) ? "and" : "of", other);
}

}  // namespace railgauge::topo::layout
