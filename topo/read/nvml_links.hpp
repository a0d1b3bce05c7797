// The NVLinks of a machine: each end reports its own, and each pair of neighbours becomes one link.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topo/graph.hpp"
#include "topo/read/nvml_record.hpp"

namespace railgauge::topo {

// The kind of an NVLink's far end, from NVML.
enum class NvlinkEnd : std::uint8_t {
  unknown,    // an inactive link has none
  peer,       // a GPU of this machine, or one that is hidden from this process
  processor,  // POWER9's
  nvswitch,   // with a PCI address
  hidden,     // an NVSwitch that is invisible to this machine: in a rack's switch tray, or of a virtual machine's host
};

struct NvlinkPlace {
  NvlinkEnd end = NvlinkEnd::unknown;
  std::string key;  // PCI address; empty for an end without one
};

// The far end of a link. `gpus` are the keys of the machine's GPUs.
[[nodiscard]] NvlinkPlace place_of(const NvmlLink&, const std::set<std::string>& gpus);

[[nodiscard]] bool is_active(const NvmlLink&);

// One end's report of the links between two nodes.
struct NvlinkHalf {
  std::string near, far;  // keys
  unsigned active = 0, inactive = 0;
  const NvmlDevice* device = nullptr;   // of the near end, not owned
  unsigned version = 0;                 // of NVML; 0 is unknown
  std::uint64_t slowest_megabytes = 0;  // per second, of active links; 0 is unknown
  Counters counters;                    // sums over the links
};

class NvlinkHalves {
 public:
  // `device` is the near end and must outlive this object.
  void add(const std::string& near, const std::string& far, const NvmlDevice& device, const NvmlLink&);

  // Joins the reports of both ends. When they disagree, the smaller number of active links counts, and the attributes "a_active"
  // and "b_active" hold both. For a pair with inactive links "capable_count" is the number of all links.
  [[nodiscard]] std::vector<Link> join() const;

 private:
  std::vector<NvlinkHalf> halves_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace railgauge::topo
