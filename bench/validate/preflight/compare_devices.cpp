// Which devices a host lacks, or has beside its equals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/validate/preflight/compare.hpp"

namespace railgauge::topo::preflight {
namespace {

struct KindRow {
  About about;
  const char* count;   // the fact that must be read for a lack to mean anything
  const char* source;  // whose reading must have ended
  const char* one;
  const char* several;
};
// Not PCIe functions: they are GPUs, NICs and what is above them.
constexpr auto kinds = std::to_array<KindRow>({
    {About::gpu, "gpus", "gpus", "GPU", "GPUs"},
    {About::interface, "interfaces", "interfaces", "network interface", "network interfaces"},
    {About::device, "rdma devices", "ports", "RDMA device", "RDMA devices"},
    {About::port, "rdma devices", "ports", "RDMA port", "RDMA ports"},
});

std::set<std::string> subjects_of(const HostFacts& facts, About about) {
  std::set<std::string> subjects;
  for (const Fact& fact : facts.facts) {
    const FactRow* const row = row_of(fact.name);
    if (row != nullptr && row->about == about && row->use != Use::counter && !fact.subject.empty()) subjects.insert(fact.subject);
  }
  return subjects;
}

bool was_read(const HostFacts& facts, const KindRow& kind) {
  for (const Fact& fact : facts.facts)
    if (!fact.unread.empty() && fact.name == "reading" && fact.subject == kind.source) return false;
  return value_of(facts, "", kind.count) != nullptr;
}

class Devices {
 public:
  Devices(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into)
      : hosts_(hosts), into_(into) {
    for (const KindRow& kind : kinds) {
      has_.clear();
      for (const std::size_t host : members)
        if (was_read(hosts[host], kind)) has_[host] = subjects_of(hosts[host], kind.about);
      if (has_.size() > 1) compare(kind);
    }
  }

 private:
  void compare(const KindRow& kind) {
    if (named_alike_but_for_places(kind)) return;
    std::map<std::string, std::set<std::size_t>> owners;
    for (const auto& [host, subjects] : has_)
      for (const std::string& subject : subjects) owners[subject].insert(host);
    std::size_t usual = 0;  // how many devices most have
    for (const auto& [subject, who] : owners) usual += 2 * who.size() > has_.size() ? 1 : 0;
    std::set<std::size_t> without;
    for (const auto& [host, subjects] : has_)
      if (subjects.empty() && usual > 1 && has_.size() >= 3) without.insert(host);
    for (const std::size_t host : without) lacks_all(kind, host, usual);
    for (const auto& [subject, who] : owners)
      if (who.size() < has_.size()) one(kind, subject, who, without);
  }

  // GPUs of virtual machines may stand at other PCI addresses in each: as many are as good.
  [[nodiscard]] bool named_alike_but_for_places(const KindRow& kind) const {
    return kind.about == About::gpu && std::all_of(has_.begin(), has_.end(), [&](const auto& each) {
             return each.second.size() == has_.begin()->second.size();
           });
  }

  [[nodiscard]] Difference about(const KindRow& kind, const std::string& subject) const {
    const FactRow& row = *row_of(kind.count);
    const Area area = kind.about == About::gpu && !subject.empty() ? Area::gpu : Area::setting;
    return {{}, subject, kind.one, {}, {}, Severity::fault, std::string(row.why), std::string(row.action), area};
  }

  void lacks_all(const KindRow& kind, std::size_t host, std::size_t usual) {
    Difference it = about(kind, "");
    it.host = hosts_[host].host;
    it.name = kind.several;
    it.found = "none";
    const auto full = static_cast<std::size_t>(
        std::count_if(has_.begin(), has_.end(), [&](const auto& each) { return each.second.size() >= usual; }));
    it.expected = fmt::format("{} ({} of {} hosts)", usual, full, has_.size());
    into_.push_back(std::move(it));
  }

  void one(const KindRow& kind, const std::string& subject, const std::set<std::size_t>& who,
           const std::set<std::size_t>& without) {
    const std::size_t all = has_.size();
    // A port whose device is missing is missing with it.
    const std::string device = subject.substr(0, subject.find('/'));
    const bool known_otherwise = kind.about == About::port && missing_.contains(device);
    if (known_otherwise) return;
    if (all >= 3 && 2 * who.size() > all) {
      for (const auto& [host, subjects] : has_) {
        if (subjects.contains(subject) || without.contains(host)) continue;
        Difference it = about(kind, subject);
        it.host = hosts_[host].host;
        it.found = "absent";
        it.expected = fmt::format("present ({} of {} hosts)", who.size(), all);
        // Something of that name is there: whether it is as fast, a measurement says.
        if (const std::string* const made = value_of(hosts_[host], subject, software_kind)) {
          it.found = fmt::format("made by a program ({})", *made);
          it.severity = Severity::warning;
          it.why = "data takes another path than on the other hosts";
          it.action = "Learn why it is there, in place of what the other hosts have";
        }
        into_.push_back(std::move(it));
      }
      if (kind.about == About::device) missing_.insert(subject);
      return;
    }
    if (made_by_a_program(subject, who)) return;
    if (kind.about == About::device) missing_.insert(subject);
    Difference it = about(kind, subject);
    it.action = "Learn whether it should be there";
    if (all >= 3 && 2 * who.size() < all) {
      it.severity = Severity::note;
      it.why = "what only some have may be used by some alone";
      it.expected = fmt::format("absent ({} of {} hosts)", all - who.size(), all);
      it.found = "present";
      for (const std::size_t host : who) {
        it.host = hosts_[host].host;
        into_.push_back(it);
      }
      return;
    }
    Votes votes;
    for (const auto& [host, subjects] : has_) votes[subjects.contains(subject) ? "present" : "absent"].push_back(host);
    it.severity = Severity::warning;
    it.found = who_has_what(votes, hosts_);
    it.expected = "the same on all of them";
    into_.push_back(std::move(it));
  }

  // Containers' ends of veth have a random name each.
  [[nodiscard]] bool made_by_a_program(const std::string& subject, const std::set<std::size_t>& who) const {
    return std::all_of(who.begin(), who.end(), [&](std::size_t host) {
      const std::string* const kind = value_of(hosts_[host], subject, "kind");
      return kind != nullptr && *kind == "veth";
    });
  }

  std::span<const HostFacts> hosts_;
  std::vector<Difference>& into_;
  std::map<std::size_t, std::set<std::string>> has_;  // by host
  std::set<std::string> missing_;                     // RDMA devices that somebody lacks
};

}  // namespace

void compare_devices(std::span<const HostFacts> hosts, std::span<const std::size_t> members, std::vector<Difference>& into) {
  Devices(hosts, members, into);
}

}  // namespace railgauge::topo::preflight
