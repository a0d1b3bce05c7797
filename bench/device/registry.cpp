// The table of plugins that devices come from.
#include "bench/device/registry.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace railgauge {
namespace {

struct PluginRow {
  const char* name;
  std::string_view not_built;  // why this build has none; empty where it has
};
constexpr PluginRow plugin_rows[] = {{"cuda", RAILGAUGE_WHY_NO_CUDA}};

// The kinds of memory that --memory names, and whose they are.
struct MemoryRow {
  const char* name;
  const PluginRow* plugin;  // null: the host's own
  MemoryKind kind;
};
constexpr const PluginRow* cuda = &plugin_rows[0];
constexpr MemoryRow memory_rows[] = {{"host", nullptr, MemoryKind::host},
                                     {"cuda", cuda, MemoryKind::cuda},
                                     {"pinned", cuda, MemoryKind::pinned},
                                     {"managed", cuda, MemoryKind::managed}};
constexpr const char* symbol = "railgauge_device";

// Null with the reason when there is no such plugin. Asks no driver.
const DeviceTable* load(const PluginRow& row, const std::vector<std::filesystem::path>& folders, std::string& reason) {
  Plugin plugin = load_plugin(row.name, symbol, folders);
  const auto* table = table_of<DeviceTable>(plugin, "device");
  reason = plugin.path.empty() ? why_missing(plugin.reason, row.not_built) : plugin.reason;
  return table;
}

}  // namespace

std::string why_missing(std::string_view not_found, std::string_view not_built) {
  return not_built.empty() ? std::string(not_found) : fmt::format("{}; this build has none: {}", not_found, not_built);
}

std::vector<KnownDeviceTable> device_tables(const std::vector<std::filesystem::path>& plugin_folders) {
  std::vector<KnownDeviceTable> known;
  for (const PluginRow& row : plugin_rows) {
    KnownDeviceTable one;
    one.name = row.name;
    one.table = load(row, plugin_folders, one.reason);
    if (one.table != nullptr) one.reason = one.table->missing();
    if (!one.reason.empty()) one.table = nullptr;
    known.push_back(std::move(one));
  }
  return known;
}

std::vector<KnownDevice> known_devices(const std::vector<std::filesystem::path>& plugin_folders) {
  std::vector<KnownDevice> known{{"host", "the processors of this machine", {}}};
  for (auto& [name, table, reason] : device_tables(plugin_folders)) {
    try {
      if (table != nullptr)
        for (const DeviceRow& device : table->list()) known.push_back({device.name, device.summary, {}});
    } catch (const Error& error) { reason = error.what(); }
    if (!reason.empty()) known.push_back({name, {}, reason});
  }
  return known;
}

ChosenDevice choose_device(const std::string& memory, const std::vector<std::string>& wanted,
                           const std::vector<std::filesystem::path>& plugin_folders) {
  std::string names;
  for (const MemoryRow& row : memory_rows) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    if (memory != row.name) continue;
    if (row.plugin == nullptr) {
      if (!wanted.empty())
        throw Error(Fault::usage, "--gpu is for the memory of a GPU: choose one by --memory cuda, pinned or managed");
      return {};
    }
    std::string reason;
    const DeviceTable* table = load(*row.plugin, plugin_folders, reason);
    if (table == nullptr) throw Error(Fault::usage, fmt::format("--memory {} is unavailable: {}", memory, reason));
    return {.table = table, .memory = row.kind, .memory_name = row.name, .wanted = wanted};
  }
  throw Error(Fault::usage, fmt::format("--memory {} is unknown: choose from {}", memory, names));
}

int number_of(const std::vector<std::string>& wanted, const std::vector<DeviceRow>& rows, int rank_of_host) {
  const auto count = static_cast<int>(rows.size());
  if (wanted.empty()) return rank_of_host % count;
  const std::string& word = wanted[static_cast<std::size_t>(rank_of_host) % wanted.size()];
  int number = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault == std::errc() && end == word.data() + word.size()) {
    if (number >= 0 && number < count) return number;
    throw Error(Fault::usage, fmt::format("--gpu {}: this host has {}, counted from 0", word, count));
  }
  int found = count;
  for (int i = 0; i < count; ++i) {
    if (word.size() < std::string_view("GPU-0").size() || !rows[static_cast<std::size_t>(i)].key.starts_with(word)) continue;
    if (found != count) throw Error(Fault::usage, fmt::format("--gpu {}: the UUIDs of two GPUs of this host begin so", word));
    found = i;
  }
  if (found == count)
    throw Error(Fault::usage,
                fmt::format("--gpu {}: this host has no such GPU (railgauge list devices): expected a number or a UUID", word));
  return found;
}

std::unique_ptr<Device> open_device(const ChosenDevice& chosen, int rank_of_host) {
  if (chosen.table == nullptr) return make_host_device();
  if (const std::string reason = chosen.table->missing(); !reason.empty())
    throw Error(Fault::usage, fmt::format("there is no device {} here: {}", chosen.table->name, reason));
  return chosen.table->open(number_of(chosen.wanted, chosen.table->list(), rank_of_host), chosen.memory);
}

}  // namespace railgauge
