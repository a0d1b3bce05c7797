// What is wrong with one host by itself, whatever its equals say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "bench/validate/preflight/judge.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

constexpr std::uint64_t mebibyte = 1U << 20U, gibibyte = 1U << 30U;

std::uint64_t number_in(std::string_view text) {
  Scan scan(text);
  return scan.number().value_or(0);
}
std::uint64_t count_of(const HostFacts& facts, std::string_view name) {
  const std::string* const value = value_of(facts, "", name);
  return value == nullptr ? 0 : number_in(*value);
}
bool has_gpus(const HostFacts& facts) { return count_of(facts, "gpus") > 0; }
bool has_rdma(const HostFacts& facts) { return count_of(facts, "rdma devices") > 0; }
bool is(const HostFacts& facts, std::string_view name, std::string_view value) {
  const std::string* const found = value_of(facts, "", name);
  return found != nullptr && *found == value;
}
bool fewer_bytes(const Fact& fact, std::uint64_t than) {
  const auto bytes = bytes_of(fact.value);
  return bytes && *bytes < than;
}

// A fact of this name breaks the rule, and this is how it should be instead.
using Expected = std::optional<std::string>;

struct RuleRow {
  const char* fact;
  Severity severity;
  Expected (*breaks)(const HostFacts&, const Fact&);
  const char* why;
  const char* action;
};

Expected locked_memory(const HostFacts& facts, const Fact& fact) {
  if (!has_rdma(facts) || is(facts, "may lock memory", "yes") || !fewer_bytes(fact, gibibyte)) return std::nullopt;
  return "unlimited, or 1 GiB at least, where RDMA devices are";
}
Expected open_files(const HostFacts& /*facts*/, const Fact& fact) {
  const bool number = fact.value.find_first_not_of("0123456789") == std::string::npos;
  return number && number_in(fact.value) < 1024 ? Expected("1024 at least") : std::nullopt;
}
Expected shared_memory(const HostFacts& /*facts*/, const Fact& fact) {
  return fewer_bytes(fact, 512 * mebibyte) ? Expected("512 MiB at least") : std::nullopt;
}
Expected free_shared_memory(const HostFacts& facts, const Fact& fact) {
  const std::string* const size = value_of(facts, "", "shm size");
  // One that is small is told as such.
  const bool small = size != nullptr && bytes_of(*size).value_or(0) < 512 * mebibyte;
  return !small && fewer_bytes(fact, 128 * mebibyte) ? Expected("128 MiB at least") : std::nullopt;
}
Expected quota(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.value == "no limit" ? std::nullopt : Expected("no limit");
}
Expected numa_balancing(const HostFacts& facts, const Fact& fact) {
  return (has_gpus(facts) || has_rdma(facts)) && fact.value != "0" ? Expected("0") : std::nullopt;
}
Expected iommu(const HostFacts& facts, const Fact& fact) {
  const bool translates = fact.value.find("DMA") != std::string::npos;
  return translates && has_rdma(facts) && has_gpus(facts) ? Expected("identity, or off") : std::nullopt;
}
Expected governor(const HostFacts& facts, const Fact& fact) {
  // With these drivers the governor of that name lets clocks rise.
  const bool harmless = is(facts, "frequency driver", "intel_pstate") || is(facts, "frequency driver", "amd-pstate-epp");
  return fact.value.find("powersave") != std::string::npos && !harmless ? Expected("performance, or schedutil") : std::nullopt;
}
Expected clock_source(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.value == "hpet" || fact.value == "acpi_pm" || fact.value == "jiffies" ? Expected("tsc") : std::nullopt;
}
Expected peer_memory(const HostFacts& facts, const Fact& fact) {
  const bool neither = fact.value == "not loaded" && !is(facts, "dmabuf", "possible");
  return neither && has_gpus(facts) && has_rdma(facts) ? Expected("loaded, or dmabuf possible") : std::nullopt;
}
Expected yes(const HostFacts& /*facts*/, const Fact& fact) { return fact.value == "yes" ? Expected("no") : std::nullopt; }
Expected errors(const HostFacts& /*facts*/, const Fact& fact) { return number_in(fact.value) > 0 ? Expected("0") : std::nullopt; }
Expected off(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::off ? Expected("on") : std::nullopt;
}
Expected on(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::on ? Expected("off") : std::nullopt;
}
Expected shared_use(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.value == "prohibited" ? Expected("default") : std::nullopt;
}
Expected throttled_by_heat(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::throttled_by_heat ? Expected("nothing") : std::nullopt;
}
Expected throttled_by_power(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::throttled_by_power ? Expected("nothing before any work") : std::nullopt;
}

