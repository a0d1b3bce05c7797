// The symbol of the NCCL plugin.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "transports/nccl/call.hpp"
#include "transports/nccl/collectives.hpp"
#include "transports/nccl/driver.hpp"
#include "transports/nccl/transport.hpp"
#include "transports/table.hpp"

namespace railgauge::nccl {
namespace {

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<NcclTransport>(settings); }

int library_version() {
  int version = 0;
  return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

const char* missing() noexcept {
  static const std::string reason = [] {
    const int version = library_version();
    if (version < oldest_version)
      return fmt::format("the library is NCCL {}, and {} is the oldest that serves", version_text(version),
                         version_text(oldest_version));
    const std::string driver = missing_driver();
    return driver.empty() ? driver : "NVIDIA's driver is not there: " + driver;
  }();
  return reason.c_str();
}

}  // namespace
}  // namespace railgauge::nccl

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const std::string version = railgauge::nccl::version_text(railgauge::nccl::library_version());
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "nccl",
                                               .summary = "NVIDIA's NCCL: sends and receives between GPUs",
                                               .version = version.c_str(),
                                               .open = railgauge::nccl::open,
                                               .missing = railgauge::nccl::missing,
                                               .collectives = &railgauge::nccl::collectives};
  return &table;
}
