// Enqueues them.
#include "transports/nccl/exchange.hpp"

#include <fmt/format.h>

namespace railgauge::nccl {
void NcclExchange::post(std::size_t round) {
  const std::vector<Message>& messages = rounds_[round];
  if (messages.empty()) return;
  const auto stream = static_cast<cudaStream_t>(stream_);
  communicator_.begin_call();
  if (const ncclResult_t code = ncclGroupStart(); code != ncclSuccess) communicator_.failed(code, "ncclGroupStart");
  const Message* refused = nullptr;
  ncclResult_t why = ncclSuccess;
  for (const Message& message : messages) {
    why = message.kind == Message::Kind::send
              ? ncclSend(message.address, message.bytes, ncclUint8, message.peer, communicator_.handle(), stream)
              : ncclRecv(message.address, message.bytes, ncclUint8, message.peer, communicator_.handle(), stream);
    if (why == ncclSuccess) continue;
    refused = &message;
    break;
  }
  const ncclResult_t code = ncclGroupEnd();  // a group that was begun must be ended, whatever happened in it
  if (refused != nullptr)
    communicator_.failed(why,
                         fmt::format("{} of {} bytes {} rank {}", refused->kind == Message::Kind::send ? "ncclSend" : "ncclRecv",
                                     refused->bytes, refused->kind == Message::Kind::send ? "to" : "from", refused->peer));
  if (code != ncclSuccess) communicator_.failed(code, "ncclGroupEnd");
  communicator_.end_call();
}

}  // namespace railgauge::nccl
