// The transports on this machine, and the reasons why others are unavailable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transports/table.hpp"

namespace railgauge {

// An operation of a transport (transports/native.hpp) that is known even where the transport is unavailable.
struct KnownOperation {
  std::string_view name;
  std::uint64_t only_bytes = 0;  // the one size that it has; 0: any
};

struct KnownTransport {
  std::string name;
  std::string summary;
  std::string reason;                               // why it is unavailable; empty when it can be opened
  const TransportTable* table = nullptr;            // null when unavailable
  std::span<const KnownOperation> operations = {};  // those of table->natives, also where there is no table
};

// All transports that this build knows, built in first, then plugins, each loaded (or not, with the reason).
[[nodiscard]] std::vector<KnownTransport> known_transports(const std::vector<std::filesystem::path>& plugin_folders);

// Throws Error(usage) that lists the known names when there is no such transport, or gives the reason when it is unavailable.
[[nodiscard]] const KnownTransport& find_transport(const std::vector<KnownTransport>& known, std::string_view name);

// "the transport verbs is unavailable: ...": why this one, or a part of "shm+verbs", cannot be opened here; empty where it can.
// Throws Error(usage) as find_transport does where there is no such name.
[[nodiscard]] std::string why_unavailable(const std::vector<KnownTransport>& known, const std::string& name);

// A transport of a run: one of the known, or two that are composed ("shm+ucx": the first within a host, the second across).
struct ChosenTransport {
  struct ConfiguredTransport {
    const KnownTransport* known = nullptr;  // available
    Settings settings;
  };
  std::string name;
  std::vector<ConfiguredTransport> parts;  // one or two

  [[nodiscard]] std::unique_ptr<Transport> open() const;
  // The collectives of its library; null where it has none, and for composed transports. Static storage.
  [[nodiscard]] const CollectiveTable* library() const {
    return parts.size() == 1 ? parts.front().known->table->collectives : nullptr;
  }
};

// `settings` by the name of a part. Throws as find_transport does.
[[nodiscard]] ChosenTransport choose_transport(const std::vector<KnownTransport>& known, const std::string& name,
                                               const std::map<std::string, Settings>& settings);

}  // namespace railgauge
