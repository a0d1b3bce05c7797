// Which hosts should be alike.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "bench/validate/preflight/judge.hpp"

namespace railgauge::topo::preflight {
namespace {

// The models of its GPUs, each once; empty where it tells of none.
std::string gpus_of(const HostFacts& facts) {
  std::set<std::string_view> names;
  for (const Fact& fact : facts.facts)
    if (fact.name == "gpu name" && fact.unread.empty()) names.insert(fact.value);
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace

std::vector<std::string> models_of(std::span<const HostFacts> hosts) {
  std::map<std::string, std::map<std::string, std::size_t>> often;  // by model, then by GPUs
  std::vector<std::string> gpus;
  for (const HostFacts& facts : hosts) {
    gpus.push_back(gpus_of(facts));
    ++often[facts.model][gpus.back()];
  }
  std::vector<std::string> models;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& kinds = often[hosts[i].model];
    std::string kind = gpus[i];
    if (kind.empty()) {
      // The most frequent kind; of several the first by name, so that the order of hosts does not matter.
      const auto most =
          std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      const auto none = kinds.find("");
      for (const auto& [name, count] : kinds)
        if (!name.empty() && count == most->second && count >= none->second) {
          kind = name;
          break;
        }
    }
    const std::string& model = hosts[i].model;
    models.push_back(kind.empty() ? model : model.empty() ? kind : fmt::format("{}, {}", model, kind));
  }
  return models;
}

std::vector<std::vector<std::size_t>> classes_of(std::span<const HostFacts> hosts, std::span<const std::string> models) {
  std::map<std::string_view, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < hosts.size(); ++i) found[models[i]].push_back(i);
  std::vector<std::vector<std::size_t>> classes;
  for (auto& [model, members] : found) {
    std::sort(members.begin(), members.end(),
              [&](std::size_t a, std::size_t b) { return std::tie(hosts[a].host, a) < std::tie(hosts[b].host, b); });
    classes.push_back(std::move(members));
  }
  return classes;
}

}  // namespace railgauge::topo::preflight
