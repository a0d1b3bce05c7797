// What the software GPUs of a process are: RAILGAUGE_SOFTGPU="gpus=8,sms=4,seed=1".
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgpu {

struct Config {
  unsigned gpus = 8;
  unsigned sms = 4;            // multiprocessors of each
  std::size_t gigabytes = 80;  // that each says it has
  std::uint64_t seed = 1;      // of every order that is drawn
  std::size_t queue = 1024;    // operations that a stream holds: a call that puts one more waits
  unsigned connections = 8;    // hardware queues (CUDA_DEVICE_MAX_CONNECTIONS)
  bool late = true;            // whether operations are held back where the documents allow it
  bool peers = true;           // whether GPUs reach each other's memory
  bool waits = true;           // whether streams can wait for memory
  bool checked = true;         // whether kernels are checked for bounds and races
  bool strict = true;          // whether what is found ends the GPU's work, so that the program under test fails
  bool counts = false;         // whether each kernel that ends says what it did (GridCounts) on standard error
  unsigned patience = 30;      // seconds until kernels that all wait are found to be in a deadlock

  [[nodiscard]] std::size_t memory_bytes() const { return gigabytes * 1'000'000'000; }
};

// Ends the process with a sentence where a word is not known: a test that asked for something else than it gets proves nothing.
[[nodiscard]] Config config_of_environment();

}  // namespace softgpu
