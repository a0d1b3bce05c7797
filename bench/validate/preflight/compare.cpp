// Compares values by majority.
#include "bench/validate/preflight/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

constexpr std::size_t most_names = 4, most_values = 6;

struct Key {
  std::string subject, name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

bool by_place(About about) { return about == About::gpu || about == About::pcie; }

// Subjects that are addresses may differ among equal hosts; then the first stands for the first, and so on: "GPU #0".
class Places {
 public:
  Places(std::span<const HostFacts> hosts, std::span<const std::size_t> members, About about) {
    std::map<std::size_t, std::set<std::string>> subjects;
    for (const std::size_t host : members) {
      subjects[host];
      for (const Fact& fact : hosts[host].facts)
        if (const FactRow* const row = row_of(fact.name); row != nullptr && row->about == about)
          subjects[host].insert(fact.subject);
    }
    const bool as_many = std::all_of(subjects.begin(), subjects.end(),
                                     [&](const auto& each) { return each.second.size() == subjects.begin()->second.size(); });
    if (!as_many) return;
    for (const auto& [host, all] : subjects) {
      std::size_t place = 0;
      for (const std::string& subject : all) numbers_[{host, subject}] = fmt::format("#{:03}", place++);
    }
  }
  [[nodiscard]] std::string operator()(std::size_t host, const std::string& subject) const {
    const auto at = numbers_.find({host, subject});
    return at == numbers_.end() ? subject : at->second;
  }

 private:
  std::map<std::pair<std::size_t, std::string>, std::string> numbers_;
};

using Tellings = std::map<std::size_t, const Fact*>;  // by host

void compare_one(std::span<const HostFacts> hosts, const FactRow& row, const Tellings& tellings, std::vector<Difference>& into) {
  Votes votes;
  for (const auto& [host, fact] : tellings)
    if (fact->unread.empty()) votes[fact->value].push_back(host);
  const std::size_t read = voters(votes);
  const auto difference = [&](const Fact& fact) {
    return Difference{{},           fact.subject,         spoken(fact.name),       {},          {},
                      row.severity, std::string(row.why), std::string(row.action), area_of(row)};
  };
  if (read >= 3 && 2 * read > tellings.size())
    for (const auto& [host, fact] : tellings) {
      if (fact->unread.empty()) continue;
      Difference it = difference(*fact);
      it.host = hosts[host].host;
      it.found = fmt::format("unread: {}", fact->unread);
      it.expected = fmt::format("read ({} of {} hosts)", read, tellings.size());
      // Of GPUs and NICs that do not answer, or of a setting that is hidden.
      it.severity = row.use == Use::same ? std::max(row.severity, Severity::warning) : row.severity;
      into.push_back(std::move(it));
    }
  if (votes.size() < 2 || row.use != Use::same) return;
  if (const auto right = majority(votes)) {
    const std::size_t count = votes.at(*right).size();
    for (const auto& [value, who] : votes)
      for (const std::size_t host : value == *right ? std::vector<std::size_t>() : who) {
        Difference it = difference(*tellings.at(host));
        it.host = hosts[host].host;
        it.found = value;
        it.expected = fmt::format("{} ({} of {} hosts)", *right, count, read);
        into.push_back(std::move(it));
      }
    return;
  }
  Difference it = difference(*tellings.at(votes.begin()->second.front()));
  it.found = who_has_what(votes, hosts);
  it.expected = "the same on all of them";
  it.severity = doubtful(row.severity);
  into.push_back(std::move(it));
}

// Lines that `a` has and `b` has not, without their indentation.
std::string only_in(const std::string& a, const std::string& b) {
  const auto lines_of = [](const std::string& text) {
    std::multiset<std::string> all;
    Lines lines(text);
    while (lines.next()) all.emplace(Scan(lines.line()).blanks().rest());
    return all;
  };
  const auto first = lines_of(a), second = lines_of(b);
  std::vector<std::string> found;
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(found));
  if (found.size() > most_values) {
    const std::size_t more = found.size() - most_values;
    found.resize(most_values);
    found.push_back(fmt::format("{} more", more));
  }
  return found.empty() ? "nothing besides" : fmt::format("{}", fmt::join(found, "; "));
}

}  // namespace

std::size_t voters(const Votes& votes) {
  std::size_t all = 0;
  for (const auto& [value, who] : votes) all += who.size();
  return all;
}

