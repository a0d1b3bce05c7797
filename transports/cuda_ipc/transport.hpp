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
    const bool in_stream = options_.progress == Progress::stream;
    const bool fabric = options_.handles == HandleKind::fabric;
    return {.processes = true,
            .hosts = fabric && in_stream,
            .maps_peers = in_stream,
            .stream_ordered = in_stream,
            .shares = options_.handles != HandleKind::legacy,
            .fabric = fabric,
            .memory = {MemoryKind::cuda}};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override;

 private:
  Options options_;
};

}  // namespace railgauge::cuda_ipc
