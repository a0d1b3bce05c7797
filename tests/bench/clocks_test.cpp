// The clocks of ranks that are threads: they share one clock, and those that are made false by so much must be found so.
#include "bench/session/clocks.hpp"

#include <cmath>
#include <mutex>
#include <vector>

#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"
#include "transports/registry/registry.hpp"

using namespace railgauge;

namespace {

// Rank r's clock is r * 1000 seconds behind.
Seconds read_false_clock(void* rank) { return steady_clock().now() - Seconds(1000.0 * *static_cast<int*>(rank)); }

}  // namespace

TEST_CASE("clocks are read over a transport, within the error that is stated") {
  for (const int ranks : {2, 3, 5}) {
    std::mutex mutex;
    std::vector<std::vector<ClockLine>> lines;
    std::vector<double> moments;
    const auto errors = run_as_threads(ranks, Seconds(60), [&](Group& group) {
      int rank = group.rank();
      const std::vector<KnownTransport> known = known_transports({});
      const auto transport = find_transport(known, "memory").table->open({});
      const auto device = make_host_device();
      const auto endpoint = transport->connect(group, Place{});
      const Memory memory = device->allocate(4096, Sharing::own);
      endpoint->attach(memory.region());
      {
        Clocks clocks(group, *endpoint, *device, {}, Clock{read_false_clock, &rank}, true);
        clocks.read();
        clocks.read();
        const std::lock_guard guard(mutex);
        lines.push_back(clocks.lines());
        moments.push_back(read_false_clock(&rank).count() + 1000.0 * rank);
      }
      group.barrier();
    });
    for (const std::exception_ptr& error : errors) CHECK(error == nullptr);
    REQUIRE(lines.size() == static_cast<std::size_t>(ranks));
    for (std::size_t of = 0; of < lines.size(); ++of)
      for (int rank = 0; rank < ranks; ++rank) {
        // All ranks have the same table.
        const ClockLine& line = lines[of][static_cast<std::size_t>(rank)];
        const double theirs = moments[of] - 1000.0 * rank;
        INFO(ranks << " ranks, rank " << rank);
        CHECK(std::fabs(line.to_reference(theirs) - moments[of]) <= line.error_at(theirs) + 1e-9);
        CHECK((line.error_at(theirs) > 0) == (rank != 0));
      }
  }
}
