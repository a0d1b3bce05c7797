// How a launch is told from the environment.
#include "bench/launch/detect.hpp"

#include <map>

#include "base/error.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;
using Kind = Launch::Kind;

Environment environment(const Variables& variables) {
  return [&variables](std::string_view name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional<std::string>(at->second);
  };
}

struct Row {
  const char* what;
  Variables variables;
  Kind kind;
  const char* launcher;
  int ranks;
  const char* advice;  // a part of it
};

const Row rows[] = {
    {"a shell", {{"HOME", "/root"}, {"PATH", "/bin"}}, Kind::alone, "", 1, ""},
    {"mpirun",
     {{"OMPI_COMM_WORLD_RANK", "1"},
      {"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_UNIVERSE_SIZE", "8"},
      {"PMIX_NAMESPACE", "1"},
      {"PMIX_RANK", "1"}},
     Kind::pmix,
     "mpirun of Open MPI",
     4,
     "libpmix2"},
    {"mpirun -n 1", {{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_NAMESPACE", "1"}}, Kind::pmix, "mpirun of Open MPI", 1, ""},
    {"mpirun in a batch script",
     {{"OMPI_COMM_WORLD_SIZE", "4"},
      {"PMIX_NAMESPACE", "1"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_PROCID", "0"},
      {"SLURM_NTASKS", "2"}},
     Kind::pmix,
     "mpirun of Open MPI",
     4,
     "libpmix2"},
    {"prterun", {{"PMIX_NAMESPACE", "prterun-1"}, {"PMIX_RANK", "0"}}, Kind::pmix, "a launcher with PMIx", 0, "libpmix2"},
    {"srun --mpi=pmix",
     {{"PMIX_NAMESPACE", "slurm.pmix.1.0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}},
     Kind::pmix,
     "srun",
     4,
     "srun --mpi=pmix"},
    {"srun --mpi=none",
     {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}},
     Kind::unreadable,
     "srun",
     4,
     "srun --mpi=pmix"},
    {"srun --mpi=pmi2",
     {{"SLURM_STEP_ID", "0"},
      {"SLURM_PROCID", "2"},
      {"SLURM_NTASKS", "4"},
      {"PMI_FD", "7"},
      {"PMI_RANK", "2"},
      {"PMI_SIZE", "4"}},
     Kind::pmi,
     "srun",
     4,
     "srun --mpi=pmix"},
    {"srun --mpi=none and a token",
     {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}, {"RAILGAUGE_TOKEN", "x"}},
     Kind::told,
     "srun",
     4,
     "RAILGAUGE_TOKEN"},
    {"srun of one task", {{"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}, Kind::alone, "", 1, ""},
    {"a shell by srun --pty in a larger job",
     {{"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_STEP_NUM_TASKS", "1"}},
     Kind::alone,
     "",
     1,
     ""},
    {"a batch script", {{"SLURM_STEP_ID", "4294967291"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}, Kind::alone, "", 1, ""},
    {"a batch script, by name",
     {{"SLURM_STEP_ID", "batch"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}},
     Kind::alone,
     "",
     1,
     ""},
    {"the shell of salloc",
     {{"SLURM_STEP_ID", "4294967290"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}},
     Kind::alone,
     "",
     1,
     ""},
    {"an allocation without a step", {{"SLURM_JOB_ID", "9"}, {"SLURM_NTASKS", "4"}}, Kind::alone, "", 1, ""},
    {"mpiexec of MPICH",
     {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"PMI_FD", "5"}},
     Kind::pmi,
     "a launcher with PMI",
     4,
     "RAILGAUGE_RANK"},
    {"a launcher with PMI that is asked at a port",
     {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"PMI_PORT", "h:5"}},
     Kind::unreadable,
     "a launcher with PMI",
     4,
     "RAILGAUGE_RANK"},
    {"mpiexec of MPICH, one process", {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, Kind::alone, "", 1, ""},
    {"torchrun without a token",
     {{"RANK", "0"}, {"WORLD_SIZE", "8"}, {"LOCAL_WORLD_SIZE", "8"}},
     Kind::unreadable,
     "torchrun",
     8,
     "openssl rand"},
    {"torchrun",
     {{"RANK", "0"}, {"WORLD_SIZE", "8"}, {"LOCAL_WORLD_SIZE", "8"}, {"RAILGAUGE_TOKEN", "x"}},
     Kind::told,
     "torchrun",
     8,
     "openssl rand"},
    {"torchrun within a step that has PMIx",
     {{"TORCHELASTIC_RUN_ID", "7"},
      {"RANK", "0"},
      {"WORLD_SIZE", "8"},
      {"LOCAL_WORLD_SIZE", "4"},
      {"RAILGAUGE_TOKEN", "x"},
      {"PMIX_NAMESPACE", "slurm.pmix.1.0"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_PROCID", "0"},
      {"SLURM_NTASKS", "2"}},
     Kind::told,
     "torchrun",
     8,
     "openssl rand"},
    {"prterun in a batch script of one task",
     {{"PMIX_NAMESPACE", "prterun-n0-77@1"},
      {"PMIX_RANK", "3"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_PROCID", "1"},
      {"SLURM_NTASKS", "1"},
      {"SLURM_STEP_NUM_TASKS", "1"}},
     Kind::pmix,
     "a launcher with PMIx",
     0,
     "libpmix2"},
    {"a rank of how many", {{"RAILGAUGE_RANK", "3"}}, Kind::unreadable, "whoever set RAILGAUGE_RANK", 0, "RAILGAUGE_RANKS"},
    {"variables of torch without those of torchrun",
     {{"RANK", "3"}, {"WORLD_SIZE", "16"}, {"MASTER_ADDR", "n0"}, {"MASTER_PORT", "29500"}},
     Kind::unreadable,
     "whoever set MASTER_ADDR and WORLD_SIZE",
     16,
     "LOCAL_WORLD_SIZE"},
    {"the same of one rank", {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "n0"}}, Kind::alone, "", 1, ""},
    {"an address that is left over", {{"MASTER_ADDR", "n0"}}, Kind::alone, "", 1, ""},
    {"mpirun_rsh",
     {{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "8"}},
     Kind::unreadable,
     "mpirun_rsh of MVAPICH2",
     8,
     "RAILGAUGE_RENDEZVOUS"},
    {"one's own word within mpirun",
     {{"RAILGAUGE_RANKS", "2"}, {"RAILGAUGE_TOKEN", "x"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
     Kind::told,
     "whoever set RAILGAUGE_RANKS",
     2,
     ""},
    {"a number that is none", {{"OMPI_COMM_WORLD_SIZE", "many"}}, Kind::pmix, "mpirun of Open MPI", 0, ""},
};

}  // namespace

TEST_CASE("detect: Slurm's own name of a node is taken, unless mpirun runs within the step") {
  const Variables step{{"PMIX_NAMESPACE", "slurm.pmix.1.0"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_PROCID", "2"},
                       {"SLURM_NTASKS", "4"},
                       {"SLURMD_NODENAME", "n3"}};
  CHECK(detect_launch(environment(step)).node == "n3");
  Variables within = step;
  within.insert({"OMPI_COMM_WORLD_SIZE", "4"});
  CHECK(detect_launch(environment(within)).node.empty());
  const Variables beside{{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_NAMESPACE", "1"}, {"SLURMD_NODENAME", "n3"}};
  CHECK(detect_launch(environment(beside)).node.empty());
}

TEST_CASE("detect: each launcher is told by its variables") {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Launch launch = detect_launch(environment(row.variables));
    CHECK(static_cast<int>(launch.kind) == static_cast<int>(row.kind));
    CHECK(launch.launcher == row.launcher);
    CHECK(launch.ranks == row.ranks);
    CHECK_THAT(launch.advice, test::ContainsSubstring(row.advice));
  }
}

TEST_CASE("detect: several processes that would each run alone are refused with advice") {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Launch launch = detect_launch(environment(row.variables));
    if (row.kind == Kind::alone || row.ranks == 1) {
      CHECK_NOTHROW(refuse_singletons(launch, "PMIx_Init: UNREACHABLE"));
      continue;
    }
    try {
      refuse_singletons(launch, "PMIx_Init: UNREACHABLE");
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      CHECK_THAT(std::string(error.what()), test::ContainsSubstring("would run alone") && test::ContainsSubstring(row.advice) &&
                                                test::ContainsSubstring("UNREACHABLE"));
    }
  }
}

}  // namespace railgauge
