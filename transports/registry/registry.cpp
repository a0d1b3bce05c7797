// The table of transports that railgauge knows: built in, or a plugin that is loaded when it can be.
#include "transports/registry/registry.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/plugin.hpp"
#include "transports/composed/composed.hpp"
#include "transports/memory/transport.hpp"
#include "transports/shm/transport.hpp"

namespace railgauge {
namespace {

// Transports that are part of the program.
constexpr const TransportTable& (*built_in[])() = {shm_transport, memory_transport};

// A transport that lives in a module of its own, because it is linked to a library that a machine may lack. The summary is
// for machines where the module, which has a summary too, cannot be loaded.
struct PluginRow {
  const char* name = nullptr;
  const char* summary = nullptr;
  // What its library must find in the environment when it is loaded, unless the user has set it; null: nothing.
  const char* variable = nullptr;
  const char* value = nullptr;
  // The setting by which the host, and no stream, sees that its messages have arrived: what a transport beside it needs. Null:
  // it has none, or needs none.
  const char* host_setting = nullptr;
  const char* host_value = nullptr;
  std::span<const KnownOperation> operations = {};
};
constexpr KnownOperation of_verbs[] = {{"write"}, {"read"}, {"send"}, {"fetch_add", 8}};
// UCX_VFS_ENABLE: with libucs_fuse (Debian 13) UCX starts a thread as it is loaded. Ranks are forked later, and one that is
// forked while that thread holds a lock (of an allocator, of UCX's hooks) has the lock without the thread, and waits for it for
// ever.
constexpr PluginRow plugin_rows[] = {
    {"ucx", "UCX: shared memory, TCP, InfiniBand and RoCE through libucp", "UCX_VFS_ENABLE", "n"},
    {"verbs", "RDMA writes over InfiniBand, RoCE and iWARP through libibverbs", nullptr, nullptr, nullptr, nullptr, of_verbs},
    {"nccl", "NVIDIA's NCCL: sends and receives between GPUs", nullptr, nullptr},
    {"cuda_ipc", "GPUs that map each other's memory, over NVLink, PCIe or in one GPU", nullptr, nullptr, "progress", "host"},
};

constexpr const char* symbol = "railgauge_transport";

KnownTransport load(const PluginRow& row, const std::vector<std::filesystem::path>& folders) {
  KnownTransport known{.name = row.name, .summary = row.summary, .reason = {}, .table = nullptr, .operations = row.operations};
  if (row.variable != nullptr) setenv(row.variable, row.value, 0);
  Plugin plugin = load_plugin(row.name, symbol, folders);
  const auto* table = table_of<TransportTable>(plugin, "transport");
  known.reason = plugin.reason;
  if (table == nullptr) return known;
  known.summary = table->summary;
  if (table->missing != nullptr) known.reason = table->missing();
  if (known.reason.empty()) known.table = table;
  return known;
}

const KnownTransport& row_of(const std::vector<KnownTransport>& known, std::string_view name) {
  std::string names;
  for (const KnownTransport& transport : known) {
    if (transport.name == name) return transport;
    names += (names.empty() ? "" : ", ") + transport.name;
  }
  throw Error(Fault::usage, fmt::format("there is no transport '{}'; there are {}", name, names));
}

std::string unavailable(const KnownTransport& transport) {
  return fmt::format("the transport {} is unavailable: {}", transport.name, transport.reason);
}

std::vector<std::string> parts_of(const std::string& name) {
  const std::size_t plus = name.find('+');
  return plus == std::string::npos ? std::vector{name} : std::vector{name.substr(0, plus), name.substr(plus + 1)};
}

}  // namespace

std::vector<KnownTransport> known_transports(const std::vector<std::filesystem::path>& plugin_folders) {
  std::vector<KnownTransport> known;
  for (const auto table : built_in)
    known.push_back({.name = table().name, .summary = table().summary, .reason = {}, .table = &table()});
  for (const PluginRow& row : plugin_rows) known.push_back(load(row, plugin_folders));
  return known;
}

const KnownTransport& find_transport(const std::vector<KnownTransport>& known, std::string_view name) {
  const KnownTransport& transport = row_of(known, name);
  if (transport.table == nullptr) throw Error(Fault::usage, unavailable(transport));
  return transport;
}

std::string why_unavailable(const std::vector<KnownTransport>& known, const std::string& name) {
  std::string reason;
  for (const std::string& part : parts_of(name))
    if (const KnownTransport& transport = row_of(known, part); transport.table == nullptr && reason.empty())
      reason = unavailable(transport);
  return reason;
}

std::unique_ptr<Transport> ChosenTransport::open() const {
  if (parts.size() == 1) return parts.front().known->table->open(parts.front().settings);
  const auto open_part = [](const ConfiguredTransport& part) {
    Settings settings = part.settings;
    for (const PluginRow& row : plugin_rows)
      if (row.name == part.known->name && row.host_setting != nullptr) settings.emplace(row.host_setting, row.host_value);
    return part.known->table->open(settings);
  };
  return compose(open_part(parts[0]), open_part(parts[1]));
}

ChosenTransport choose_transport(const std::vector<KnownTransport>& known, const std::string& name,
                                 const std::map<std::string, Settings>& settings) {
  ChosenTransport chosen{.name = name, .parts = {}};
  for (const std::string& part : parts_of(name)) {
    chosen.parts.push_back({&find_transport(known, part), {}});
    if (const auto found = settings.find(part); found != settings.end()) chosen.parts.back().settings = found->second;
  }
  return chosen;
}

}  // namespace railgauge
