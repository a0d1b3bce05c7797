// A shell script for torchrun, the launcher of PyTorch, which runs on each node.
#include <fmt/format.h>

#include "bench/jobs/jobs.hpp"
#include "bench/jobs/shell.hpp"

namespace railgauge::jobs {

std::string torchrun(const Job& job) {
  std::string text =
      "#!/bin/bash\n"
      "# Side by side with a training script: run that one by the same line, with its name in place of --no_python and all "
      "behind it.\n";
  if (job.nodes == 1)
    text += "NODE_RANK=0 MASTER_ADDR=127.0.0.1\n";
  else
    text += fmt::format(
        "# Run it on each of the {} nodes, with NODE_RANK=0 on the first and up to {} on the last, and MASTER_ADDR the first "
        "one's name.\n"
        ": \"${{NODE_RANK:?the number of this node, from 0 to {}}}\" \"${{MASTER_ADDR:?the name or address of node 0}}\"\n",
        job.nodes, job.nodes - 1, job.nodes - 1);
  // Options with an underscore, since those of before PyTorch 2.0 know no other. torchrun itself listens at MASTER_PORT, and
  // ranks of railgauge meet at the port above it.
  text += fmt::format(
      "# Another MASTER_PORT where 29500 or 29501 is taken. Whoever has the token can join the job: keep this file to yourself.\n"
      "export RAILGAUGE_TOKEN={}\n"
      "exec torchrun --nnodes={} --nproc_per_node={} --node_rank=\"$NODE_RANK\" --master_addr=\"$MASTER_ADDR\" "
      "--master_port=\"${{MASTER_PORT:-29500}}\" \\\n  --no_python",
      job.token, job.nodes, job.ranks_per_node);
  return text + words_for_shell(job) + "\n";
}

}  // namespace railgauge::jobs
