// Opens the memory transport and connects its endpoints.
#include "transports/memory/transport.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "transports/memory/endpoint.hpp"
#include "transports/memory/injection.hpp"
#include "transports/memory/settings.hpp"

namespace railgauge {
namespace memory {
namespace {

class MemoryTransport final : public Transport {
 public:
  explicit MemoryTransport(const MemorySettings& settings) : settings_(settings) {}

  [[nodiscard]] std::string_view name() const override { return "memory"; }
  [[nodiscard]] Abilities abilities() const override { return {.threads = true, .maps_peers = settings_.mapped}; }

  // Ranks may share one Transport or open one each.
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override {
    std::unique_ptr<Wire> wire;
    if (settings_.shaped()) {
      wire = std::make_unique<Wire>();
      const LinkCost& link = settings_.link;
      wire->latency_nanoseconds = std::llround(link.latency.count() * 1e9);
      wire->seconds_per_byte = link.bytes_per_second > 0 ? 1 / link.bytes_per_second : 0;
      wire->busy_until.resize(static_cast<std::size_t>(group.size()));
      wire->injection = injection(group.rank(), group.size());
    }
    return std::make_unique<MemoryEndpoint>(group, place.lanes.size(), settings_.mapped, std::move(wire));
  }

 private:
  std::shared_ptr<Injection> injection(int rank, int size) {
    const std::lock_guard guard(lock_);
    std::shared_ptr<Injection>& found = injections_[{rank, size}];
    if (!found) found = std::make_shared<Injection>(settings_.fault, rank, size);
    return found;
  }

  MemorySettings settings_;
  std::mutex lock_;
  std::map<std::pair<int, int>, std::shared_ptr<Injection>> injections_;  // by rank and size of the group
};

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<MemoryTransport>(parse_settings(settings)); }

constexpr TransportTable table = {
    .abi = plugin_abi, .name = "memory", .summary = "threads of one process that write into each other's memory", .open = open};

}  // namespace
}  // namespace memory

const TransportTable& memory_transport() { return memory::table; }

}  // namespace railgauge
