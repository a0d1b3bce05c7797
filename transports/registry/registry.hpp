// Which transports there are on this machine, and why one is not.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transports/table.hpp"

namespace railgauge {

struct KnownTransport {
  std::string name;
  std::string summary;
  std::string reason;                     // why it is unavailable; empty when it can be opened
  const TransportTable* table = nullptr;  // null when unavailable
};

// All transports that this build knows, built in first, then plugins, each loaded (or not, with the reason).
[[nodiscard]] std::vector<KnownTransport> known_transports(const std::vector<std::filesystem::path>& plugin_folders);

// Throws Error(usage) that lists the known names when there is no such transport, or gives the reason when it is unavailable.
[[nodiscard]] const KnownTransport& find_transport(const std::vector<KnownTransport>& known, std::string_view name);

// A transport of a run: one of the known, or two that are composed ("shm+ucx": the first within a host, the second across).
struct ChosenTransport {
  struct Part {
    const KnownTransport* known = nullptr;  // available
    Settings settings;
  };
  std::string name;
  std::vector<Part> parts;  // one or two

  [[nodiscard]] std::unique_ptr<Transport> open() const;
  // The collectives of its library; null where it has none, as one of two parts has not.
  [[nodiscard]] const CollectiveTable* library() const {
    return parts.size() == 1 ? parts.front().known->table->collectives : nullptr;
  }
};

// `settings` by the name of a part. Throws as find_transport does.
[[nodiscard]] ChosenTransport choose_transport(const std::vector<KnownTransport>& known, const std::string& name,
                                               const std::map<std::string, Settings>& settings);

}  // namespace railgauge
