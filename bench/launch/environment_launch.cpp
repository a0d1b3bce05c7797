// Reads complete sets of variables, and never mixes two of them.
#include "bench/launch/environment_launch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/error.hpp"
#include "bench/launch/control_tree.hpp"

namespace railgauge {
namespace {

constexpr int most_ranks = 1 << 20;

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// One set of variables, known by the first of them.
class Set {
 public:
  Set(const Environment& environment, std::string_view marker) : environment_(environment), marker_(marker) {}

  [[nodiscard]] std::string text(std::string_view name) const {
    if (const auto found = environment_(name); found && !found->empty()) return *found;
    throw Error(Fault::usage, fmt::format("{} is set and {} is not: ranks need both to meet", marker_, name));
  }
  // From `least` to `most`.
  [[nodiscard]] int number(std::string_view name, int least, int most) const { return checked(name, text(name), least, most); }
  [[nodiscard]] int number(std::string_view name, int least, int most, int otherwise) const {
    const auto found = environment_(name);
    return found ? checked(name, *found, least, most) : otherwise;
  }
  [[nodiscard]] std::optional<Candidate> listener() const {
    const auto found = environment_("RAILGAUGE_RENDEZVOUS");
    if (!found) return std::nullopt;
    if (auto candidate = parse_candidate(*found)) return candidate;
    throw Error(Fault::usage, fmt::format("RAILGAUGE_RENDEZVOUS={}: expected HOST:PORT, where rank 0 is awaited", *found));
  }

 private:
  [[nodiscard]] static int checked(std::string_view name, const std::string& text, int least, int most) {
    const auto value = whole(text);
    if (value && *value >= least && *value <= most) return *value;
    throw Error(Fault::usage, fmt::format("{}={}: expected a number from {} to {}", name, text.substr(0, 100), least, most));
  }

