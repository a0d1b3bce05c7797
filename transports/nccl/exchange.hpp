// The transfers of one plan as groups of ncclSend and ncclRecv in a stream.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transports/nccl/communicator.hpp"
#include "transports/transport.hpp"

namespace railgauge::nccl {

class NcclExchange final : public Exchange {
 public:
  // `communicator` and `stream`, a cudaStream_t, outlive it.
  NcclExchange(Communicator& communicator, void* stream, std::vector<std::vector<Message>> rounds)
      : communicator_(communicator), stream_(stream), rounds_(std::move(rounds)) {}
  // Puts the round into the stream.
  void post(std::size_t round) override;
  // Always true; now and then asks whether NCCL has run into an error since.
  bool test(std::size_t) override { return later_.look(communicator_); }

 private:
  Communicator& communicator_;
  void* stream_;
  std::vector<std::vector<Message>> rounds_;
  LaterErrors later_;
};

}  // namespace railgauge::nccl
