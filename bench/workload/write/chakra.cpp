// One file a rank: a header, and a message a node.
#include "bench/workload/write/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "bench/workload/chakra/kinds.hpp"
#include "bench/workload/chakra/trace.pb.h"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// Of the header, whose readers take 2 MiB: beyond it a file lists the groups of its own rank.
constexpr std::size_t most_members = 100'000;

template <class Message>
chakra::Attribute& add(Message& message, std::string_view name) {
  chakra::Attribute* const made = message.add_attributes();
  made->set_name(std::string(name));
  return *made;
}
template <class Message>
void add_number(Message& message, std::string_view name, std::uint64_t value) {
  add(message, name).set_int64_value(static_cast<std::int64_t>(value));
}
template <class Message>
void add_text(Message& message, std::string_view name, std::string_view value) {
  add(message, name).set_text(std::string(value));
}
void add_list(chakra::Step& step, std::string_view name, const std::vector<std::uint64_t>& values) {
  chakra::Integers& list = *add(step, name).mutable_uint64_list();
  for (const std::uint64_t value : values) list.add_values(static_cast<std::int64_t>(value));
}

void append(std::string& file, const google::protobuf::MessageLite& message) {
  std::size_t length = message.ByteSizeLong();
  for (; length >= 128; length >>= 7) file.push_back(static_cast<char>((length & 127) | 128));
  file.push_back(static_cast<char>(length));
  if (!message.AppendToString(&file)) throw Error(Fault::usage, "a node of the workload does not fit into a message of Chakra");
}

std::uint64_t micros(Seconds time) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, time.count()) * 1e6)); }

Json groups_of(const Workload& workload, int rank) {
  std::size_t members = 0;
  for (const ProcessGroup& group : workload.groups) members += group.ranks.size();
  Json groups = Json::array();
  for (std::size_t g = 0; g < workload.groups.size(); ++g) {
    const ProcessGroup& group = workload.groups[g];
    if (members > most_members && std::find(group.ranks.begin(), group.ranks.end(), rank) == group.ranks.end()) continue;
    groups.push_back({{"pg_name", std::to_string(g)}, {"pg_desc", group.kind}, {"name", group.name}, {"ranks", group.ranks}});
  }
  return groups;
}

chakra::Header header_of(const Workload& workload, int rank) {
  chakra::Header header;
  header.set_version("0.0.4");
  add_text(header, "schema", chakra::own_schema);
  add_text(header, "name", workload.name);
  add_text(header, "source", workload.source);
  add_number(header, "rank", static_cast<std::uint64_t>(rank));
  add_number(header, "ranks", static_cast<std::uint64_t>(workload.ranks));
  add_number(header, "steps", static_cast<std::uint64_t>(workload.steps));
  add(header, "items_per_step").set_double_value(workload.items_per_step);
  add_text(header, "item", workload.item);
  add_text(header, "groups", groups_of(workload, rank).dump(-1, ' ', false, Json::error_handler_t::replace));
  return header;
}

void add_call(chakra::Step& step, const Workload& workload, const WorkNode& node) {
  const ProcessGroup& group = workload.groups[static_cast<std::size_t>(node.group)];
  add_number(step, "comm_size", node.bytes());
  add_text(step, "pg_name", std::to_string(node.group));
  add_text(step, "element_type", name(node.type));
  if (node.work == WorkKind::collective) {
    const auto number = chakra::number_of(node.collective);
    if (!number) throw Error(Fault::usage, fmt::format("Chakra has no collective {}", name(node.collective)));
    step.set_type(chakra::collective_node);
    add_number(step, "comm_type", static_cast<std::uint64_t>(*number));
    if (row(node.collective).rooted) add_number(step, "comm_root", static_cast<std::uint64_t>(node.root));
    if (node.op != Op::none) add_text(step, "reduction", name(node.op));
    if (node.collective == Collective::all_to_all_v) {
      add_list(step, "send_counts", node.send_counts);
      add_list(step, "receive_counts", node.receive_counts);
    }
    return;
  }
  const auto peer = static_cast<std::uint64_t>(group.ranks[static_cast<std::size_t>(node.peer)]);
  step.set_type(node.work == WorkKind::send ? chakra::send_node : chakra::receive_node);
  add_number(step, node.work == WorkKind::send ? "comm_dst" : "comm_src", peer);
  add_number(step, "comm_tag", static_cast<std::uint64_t>(node.tag));
}

chakra::Step step_of(const Workload& workload, const WorkNode& node, std::uint64_t id) {
  chakra::Step step;
  step.set_id(id);
  step.set_name(node.name);
  for (const std::uint32_t before : node.after) step.add_data_dependences(before);
  add(step, "is_cpu_op").set_bool_value(false);
  if (node.communicates()) {
    add_call(step, workload, node);
  } else {
    // A node that only joins others is a computation of no length: ASTRA-sim takes metadata for process groups.
    step.set_type(node.work == WorkKind::compute ? chakra::compute_node : 0);
    if (node.flops > 0) add_number(step, "num_ops", static_cast<std::uint64_t>(std::min(node.flops, 9e18)));
  }
  step.set_duration_micros(micros(node.duration));
  add_number(step, "stream", static_cast<std::uint64_t>(node.stream));
  if (!node.reason.empty()) add_text(step, "reason", node.reason);
  if (node.duration.count() != 0) add(step, "duration_seconds").set_double_value(node.duration.count());
  if (node.flops != 0) add(step, "flops").set_double_value(node.flops);
  if (node.start) {
    step.set_start_micros(micros(*node.start));
    add(step, "start_seconds").set_double_value(node.start->count());
  }
  return step;
}

}  // namespace

std::vector<std::string> write_chakra(const Workload& workload,
                                      const std::function<void(const std::string& suffix, std::string_view bytes)>& file) {
  std::set<std::string> unlike;
  for (int rank = 0; rank < workload.ranks; ++rank) {
    const std::vector<WorkNode>& nodes = workload.nodes[static_cast<std::size_t>(rank)];
    if (nodes.empty()) {
      unlike.insert("ranks without a trace have no file, and ASTRA-sim wants one for each");
      continue;
    }
    std::string bytes;
    append(bytes, header_of(workload, rank));
    std::uint64_t id = 0;
    for (const WorkNode& node : nodes) {
      append(bytes, step_of(workload, node, id++));
      if (node.work != WorkKind::collective) continue;
      if (!chakra::astra_runs(node.collective)) unlike.insert(fmt::format("ASTRA-sim does not run {}", name(node.collective)));
      if (node.collective == Collective::all_to_all_v)
        unlike.insert("ASTRA-sim takes uneven all-to-all for even ones of the same sum");
    }
    file(fmt::format(".{}.et", rank), bytes);
  }
  Json groups = Json::object();
  for (std::size_t g = 0; g < workload.groups.size(); ++g) groups[std::to_string(g)] = workload.groups[g].ranks;
  file(".groups.json", groups.dump());
  return {unlike.begin(), unlike.end()};
}

}  // namespace railgauge
