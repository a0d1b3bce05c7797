// Where `railgauge workload` takes its step from: a model by its name, or traces.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/models/models.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct WorkloadSource {
  // For so many ranks; nothing: as many as it has by itself. `only_rank`: the list of this rank is enough. Ranks of which no
  // trace was given have none.
  std::function<Workload(std::optional<int> ranks, std::optional<int> only_rank)> make;
};

// The names of the models.
[[nodiscard]] std::vector<std::string> model_names();

// Throws Error(usage) for words that name neither a model nor traces, and for options of models beside traces. Traces are read
// when the workload is first made.
[[nodiscard]] WorkloadSource workload_source(const std::vector<std::string>& words, const models::Options& options);

}  // namespace railgauge
