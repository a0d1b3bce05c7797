// A program for tests to start under real launchers: joins, gathers, and does to itself what its words say.
// program            prints "rank R of N, local L of M on NODE, sum S"
// program kill R     rank R kills itself after a barrier; the others print what they are told
// program fail R     rank R throws; the others print what they are told
// program differ     every rank gives other arguments
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/environment_launch.hpp"

using namespace railgauge;

namespace {

int run(const std::string& what, int victim) {
  const Environment environment = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const char* folder = std::getenv("RAILGAUGE_PLUGIN_PATH");
  const std::string arguments = what == "differ" ? environment("PMIX_RANK").value_or("none") : what;
  const Launched launched =
      join_launched(environment, {folder == nullptr ? "" : folder}, arguments, {rendezvous_deadline(environment), Seconds{60}});
  if (!launched.tree) {
    std::printf("alone\n");
    return 0;
  }
  ControlTree& tree = *launched.tree;
  try {
    const auto all = tree.allgather(Blob(static_cast<std::size_t>(tree.rank() + 1)));
    const std::size_t sum = std::accumulate(all.begin(), all.end(), std::size_t{0},
                                            [](std::size_t before, const Blob& blob) { return before + blob.size(); });
    tree.barrier();
    if (tree.rank() == victim && what == "kill") (void)std::raise(SIGKILL);
    if (tree.rank() == victim && what == "fail") throw Error(Fault::wrong_data, "element 7 is wrong");
    tree.barrier();
    const Placement& place = launched.placement;
    std::printf("rank %d of %d, local %d of %d on %s, sum %zu\n", tree.rank(), tree.size(), place.local_rank, place.local_size,
                tree.nodes()[static_cast<std::size_t>(tree.rank())].c_str(), sum);
    return 0;
  } catch (const Error& error) {
    tree.announce(error.what());
    std::fprintf(stderr, "told: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "", count > 2 ? std::atoi(words[2]) : -1);
  } catch (const Error& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
}
