// What a plugin of transports returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/plugin.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// What a plugin's one exported symbol, railgauge_transport, returns.
struct TransportTable {
  std::uint32_t abi = plugin_abi;
  const char* name = "";
  const char* summary = "";
  const char* version = "";  // of the library behind it; empty where there is none
  std::unique_ptr<Transport> (*open)(const Settings& settings) = nullptr;
  // Removes from this machine what processes that were killed since then could not; null where that is nothing.
  void (*remove_leftovers)(std::chrono::system_clock::time_point since) noexcept = nullptr;
  // Why nothing can be done with it on this machine ("no RDMA device"); an empty text where it can. Null: it always can.
  const char* (*missing)() noexcept = nullptr;
  const struct NativeTable* natives = nullptr;          // transports/native.hpp; null where it has none
  const struct CollectiveTable* collectives = nullptr;  // transports/collectives.hpp; the same
};

}  // namespace railgauge
