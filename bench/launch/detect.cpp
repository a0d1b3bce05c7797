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

using Kind = Launch::Kind;

struct LauncherRow {
  std::string_view marker;    // a process of this launcher has it
  std::string_view ranks[2];  // where the number of processes is found; the first that is set
  std::string_view launcher;
  Kind kind;
  std::string_view lacks;  // where the kind is unreadable, or told and there is no token
  std::string_view advice;
  ReadEnvironmentLaunch told = nullptr;
};

constexpr std::string_view advice_open_mpi =
    "install PMIx (Debian: libpmix2) where railgauge finds it, and the railgauge_pmix plugin, or use 'railgauge ... --ranks N' "
    "on one machine";
constexpr std::string_view advice_srun =
    "use 'srun --mpi=pmix' or 'srun --mpi=pmi2' ('srun --mpi=list' shows what this Slurm has), or 'srun --mpi=none' and the same "
    "RAILGAUGE_TOKEN for all ranks, by which they meet over TCP: export RAILGAUGE_TOKEN=$(openssl rand -hex 16)";
constexpr std::string_view advice_token =
    "give all ranks the same RAILGAUGE_TOKEN, by which they meet over TCP: export RAILGAUGE_TOKEN=$(openssl rand -hex 16)";
constexpr std::string_view advice_other =
    "use a launcher with PMIx or PMI, or tell each rank who it is by RAILGAUGE_RANK, RAILGAUGE_RANKS, "
    "RAILGAUGE_RENDEZVOUS=HOST:PORT "
    "and RAILGAUGE_TOKEN";
constexpr std::string_view no_pmi = "it offers neither PMIx nor PMI over a descriptor (PMI_FD)";
constexpr std::string_view no_token = "RAILGAUGE_TOKEN is not set";
constexpr std::string_view slurms_own = "slurm.pmix.";  // how namespaces of srun --mpi=pmix begin

// In the order in which they may hide one another: what a person says of railgauge itself comes first; torchrun is the innermost
// wherever it is; mpirun within a job step of Slurm is mpirun's, PMIx within srun is PMIx's.
constexpr LauncherRow rows[] = {
    {"RAILGAUGE_RANKS",
     {"RAILGAUGE_RANKS", ""},
     "whoever set RAILGAUGE_RANKS",
     Kind::told,
     no_token,
     advice_token,
     railgauge_launch},
    {"TORCHELASTIC_RUN_ID", {"WORLD_SIZE", ""}, "torchrun", Kind::told, no_token, advice_token, torchrun_launch},
    {"OMPI_COMM_WORLD_SIZE",
     {"OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE"},
     "mpirun of Open MPI",
     Kind::pmix,
     "",
     advice_open_mpi},
    {"PMIX_NAMESPACE", {"", ""}, "a launcher with PMIx", Kind::pmix, "", advice_open_mpi},
    {"PMI_FD", {"PMI_SIZE", ""}, "a launcher with PMI", Kind::pmi, "", advice_other},
    {"PMI_RANK", {"PMI_SIZE", ""}, "a launcher with PMI", Kind::unreadable, no_pmi, advice_other},
    {"PALS_RANKID", {"PALS_SIZE", "PMI_SIZE"}, "PALS", Kind::unreadable, no_pmi, advice_other},
    {"LOCAL_WORLD_SIZE", {"WORLD_SIZE", ""}, "torchrun", Kind::told, no_token, advice_token, torchrun_launch},
    {"RAILGAUGE_RANK",
     {"", ""},
     "whoever set RAILGAUGE_RANK",
     Kind::unreadable,
     "RAILGAUGE_RANKS is not set",
     "say how many ranks there are by RAILGAUGE_RANKS"},
    {"MASTER_ADDR",
     {"WORLD_SIZE", ""},
     "whoever set MASTER_ADDR and WORLD_SIZE",
     Kind::unreadable,
     "LOCAL_WORLD_SIZE is not set, as torchrun would",
     "set LOCAL_WORLD_SIZE and LOCAL_RANK (1 and 0 where each host has one rank) and RAILGAUGE_TOKEN, or unset MASTER_ADDR to "
     "measure this host alone"},
    {"MV2_COMM_WORLD_RANK", {"MV2_COMM_WORLD_SIZE", ""}, "mpirun_rsh of MVAPICH2", Kind::unreadable, no_pmi, advice_other},
    {"FLUX_TASK_RANK",
     {"FLUX_JOB_SIZE", ""},
     "flux run",
     Kind::unreadable,
     no_pmi,
     "use 'flux run -o pmix', or '--ranks N' on one machine"},
    {"JSM_NAMESPACE_RANK", {"JSM_NAMESPACE_SIZE", ""}, "jsrun", Kind::unreadable, no_pmi, advice_other},
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
  const bool token = environment("RAILGAUGE_TOKEN").has_value();
  for (const LauncherRow& row : rows) {
    const std::optional<std::string> marker = environment(row.marker);
    if (!marker) continue;
    // Without a number of ranks these are left over from something else.
    if (row.marker == "MASTER_ADDR" && !environment("WORLD_SIZE")) continue;
    int ranks = 0;
    for (const std::string_view name : row.ranks)
      if (ranks == 0 && !name.empty()) ranks = number_of(environment, name);
    Launch launch{row.kind, std::string(row.launcher), ranks, {}, std::string(row.lacks), std::string(row.advice), row.told};
    if (launch.kind == Kind::told && !token) launch.kind = Kind::unreadable;
    // prterun and mpirun start their daemons by srun, and what these start has the variables of the daemon's step.
    const bool of_slurm =
        row.marker == "PMIX_NAMESPACE" ? marker->starts_with(slurms_own) : row.kind == Kind::pmi || row.marker == "PMI_RANK";
    if (step && of_slurm && !environment("OMPI_COMM_WORLD_SIZE")) {
      launch.launcher = "srun";
      launch.advice = advice_srun;
      // Slurm 24 over PMIx 5 answers with the host's name instead, which nodes of a simulated cluster share.
      launch.node = environment("SLURMD_NODENAME").value_or(std::string());
      for (const std::string_view name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
        if (launch.ranks == 0) launch.ranks = number_of(environment, name);
    }
    // One process is alone, however it was started, unless PMIx counts otherwise.
    if (launch.kind != Kind::pmix && launch.ranks == 1) return {};
    return launch;
  }
  if (step) {
    int ranks = number_of(environment, "SLURM_STEP_NUM_TASKS");
    if (ranks == 0) ranks = number_of(environment, "SLURM_NTASKS");
    if (ranks > 1)
      return {token ? Kind::told : Kind::unreadable,
              "srun",
              ranks,
              {},
              "it offers neither PMIx nor PMI",
              std::string(advice_srun),
              slurm_launch};
  }
  return {};
}

void refuse_singletons(const Launch& launch, std::string_view reason) {
  if (launch.kind == Kind::alone || launch.ranks == 1) return;
  const std::string count = launch.ranks > 1 ? fmt::format("{} processes", launch.ranks) : std::string("several processes");
  const std::string_view why = !reason.empty() ? reason : std::string_view(launch.lacks);
  throw Error(Fault::usage,
              fmt::format("{} started {}, but each would run alone, because {}: {}", launch.launcher, count, why, launch.advice));
}

}  // namespace railgauge
