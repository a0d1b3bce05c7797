// The machine that the imitation of NVML plays, from a file of lines:
//
//   # a comment
//   system driver|nvml TEXT       system cuda NUMBER        system count NUMBER (of GPUs; as many as are described without it)
//   system fail FUNCTION CODE     system hang|crash FUNCTION   system garbage    system fabric 2 (the newest structure it knows)
//   gpu 0-7 name|uuid|serial|pci TEXT      gpu 0 capability 9 0      gpu 0 memory BYTES     gpu 0 numa N     gpu 0 near N
//   gpu 0 pcie GENERATION WIDTH MAX_GENERATION MAX_WIDTH GPU_MAX_GENERATION      gpu 0 replays N      gpu 0 field NUMBER VALUE
//   gpu 0 c2c COUNT MEGABYTES     gpu 0 fabric 32_DIGITS CLIQUE STATE STATUS MASK SUMMARY
//   gpu 0 platform SERIAL SLOT TRAY HOST MODULE      gpu 0 mig 0|1      gpu 0 part GPU_INSTANCE COMPUTE_INSTANCE UUID
//   gpu 0 energy MILLIJOULES STEP     gpu 0 held POLICY NANOSECONDS STEP (grow by the step with each reading)
//   gpu 0 clocks SM MEMORY MAX_SM MAX_MEMORY     gpu 0 reasons MASK
//   gpu 0 vbios TEXT     gpu 0 persistence 0|1     gpu 0 compute MODE     gpu 0 ecc NOW PENDING     gpu 0 temperature CELSIUS
//   gpu 0 eccerrors CORRECTED UNCORRECTED UNCORRECTED_EVER
//   gpu 0 remap CORRECTED UNCORRECTED PENDING FAILED     gpu 0 limit MILLIWATTS
//   link 0-7:0-3 VERSION gpu NUMBER | switch BUS_ID | hidden | npu BUS_ID
//   link 0:5 off                  link 0:5 field NUMBER VALUE       link 0:5 error COUNTER VALUE
//   pair 0-3 4-7 ancestor LEVEL   pair 0 1 p2p STATUS               in both directions
//
// A later line wins. "0-7" is a range, "*" are all numbers described so far.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace railgauge::fake_nvml {

struct Link {
  unsigned version = 0;
  bool active = true;
  std::string remote;  // PCI bus id
  unsigned type = 255;
  std::map<unsigned, std::uint64_t> fields, errors;
};

struct Counter {
  std::uint64_t value = 0, step = 0;
};

struct Gpu {
  unsigned index = 0;
  std::map<std::string, std::vector<std::string>> words;  // by the name of the line: "pcie" -> {"4", "16", ...}
  std::map<unsigned, std::uint64_t> fields;
  std::map<unsigned, Link> links;
  std::deque<Gpu> parts;
  std::optional<Counter> energy;
  std::map<unsigned, Counter> held;  // by policy
};

struct Machine {
  std::map<std::string, std::string> system;
  std::map<std::string, int> fail;
  std::string hang, crash;
  bool garbage = false;
  std::deque<Gpu> gpus;  // their addresses are the handles
  std::map<std::pair<unsigned, unsigned>, unsigned> ancestors, p2p;
};

// Throws std::runtime_error that names the line.
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace railgauge::fake_nvml
