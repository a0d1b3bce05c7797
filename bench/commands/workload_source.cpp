// Tells models from traces; bench/commands/workload_source.hpp.
#include "bench/commands/workload_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "bench/options/nearest.hpp"
#include "bench/options/values.hpp"
#include "bench/workload/read/read.hpp"
#include "bench/workload/subset.hpp"

namespace railgauge {
namespace {

// A file, a folder, or the NAME of files NAME.0.et, NAME.1.et, ...
bool is_trace(const std::string& word) {
  std::error_code error;
  return std::filesystem::exists(word, error) || std::filesystem::exists(word + ".0.et", error);
}

Workload read_traces(const std::vector<std::string>& paths, std::optional<int> ranks) {
  Workload workload = read_workload(paths, ranks.value_or(0));
  if (workload.steps > 1)
    workload.notes.push_back(fmt::format("the traces hold {} training steps: a step here is all of them", workload.steps));
  return ranks && *ranks < workload.ranks ? subset(workload, *ranks) : workload;
}

WorkloadSource source_of_model(const models::Model& model, const models::Options& options) {
  return {[&model, options](std::optional<int> ranks, std::optional<int> only_rank) {
    models::Options its = options;
    its.ranks = ranks;
    its.only_rank = only_rank;
    return models::make_workload(model, its);
  }};
}

WorkloadSource source_of_traces(const std::vector<std::string>& paths) {
  const auto known = std::make_shared<std::optional<std::pair<std::optional<int>, Workload>>>();  // by the ranks asked for
  return {[paths, known](std::optional<int> ranks, std::optional<int>) {
    if (!*known || (*known)->first != ranks) known->emplace(ranks, read_traces(paths, ranks));
    return (*known)->second;
  }};
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const models::Model& model : models::models()) names.emplace_back(model.name);
  return names;
}

WorkloadSource workload_source(const std::vector<std::string>& words, const models::Options& options) {
  if (words.size() == 1)
    if (const models::Model* const model = models::find_model(words.front())) return source_of_model(*model, options);
  for (const std::string& word : words) {
    if (is_trace(word)) continue;
    if (models::find_model(word) != nullptr)
      throw Error(Fault::usage, fmt::format("{} is a model, which stands alone: expected one model, or traces", word));
    const std::vector<std::string> names = model_names();
    throw Error(Fault::usage, fmt::format("there is no workload {}: choose from {}, or name files of traces{}",
                                          options::typed(word), fmt::join(names, ", "), options::did_you_mean(word, names)));
  }
  models::Options sizes = options;
  sizes.ranks.reset();
  if (sizes != models::Options())
    throw Error(Fault::usage, "a trace has its own sizes: leave out all options of models but --ranks");
  return source_of_traces(words);
}

}  // namespace railgauge