Expected broken(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::gpu_broken ? Expected("none") : std::nullopt;
}
Expected other_errors(const HostFacts& /*facts*/, const Fact& fact) {
  return fact.condition == Condition::gpu_error ? Expected("none") : std::nullopt;
}

Expected roce_gid(const HostFacts& facts, const Fact& fact) {
  const std::string* const layer = value_of(facts, fact.subject, "link layer");
  const bool ethernet = layer != nullptr && *layer == "Ethernet";
  return ethernet && fact.value.find("RoCE v2") == std::string::npos ? Expected("RoCE v2 among them") : std::nullopt;
}
Expected redirection(const HostFacts& facts, const Fact& fact) {
  return fact.condition == Condition::redirects && has_gpus(facts) ? Expected("redirects nothing") : std::nullopt;
}
// Each flap is two changes of the carrier; a boot takes a few by itself.
Expected flaps(const HostFacts& facts, const Fact& fact) {
  constexpr double a_day = 86'400;
  const double days = std::max(1.0, static_cast<double>(count_of(facts, "uptime")) / a_day);
  return value_of(facts, "", "uptime") != nullptr && static_cast<double>(number_in(fact.value)) / 2 / days >= 5
             ? Expected("fewer than 10 a day")
             : std::nullopt;
}
// Numbers and names of GPUs that a launcher granted, against those that there are.
Expected granted(const HostFacts& facts, const Fact& fact) {
  if (value_of(facts, "", "gpus") == nullptr) return std::nullopt;
  const std::uint64_t there = count_of(facts, "gpus");
  std::set<std::string_view> uuids;
  for (const Fact& each : facts.facts)
    if (each.name == "gpu uuid" && each.unread.empty()) uuids.insert(each.value);
  Scan words(fact.value);
  for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view list = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (name == "SLURM_GPUS_ON_NODE" && number_in(list) > there) return fmt::format("{} GPUs, as {}", number_in(list), word);
    if (name != "CUDA_VISIBLE_DEVICES") continue;
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      Scan digits(one);
      const auto number = digits.number();
      if (number && digits.done() && *number >= there) return fmt::format("a GPU {}, as {}", *number, word);
      // A part of a name is as good as all of it.
      const bool known = !one.starts_with("GPU-") ||
                         std::any_of(uuids.begin(), uuids.end(), [&](std::string_view uuid) { return uuid.starts_with(one); });
      if (!known) return fmt::format("a GPU {}, as CUDA_VISIBLE_DEVICES names it", one);
    }
  }
  return std::nullopt;
}

constexpr Severity fault = Severity::fault, warning = Severity::warning, note = Severity::note;

