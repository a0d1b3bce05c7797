// NVLinks of all GPUs of a machine, which each end tells for itself, bundled to one link for each pair of neighbours.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topo/graph.hpp"
#include "topo/read/nvml_record.hpp"

namespace railgauge::topo {

// Where an NVLink leads: what NVML tells of its far end.
enum class NvlinkEnd : std::uint8_t {
  unknown,    // an inactive link has none
  peer,       // a GPU of this machine, or one that this process may not see
  processor,  // POWER9's
  nvswitch,   // with a PCI address
  hidden,     // an NVSwitch that this machine does not see: of a rack's switch trays, or of the host of a virtual machine
};

struct NvlinkPlace {
  NvlinkEnd end = NvlinkEnd::unknown;
  std::string key;  // PCI address; empty for the ends without one
};

// `gpus` are the keys of the machine's GPUs.
[[nodiscard]] NvlinkPlace place_of(const NvmlLink&, const std::set<std::string>& gpus);

[[nodiscard]] bool is_active(const NvmlLink&);

// What one end tells of the links between two nodes.
struct NvlinkHalf {
  std::string near, far;  // keys
  unsigned active = 0, inactive = 0;
  const NvmlDevice* device = nullptr;
  unsigned version = 0;                 // of NVML; 0 is unknown
  std::uint64_t slowest_megabytes = 0;  // per second, of active links; 0 is unknown
  Counters counters;                    // of all together
};

class NvlinkHalves {
 public:
  // `device` is the near end, and must outlive this.
  void add(const std::string& near, const std::string& far, const NvmlDevice& device, const NvmlLink&);

  // Joins each half with the one that its far end tells. Where the ends disagree the smaller number of active links counts, and
  // both stand in the attributes "a_active" and "b_active". Of a pair with active and inactive links "capable_count" is that of
  // all.
  [[nodiscard]] std::vector<Link> join() const;

 private:
  std::vector<NvlinkHalf> halves_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace railgauge::topo
