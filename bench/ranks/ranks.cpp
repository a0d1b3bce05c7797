// The defaults and the clearing up behind bench/ranks/ranks.hpp.
#include "bench/ranks/ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <span>
#include <thread>

#include "bench/launch/local.hpp"
#include "bench/launch/shape.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {

std::string new_run_name() {
  std::array<char, 32> time{};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::array<char, 16> random{};
  std::snprintf(random.data(), random.size(), "-%08x", std::random_device{}());
  return std::string(time.data()) + random.data();
}

std::string default_transport(bool one_host) { return one_host ? "shm" : "ucx"; }

int run_rank(const Placement& placement, const std::string& arguments, const std::string& root_address, RootListener* own,
             const RankReport& report, const std::function<int(ControlTree&)>& work, Seconds rendezvous) {
  std::unique_ptr<ControlTree> tree;
  try {
    bind_rank(placement.local_rank, placement.local_size);
    tree = join({placement.rank, placement.size, placement.node, arguments}, root_address, {rendezvous}, own);
    return work(*tree);
  } catch (const Error& error) {
    const std::string cause = tree ? cause_of(*tree, error).sentence : error.what();
    report.tell(placement.rank, cause);
    if (tree) tree->announce(cause);
    return static_cast<int>(error.fault());
  }
}

namespace {

// Launchers that end all ranks when one ends badly have done so by then, on hosts with much to do too.
constexpr std::chrono::seconds until_standing_in{5};

// The ranks of the first node, which would have spoken, may all be gone with the lost one, if that lies between this rank and
// rank 0 in the tree: the first rank of the other nodes then speaks, if its launcher has not ended it meanwhile.
bool stands_in_for_first_node(const ControlTree& tree, const Cause& cause) {
  const std::vector<std::string>& nodes = tree.nodes();
  if (!cause.lost_rank || nodes[static_cast<std::size_t>(*cause.lost_rank)] != nodes.front()) return false;
  bool cut_off = false;
  for (int rank = tree.rank(); rank != 0 && !cut_off;) {
    rank = shape::parent(rank);
    cut_off = rank == *cause.lost_rank;
  }
  const auto other = std::find_if(nodes.begin(), nodes.end(), [&](const std::string& node) { return node != nodes.front(); });
  return cut_off && other - nodes.begin() == tree.rank();
}

}  // namespace

int end_launched(ControlTree& tree, const Error& error, const std::function<void()>& clear_up) {
  const Cause cause = cause_of(tree, error);
  const int code = static_cast<int>(error.fault());
  tree.announce(cause.sentence);
  clear_up();
  const bool speaks = tree.rank() == 0 || error.fault() != Fault::lost || (tree.rank() == 1 && cause.lost_rank == 0);
  if (!speaks) {
    if (!stands_in_for_first_node(tree, cause)) return exit_after_reporter(code);
    std::this_thread::sleep_for(until_standing_in);
  }
  std::fprintf(stderr, "railgauge: %s\n", cause.sentence.c_str());
  return code;
}

int end_refused(const Refused& refused) {
  const int code = static_cast<int>(refused.fault());
  if (!refused.stands_in()) return exit_after_reporter(code);
  std::this_thread::sleep_for(until_standing_in);
  std::fprintf(stderr, "railgauge: %s\n", refused.what());
  return code;
}

bool agreed(Group& group, const std::function<void()>& step) {
  std::string problem;
  std::exception_ptr error;
  try {
    step();
  } catch (const Error& found) {
    problem = found.what();
    error = std::current_exception();
  }
  const auto text = std::as_bytes(std::span(problem));
  const Blob mine(text.begin(), text.end());
  const std::vector<Blob> all = group.allgather(mine);
  const auto first = std::find_if(all.begin(), all.end(), [](const Blob& blob) { return !blob.empty(); });
  if (first == all.end()) return true;
  if (error && first - all.begin() == group.rank()) std::rethrow_exception(error);
  return false;
}

void warn_of_oversubscription(const std::vector<OversubscribedHost>& hosts) {
  if (hosts.empty()) return;
  const OversubscribedHost& worst = *std::max_element(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) {
    return static_cast<double>(a.ranks) * b.cores < static_cast<double>(b.ranks) * a.cores;
  });
  const std::string others =
      hosts.size() == 1 ? std::string() : fmt::format(", and {} like it", plural(hosts.size() - 1, "host"));
  fmt::print(
      stderr,
      "railgauge: oversubscribed: {} ranks on {} of {}{}: ranks wait for a core, and times tell more of that than of links\n",
      worst.ranks, plural(static_cast<std::size_t>(worst.cores), "core"), worst.name, others);
}

int exit_after_reporter(int code) {
  constexpr std::chrono::seconds patience{2};
  std::this_thread::sleep_for(patience);
  return code;
}

void remove_leftovers(const ChosenTransport& transport, std::chrono::system_clock::time_point since) {
  for (const ChosenTransport::ConfiguredTransport& part : transport.parts)
    if (const auto remove = part.known->table->remove_leftovers) remove(since);
}

}  // namespace railgauge
