// railgauge launch --print: a ready job for a cluster's scheduler.
#include "bench/commands/launch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/output/print.hpp"
#include "base/version.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/jobs/jobs.hpp"
#include "bench/launch/address.hpp"
#include "bench/options/values.hpp"

namespace railgauge {
namespace {

constexpr const char* launch_examples =
    "Examples:\n"
    "  railgauge launch --print slurm --nodes 16 --gpus-per-node 8 > job.sh && sbatch job.sh      the first look, on 128 GPUs\n"
    "  railgauge launch --print slurm --nodes 4 --mpi pmi2 -- bench pairs -o pairs.jsonl          hosts alone, all pairs\n"
    "  railgauge launch --print jobset --nodes 2 --gpus-per-node 8 --image registry.example/railgauge\n"
    "  railgauge launch --print torchrun --nodes 1 --ranks-per-node 4 -- workload resnet50   beside a training script\n";

}  // namespace

std::string launch_text(const LaunchOptions& options) {
  const jobs::Kind& kind = jobs::kind_of(options.kind);
  jobs::Job job;
  job.name = options.name;
  job.nodes = options.nodes;
  job.gpus_per_node = options.gpus_per_node;
  job.ranks_per_node = options.ranks_per_node != 0 ? options.ranks_per_node : std::max(1, options.gpus_per_node);
  job.minutes = options.minutes;
  job.partition = options.partition;
  job.mpi = options.mpi;
  job.image = options.image;
  if (job.image.empty() && kind.image) job.image = fmt::format("railgauge:{}", version());  // as ci/image names it
  job.queue = options.queue;
  job.program = {options.program};
  for (const std::string& text : options.resources) {
    const std::size_t equal = std::min(text.find('='), text.size());
    job.resources.emplace_back(text.substr(0, equal), equal == text.size() ? std::string() : text.substr(equal + 1));
  }
  if (kind.token) job.token = to_text(new_token());
  job.words = options.words.empty() ? std::vector<std::string>{"bench"} : options.words;
  jobs::require_sound(job, kind);
  return kind.text(job);
}

void add_launch(CLI::App& program, const Invocation&, Action& action) {
  const auto options = std::make_shared<LaunchOptions>();  // lives as long as the parser and the action
  CLI::App* command = program.add_subcommand("launch", "Print a ready job for Slurm, Kubernetes or torchrun; nothing is started");
  command->add_option("--print", options->kind, "slurm, mpijob (MPI Operator), jobset (JobSet), job (an Indexed Job) or torchrun")
      ->check(options::one_of({"slurm", "mpijob", "jobset", "job", "torchrun"}))
      ->required();
  command->add_option("--nodes", options->nodes, "Of the job")->required()->check(options::whole(1, 100'000));
  command->add_option("--gpus-per-node", options->gpus_per_node, "GPUs of each")->check(options::whole(0, 1024));
  command->add_option("--ranks-per-node", options->ranks_per_node, "Ranks of each; default: one for each GPU, or one")
      ->check(options::whole(1, 4096));
  command->add_option("--name", options->name, "Of the job")->capture_default_str();
  command->add_option("--minutes", options->minutes, "That the job may take")
      ->check(options::whole(1, 100'000))
      ->capture_default_str();
  command->add_option("--program", options->program, "Where railgauge is on the nodes")->capture_default_str();
  command->add_option("--partition", options->partition, "Of Slurm; default: the cluster's own");
  command->add_option("--mpi", options->mpi, "Of srun: pmix or pmi2")->capture_default_str();
  command->add_option(
      "--image", options->image,
      fmt::format("Of Kubernetes: a container image that has railgauge (default railgauge:{}, which ci/image builds)",
                  version()));
  command->add_option("--queue", options->queue, "Of Kueue, on Kubernetes: the LocalQueue; default: none");
  command
      ->add_option("--resource", options->resources,
                   "Of Kubernetes: what a node gives besides GPUs, NAME=COUNT, for example rdma/ib=1; may be repeated")
      ->allow_extra_args(false);
  command->add_option("words", options->words, "After --: the command that the ranks run (default: bench)");
  command->footer(launch_examples);
  command->callback([options, &action] {
    action = [options] {
      print(launch_text(*options), stdout);
      return 0;
    };
  });
}

}  // namespace railgauge
