// Reads the settings of the NCCL transport.
#include "transports/nccl/settings.hpp"

#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/units.hpp"
#include "transports/nccl/profiler.hpp"

namespace railgauge::nccl {
namespace {

struct BuffersRow {
  std::string_view name;
  Buffers buffers;
};
constexpr std::array buffers_rows{BuffersRow{"plain", Buffers::plain}, BuffersRow{"registered", Buffers::registered},
                                  BuffersRow{"symmetric", Buffers::symmetric}};

void read_shared_gpu(Options& options, const std::string& value) {
  if (value != "on" && value != "off") throw Error(Fault::usage, fmt::format("nccl.shared_gpu is off or on, not \"{}\"", value));
  options.shared_gpu = value == "on";
}

void read_buffers(Options& options, const std::string& value) {
  const auto row =
      std::find_if(buffers_rows.begin(), buffers_rows.end(), [&](const BuffersRow& each) { return each.name == value; });
  if (row == buffers_rows.end())
    throw Error(Fault::usage, fmt::format("nccl.buffers={}: expected plain, registered or symmetric", value));
  options.buffers = row->buffers;
}

void read_deadline(Options& options, const std::string& value) {
  const Seconds deadline = parse_seconds(value);
  if (deadline < Seconds(0.1) || deadline > Seconds(86400))
    throw Error(Fault::usage, fmt::format("nccl.deadline={}: expected 100ms to 24h", value));
  options.deadline = std::chrono::duration_cast<std::chrono::milliseconds>(deadline);
}

struct NcclSettingRow {
  std::string_view name;
  void (*read)(Options& options, const std::string& value);
};
constexpr std::array rows{NcclSettingRow{"shared_gpu", read_shared_gpu}, NcclSettingRow{"buffers", read_buffers},
                          NcclSettingRow{"deadline", read_deadline}};

constexpr std::chrono::milliseconds usual_deadline{60'000}, more_for_each_rank{100};
constexpr const char* usual_ras = "localhost:28028";

// From here on NCCL itself serves ranks that share a GPU.
constexpr int knows_shared_gpus = NCCL_VERSION(2, 30, 0);

}  // namespace

Options read_options(const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    if (name.size() > 5 && name.starts_with("NCCL_")) {
      options.environment.emplace_back(name, value);
      continue;
    }
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const NcclSettingRow& each) { return each.name == name; });
    if (row == rows.end())
      throw Error(Fault::usage, fmt::format("the nccl transport has no setting \"{}\": it has shared_gpu, buffers, deadline, and "
                                            "every variable of NCCL by its name (NCCL_ALGO, NCCL_PROTO, ...)",
                                            name));
    row->read(options, value);
  }
  return options;
}

void apply(const Options& options, const Group& group) {
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (const char* const blocking = std::getenv("NCCL_COMM_BLOCKING"); blocking != nullptr && blocking != std::string_view("1"))
    throw Error(Fault::usage, fmt::format("NCCL_COMM_BLOCKING={}: railgauge waits for its calls, so leave it out", blocking));
  offer_profiler();
  setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);  // standard output has tables or results
  if (!options.shared_gpu) return;
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess && version >= knows_shared_gpus) {
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
    return;
  }
  setenv("NCCL_HOSTID", fmt::format("railgauge-rank-{}", group.rank()).c_str(), 0);
  const std::vector<std::string>& nodes = group.nodes();
  if (std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) { return node != nodes.front(); })) return;
  setenv("NCCL_NET", "Socket", 0);
  setenv("NCCL_SOCKET_IFNAME", "lo", 0);
}

Patience patience_of(const Options& options, const Group& group) {
  const char* const enabled = std::getenv("NCCL_RAS_ENABLE");
  const char* const address = std::getenv("NCCL_RAS_ADDR");
  const bool off = enabled != nullptr && enabled == std::string_view("0");
  return {.deadline = options.deadline.value_or(usual_deadline + group.size() * more_for_each_rank),
          .ras = off                  ? ""
                 : address != nullptr ? address
                                      : usual_ras};
}

}  // namespace railgauge::nccl
