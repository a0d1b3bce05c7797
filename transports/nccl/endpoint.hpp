// One rank's end of the NCCL transport: for each lane a communicator of all ranks, for the GPU of this one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transports/allocator.hpp"
#include "transports/failure_diagnostics.hpp"
#include "transports/nccl/buffers.hpp"
#include "transports/nccl/communicator.hpp"
#include "transports/nccl/ras.hpp"
#include "transports/nccl/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::nccl {

class NcclEndpoint final : public Endpoint, public Allocator, public FailureDiagnostics {
 public:
  // Needs Place::LaneResources::stream. Throws Error(usage) when two ranks have one GPU and were not allowed to, and when the
  // library is too old for what is asked for.
  NcclEndpoint(Group& group, const Place& place, const Options& options);
  ~NcclEndpoint() override;
  NcclEndpoint(const NcclEndpoint&) = delete;
  NcclEndpoint& operator=(const NcclEndpoint&) = delete;
  void attach(const Region& region) override;
  // Groups of a lane are in the order in which they are posted, which must be one that all ranks have in common.
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }

  // Memory of GPUs, where NCCL is to know the buffers.
  [[nodiscard]] bool allocates(MemoryKind kind) const override { return kind == MemoryKind::cuda && buffers_ != Buffers::plain; }
  [[nodiscard]] Allocated allocate(std::size_t bytes) override;

  // From NCCL's RAS service.
  [[nodiscard]] std::string testimony() override { return said_by_ras(ras_); }

  // Of lane 0, as its stream: where the library's own collectives run.
  [[nodiscard]] Communicator& communicator() { return *lanes_.front().communicator; }
  [[nodiscard]] void* stream() const { return lanes_.front().stream; }

 private:
  struct NcclLane {
    void* stream;
    std::unique_ptr<Communicator> communicator;
    std::unique_ptr<Registrations> registrations;  // ends first
  };
  Group& group_;
  Buffers buffers_;
  std::string ras_;  // its address
  std::vector<NcclLane> lanes_;
};

}  // namespace railgauge::nccl
