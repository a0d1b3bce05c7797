// The table of variables, and what of an environment passes it.
#include "reports/environment.hpp"

#include <algorithm>
#include <array>

#include "base/output/text.hpp"

namespace railgauge {
namespace {

constexpr std::size_t longest = 256;

constexpr auto rows = std::to_array<VariableRow>({
    {"UCX_*", "transports, devices and protocols of UCX"},
    {"NCCL_*", "algorithms, protocols, channels and networks of NCCL"},
    {"RCCL_*", "the same of RCCL"},
    {"CUDA_VISIBLE_DEVICES", "which GPUs there are, and their order", true},
    {"CUDA_DEVICE_ORDER", "how GPUs are counted"},
    {"CUDA_DEVICE_MAX_CONNECTIONS", "how many queues of a GPU run beside each other"},
    {"CUDA_LAUNCH_BLOCKING", "each kernel is waited for"},
    {"CUDA_MODULE_LOADING", "kernels are loaded when they are first used"},
    {"HIP_VISIBLE_DEVICES", "which GPUs there are, and their order", true},
    {"ROCR_VISIBLE_DEVICES", "which GPUs there are, and their order", true},
    {"GPU_MAX_HW_QUEUES", "how many queues of a GPU run beside each other"},
    {"HSA_*", "how AMD's GPUs copy and are waited for"},
    {"OMP_NUM_THREADS", "threads that share the cores with the ranks"},
    {"OMP_PLACES", "where such threads run"},
    {"OMP_PROC_BIND", "where such threads run"},
    {"GOMP_CPU_AFFINITY", "where such threads run", true},
    {"KMP_AFFINITY", "where such threads run", true},
    {"OMPI_MCA_hwloc_base_binding_policy", "what mpirun binds ranks to"},
    {"OMPI_MCA_rmaps_base_mapping_policy", "where mpirun places ranks"},
    {"PRTE_MCA_hwloc_default_binding_policy", "what mpirun binds ranks to"},
    {"PRTE_MCA_rmaps_default_mapping_policy", "where mpirun places ranks"},
    {"IBV_*", "how libibverbs registers and forks"},
    {"RDMAV_*", "how libibverbs registers and forks"},
    {"MLX4_*", "queues and doorbells of ConnectX-3"},
    {"MLX5_*", "queues and doorbells of ConnectX-4 and newer"},
    {"FI_*", "libfabric, below NCCL's plugins"},
    {"SHARP_*", "reductions in switches"},
    {"HWLOC_*", "what hwloc sees of the machine"},
    {"MALLOC_*", "where memory comes from, and in which pages"},
    {"GLIBC_TUNABLES", "where memory comes from, and in which pages"},
    {"LD_PRELOAD", "other libraries stand before those that are measured", true, true},
});

// Where something is written, or who a run is: they change nothing, and would part what is alike.
constexpr auto unlike = std::to_array<std::string_view>(
    {"NCCL_COMM_ID", "NCCL_HOSTID", "HWLOC_HIDE_ERRORS", "*_DUMP_FILE", "*_DEBUG_FILE", "*_LOG_FILE"});

constexpr auto secret = std::to_array<std::string_view>({"TOKEN", "KEY", "PASS", "SECRET", "AUTH", "CREDENTIAL", "COOKIE"});

bool matches(std::string_view name, std::string_view pattern) noexcept {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.size() > pattern.size() && name.starts_with(pattern);
}

}  // namespace

std::span<const VariableRow> measured_variables() noexcept { return rows; }

bool looks_secret(std::string_view name) {
  std::string upper(name);
  for (char& character : upper)
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  return std::any_of(secret.begin(), secret.end(), [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

const VariableRow* find_variable(std::string_view name) {
  const auto is = [&](std::string_view pattern) { return matches(name, pattern); };
  if (looks_secret(name) || std::any_of(unlike.begin(), unlike.end(), is)) return nullptr;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const VariableRow& it) { return is(it.pattern); });
  return row == rows.end() ? nullptr : &*row;
}

Variables told_environment(const std::map<std::string, std::string, std::less<>>& environment) {
  Variables told;
  for (const auto& [name, value] : environment)
    if (const VariableRow* const row = find_variable(name))
      told.emplace_back(printable(name), row->presence ? "set" : printable(std::string_view(value).substr(0, longest)));
  return told;
}

}  // namespace railgauge
