// The table of plugins that devices come from.
#include "bench/device/registry.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr const char* plugin_names[] = {"cuda"};

// The kinds of memory that --memory names, and whose they are.
struct MemoryRow {
  std::string_view name;
  const char* plugin;  // null: the host's own
  MemoryKind kind;
};
constexpr MemoryRow memory_rows[] = {{"host", nullptr, MemoryKind::host},
                                     {"cuda", "cuda", MemoryKind::cuda},
                                     {"pinned", "cuda", MemoryKind::pinned},
                                     {"managed", "cuda", MemoryKind::managed}};
constexpr const char* symbol = "railgauge_device";

// Null with the reason when there is no such plugin. Asks no driver.
const DeviceTable* load(const char* name, const std::vector<std::filesystem::path>& folders, std::string& reason) {
  const Plugin plugin = load_plugin(name, symbol, folders);
  reason = plugin.reason;
  if (plugin.symbol == nullptr) return nullptr;
  const DeviceTable* table = reinterpret_cast<const DeviceTable* (*)()>(plugin.symbol)();
  if (table == nullptr || table->abi != plugin_abi)  // the rest of another version's table may have another shape
    reason = fmt::format("{} was built for another version of railgauge (table {}, expected {})", plugin.path.string(),
                         table == nullptr ? 0 : table->abi, plugin_abi);
  else if (table->name != std::string_view(name) || table->missing == nullptr || table->list == nullptr || table->open == nullptr)
    reason = fmt::format("{} is not the device {}", plugin.path.string(), name);
  return reason.empty() ? table : nullptr;
}

}  // namespace

std::vector<KnownDevice> known_devices(const std::vector<std::filesystem::path>& plugin_folders) {
  std::vector<KnownDevice> known{{"host", "the processors of this machine", {}}};
  for (const char* const name : plugin_names) {
    std::string reason;
    const DeviceTable* table = load(name, plugin_folders, reason);
    if (table != nullptr) reason = table->missing();
    try {
      if (table != nullptr && reason.empty())
        for (const DeviceRow& device : table->list()) known.push_back({device.name, device.summary, {}});
    } catch (const Error& error) { reason = error.what(); }
    if (!reason.empty()) known.push_back({name, {}, reason});
  }
  return known;
}

ChosenDevice choose_device(const std::string& memory, std::optional<int> number,
                           const std::vector<std::filesystem::path>& plugin_folders) {
  std::string names;
  for (const MemoryRow& row : memory_rows) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    if (memory != row.name) continue;
    if (row.plugin == nullptr) {
      if (number) throw Error(Fault::usage, "--gpu is for the memory of a GPU: choose one by --memory cuda, pinned or managed");
      return {};
    }
    std::string reason;
    const DeviceTable* table = load(row.plugin, plugin_folders, reason);
    if (table == nullptr) throw Error(Fault::usage, fmt::format("--memory {} is unavailable: {}", memory, reason));
    return {.table = table, .memory = row.kind, .number = number};
  }
  throw Error(Fault::usage, fmt::format("--memory {} is unknown: choose from {}", memory, names));
}

std::unique_ptr<Device> open_device(const ChosenDevice& chosen, int rank_of_host) {
  if (chosen.table == nullptr) return make_host_device();
  if (const std::string reason = chosen.table->missing(); !reason.empty())
    throw Error(Fault::usage, fmt::format("there is no device {} here: {}", chosen.table->name, reason));
  const auto count = static_cast<int>(chosen.table->list().size());
  if (chosen.number && *chosen.number >= count)
    throw Error(Fault::usage, fmt::format("--gpu {}: this host has {}, counted from 0", *chosen.number, count));
  return chosen.table->open(chosen.number.value_or(rank_of_host % count), chosen.memory);
}

}  // namespace railgauge
