#include "bench/workload/models/fitted.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/workload/models/models.hpp"

namespace railgauge::models {

namespace {

const Model& model_of(const std::string& name) {
  const Model* const model = find_model(name);
  if (model != nullptr) return *model;
  std::string names;
  for (const Model& each : models()) names += (names.empty() ? "" : ", ") + std::string(each.name);
  throw Error(Fault::usage, fmt::format("there is no model '{}': choose from {}", name, names));
}

}  // namespace

void expect_model(const std::string& name) { (void)model_of(name); }

Workload fitted_workload(const std::string& name, int ranks, std::optional<int> only_rank) {
  Options options;
  options.ranks = ranks;
  options.only_rank = only_rank;
  return make_workload(model_of(name), options);
}

}  // namespace railgauge::models
