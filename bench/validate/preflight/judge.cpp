// Compares, applies rules, gathers what is unread, and puts it in order.
#include "bench/validate/preflight/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "bench/validate/preflight/compare.hpp"

namespace railgauge::topo::preflight {
namespace {

constexpr std::size_t most_hosts_named = 8;

std::string_view plural(About about) {
  switch (about) {
    case About::host:
      return "hosts";
    case About::gpu:
      return "GPUs";
    case About::interface:
      return "interfaces";
    case About::device:
      return "RDMA devices";
    case About::port:
      return "RDMA ports";
    case About::pcie:
      return "PCIe functions";
  }
  return "?";
}

std::string replaced(std::string_view text, std::string_view what) {
  if (what.empty()) return std::string(text);
  std::string all;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    all.append(text.substr(0, at)).push_back('*');
    text.remove_prefix(at + what.size());
  }
  return all.append(text);
}

// What is said alike of several subjects: "/sys/class/infiniband/*/fw_ver: No such file or directory".
std::string without_subject(const std::string& reason, const std::string& subject) {
  const std::size_t blank = subject.rfind(' ');
  const std::string bare = blank == std::string::npos ? subject : subject.substr(blank + 1);  // of "PCIe 0000:3b:00.0"
  return replaced(reason, bare.substr(0, bare.find('/')));
}

std::vector<Unread> unread_of(std::span<const HostFacts> hosts) {
  struct Occurrences {
    std::set<std::string> subjects, hosts;
  };
  std::map<std::pair<std::string, std::string>, Occurrences> found;  // by name and reason
  for (const HostFacts& facts : hosts)
    for (const Fact& fact : facts.facts) {
      if (fact.unread.empty()) continue;
      Occurrences& occurrences = found[{fact.name, without_subject(fact.unread, fact.name == "reading" ? "" : fact.subject)}];
      occurrences.subjects.insert(fact.subject);
      occurrences.hosts.insert(facts.host);
    }
  std::vector<Unread> all;
  for (const auto& [key, occurrences] : found) {
    const auto& [name, reason] = key;
    const FactRow* const row = row_of(name);
    std::string text = spoken(name);
    if (occurrences.subjects.size() > 1 && row != nullptr && row->about != About::host)
      text += fmt::format(" of {}", plural(row->about));
    else if (!occurrences.subjects.begin()->empty())
      text += fmt::format(" of {}", fmt::join(occurrences.subjects, ", "));
    all.push_back({std::move(text), reason, {occurrences.hosts.begin(), occurrences.hosts.end()}});
  }
  std::sort(all.begin(), all.end(),
            [](const Unread& a, const Unread& b) { return std::tie(a.name, a.reason) < std::tie(b.name, b.reason); });
  return all;
}

std::string some_of(const std::vector<std::string>& hosts) {
  if (hosts.size() > most_hosts_named) return fmt::format("{} hosts", hosts.size());
  return fmt::format("{}", fmt::join(hosts, ", "));
}

}  // namespace

Judgement judge(std::span<const HostFacts> hosts) {
  Judgement all;
  all.models = models_of(hosts);
  for (const std::vector<std::size_t>& members : classes_of(hosts, all.models)) {
    compare_devices(hosts, members, all.differences);
    compare_values(hosts, members, all.differences);
    compare_fingerprints(hosts, members, all.differences);
    // Where there are no equals to compare with, the host's own GPUs are.
    if (members.size() < 3)
      for (const std::size_t host : members) compare_gpus_within(hosts[host], all.differences);
  }
  for (const HostFacts& facts : hosts) {
    std::vector<Difference> found = rules(facts);
    std::move(found.begin(), found.end(), std::back_inserter(all.differences));
  }
  std::sort(all.differences.begin(), all.differences.end(), [](const Difference& a, const Difference& b) {
    return std::tie(a.severity, a.name, a.subject, a.host, a.found, a.expected) <
           std::tie(b.severity, b.name, b.subject, b.host, b.found, b.expected);
  });
  all.unread = unread_of(hosts);
  return all;
}

std::string to_text(const Judgement& judgement) {
  std::string text;
  for (const Difference& it : judgement.differences) {
    std::string place = it.host;
    if (!it.subject.empty()) place += (place.empty() ? "" : ":") + it.subject;
    text += fmt::format("{} {}{}{}: {}; expected {}.\n  {}: {}.\n", word(it.severity), place, place.empty() ? "" : ": ", it.name,
                        it.found, it.expected, it.why, it.action);
  }
  for (const Unread& it : judgement.unread) text += fmt::format("unread {} on {}: {}.\n", it.name, some_of(it.hosts), it.reason);
  return text.empty() ? "Nothing found.\n" : text;
}

}  // namespace railgauge::topo::preflight
