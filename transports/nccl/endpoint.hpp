// One rank's end of the NCCL transport: a communicator of all ranks, for the GPU of this one.
#pragma once

#include <memory>
#include <vector>

#include "transports/nccl/communicator.hpp"
#include "transports/nccl/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::nccl {

class NcclEndpoint final : public Endpoint {
 public:
  // Needs Place::Lane::stream. Throws Error(usage) when two ranks have one GPU and were not allowed to.
  NcclEndpoint(Group& group, const Place& place, const Options& options);
  ~NcclEndpoint() override;
  void attach(const Region& region) override;
  // Groups of all lanes are in the order in which they are posted, which must be one that all ranks have in common.
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }

  [[nodiscard]] Communicator& communicator() { return *communicator_; }
  [[nodiscard]] void* stream(std::size_t lane) const { return lanes_[lane].stream; }

 private:
  std::vector<Place::Lane> lanes_;
  bool registers_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<void*> registered_;
};

}  // namespace railgauge::nccl