  const Environment& environment_;
  std::string_view marker_;
};

// "2(x3)" is three nodes of 2; returns tasks and nodes.
std::optional<std::pair<int, int>> repeated(std::string_view part) {
  const std::size_t bracket = part.find("(x");
  const auto tasks = whole(part.substr(0, bracket));
  if (!tasks) return std::nullopt;
  if (bracket == std::string_view::npos) return std::pair(*tasks, 1);
  if (part.back() != ')') return std::nullopt;
  const auto times = whole(part.substr(bracket + 2, part.size() - bracket - 3));
  return times && *times > 0 ? std::optional(std::pair(*tasks, *times)) : std::nullopt;
}

}  // namespace

std::optional<std::string> first_host(std::string_view list) {
  const std::size_t bracket = list.find_first_of("[,");
  const std::string_view name = list.substr(0, bracket);
  if (name.find_first_of("] \t\n") != std::string_view::npos) return std::nullopt;
  if (bracket == std::string_view::npos || list[bracket] == ',')
    return name.empty() ? std::nullopt : std::optional(std::string(name));
  const std::size_t close = list.find(']', bracket);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view ranges = list.substr(bracket + 1, close - bracket - 1);
  const std::string_view number = ranges.substr(0, ranges.find_first_of(",-"));
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  // What follows the bracket, up to a comma, may be a name's tail or another bracket: "rack[1-2]node[3-4]".
  const std::string_view rest = list.substr(close + 1);
  if (rest.empty() || rest.front() == ',') return fmt::format("{}{}", name, number);
  const auto tail = first_host(rest);
  return tail ? std::optional(fmt::format("{}{}{}", name, number, *tail)) : std::nullopt;
}

std::optional<int> tasks_of_node(std::string_view list, int node) {
  while (!list.empty() && node >= 0) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto part = repeated(list.substr(0, comma));
    if (!part) return std::nullopt;
    if (node < part->second) return part->first;
    node -= part->second;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return std::nullopt;
}

std::optional<wire::Token> token_of(const Environment& environment) {
  const auto text = environment("RAILGAUGE_TOKEN");
  if (!text) return std::nullopt;
  // Its value is nobody else's: it is not repeated.
  if (auto token = parse_token(*text)) return token;
  throw Error(Fault::usage, fmt::format("RAILGAUGE_TOKEN has {} characters: expected 32 hexadecimal digits, for example of "
                                        "'openssl rand -hex 16', the same for all ranks",
                                        text->size()));
}

Seconds rendezvous_deadline(const Environment& environment) {
  constexpr std::string_view name = "RAILGAUGE_RENDEZVOUS_TIMEOUT";
  const auto text = environment(name);
  if (!text) return Deadlines{}.rendezvous;
  constexpr int most = 86'400;
  const auto value = whole(*text);
  if (value && *value >= 1 && *value <= most) return Seconds(*value);
  throw Error(Fault::usage, fmt::format("{}={}: expected a number of seconds from 1 to {}", name, text->substr(0, 100), most));
}

std::optional<EnvironmentLaunch> railgauge_launch(const Environment& environment) {
  constexpr std::string_view marker = "RAILGAUGE_RANKS";
  if (!environment(marker)) return std::nullopt;
  const Set set(environment, marker);
  EnvironmentLaunch told{std::string(marker), {}, {}};
  Placement& place = told.placement;
  place.size = set.number(marker, 1, most_ranks);
  place.rank = set.number("RAILGAUGE_RANK", 0, place.size - 1);
  place.local_size = set.number("RAILGAUGE_LOCAL_RANKS", 1, place.size, 1);
  place.local_rank = set.number("RAILGAUGE_LOCAL_RANK", 0, place.local_size - 1, 0);
  place.node = environment("RAILGAUGE_NODE").value_or(host_name());
  (void)set.text("RAILGAUGE_RENDEZVOUS");
  told.root = *set.listener();
  return told;
}

std::optional<EnvironmentLaunch> torchrun_launch(const Environment& environment) {
  constexpr std::string_view marker = "LOCAL_WORLD_SIZE";
  if (!environment(marker)) return std::nullopt;
  const Set set(environment, marker);
  EnvironmentLaunch told{"torchrun", {}, {}};
  Placement& place = told.placement;
  place.size = set.number("WORLD_SIZE", 1, most_ranks);
  place.rank = set.number("RANK", 0, place.size - 1);
  place.local_size = set.number(marker, 1, place.size);
  place.local_rank = set.number("LOCAL_RANK", 0, place.local_size - 1);
  // An agent is a node: several of them may share a host's name, and then share nothing else.
  place.node = host_name();
  if (environment("GROUP_RANK")) place.node += fmt::format(".{}", set.number("GROUP_RANK", 0, most_ranks));
  const auto listener = set.listener();
  told.root = listener ? *listener
                       : Candidate{set.text("MASTER_ADDR"), static_cast<std::uint16_t>(set.number("MASTER_PORT", 1, 65534) + 1)};
  return told;
}

std::optional<LocalPlace> local_in_step(const Environment& environment) {
  const auto tasks = environment("SLURM_STEP_TASKS_PER_NODE"), node = environment("SLURM_NODEID"),
             local = environment("SLURM_LOCALID");
  if (!tasks || !node || !local) return std::nullopt;
  const auto index = whole(*node), rank = whole(*local);
  const auto size = index ? tasks_of_node(*tasks, *index) : std::nullopt;
  if (!rank || !size || *rank < 0 || *rank >= *size) return std::nullopt;
  return LocalPlace{*rank, *size};
}

std::optional<EnvironmentLaunch> slurm_launch(const Environment& environment) {
  constexpr std::string_view marker = "SLURM_PROCID";
  if (!environment(marker)) return std::nullopt;
  const Set set(environment, marker);
  EnvironmentLaunch told{"srun", {}, {}};
  Placement& place = told.placement;
  place.size = set.number(environment("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS", 1, most_ranks);
  place.rank = set.number(marker, 0, place.size - 1);
  place.node = set.text("SLURMD_NODENAME");
  const std::string tasks = set.text("SLURM_STEP_TASKS_PER_NODE");
  (void)set.number("SLURM_NODEID", 0, most_ranks);
  (void)set.number("SLURM_LOCALID", 0, place.size - 1);
  const auto local = local_in_step(environment);
  if (!local || local->size > place.size)
    throw Error(Fault::usage, fmt::format("SLURM_STEP_TASKS_PER_NODE={}: expected a list such as 2(x3),1 that has this node and "
                                          "task",
                                          tasks));
  place.local_size = local->size;
  place.local_rank = local->rank;
  if (const auto listener = set.listener()) {
    told.root = *listener;
    return told;
  }
  const std::string nodes = set.text("SLURM_STEP_NODELIST");
  const auto first = first_host(nodes);
  if (!first)
    throw Error(Fault::usage, fmt::format("SLURM_STEP_NODELIST={}: expected a list of hosts such as gpu[003-007]", nodes));
  constexpr int any = std::numeric_limits<int>::max();
  const int job = set.number("SLURM_JOB_ID", 0, any), step = set.number("SLURM_STEP_ID", 0, any);
  told.root = {*first, static_cast<std::uint16_t>(20'000 + (16LL * job + step) % 10'000)};
  return told;
}

std::optional<NodeLaunch> node_launch_of(const Environment& environment) {
  constexpr std::string_view marker = "RAILGAUGE_NODES";
  if (!environment(marker) || environment("RAILGAUGE_RANK")) return std::nullopt;
  const Set set(environment, marker);
  NodeLaunch node_launch;
  node_launch.nodes = set.number(marker, 1, most_ranks);
  const std::string_view index = environment("RAILGAUGE_NODE_INDEX") ? "RAILGAUGE_NODE_INDEX" : "JOB_COMPLETION_INDEX";
  if (!environment(index))
    throw Error(
        Fault::usage,
        "RAILGAUGE_NODES is set and RAILGAUGE_NODE_INDEX is not, nor JOB_COMPLETION_INDEX, as an Indexed Job of Kubernetes "
        "would: which of the nodes is this?");
  node_launch.index = set.number(index, 0, node_launch.nodes - 1);
  node_launch.local = set.number("RAILGAUGE_LOCAL_RANKS", 1, most_ranks / node_launch.nodes);
  return node_launch;
}

}  // namespace railgauge
