// Plans of calls whose buffers their rank reads and writes between two runs, with no barrier there: as an application does.
#include "tests/plan/plan_cases.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace plan_cases;

constexpr int runs = 6;

// Each run has data of its own: what comes early or late is wrong. Ranks are ahead of each other by drawn times.
void run_touched(Group& group, const std::string& transport_name, const std::vector<Trial>& trials, std::mutex& mutex,
                 std::vector<std::string>& mistakes) {
  const auto transport = find_transport(known_transports({}), transport_name).table->open({});
  const auto device = make_host_device();
  const auto endpoint = transport->connect(group, Place{});
  const Memory memory = device->allocate(std::size_t{1} << 20, transport->abilities().shares ? Sharing::processes : Sharing::own);
  endpoint->attach(memory.region());
  MappedSequence sequence(1, static_cast<std::size_t>(group.size()));
  std::minstd_rand random(static_cast<std::uint32_t>(group.rank() + 1));
  for (const Trial& trial : trials) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    spec.touched_between = true;
    RankParts parts(spec);
    sequence.share_cores(trial.shares_cores);
    const std::unique_ptr<Compute> compute = device->compute(spec.type, spec.op);
    constexpr std::size_t offset = buffer_alignment;
    const std::size_t bytes = parts.mine().set_bytes(spec.type);
    if (offset + bytes > memory.region().bytes) throw std::length_error("the region is too small for " + describe(trial));
    std::byte* const buffers = memory.region().address + offset;
    const auto plan = trial.mapped ? make_mapped_plan(parts, *endpoint, *compute, sequence, 0, 0, offset)
                                   : make_plan(parts, *endpoint, *compute, buffers);
    const Layout& layout = parts.mine().layout;
    for (int run = 0; run < runs; ++run) {
      const std::uint64_t seed = trial.seed + static_cast<std::uint64_t>(run) * 7919;
      std::memset(buffers, 0xa5, bytes);
      const Values input = input_of(spec, seed, group.rank(), layout.sizes());
      if (layout.sizes().has_input && !input.empty())
        std::memcpy(buffers + layout.input().begin * sizeof(std::uint32_t), input.data(), input.size() * sizeof(std::uint32_t));
      for (auto pause = random() % 4; pause != 0; --pause) std::this_thread::yield();
      wait_for(*plan, group, trial);
      const Values expected = expected_output(spec, seed, parts.mine().schedule.blocks);
      if (expected.empty() ||
          std::memcmp(buffers + layout.output().begin * sizeof(std::uint32_t), expected.data(), expected.size() * 4) == 0)
        continue;
      const std::scoped_lock lock(mutex);
      mistakes.push_back("rank " + std::to_string(group.rank()) + " run " + std::to_string(run) + ": " + describe(trial));
    }
    group.barrier();
  }
}

void expect_right(int ranks, const std::string& transport, const std::vector<Trial>& trials) {
  std::vector<std::string> mistakes;
  std::mutex mutex;
  const auto thrown =
      run_as_threads(ranks, deadline, [&](Group& group) { run_touched(group, transport, trials, mutex, mistakes); });
  if (const auto cause = first_cause(thrown)) std::rethrow_exception(cause);
  std::string text;
  for (const std::string& mistake : mistakes) text += mistake + "\n";
  INFO(text);
  CHECK(mistakes.empty());
}

}  // namespace

TEST_CASE("every algorithm is right when buffers are used between its runs") {
  for (const bool mapped : {false, true})
    for (const int ranks : {2, 3, 8})
      for (const char* const transport : {"memory", "shm"})
        expect_right(ranks, transport, trials_for(ranks, mapped, {37, 1031}, 1));
}

}  // namespace railgauge
