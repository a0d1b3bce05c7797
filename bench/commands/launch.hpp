// What `railgauge launch` prints, apart from the command line, so that it can be tested.
#pragma once

#include <string>
#include <vector>

namespace railgauge {

struct LaunchOptions {
  std::string kind;  // of job (bench/jobs/jobs.hpp)
  int nodes = 0;
  int gpus_per_node = 0;
  int ranks_per_node = 0;  // 0: one for each GPU, or one
  int minutes = 30;
  std::string name = "railgauge", partition, mpi = "pmix", image, queue, program = "railgauge";
  std::vector<std::string> resources;  // "rdma/ib=1"
  std::vector<std::string> words;      // of the command that the ranks run, without the program's name
};

// The whole text of the job. Ranks that need a token get a new one. Throws Error(usage).
[[nodiscard]] std::string launch_text(const LaunchOptions& options);

}  // namespace railgauge
