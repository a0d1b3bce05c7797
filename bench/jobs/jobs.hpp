// Ready jobs for the schedulers of clusters, as text: a Slurm script, manifests of Kubernetes, and a script for torchrun. Nothing
// is started or read here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railgauge::jobs {

struct Job {
  std::string name = "railgauge";  // a DNS label of at most 40 characters: names of pods begin with it
  int nodes = 1;
  int gpus_per_node = 0;
  int ranks_per_node = 1;
  int minutes = 30;  // how long it may take; its scheduler ends it then
  // Slurm
  std::string partition;     // empty: the cluster's default
  std::string mpi = "pmix";  // of srun: pmix or pmi2
  // Kubernetes
  std::string image;                                           // a container image that has railgauge; empty for Slurm
  std::string queue;                                           // of Kueue; empty: none
  std::vector<std::pair<std::string, std::string>> resources;  // of a node besides GPUs: "rdma/ib", "1"
  std::string token;                                           // 32 hexadecimal digits, for ranks without a launcher
  std::vector<std::string> program = {"railgauge"};            // the words before those of the command: where it is
  std::vector<std::string> words;                              // "bench", "all_reduce", "--bytes", "8:1G"
};

// A kind of job. text() ends with a newline.
struct Kind {
  std::string_view name;    // "slurm"
  std::string_view submit;  // how a file of it is submitted: "sbatch FILE"
  bool image;               // it needs one
  bool token;               // its ranks need one
  std::string (*text)(const Job& job);
};
[[nodiscard]] std::span<const Kind> kinds();
// Throws Error(usage) that lists what there is.
[[nodiscard]] const Kind& kind_of(std::string_view name);

// Throws Error(usage), one sentence with the option of `railgauge launch` that is wrong, and what was expected.
void require_sound(const Job& job, const Kind& kind);

// One file a kind.
[[nodiscard]] std::string slurm(const Job& job);
[[nodiscard]] std::string mpijob(const Job& job);
[[nodiscard]] std::string jobset(const Job& job);
[[nodiscard]] std::string indexed_job(const Job& job);
[[nodiscard]] std::string torchrun(const Job& job);

}  // namespace railgauge::jobs
