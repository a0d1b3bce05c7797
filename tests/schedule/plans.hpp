// Plans of MSCCL++ that are made for any number of ranks.
#pragma once

#include <cstdint>
#include <string>

namespace railgauge::test {

// One operation a line. All-reduce in place: each rank reads its block of all others, reduces and writes the sum to all.
[[nodiscard]] std::string read_reduce_plan(std::int32_t ranks);
// All-reduce in place by packets: blocks go to their owner's scratch, sums to everybody's.
[[nodiscard]] std::string packet_plan(std::int32_t ranks);
// All-gather out of place by puts of a port, with a semaphore between the thread block that copies and the one that puts.
[[nodiscard]] std::string port_plan(std::int32_t ranks);
// The first one as plans were before August 2025.
[[nodiscard]] std::string former_plan(std::int32_t ranks);

}  // namespace railgauge::test
