// Runs the sources one after the other, each apart, and gathers what they say.
#include "bench/validate/preflight/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct SourceRow {
  const char* name;  // the subject of its fact "reading"
  void (*read)(const ReadOptions&, Sheet&);
  bool counts;  // has counters too
};
constexpr auto sources = std::to_array<SourceRow>({
    {"machine", read_machine, false},
    {"limits", read_limits, false},
    {"memory", read_memory, false},
    {"kernel", read_kernel, false},
    {"modules", read_modules, false},
    {"interfaces", read_interfaces, true},
    {"ports", read_ports, true},
    {"pcie", read_pcie, true},
    {"gpus", read_gpus, true},
    {"kernel log", read_kernel_log, false},
    {"topology", read_topology, false},
});

// A line that one of our own sources wrote.
void take(std::string_view line, HostFacts& into, std::set<std::pair<std::string, std::string>>& seen) {
  const Json json = Json::parse(line);
  if (const auto at = json.find("fact"); at != json.end()) {
    Fact fact{(*at)[0].get<std::string>(), (*at)[1].get<std::string>(), (*at)[2].get<std::string>(), (*at)[3].get<std::string>(),
              static_cast<Condition>((*at)[4].get<unsigned>())};
    // Two devices of one name are broken, or somebody's recording is; the first is kept.
    if (seen.emplace(fact.subject, fact.name).second) into.facts.push_back(std::move(fact));
  }
  if (const auto at = json.find("remark"); at != json.end())
    into.remarks.push_back({(*at)[0].get<std::string>(), (*at)[1].get<std::string>(),
                            static_cast<Severity>((*at)[2].get<unsigned>()), (*at)[3].get<std::string>(),
                            (*at)[4].get<std::string>(), (*at)[5].get<std::string>(), (*at)[6].get<std::string>(),
                            static_cast<Area>((*at)[7].get<unsigned>())});
  if (const auto at = json.find("fingerprint"); at != json.end()) into.fingerprint = at->get<std::string>();
}

// Its work throws nothing out of the other process.
void run_source(const SourceRow& source, const ReadOptions& options, Teller& teller) {
  teller.doing(fmt::format("the reading of {}", source.name));
  Sheet sheet(teller, options.root.empty() ? std::filesystem::path("/") : options.root);
  try {
    source.read(options, sheet);
  } catch (const std::exception& error) { sheet.unread(source.name, "reading", error.what()); }
}

std::string model_of(const HostFacts& facts) {
  std::string model;
  for (const char* name : {"maker", "product", "processor"})
    if (const std::string* value = value_of(facts, "", name); value != nullptr && *value != "Unknown" && *value != "unknown")
      model += (model.empty() ? "" : ", ") + *value;
  return model;
}

std::optional<std::uint64_t> count_of(const Fact& fact) {
  Scan scan(fact.value);
  const auto count = fact.unread.empty() ? scan.number() : std::nullopt;
  return scan.done() ? count : std::nullopt;
}

}  // namespace

HostFacts read_facts(const ReadOptions& options) {
  HostFacts facts;
  facts.host = options.host;
  if (facts.host.empty())
    facts.host = sysfs_line((options.root.empty() ? std::filesystem::path("/") : options.root) / "proc/sys/kernel/hostname");
  std::set<std::pair<std::string, std::string>> seen;
  const auto end = Clock::now() + options.all;
  for (const SourceRow& source : sources) {
    if (options.extent == Extent::counters && !source.counts) continue;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left <= std::chrono::milliseconds::zero()) {
      facts.facts.push_back({source.name, "reading", "",
                             fmt::format("it was not begun: the {:.3g} s for all readings were over",
                                         static_cast<double>(options.all.count()) / 1e3)});
      continue;
    }
    const Heard heard =
        run_apart([&](Teller& teller) { run_source(source, options, teller); }, {std::min(options.patience, left), left});
    Lines lines(heard.lines);
    while (lines.next()) take(lines.line(), facts, seen);
    if (!heard.fault.empty()) facts.facts.push_back({source.name, "reading", "", heard.fault});
  }
  facts.model = model_of(facts);
  return facts;
}

std::vector<Growth> grown(const HostFacts& before, const HostFacts& after) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> counts;
  for (const Fact& fact : before.facts)
    if (const auto count = count_of(fact)) counts[{fact.subject, fact.name}] = *count;
  std::vector<Growth> all;
  for (const Fact& fact : after.facts) {
    const FactRow* const row = row_of(fact.name);
    const auto count = count_of(fact);
    const auto was = counts.find({fact.subject, fact.name});
    if (row == nullptr || row->use != Use::counter || !count || was == counts.end()) continue;
    const bool reset = *count < was->second;
    if (*count > was->second || (reset && *count > 0)) all.push_back({fact.subject, fact.name, was->second, *count, reset});
  }
  return all;
}

}  // namespace railgauge::topo::preflight
