#include "tests/traces/made.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "bench/workload/read/read.hpp"

namespace railgauge::test {

Workload drawn_workload(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  const auto below = [&](std::uint64_t most) { return static_cast<int>(draw() % most); };
  Workload workload;
  workload.name = "drawn";
  workload.ranks = 1 + below(6);
  workload.steps = 1 + below(3);
  workload.items_per_step = 0.5 * workload.steps;
  workload.item = "image";
  workload.nodes.resize(static_cast<std::size_t>(workload.ranks));
  std::vector<int> all;
  for (int rank = 0; rank < workload.ranks; ++rank) all.push_back(rank);
  workload.groups.push_back({"all", "data", all});
  if (workload.ranks > 2) {
    std::reverse(all.begin(), all.end());
    all.pop_back();
    workload.groups.push_back({"some, reversed", "", all});
  }
  const auto add = [&](int rank, WorkNode node) {
    std::vector<WorkNode>& nodes = workload.nodes[static_cast<std::size_t>(rank)];
    for (std::uint32_t before = 0; before < nodes.size(); ++before)
      if (below(4) == 0) node.after.push_back(before);
    if (below(2) == 0) node.start = Seconds(static_cast<double>(below(1000)) * 1.1e-7);
    nodes.push_back(std::move(node));
  };
  for (int call = 0; call < 12; ++call) {
    for (int rank = 0; rank < workload.ranks; ++rank) {
      WorkNode compute;
      compute.work = below(3) == 0 ? WorkKind::marker : WorkKind::compute;
      compute.name = fmt::format("layer {}", call);
      if (compute.work == WorkKind::compute) compute.duration = Seconds(static_cast<double>(below(1 << 20)) * 3.3e-9);
      if (compute.work == WorkKind::compute && below(2) == 0) compute.flops = 1e9 * below(1000);
      add(rank, compute);
    }
    WorkNode node;
    node.group = below(workload.groups.size());
    const std::vector<int>& ranks = workload.groups[static_cast<std::size_t>(node.group)].ranks;
    node.name = fmt::format("call {}", call);
    node.reason = below(2) == 0 ? "" : "L(12h^2 + 13h), arXiv 2104.04473";
    node.stream = 1 + below(3);
    node.type = types()[static_cast<std::size_t>(below(types().size()))].type;
    constexpr Collective some[] = {Collective::all_reduce,     Collective::reduce,     Collective::all_gather,
                                   Collective::gather,         Collective::scatter,    Collective::broadcast,
                                   Collective::reduce_scatter, Collective::all_to_all, Collective::barrier,
                                   Collective::all_to_all_v};
    const bool message = ranks.size() > 1 && below(4) == 0;
    if (message) {
      node.work = WorkKind::send;
      node.collective = Collective::send_receive;
      node.elements = draw() % 100'000;
      node.tag = below(3);
      const int from = below(ranks.size()), to = (from + 1) % static_cast<int>(ranks.size());
      node.peer = to;
      add(ranks[static_cast<std::size_t>(from)], node);
      node.work = WorkKind::receive;
      node.peer = from;
      add(ranks[static_cast<std::size_t>(to)], node);
      continue;
    }
    node.work = WorkKind::collective;
    node.collective = some[below(std::size(some))];
    if (row(node.collective).reduces) node.op = ops()[static_cast<std::size_t>(below(ops().size()))].op;
    if (row(node.collective).rooted) node.root = below(ranks.size());
    if (node.collective != Collective::barrier) node.elements = draw() % 100'000 * ranks.size();
    std::vector<std::vector<std::uint64_t>> counts(ranks.size(), std::vector<std::uint64_t>(ranks.size()));
    for (auto& from : counts)
      for (std::uint64_t& count : from) count = draw() % 3 == 0 ? 0 : draw() % 5000;
    for (std::size_t position = 0; position < ranks.size(); ++position) {
      if (node.collective == Collective::all_to_all_v) {
        node.send_counts = counts[position];
        node.receive_counts.clear();
        for (const auto& from : counts) node.receive_counts.push_back(from[position]);
        node.elements = 0;
        for (const std::uint64_t count : node.send_counts) node.elements += count;
      }
      add(ranks[position], node);
    }
  }
  // Times of a trace count from its beginning.
  for (std::vector<WorkNode>& nodes : workload.nodes) nodes.front().start = Seconds(0);
  return workload;
}

std::vector<std::string> calls_of(const Workload& workload, int rank) {
  std::vector<std::string> calls;
  for (const WorkNode& node : workload.nodes.at(static_cast<std::size_t>(rank))) {
    if (!node.communicates()) continue;
    const ProcessGroup& group = workload.groups.at(static_cast<std::size_t>(node.group));
    const std::string size = fmt::format("{} {}", node.elements, name(node.type));
    if (node.work == WorkKind::collective)
      calls.push_back(
          fmt::format("{} {}{}", name(node.collective), size, row(node.collective).rooted ? fmt::format(" {}", node.root) : ""));
    else
      calls.push_back(fmt::format("{} {} {} {}", node.work == WorkKind::send ? "send" : "receive", size,
                                  node.work == WorkKind::send ? "to" : "from",
                                  group.ranks.at(static_cast<std::size_t>(node.peer))));
  }
  return calls;
}

std::string refusal_of(const std::string& bytes, const std::string& origin) {
  try {
    (void)read_workload_bytes(bytes, origin);
    return {};
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) return std::string("another fault: ") + error.what();
    return error.what();
  }
}

std::string gzipped(const std::string& bytes) {
  std::string packed(bytes.size() + 65536, '\0');
  std::size_t used = 0;
  archive* const out = archive_write_new();
  archive_write_add_filter_gzip(out);
  archive_write_set_format_raw(out);
  archive_write_open_memory(out, packed.data(), packed.size(), &used);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(out, entry);
  archive_write_data(out, bytes.data(), bytes.size());
  archive_entry_free(entry);
  archive_write_free(out);
  packed.resize(used);
  return packed;
}

}  // namespace railgauge::test
