// All-reduce of Gloo over TCP on the loopback interface, timed as ci/peer/mpi_loop.c times an MPI's. Gloo has no launcher: this
// starts the ranks itself, each on its core, and they meet in files of a folder. usage: gloo_loop FOLDER RANKS CORES all_reduce
// FROM_BYTES TO_BYTES FACTOR ITERATIONS WARM_UP
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Job {
  std::string folder;
  int ranks;
  std::vector<int> cores;
  std::size_t from, to, factor;
  long iterations, warm_up;
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void run(const Job& job, int rank) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(job.cores[static_cast<std::size_t>(rank) % job.cores.size()], &set);
  sched_setaffinity(0, sizeof set, &set);

  gloo::transport::tcp::attr where;
  where.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(where);
  gloo::rendezvous::FileStore store(job.folder);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, job.ranks);
  context->connectFullMesh(store, device);

  std::vector<float> input(job.to / sizeof(float), static_cast<float>(rank + 1)), output(input.size());
  for (std::size_t bytes = job.from; bytes <= job.to; bytes *= job.factor) {
    gloo::AllreduceOptions options(context);
    options.setInput(input.data(), bytes / sizeof(float));
    options.setOutput(output.data(), bytes / sizeof(float));
    void (*const sum)(void*, const void*, const void*, std::size_t) = &gloo::sum<float>;
    options.setReduceFunction(sum);
    for (long i = 0; i < job.warm_up; ++i) gloo::allreduce(options);
    gloo::BarrierOptions together(context);
    gloo::barrier(together);
    const double begin = seconds();
    for (long i = 0; i < job.iterations; ++i) gloo::allreduce(options);
    double mine = (seconds() - begin) / static_cast<double>(job.iterations);
    gloo::AllreduceOptions slowest(context);
    slowest.setOutput(&mine, 1);
    void (*const most)(void*, const void*, const void*, std::size_t) = &gloo::max<double>;
    slowest.setReduceFunction(most);
    gloo::allreduce(slowest);
    if (rank == 0) std::printf("%zu %.12g\n", bytes, mine);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 10 || std::strcmp(argv[4], "all_reduce") != 0) {
    std::fprintf(stderr, "usage: gloo_loop FOLDER RANKS CORES all_reduce FROM_BYTES TO_BYTES FACTOR ITERATIONS WARM_UP\n");
    return 2;
  }
  Job job{argv[1],
          std::atoi(argv[2]),
          {},
          std::strtoul(argv[5], nullptr, 10),
          std::strtoul(argv[6], nullptr, 10),
          std::strtoul(argv[7], nullptr, 10),
          std::atol(argv[8]),
          std::atol(argv[9])};
  std::istringstream cores(argv[3]);
  for (std::string core; std::getline(cores, core, ',');) job.cores.push_back(std::atoi(core.c_str()));
  std::vector<pid_t> children;
  for (int rank = 0; rank < job.ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        run(job, rank);
        _exit(0);
      } catch (const std::exception& fault) {
        std::fprintf(stderr, "rank %d: %s\n", rank, fault.what());
        _exit(1);
      }
    }
    children.push_back(child);
  }
  int failed = 0;
  for (std::size_t ended = 0; ended < children.size(); ++ended) {
    int status = 0;
    if (wait(&status) < 0 || status == 0) continue;
    failed = 1;
    for (const pid_t child : children) kill(child, SIGKILL);
  }
  return failed;
}
