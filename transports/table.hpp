// The table that a transport plugin returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/plugin.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// The plugin's one exported function, railgauge_transport, returns it; static storage of the plugin.
struct TransportTable {
  std::uint32_t abi = plugin_abi;
  const char* name = "";
  const char* summary = "";
  const char* version = "";  // of the library behind it; empty where there is none
  std::unique_ptr<Transport> (*open)(const Settings& settings) = nullptr;
  // Removes leftovers on this machine of processes that were killed after `since`; null where the transport leaves nothing.
  void (*remove_leftovers)(std::chrono::system_clock::time_point since) noexcept = nullptr;
  // The reason why the transport cannot run on this machine ("no RDMA device"); an empty text where it can. Null: it always can.
  const char* (*missing)() noexcept = nullptr;
  const struct NativeTable* natives = nullptr;          // transports/native.hpp; null where it has none
  const struct CollectiveTable* collectives = nullptr;  // transports/collectives.hpp; the same
};

}  // namespace railgauge
