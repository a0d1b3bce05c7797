// Closing a channel under a sender that may be writing.
#include "transports/memory/channel.hpp"

#include <thread>

#include "transports/memory/directory.hpp"

namespace railgauge::memory {

Incoming::~Incoming() {
  if (!channel_) return;
  channel_->closed.store(true, std::memory_order_seq_cst);
  while (channel_->writing.load(std::memory_order_seq_cst)) std::this_thread::yield();  // at most one copy of a message
}

std::uint64_t Incoming::publish() const { return directory().publish(channel_); }

}  // namespace railgauge::memory
