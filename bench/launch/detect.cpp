// Tells launchers apart by their variables: a table of rows, the first that applies wins.
#include "bench/launch/detect.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>

#include "base/error.hpp"

namespace railgauge {
namespace {

int number_of(const Environment& environment, std::string_view name) {
  const auto text = environment(name);
  int value = 0;
  if (text) (void)std::from_chars(text->data(), text->data() + text->size(), value);
  return value > 0 ? value : 0;
}

struct Row {
  std::string_view marker;    // a process of this launcher has it
  std::string_view ranks[2];  // where the number of processes is found; the first that is set
  std::string_view launcher;
  bool pmix;  // offers PMIx by itself
  std::string_view advice;
};

constexpr std::string_view advice_open_mpi =
    "install PMIx (Debian: libpmix2) where railgauge finds it, and the railgauge_pmix plugin, or use 'railgauge ... --ranks N' "
    "on one "
    "machine";
constexpr std::string_view advice_srun =
    "use 'srun --mpi=pmix' ('srun --mpi=list' shows what this Slurm has), and install PMIx (Debian: libpmix2)";
constexpr std::string_view advice_hydra =
    "use the mpirun of Open MPI or 'srun --mpi=pmix': railgauge reads PMIx, and this launcher speaks PMI only";
constexpr std::string_view advice_torch = "use 'mpirun', 'srun --mpi=pmix' or '--ranks N': railgauge reads PMIx only";

// In the order in which they may hide one another: mpirun within a job step of Slurm is mpirun's, PMIx within srun is PMIx's.
constexpr Row rows[] = {
    {"OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE"}, "mpirun of Open MPI", true, advice_open_mpi},
    {"PMIX_NAMESPACE", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, "a launcher with PMIx", true, advice_open_mpi},
    {"PMI_RANK", {"PMI_SIZE", ""}, "a launcher with PMI", false, advice_hydra},
    {"PMI_FD", {"PMI_SIZE", ""}, "a launcher with PMI", false, advice_hydra},
    {"PALS_RANKID", {"PALS_SIZE", "PMI_SIZE"}, "PALS", false, advice_hydra},
    {"LOCAL_WORLD_SIZE", {"WORLD_SIZE", ""}, "torchrun", false, advice_torch},
    {"FLUX_TASK_RANK", {"FLUX_JOB_SIZE", ""}, "flux run", false, "use 'flux run -o pmix', or '--ranks N' on one machine"},
    {"JSM_NAMESPACE_RANK", {"JSM_NAMESPACE_SIZE", ""}, "jsrun", false, advice_hydra},
};

// A job step of srun, but neither the batch script nor a shell of salloc, which have the variables of a task 0 too.
bool in_step(const Environment& environment) {
  const auto step = environment("SLURM_STEP_ID");
  if (!step || !environment("SLURM_PROCID")) return false;
  // As numbers, the steps batch, extern, interactive and pending stand at the end of 32 bits.
  for (const std::string_view outside :
       {"batch", "interactive", "extern", "4294967291", "4294967290", "4294967292", "4294967293"})
    if (*step == outside) return false;
  return true;
}

}  // namespace

Launch detect_launch(const Environment& environment) {
  const bool step = in_step(environment);
  for (const Row& row : rows) {
    if (!environment(row.marker)) continue;
    int ranks = 0;
    for (const std::string_view name : row.ranks)
      if (ranks == 0 && !name.empty()) ranks = number_of(environment, name);
    Launch launch{
        row.pmix ? Launch::Kind::pmix : Launch::Kind::unreadable, std::string(row.launcher), ranks, {}, std::string(row.advice)};
    if (step && !environment("OMPI_COMM_WORLD_SIZE")) {
      launch.launcher = "srun";
      launch.advice = advice_srun;
      // Slurm 24 over PMIx 5 answers with the host's name instead, which nodes of a simulated cluster share.
      launch.node = environment("SLURMD_NODENAME").value_or(std::string());
      if (launch.ranks == 0) launch.ranks = number_of(environment, "SLURM_NTASKS");
    }
    // One process is alone, however it was started, where its launcher cannot be read.
    if (launch.kind == Launch::Kind::unreadable && launch.ranks == 1) return {};
    return launch;
  }
  if (step) {
    int ranks = number_of(environment, "SLURM_STEP_NUM_TASKS");
    if (ranks == 0) ranks = number_of(environment, "SLURM_NTASKS");
    if (ranks > 1) return {Launch::Kind::unreadable, "srun", ranks, {}, std::string(advice_srun)};
  }
  return {};
}

void refuse_singletons(const Launch& launch, std::string_view reason) {
  if (launch.kind == Launch::Kind::alone || launch.ranks == 1) return;
  const std::string count = launch.ranks > 1 ? fmt::format("{} processes", launch.ranks) : std::string("several processes");
  throw Error(Fault::usage, fmt::format("{} started {}, but each would run alone, because {}: {}", launch.launcher, count,
                                        reason.empty() ? "it offers no PMIx" : reason, launch.advice));
}

}  // namespace railgauge
