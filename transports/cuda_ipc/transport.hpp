// The cuda_ipc transport: ranks that map each other's GPU memory (docs/cuda_ipc.md).
#pragma once

#include <memory>

#include "transports/cuda_ipc/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

class CudaIpcTransport final : public Transport {
 public:
  explicit CudaIpcTransport(const Settings& settings) : options_(read_options(settings)) {}
  [[nodiscard]] std::string_view name() const override { return "cuda_ipc"; }
  [[nodiscard]] Abilities abilities() const override {
    return {.processes = true,
            .hosts = options_.handles == HandleKind::fabric,
            .maps_peers = true,
            .stream_ordered = true,
            .shares = options_.handles != HandleKind::legacy,
            .fabric = options_.handles == HandleKind::fabric,
            .memory = {MemoryKind::cuda}};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override;

 private:
  Options options_;
};

}  // namespace railgauge::cuda_ipc
