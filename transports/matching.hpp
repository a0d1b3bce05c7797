// Whether the two ends of a directed pair mean the same messages.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"

namespace railgauge {

// `sent` and `received` are the bytes of each message, as the sender and the receiver prepared them. Throws Error(usage) that
// names both ranks and the message where they differ.
inline void check_match(std::span<const std::uint64_t> sent, int sender, std::span<const std::uint64_t> received, int receiver) {
  if (sent.size() != received.size())
    throw Error(Fault::usage, fmt::format("rank {} prepares {} messages to rank {}, which expects {}", sender, sent.size(),
                                          receiver, received.size()));
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (sent[i] != received[i])
      throw Error(Fault::usage, fmt::format("message {} from rank {} to rank {}: {} bytes are sent, {} are received", i, sender,
                                            receiver, sent[i], received[i]));
}

}  // namespace railgauge
