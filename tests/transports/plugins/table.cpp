// A transport plugin that the registry must refuse: which kind is chosen when it is built.
#include "transports/table.hpp"

namespace {
std::unique_ptr<railgauge::Transport> open(const railgauge::Settings&) { return nullptr; }
constexpr railgauge::TransportTable table = {.abi = TABLE_ABI, .name = TABLE_NAME, .summary = "refused", .open = open};
}  // namespace

extern "C" __attribute__((visibility("default"))) const railgauge::TransportTable* railgauge_transport() {
  return TABLE_GIVEN ? &table : nullptr;
}
