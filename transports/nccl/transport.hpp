// The NCCL transport: our schedules over ncclSend and ncclRecv, in the order of a GPU's stream.
#pragma once

#include <memory>

#include "transports/nccl/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::nccl {

class NcclTransport final : public Transport {
 public:
  explicit NcclTransport(const Settings& settings) : options_(read_options(settings)) {}
  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] Abilities abilities() const override {
    return {.processes = true,
            .hosts = true,
            .stream_ordered = true,
            .memory = {MemoryKind::cuda, MemoryKind::pinned, MemoryKind::managed}};
  }
  [[nodiscard]] std::unique_ptr<Endpoint> connect(Group& group, const Place& place) override;

 private:
  Options options_;
};

}  // namespace railgauge::nccl
