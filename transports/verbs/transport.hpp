// The verbs transport: RDMA writes from prebuilt work requests, straight into the peer's memory.
#pragma once

#include "transports/transport.hpp"
#include "transports/verbs/settings.hpp"

namespace railgauge::verbs {

class VerbsTransport final : public Transport {
 public:
  // Throws Error(usage) when a setting is unknown or wrong.
  explicit VerbsTransport(const Settings& settings) : options_(read_options(settings)) {}

  [[nodiscard]] std::string_view name() const override { return "verbs"; }
  [[nodiscard]] Abilities abilities() const override {
    return {.threads = true, .processes = true, .hosts = true, .ports = true, .tries = {MemoryKind::pinned, MemoryKind::cuda}};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override;

 private:
  Options options_;  // outlives the endpoints
};

}  // namespace railgauge::verbs
