// The UCX transport: tag-matched messages on memory that is registered beforehand.
#pragma once

#include "transports/transport.hpp"
#include "transports/ucx/settings.hpp"

namespace railgauge::ucx {

class UcxTransport final : public Transport {
 public:
  // Throws Error(usage) when a setting is unknown or UCX refuses its value.
  explicit UcxTransport(const Settings& settings);

  [[nodiscard]] std::string_view name() const override { return "ucx"; }
  [[nodiscard]] Abilities abilities() const override {
    return {.threads = true, .processes = true, .hosts = true, .tries = {MemoryKind::pinned, MemoryKind::cuda}};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override;

 private:
  Options options_;
};

}  // namespace railgauge::ucx
