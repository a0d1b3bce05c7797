// Messages of a few bytes as packets, what NCCL calls the LL protocol: words of 8 bytes, each half data and half a number that
// says which message it belongs to.
//
//   slot     |flag|packet packet packet ...            the flag is of messages that are read where they lie (set_ready)
//   packet   |4 bytes of data|the message's number|    written and read as one word
//
// A word of 8 bytes is whole wherever it is seen (PTX ISA, memory consistency model: a scalar access is not torn), so the number
// comes with the data: who waits for it needs no flag, no fence and no second look at memory. A message has at least one packet.
//
// The number of a message is its turn in its slot, from 1 on: a word that was left there by an earlier message has a smaller one.
// It comes again after 2^32 turns of the slot, more than 10^10 messages of the pair.
#pragma once

#include <cstddef>
#include <cstdint>

namespace railgauge::cuda {

inline constexpr std::uint32_t packet_bytes = 4;

[[nodiscard]] inline __device__ std::uint32_t packets_of(std::uint32_t bytes) {
  return bytes == 0 ? 1 : (bytes + packet_bytes - 1) / packet_bytes;
}

// Packet `index` of a message. Bytes beyond its end are not read, and 0.
[[nodiscard]] inline __device__ std::uint64_t make_packet(const std::byte* source, std::uint32_t bytes, std::uint32_t index,
                                                          std::uint32_t number) {
  const std::uint32_t at = index * packet_bytes;
  std::uint32_t data = 0;
  if (at + packet_bytes <= bytes && reinterpret_cast<std::uintptr_t>(source) % packet_bytes == 0) {
    data = *reinterpret_cast<const std::uint32_t*>(source + at);
  } else {
    for (std::uint32_t i = 0; i < packet_bytes && at + i < bytes; ++i)
      data |= static_cast<std::uint32_t>(source[at + i]) << (8 * i);
  }
  return std::uint64_t{number} << 32 | data;
}
[[nodiscard]] inline __device__ bool is_of(std::uint64_t packet, std::uint32_t number) {
  return static_cast<std::uint32_t>(packet >> 32) == number;
}
// Bytes beyond the end of the message are left alone.
inline __device__ void store_packet(std::byte* target, std::uint32_t bytes, std::uint32_t index, std::uint64_t packet) {
  const std::uint32_t at = index * packet_bytes;
  if (at + packet_bytes <= bytes && reinterpret_cast<std::uintptr_t>(target) % packet_bytes == 0) {
    *reinterpret_cast<std::uint32_t*>(target + at) = static_cast<std::uint32_t>(packet);
  } else {
    for (std::uint32_t i = 0; i < packet_bytes && at + i < bytes; ++i) target[at + i] = static_cast<std::byte>(packet >> (8 * i));
  }
}

}  // namespace railgauge::cuda
