// The defaults and the clearing up behind bench/ranks/ranks.hpp.
#include "bench/ranks/ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <thread>

#include "bench/launch/local.hpp"

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

int end_launched(ControlTree& tree, const Error& error, const std::function<void()>& clear_up) {
  const Cause cause = cause_of(tree, error);
  const int code = static_cast<int>(error.fault());
  tree.announce(cause.sentence);
  clear_up();
  const bool speaks = tree.rank() == 0 || error.fault() != Fault::lost || (tree.rank() == 1 && cause.lost_rank == 0);
  if (!speaks) return exit_after_reporter(code);
  std::fprintf(stderr, "railgauge: %s\n", cause.sentence.c_str());
  return code;
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
