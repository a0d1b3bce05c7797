// A batch script for sbatch.
#include <fmt/format.h>

#include "bench/jobs/jobs.hpp"
#include "bench/jobs/shell.hpp"

namespace railgauge::jobs {
std::string slurm(const Job& job) {
  std::string text =
      "#!/bin/bash\n"
      "# Submit it with sbatch. The job ends with railgauge's exit code: 0 pass, 1 below expectation, 2 set-up, 3 not "
      "comparable,\n"
      "# 4 inconclusive, 5 interrupted or a rank lost, 6 wrong data.\n";
  const auto line = [&](const std::string& option, const auto& value) {
    text += fmt::format("#SBATCH --{}={}\n", option, value);
  };
  line("job-name", job.name);
  line("output", job.name + "-%j.log");
  line("nodes", job.nodes);
  line("ntasks-per-node", job.ranks_per_node);
  if (job.gpus_per_node > 0) line("gpus-per-node", job.gpus_per_node);
  line("time", job.minutes);
  if (!job.partition.empty()) line("partition", job.partition);
  line("distribution", "block:block");
  text +=
      "#SBATCH --exclusive\n"
      "\n"
      "# railgauge itself names the rank that was lost and ends the others: srun, which would kill them at once, leaves them 60 "
      "s.\n";
  text += fmt::format("exec srun --mpi={} --kill-on-bad-exit=0 --wait=60 \\\n ", job.mpi);
  return text + words_for_shell(job) + "\n";
}

}  // namespace railgauge::jobs
