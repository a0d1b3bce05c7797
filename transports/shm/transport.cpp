// Opens the shm transport and connects its endpoints.
#include "transports/shm/transport.hpp"

#include <memory>

#include "transports/shm/endpoint.hpp"
#include "transports/shm/settings.hpp"

namespace railgauge {
namespace shm {
namespace {

class ShmTransport final : public Transport {
 public:
  explicit ShmTransport(const ShmSettings& settings) : settings_(settings) {}

  [[nodiscard]] std::string_view name() const override { return "shm"; }
  [[nodiscard]] Abilities abilities() const override {
    return {.threads = true,
            .processes = true,
            .maps_peers = settings_.mapped && settings_.slow_rank < 0,
            .shares = settings_.mapped};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override {
    return std::make_unique<ShmEndpoint>(group, place.lanes.size(), settings_);
  }

 private:
  ShmSettings settings_;
};

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<ShmTransport>(parse_settings(settings)); }

constexpr TransportTable table = {
    .abi = plugin_abi, .name = "shm", .summary = "processes of one host that map each other's memory", .open = open};

}  // namespace
}  // namespace shm

const TransportTable& shm_transport() { return shm::table; }

}  // namespace railgauge