constexpr auto rows = std::to_array<RuleRow>({
    {"memlock", fault, locked_memory, "RDMA locks the memory that it sends from, and fails where it may not",
     "Raise memlock to unlimited: limits.conf, LimitMEMLOCK of slurmd, --ulimit memlock=-1 of a container"},
    {"nofile", warning, open_files, "each connection takes a file descriptor", "ulimit -n, or LimitNOFILE of the service"},
    {"shm size", warning, shared_memory, "ranks of one host exchange their data through /dev/shm",
     "Enlarge it: --shm-size of a container, or size= of the mount"},
    {"shm free", warning, free_shared_memory, "ranks of one host exchange their data through /dev/shm",
     "Delete in /dev/shm what ended jobs have left"},
    {"cgroup processors", warning, quota, "a quota stops ranks in the middle of a collective",
     "Run without a quota of processor time"},
    {"numa balancing", note, numa_balancing, "the kernel unmaps pages to learn who uses them, which delays GPUs and NICs",
     "sysctl kernel.numa_balancing=0"},
    {"iommu", warning, iommu, "each transfer between GPU and NIC is translated, and may not go straight", "Boot with iommu=pt"},
    {"governor", warning, governor, "processors that stay slow delay each message", "cpupower frequency-set -g performance"},
    {"clock source", warning, clock_source, "each reading of the clock takes microseconds",
     "Look in the kernel's log why tsc was given up"},
    {"nvidia_peermem", warning, peer_memory, "NICs do not reach GPU memory themselves, so all data is copied through the host",
     "modprobe nvidia_peermem, or install the open kernel modules of the GPU driver"},
    {"gpus granted", fault, granted, "ranks without a GPU of their own share one or fail",
     "Look for a GPU that is missing, and at what the launcher grants"},
    {"ecc uncorrected", fault, errors, "memory of this GPU has lost data since the driver was loaded",
     "Drain the host and reset the GPU; replace it when it comes again"},
    {"row remap failed", fault, yes, "the GPU has no spare rows left for broken memory", "Replace the GPU"},
    {"row remap pending", warning, yes, "broken memory is in use until the GPU is reset", "Drain the host and reset the GPU"},
    {"clocks held by", fault, throttled_by_heat, "the GPU is slowed down although nothing is running",
     "Look at cooling and power supply of this host"},
    {"clocks held by", warning, throttled_by_power, "the power limit throttles the GPU although nothing is running",
     "nvidia-smi -q -d POWER, and look who uses the GPU"},
    {"persistence", warning, off, "the driver starts anew for each job, which takes seconds and forgets settings",
     "nvidia-smi -pm 1, or nvidia-persistenced"},
    {"mig", warning, on, "parts of a divided GPU have no NVLink and no peers", "nvidia-smi -mig 0"},
    {"compute mode", fault, shared_use, "no rank may use this GPU", "nvidia-smi -c 0"},
    {"xid", fault, broken, "the driver reported an error after which a GPU must be reset or replaced",
     "Drain the host; look the number up in NVIDIA's list of Xid errors"},
    {"xid", note, other_errors, "the driver reported errors", "Look the number up in NVIDIA's list of Xid errors"},
    {"gid types", warning, roce_gid, "RDMA over Ethernet between hosts goes by a RoCE v2 GID",
     "Give the port's interface an IPv4 address"},
    {"acs", warning, redirection, "what GPUs and NICs below this bridge say to each other goes through the processor",
     "Disable ACS in the BIOS, or with setpci on this bridge"},
    {"carrier changes", warning, flaps, "the link goes down and comes back again and again",
     "Reseat or replace the cable; look at the switch port"},
    {"aer fatal", fault, errors, "this PCIe link has failed since boot", "Reseat the card and its riser"},
});

void read_at_all(const HostFacts& facts, const Fact& fact, std::vector<Difference>& into) {
  if (fact.name != "reading" || fact.unread.empty()) return;
  into.push_back({facts.host, fact.subject, "reading", fact.unread, "an answer within seconds", warning,
                  "a driver that does not answer now will not in a job either", "Look in the kernel's log of this host"});
}

}  // namespace

std::vector<Difference> rules(const HostFacts& facts) {
  std::vector<Difference> found;
  for (const Fact& fact : facts.facts) {
    read_at_all(facts, fact, found);
    if (!fact.unread.empty()) continue;
    for (const RuleRow& rule : rows)
      if (fact.name == rule.fact)
        if (const Expected expected = rule.breaks(facts, fact))
          found.push_back({facts.host, fact.subject, spoken(fact.name), fact.value, *expected, rule.severity, rule.why,
                           rule.action, area_of(*row_of(fact.name))});
  }
  for (const Remark& it : facts.remarks)
    found.push_back({facts.host, it.subject, it.rule, it.found, it.expected, it.severity, it.why, it.action, it.area});
  return found;
}

}  // namespace railgauge::topo::preflight
