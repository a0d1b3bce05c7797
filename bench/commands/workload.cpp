// railgauge workload: what a training step asks of the network, shown and run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "base/units.hpp"
#include "base/words.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/predict_options.hpp"
#include "bench/commands/settings.hpp"
#include "bench/commands/workload_predict.hpp"
#include "bench/commands/workload_source.hpp"
#include "bench/options/values.hpp"
#include "bench/workload/agree.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/run/run.hpp"
#include "bench/workload/scale.hpp"
#include "bench/workload/show/show.hpp"
#include "bench/workload/subset.hpp"
#include "bench/workload/write/chakra.hpp"

namespace railgauge {

AddCommand add_workload;

namespace {

constexpr const char* workload_examples =
    "Examples:\n"
    "  railgauge workload resnet50 --show                        the calls of a step, and their formulas\n"
    "  railgauge workload resnet50 --ranks 4 -o step.html        run it here; the page has figures and timeline\n"
    "  railgauge workload llama3-8b --ranks 8 --tensor 2 --pipeline 2 --data 2 --layers 4\n"
    "  railgauge workload rank-*.json                            the step of a trace, in a file for each rank\n"
    "  railgauge workload gpt3-175b --topology rail:hosts=128 --ranks 64,256,1024     predict it, and run nothing\n";

struct WorkloadOptions {
  std::vector<std::string> what;
  std::string gradients, computing = "pause", max_time = "5s", chakra, memory = "host";
  std::vector<std::string> gpus;
  std::vector<int> ranks;
  PredictOptions links;
  std::vector<std::string> algorithms, beside;
  std::vector<std::string> set;
  models::Options model;
  WorkloadRun run;
  bool show = false, calls = false;
  int rank = 0;
};

Workload scaled_as_asked(Workload workload, const WorkloadOptions& given) {
  const double factor = given.run.scale.value_or(1);
  if (factor == 1) return workload;
  workload.notes.push_back(fmt::format("scaled: bytes and computations times {:.4g}", factor));
  return scaled(std::move(workload), factor);
}

int show(const WorkloadOptions& given, const WorkloadSource& source) {
  const Workload workload = scaled_as_asked(source.make(given.model.ranks, given.rank), given);
  if (given.rank >= workload.ranks)
    throw Error(Fault::usage, fmt::format("--rank {}: the workload has {} ranks, counted from 0", given.rank, workload.ranks));
  if (workload.nodes[static_cast<std::size_t>(given.rank)].empty())
    throw Error(Fault::usage,
                fmt::format("{}: there is no trace of rank {}: choose by --rank one that has a trace; ranks {} have none",
                            workload.name, given.rank, text_of_ranks(ranks_without_trace(workload))));
  print(to_text(workload, given.rank, given.calls), stdout);
  return 0;
}

// All of the files or, where one cannot be written, none.
int write_traces(const WorkloadOptions& given, const WorkloadSource& source) {
  const MakeWorkload make = [&](std::optional<int> ranks, bool first_alone) {
    return source.make(ranks, first_alone ? std::optional(0) : std::nullopt);
  };
  const Workload workload = scaled_as_asked(made_here(make, given.model.ranks, "write"), given);
  std::vector<std::string> written;
  std::vector<std::string> notes = workload.notes;
  try {
    for (std::string& unlike : write_chakra(workload, [&](const std::string& suffix, std::string_view bytes) {
           write_aside(given.chakra + suffix, bytes);
           written.push_back(given.chakra + suffix);
         }))
      notes.push_back(std::move(unlike));
  } catch (const Error&) {
    std::error_code ignored;
    for (const std::string& path : written) std::filesystem::remove(path, ignored);
    throw;
  }
  std::string text = fmt::format("{}: {}\n", workload.name, workload.source);
  for (const std::string& note : notes) text += "note: " + note + "\n";
  text += fmt::format("wrote {} files, {} to {}\n", written.size(), written.front(), written.back());
  print(text, stdout);
  return 0;
}

Computing computing_of(const std::string& name) {
  if (name == "none") return Computing::none;
  return name == "kernel" ? Computing::kernel : Computing::pause;
}

int predict_it(const WorkloadOptions& given, const WorkloadSource& source) {
  WorkloadPrediction prediction;
  prediction.name = fmt::format("{}", fmt::join(given.what, " "));
  prediction.make = [&](std::optional<int> ranks, std::optional<int> only_rank) {
    Workload workload = source.make(ranks, only_rank);
    return scaled_as_asked(only_rank ? std::move(workload) : filled(std::move(workload)), given);
  };
  prediction.ranks = given.ranks;
  prediction.links = given.links;
  prediction.transport = given.run.transport;
  prediction.algorithms = given.algorithms;
  prediction.outputs = given.run.outputs;
  prediction.beside = given.beside;
  prediction.computes = given.computing != "none";
  return predict_workload(prediction);
}

int run_workload_command(const WorkloadOptions& as_given, const Invocation& invocation) {
  WorkloadOptions given = as_given;
  if (given.ranks.size() > 1 && given.links.topology.empty())
    throw Error(Fault::usage, "several numbers of --ranks are predicted: name a --topology, or leave one number");
  if (given.ranks.size() == 1) given.model.ranks = given.ranks.front();
  if (!given.gradients.empty()) given.model.gradients = find_type(given.gradients);
  const WorkloadSource source = workload_source(given.what, given.model);
  if (given.show) return show(given, source);
  if (!given.chakra.empty()) return write_traces(given, source);
  if (!given.links.topology.empty()) return predict_it(given, source);
  given.run.ranks = given.model.ranks;
  given.run.make = [&](std::optional<int> ranks, bool first_alone) {
    Workload workload = source.make(ranks, first_alone ? std::optional(0) : std::nullopt);
    return first_alone ? workload : filled(std::move(workload));
  };
  given.run.settings = settings_of_words(given.set);
  given.run.steps.computing = computing_of(given.computing);
  given.run.steps.max_time = parse_seconds(given.max_time);
  given.run.steps.device = choose_device(given.memory, given.gpus, invocation.plugin_folders);
  return run_workload(given.run, invocation);
}

void add_sizes(CLI::App& command, models::Options& model) {
  const auto number = [&](const char* name, std::optional<int>& value, const char* text, std::uint64_t least,
                          std::uint64_t most) { command.add_option(name, value, text)->check(options::whole(least, most)); };
  number("--data", model.data, "Data-parallel ranks", 1, 1 << 20);
  number("--tensor", model.tensor, "Tensor-parallel ranks, with sequence parallelism", 1, 1 << 20);
  number("--pipeline", model.pipeline, "Pipeline stages", 1, 1 << 20);
  number("--chunks", model.chunks, "Chunks of layers on each stage: an interleaved pipeline", 1, 1024);
  number("--context", model.context, "Context-parallel ranks", 1, 1 << 20);
  number("--expert", model.expert, "Expert-parallel ranks", 1, 1 << 20);
  number("--micro-batches", model.micro_batches, "Micro-batches of a step", 1, 1 << 20);
  number("--micro-batch", model.micro_batch, "Samples of a micro-batch", 1, 1 << 20);
  number("--sequence", model.sequence, "Tokens of a sample", 1, 1 << 24);
  number("--zero", model.zero, "ZeRO stage: 0 (all-reduce), 1, 2, or 3 (FSDP)", 0, 3);
  number("--layers", model.layers, "Only so many layers", 1, 4096);
  command.add_option("--imbalance", model.imbalance, "Of experts: largest share of tokens over the mean, 1 to 2");
  command.add_option("--tflops", model.tflops, "TFLOP/s that a rank sustains, for the time of computations")
      ->check(options::number_above(0, 1'000'000'000));
}

// Of what runs: none has a meaning beside `instead`.
void add_run(CLI::App& command, WorkloadOptions& given, const std::vector<CLI::Option*>& instead) {
  std::vector<CLI::Option*> all;
  all.push_back(command
                    .add_option("--transport", given.run.transport,
                                "memory, shm, ucx, verbs, nccl, cuda_ipc; default: shm on one host, ucx on several")
                    ->check(options::suggest({"memory", "shm", "ucx", "verbs", "nccl", "cuda_ipc", "shm+ucx"})));
  all.push_back(command
                    .add_option("--memory", given.memory,
                                "Where the buffers lie: host, cuda (a GPU's own), pinned (the host's, for a GPU) or managed")
                    ->check(options::one_of({"host", "cuda", "pinned", "managed"}))
                    ->capture_default_str());
  all.push_back(command
                    .add_option("--gpu", given.gpus,
                                "GPUs that the ranks of a host take round-robin: numbers, UUIDs or how those begin, separated by "
                                "commas (default all)")
                    ->delimiter(',')
                    ->allow_extra_args(false));
  all.push_back(
      command
          .add_option(
              "--compute", given.computing,
              "Computations: pause (the time passes), kernel (of the GPU whose memory is used, else a thread that takes a "
              "core) or none")
          ->check(options::one_of({"pause", "kernel", "none"}))
          ->capture_default_str());
  CLI::Option* const steps =
      command.add_option("--steps", given.run.steps.steps, "So many measured steps, instead of --max-time")
          ->check(options::whole(1, 10'000));
  all.push_back(steps);
  all.push_back(command.add_option("--max-time", given.max_time, "Time for all steps; at least five are measured")
                    ->check(options::a_time())
                    ->capture_default_str()
                    ->excludes(steps));
  all.push_back(command.add_flag("--shared-cores", given.run.steps.shared_cores,
                                 "Ranks of several hosts share cores, as virtual machines may: who waits sleeps"));
  all.push_back(command.add_option("--set", given.set, "Setting of a transport, TRANSPORT.NAME=VALUE; may be repeated")
                    ->allow_extra_args(false));
  all.push_back(
      command
          .add_option(
              "-o,--output", given.run.outputs,
              "New files: NAME.html is a page of figures and timeline, NAME.json is for Perfetto, NAME.jsonl has the steps")
          ->allow_extra_args(false));
  for (CLI::Option* const one : all)
    for (CLI::Option* const other : instead) one->excludes(other);
}

// Of what is predicted: none has a meaning without --topology.
void add_prediction(CLI::App& command, WorkloadOptions& given, const std::vector<CLI::Option*>& instead) {
  const std::vector<CLI::Option*> topologies = add_topologies(command, given.links);
  std::vector<CLI::Option*> all(topologies.begin() + 1, topologies.end());
  all.push_back(command
                    .add_option("--algorithm", given.algorithms,
                                "Predict with these, separated by commas, where a collective has any; default: the best of all")
                    ->delimiter(',')
                    ->allow_extra_args(false));
  all.push_back(command
                    .add_option("--beside", given.beside,
                                "Show the predicted step beside these of a run: NAME.jsonl and NAME.json, as -o wrote them")
                    ->allow_extra_args(false));
  for (const std::vector<CLI::Option*>& more : {add_routing(command, given.links), add_constants(command, given.links)})
    all.insert(all.end(), more.begin(), more.end());
  for (CLI::Option* const one : all) one->needs(topologies.front());
  for (CLI::Option* const other : instead) topologies.front()->excludes(other);
}

}  // namespace

void add_workload(CLI::App& program, const Invocation& invocation, Action& action) {
  const auto given = std::make_shared<WorkloadOptions>();  // lives as long as the parser and the action
  CLI::App* command = program.add_subcommand("workload", "A training step: the calls it makes, and how long it takes here");
  command
      ->add_option("workload", given->what,
                   fmt::format("A model: {}; or files of traces, one a rank", fmt::join(model_names(), ", ")))
      ->required()
      ->check(options::suggest(model_names()));
  CLI::Option* const show = command->add_flag("--show", given->show, "Print groups, calls, sizes and formulas, and run nothing");
  command->add_flag("--calls", given->calls, "Each call, not those that are alike in one line")->needs(show);
  command->add_option("--rank", given->rank, "Whose calls")
      ->check(options::whole(0, 1 << 20))
      ->capture_default_str()
      ->needs(show);
  CLI::Option* const chakra =
      command->add_option("--chakra", given->chakra, "Write Chakra traces NAME.0.et, ..., and run nothing")->excludes(show);
  command
      ->add_option(
          "--ranks", given->ranks,
          "Ranks of the step; without it as the model was trained, or as the other options say; with --topology several, "
          "separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(options::whole(1, 1 << 20));
  add_sizes(*command, given->model);
  command->add_option("--gradients", given->gradients, "Type in which gradients are reduced; without it the model's")
      ->check(options::one_of({"float32", "float16", "bfloat16"}));
  command
      ->add_option("--scale", given->run.scale,
                   "Bytes and computations times this factor; without it calls of at most 4 MiB where the step runs")
      ->check(options::number_above(0, 1'000'000));
  add_run(*command, *given, {show, chakra});
  add_prediction(*command, *given, {show, chakra});
  command->footer(workload_examples);
  command->callback(
      [given, &invocation, &action] { action = [given, &invocation] { return run_workload_command(*given, invocation); }; });
}

}  // namespace railgauge
