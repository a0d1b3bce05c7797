// From the options of nccl-tests to ranks, their session and what is printed.
#include "bench/nccl_tests/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "bench/device/host/available.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/host.hpp"
#include "bench/group/nodes.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/environment_launch.hpp"
#include "bench/launch/local.hpp"
#include "bench/nccl_tests/output.hpp"
#include "bench/ranks/node_launch.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/select/tuning.hpp"
#include "bench/session/session.hpp"

namespace railgauge::nccl_tests {
namespace {

constexpr std::uint64_t beyond_any_memory = std::uint64_t{1} << 47;

// What all ranks of this process do alike.
struct Job {
  const Options& options;
  const std::vector<KnownTransport>& known;
  SessionOptions session;
  int ranks = 1;           // of this process
  int first = 0, all = 1;  // its first rank, and the number of all
  std::string node, arguments;
  std::string tuning;  // the file that rank 0 chooses algorithms by
  bool rotate = true;  // RAILGAUGE_ROTATE
  // The ranks of its node: how many those of processes before this one are, and all.
  int local_first = 0, local_all = 1;
  Seconds rendezvous = Deadlines{}.rendezvous;
};

// Before ranks know each other, for what does not depend on the algorithm.
Choose any_choice() {
  static const Chooser nothing_measured;
  return choice_of(nothing_measured, {});
}

// By the name of a transport.
std::map<std::string, Settings> settings_of(const Options& options) {
  if (options.registration.empty()) return {};
  return {{"nccl", {{"buffers", options.registration}}}};
}

struct Teller {
  std::function<void(const Result&)> result;
  std::function<void(const Introduction&)> introduction;
};

// How much of its node's memory each rank may take, at least, a quarter being left to others; the same on all ranks. Fills
// `devices`, in the order of the ranks.
std::uint64_t introduce(Group& world, const Job& job, std::vector<Device>& devices) {
  const ChosenDevice& chosen = job.options.buffers.device;
  nlohmann::json mine{{"process", ::getpid()},         {"description", "host memory, " + describe_host().cpu},
                      {"memory", chosen.memory_name},  {"address", Device{}.address},
                      {"device", rank_of_node(world)}, {"available", host::available_memory()}};
  if (chosen.table != nullptr) {
    const std::string missing = chosen.table->missing();
    const std::vector<DeviceRow> rows = missing.empty() ? chosen.table->list() : std::vector<DeviceRow>();
    if (rows.empty())
      throw Error(Fault::usage, fmt::format("there is no GPU for rank {} on {}: {}", world.rank(),
                                            world.nodes()[static_cast<std::size_t>(world.rank())],
                                            missing.empty() ? "the driver lists none" : missing));
    const int number = number_of(chosen.wanted, rows, rank_of_node(world));
    const DeviceRow& own = rows.at(static_cast<std::size_t>(number));
    mine["device"] = number;
    mine["description"] = own.model;
    mine["address"] = own.address;
    // A tenth is left to what else needs it; what is checked is copied to the host's memory.
    mine["available"] = std::min<std::uint64_t>(host::available_memory(), own.bytes / 10 * 9);
  }
  std::map<std::string, int> numbers;
  std::map<std::string, std::uint64_t> available;
  std::string memory;
  for (const nlohmann::json& theirs : gather_json(world, mine)) {
    Device device;
    device.rank = static_cast<int>(devices.size());
    device.group = job.options.group_of ? job.options.group_of(device.rank / job.ranks) : 0;
    device.process = theirs.at("process").get<int>();
    const std::string& node = world.nodes()[devices.size()];
    device.host = node.substr(0, node.find('.'));
    ++numbers[node];
    device.number = theirs.at("device").get<int>();
    device.description = theirs.at("description").get<std::string>();
    device.address = theirs.at("address").get<std::string>();
    const auto its = theirs.at("memory").get<std::string>();
    if (memory.empty()) memory = its;
    if (its != memory)
      throw Error(Fault::usage,
                  fmt::format("rank 0 has {} memory and rank {} on {} has {}: say RAILGAUGE_MEMORY=host or cuda for all", memory,
                              device.rank, node, its));
    const auto bytes = theirs.at("available").get<std::uint64_t>();
    available[node] = available.contains(node) ? std::min(available[node], bytes) : bytes;
    devices.push_back(std::move(device));
  }
  for (auto& [node, bytes] : available) bytes = bytes / 4 * 3;
  std::uint64_t least = available.begin()->second / static_cast<std::uint64_t>(numbers.begin()->second);
  for (const auto& [node, bytes] : available) least = std::min(least, bytes / static_cast<std::uint64_t>(numbers[node]));
  return least;
}

// NCCL where there are GPUs and it is there.
ChosenTransport transport_of(const Job& job, int nodes) {
  if (!job.options.transport.empty()) return choose_transport(job.known, job.options.transport, settings_of(job.options));
  const auto is_there = [](const KnownTransport& one) { return one.name == "nccl" && one.reason.empty(); };
  if (job.options.buffers.device.table != nullptr && std::any_of(job.known.begin(), job.known.end(), is_there))
    return choose_transport(job.known, "nccl", settings_of(job.options));
  return choose_transport(job.known, default_transport(nodes == 1), {});
}

// Bytes of one buffer set of the rank that needs most, for the largest of the sizes.
std::uint64_t needed(Options options, std::uint64_t max_bytes, int ranks, int ranks_per_node) {
  options.min_bytes = options.max_bytes = max_bytes;
  options.root = std::max(0, options.root);
  std::uint64_t most = 0;
  options.algorithm.clear();
  for (const Point& point : points_of(options, ranks, ranks_per_node, any_choice())) {
    if (!point.refusal.empty()) continue;
    CollectiveSpec spec = point.spec;
    spec.shape.rank = spec.shape.root;
    most = std::max<std::uint64_t>(most, RankParts(spec).mine().set_bytes(spec.type));
  }
  return most;
}

Options fitted(Options options, std::uint64_t available, int ranks, int ranks_per_node) {
  const auto fits = [&] {
    return options.max_bytes < beyond_any_memory && needed(options, options.max_bytes, ranks, ranks_per_node) <= available;
  };
  while (options.max_bytes / 2 >= options.min_bytes && !fits()) options.max_bytes /= 2;
  return options;
}

// What -N repeats: the sizes of one type, operation and root, as there; everything at once where nothing is repeated.
std::vector<std::vector<Point>> sweeps_of(const std::vector<Point>& points, bool repeated) {
  if (!repeated) return {points};
  std::vector<std::vector<Point>> sweeps;
  for (const Point& point : points) {
    const auto same = [&](const CollectiveSpec& other) {
      return point.spec.type == other.type && point.spec.op == other.op && point.spec.shape.root == other.shape.root;
    };
    if (sweeps.empty() || !same(sweeps.back().front().spec)) sweeps.emplace_back();
    sweeps.back().push_back(point);
  }
  return sweeps;
}

int measure_as_rank(Group& world, const Job& job, const Teller& teller) {
  std::vector<Device> devices;
  const std::uint64_t available = introduce(world, job, devices);
  std::unique_ptr<Group> part;
  if (job.options.group_of) part = world.split(devices[static_cast<std::size_t>(world.rank())].group);
  Group& group = part ? *part : world;
  const int per_node = ranks_per_node_in_turn(group);
  const Options options = fitted(job.options, available, world.size(), ranks_per_node_in_turn(world));
  const int nodes = count_nodes(group);
  const ChosenTransport transport = transport_of(job, count_nodes(world));
  const ChosenDevice& device = job.options.buffers.device;
  const Machine machine{describe_host().cpu, device.table != nullptr ? devices.front().description : std::string()};
  const Figures figures =
      share_figures(world, world.rank() == 0 ? read_tuning(job.tuning, false) : std::string(), job.tuning, machine);
  const Situation situation{transport.name, nodes, figures.machine.cpu, device.memory_name, figures.machine.gpu};
  const std::vector<Point> points =
      points_of(options, group.size(), per_node, choice_of(figures.chooser, situation), transport.library());
  if (world.rank() == 0)
    teller.introduction({std::move(devices), options.max_bytes, transport.name,
                         is_native(options, transport.library())
                             ? fmt::format("{} {}", transport.name == "nccl" ? "NCCL" : transport.name,
                                           transport.parts.front().known->table->version)
                             : std::string()});
  SessionOptions session = job.session;
  if (job.rotate) session.fixed->rotation = options.max_bytes;
  int code = 0;
  for (const std::vector<Point>& sweep : sweeps_of(points, options.cycles != 1))
    for (std::uint64_t cycle = 0; options.cycles == 0 || cycle < options.cycles; ++cycle)
      code = more_severe(code, run_session(group, transport, sweep, session, [&](const Result& result) {
                           if (world.rank() == 0) teller.result(result);
                         }));
  return code;
}

int run_as_processes(const Job& job, const Slice* slice, Output* output) {
  RankReport report;
  const Teller teller{[&](const Result& result) { report.tell(result); },
                      [&](const Introduction& introduction) { report.tell(to_line(introduction)); }};
  const LocalBody body = [&](int rank, const std::string& root_address, RootListener* own) {
    return run_rank(
        {rank, job.all, job.local_first + rank - job.first, job.local_all, job.node}, job.arguments, root_address, own, report,
        [&](Group& world) { return measure_as_rank(world, job, teller); }, job.rendezvous);
  };
  LocalEvents events;
  events.descriptor = report.descriptor();
  events.readable = [&] {
    report.take({[&](const Result& result) {
                   if (output != nullptr) output->add(result);
                 },
                 [&](const std::string& text) {
                   if (output != nullptr) output->begin(read_introduction(text));
                 }});
  };
  events.explain = [&](int rank, int) { return report.sentence_of(rank); };
  const auto begin = std::chrono::system_clock::now();
  const int code = run_local(job.ranks, body, events, slice);
  if (code != 0 && code != static_cast<int>(Fault::wrong_data))
    for (const KnownTransport& transport : job.known)
      if (transport.table != nullptr) remove_leftovers({transport.name, {{&transport, {}}}}, begin);
  return code;
}

bool rotates(const std::string& said) {
  if (said == "yes" || said == "no") return said == "yes";
  throw Error(Fault::usage, "RAILGAUGE_ROTATE=" + said + " is in the environment: expected yes or no");
}

// Before ranks are started: what no algorithm can serve, and what is wrong with root and sizes.
void check(Options options, int ranks) {
  (void)sizes_of(options);
  if (options.group_of) return;  // how large a group is, its ranks find out
  options.max_bytes = options.min_bytes;
  if (options.algorithm == "native") options.algorithm.clear();  // what the library refuses its ranks find out
  for (const Point& point : points_of(options, ranks, 1, any_choice()))
    if (!point.refusal.empty()) throw NotImplemented(Fault::usage, fmt::format("{}: {}", options.program->name, point.refusal));
}

}  // namespace

Code code_of(int fault) noexcept {
  switch (static_cast<Fault>(fault)) {
    case Fault::usage:
      return Code::usage;
    case Fault::inconclusive:
      return Code::timeout;
    case Fault::lost:
      return Code::transport;
    case Fault::wrong_data:
      return Code::wrong_data;
    default:
      return fault == 0 ? Code::good : Code::internal;
  }
}

Code run(const Options& given, const Invocation& around) {
  Options options = given;
  Invocation invocation = around;
  // A pod is one process, and has the ranks of its node as any process has those of its GPUs.
  if (const std::optional<NodeLaunch> node_launch = node_launch_of(environment_of(around))) {
    if (options.threads * options.gpus == 1) options.gpus = node_launch->local;
    if (options.threads * options.gpus != node_launch->local)
      throw Error(Fault::usage,
                  fmt::format("-t {} -g {} are {} ranks of this process, and RAILGAUGE_LOCAL_RANKS={}: leave one out",
                              options.threads, options.gpus, options.threads * options.gpus, node_launch->local));
    invocation = rank_of_node_launch(invocation, {node_launch->nodes, node_launch->index, 1}, 0);
  }
  const std::vector<KnownTransport> known = known_transports(invocation.plugin_folders);
  const Environment environment = environment_of(invocation);
  const Seconds rendezvous = rendezvous_deadline(environment);
  Bootstrap bootstrap = make_bootstrap(environment, invocation.plugin_folders, rendezvous);
  Job job{options,
          known,
          {},
          options.threads * options.gpus,
          0,
          0,
          {},
          invocation.arguments,
          default_tuning_path(environment),
          rotates(environment("RAILGAUGE_ROTATE").value_or("yes"))};
  job.session.fixed = options.run;
  job.session.unaligned = options.unaligned;
  job.session.cores = allowed_cores();
  job.session.device = options.buffers.device;
  job.session.graph = options.graph != 0;
  job.session.run = new_run_name();
  const int process = bootstrap.launched ? bootstrap.placement.rank : 0;
  job.first = process * job.ranks;
  job.all = job.ranks * (bootstrap.launched ? bootstrap.placement.size : 1);
  job.node = bootstrap.launched ? bootstrap.placement.node : describe_host().name;
  job.rendezvous = rendezvous;
  job.local_first = bootstrap.launched ? bootstrap.placement.local_rank * job.ranks : 0;
  job.local_all = bootstrap.launched ? bootstrap.placement.local_size * job.ranks : job.ranks;

  std::unique_ptr<Output> output;
  try {
    check(options, job.all);
    if (process == 0) output = std::make_unique<Output>(options, invocation);
  } catch (const Error&) {
    if (process == 0) throw;
    return static_cast<Code>(exit_after_reporter(static_cast<int>(Code::usage)));
  }
  const Slice slice{job.first, bootstrap.address, bootstrap.own ? &*bootstrap.own : nullptr};
  const int code = run_as_processes(job, bootstrap.launched ? &slice : nullptr, output.get());
  const bool ended_early = code != 0 && code != static_cast<int>(Fault::wrong_data);
  if (output) {
    output->finish(ended_early ? std::vector<std::string>{"the run ended early: standard error says why"}
                               : std::vector<std::string>{});
    if (code == 0 && !output->enough()) return Code::wrong_data;
  }
  return code_of(code);
}

}  // namespace railgauge::nccl_tests
