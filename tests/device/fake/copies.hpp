// Copies of the tests' device cuda: between hidden memory and the host's, with times of a clock of its own.
#pragma once

#include "bench/device/copies.hpp"

namespace railgauge::test {

// Two memories, cuda:0 and cuda:1. A copy takes as long as links of 10 GB/s to and from the host, 100 GB/s between the devices
// and 1000 GB/s within one, shared by nobody. A load takes 1 us from memory of the host, 700 ns from the other device and 300 ns
// from its own. FAKE_COPY in the environment breaks something:
//   wrong    the last byte of what comes to cuda:1 is another one, and its walks end elsewhere
//   memory   cuda:1 has no memory left
//   apart    the two devices cannot reach each other
//   slow     what comes to cuda:1, or is read by it, takes four times as long
//   lost     the second start fails
[[nodiscard]] const CopyTable& fake_copies();

}  // namespace railgauge::test
