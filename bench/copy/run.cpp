// Measures cell after cell, and hands each to the writers.
#include "bench/copy/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "bench/copy/expected.hpp"
#include "bench/copy/measure.hpp"
#include "bench/device/host/available.hpp"
#include "bench/group/expected.hpp"
#include "bench/group/host.hpp"
#include "bench/launch/detect.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/ranks/interrupt.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/run/outputs.hpp"
#include "bench/session/session.hpp"
#include "topo/fingerprint.hpp"
#include "topo/read/request.hpp"

namespace railgauge {
namespace {

constexpr Seconds call_deadline{60};

// Processes beside each other would share what each is to measure alone.
void refuse_several(const Invocation& invocation) {
  const Launch launch = detect_launch(environment_of(invocation));
  if (launch.kind != Launch::Kind::alone && launch.ranks != 1)
    throw Error(Fault::usage,
                fmt::format("bench copy is one process, which drives all devices of its machine, and {} started {}: "
                            "start one on each machine",
                            launch.launcher, launch.ranks > 1 ? fmt::format("{}", launch.ranks) : std::string("several")));
}

void check_memory(const std::vector<CopyMatrix>& matrices, const CopyPlaces& found) {
  const std::uint64_t needed = host_bytes_needed(matrices, found);
  const std::uint64_t available = host::available_memory();
  if (needed > available)
    throw Error(Fault::usage,
                fmt::format("a copy would need {:.1f} GiB of the host's memory, and {:.1f} GiB are free: choose smaller --bytes",
                            static_cast<double>(needed) / (1 << 30), static_cast<double>(available) / (1 << 30)));
}

bool any_device(const CopyPlaces& found, const std::vector<CopyMatrix>& matrices) {
  for (const CopyMatrix& matrix : matrices)
    for (const CopyCell& cell : matrix.cells)
      if (!found.places[cell.from].host() || !found.places[cell.to].host()) return true;
  return false;
}

// What the links carry, or nothing with a line in `notes` that says why.
std::optional<topo::Graph> read_topology(const CopyRun& run, std::vector<std::string>& notes) {
  try {
    return topo::graph_of_files(run.topology);
  } catch (const Error& error) {
    if (!run.topology.empty()) throw;
    notes.push_back(fmt::format("expected: unknown, {}", error.what()));
    return std::nullopt;
  }
}

struct Job {
  const CopyRun& run;
  const CopyPlaces& found;
  const std::vector<CopyMatrix>& matrices;
  const std::optional<topo::Graph>& graph;
  std::string name, host;
  Outputs& outputs;
};

int measure_all(Group& group, const Job& job) {
  const auto begin = std::chrono::steady_clock::now();
  int code = 0;
  for (const CopyMatrix& matrix : job.matrices)
    for (const CopyCell& cell : matrix.cells) {
      Policy policy = job.run.policy;
      const bool fits = fit_budget(group, job.run.budget, std::chrono::steady_clock::now() - begin, policy);
      Result result = fits ? measure_copy(group, job.found, matrix, cell, policy)
                           : unmeasured_copy(job.found, matrix, cell, Status::skipped, budget_is_over);
      result.run = job.name;
      if (job.graph && result.point.path != "staged" && !matrix.chase)
        result.expected = expected_copy(*job.graph, job.host, job.found.places[cell.from], job.found.places[cell.to]);
      if (result.status == Status::wrong) code = static_cast<int>(Fault::wrong_data);
      job.outputs.add(result);
    }
  return code;
}

}  // namespace

int run_bench_copy(const CopyRun& run, const Invocation& invocation) {
  refuse_several(invocation);
  const CopyPlaces found = copy_places(invocation.plugin_folders);
  const std::vector<CopyMatrix> matrices = copy_matrices(run.copies, found);
  check_memory(matrices, found);
  const std::string host = describe_host().name;
  std::string names;
  for (const CopyPlace& place : found.places) names += (names.empty() ? "" : ", ") + place.memory.name;
  std::vector<std::string> notes{fmt::format("{} of {}", names, host)};
  notes.insert(notes.end(), found.missing.begin(), found.missing.end());
  std::optional<topo::Graph> graph;
  if (any_device(found, matrices))
    graph = read_topology(run, notes);
  else if (!run.topology.empty())
    notes.emplace_back("expected: unknown, what memory of the host carries stands in no topology");

  const std::string name = new_run_name();
  Outputs outputs(run.outputs, run.format, describe_terminal(STDOUT_FILENO, invocation.colour), name, matrices.size(),
                  std::move(notes),
                  {graph && run.topology.empty() ? topo::fingerprint_of(*graph) : topology_here(),
                   told_environment(invocation.environment),
                   {},
                   run.expect});
  int code = 0;
  std::exception_ptr failure;
  {
    const Interruption interruption([&] { keep_finished(&outputs); }, Seconds{0.0},
                                    [&](const std::string& sentence) { end_interrupted(&outputs, sentence); });
    const Job job{run, found, matrices, graph, name, host, outputs};
    failure = run_as_threads(1, call_deadline, [&](Group& group) { code = measure_all(group, job); }, host).front();
  }
  outputs.finish();
  if (failure) std::rethrow_exception(failure);
  code = more_severe(code, outputs.judge());
  if (run.strict && outputs.unconverged()) code = more_severe(code, static_cast<int>(Fault::inconclusive));
  return code;
}

}  // namespace railgauge