std::optional<std::string> majority(const Votes& votes) {
  const std::size_t all = voters(votes);
  for (const auto& [value, who] : votes)
    if (all >= 3 && 2 * who.size() > all) return value;
  return std::nullopt;
}

Severity doubtful(Severity severity) noexcept { return severity == Severity::fault ? Severity::warning : Severity::note; }

std::string who_has_what(const Votes& votes, std::span<const HostFacts> hosts) {
  std::string text;
  std::size_t told = 0;
  for (const auto& [value, who] : votes) {
    if (told++ == most_values) return text + fmt::format(" and {} more", votes.size() - most_values);
    std::vector<std::string> names;
    for (const std::size_t host : who) names.push_back(hosts[host].host);
    std::sort(names.begin(), names.end());
    text += text.empty() ? "" : ", ";
    text += names.size() > most_names ? fmt::format("{} ({} hosts)", value, names.size())
                                      : fmt::format("{} ({})", value, fmt::join(names, ", "));
  }
  return text;
}

void compare_values(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into) {
  const Places gpus(hosts, members, About::gpu), functions(hosts, members, About::pcie);
  std::map<Key, Tellings> all;
  for (const std::size_t host : members)
    for (const Fact& fact : hosts[host].facts) {
      const FactRow* const row = row_of(fact.name);
      // Of devices that are there or not compare_devices() speaks.
      if (row == nullptr || (row->use != Use::same && row->severity != Severity::fault)) continue;
      const std::string subject = !by_place(row->about)      ? fact.subject
                                  : row->about == About::gpu ? gpus(host, fact.subject)
                                                             : functions(host, fact.subject);
      all[{subject, fact.name}][host] = &fact;
    }
  for (const auto& [key, tellings] : all) compare_one(hosts, *row_of(key.name), tellings, into);
}

void compare_fingerprints(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into) {
  Votes votes;
  for (const std::size_t host : members)
    if (!hosts[host].fingerprint.empty()) votes[hosts[host].fingerprint].push_back(host);
  if (votes.size() < 2) return;
  Difference it;
  it.name = "topology";
  it.severity = Severity::warning;
  it.why = "hosts of one model should be made of the same parts at the same places";
  it.action = "`railgauge topo` on both shows where they differ";
  const auto right = majority(votes);
  if (!right) {
    const auto second = std::next(votes.begin());
    it.found = votes.size() == 2 ? fmt::format("{}: {}; {}: {}", hosts[votes.begin()->second.front()].host,
                                               only_in(votes.begin()->first, second->first), hosts[second->second.front()].host,
                                               only_in(second->first, votes.begin()->first))
                                 : fmt::format("{} kinds of hosts among {}", votes.size(), voters(votes));
    it.expected = "the same on all of them";
    it.severity = doubtful(it.severity);
    into.push_back(std::move(it));
    return;
  }
  for (const auto& [print, who] : votes) {
    if (print == *right) continue;
    it.found = only_in(print, *right);
    it.expected = fmt::format("{} ({} of {} hosts)", only_in(*right, print), votes.at(*right).size(), voters(votes));
    for (const std::size_t host : who) {
      it.host = hosts[host].host;
      into.push_back(it);
    }
  }
}

void compare_gpus_within(const HostFacts& facts, std::vector<Difference>& into) {
  std::map<std::string, std::vector<const Fact*>> all;  // by name
  for (const Fact& fact : facts.facts)
    if (const FactRow* const row = row_of(fact.name);
        row != nullptr && row->about == About::gpu && row->use == Use::same && fact.unread.empty())
      all[fact.name].push_back(&fact);
  for (const auto& [name, tellings] : all) {
    Votes votes;
    for (std::size_t i = 0; i < tellings.size(); ++i) votes[tellings[i]->value].push_back(i);
    const auto right = majority(votes);
    if (!right) continue;
    const FactRow& row = *row_of(name);
    for (const Fact* fact : tellings)
      if (fact->value != *right)
        into.push_back({facts.host, fact->subject, spoken(name), fact->value,
                        fmt::format("{} ({} of the host's {} GPUs)", *right, votes.at(*right).size(), tellings.size()),
                        row.severity, std::string(row.why), std::string(row.action), area_of(row)});
  }
}

}  // namespace railgauge::topo::preflight
