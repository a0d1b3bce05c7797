// Paths that stay off the fabric: between GPUs by NVLink or PCIe, and between a rank and its nearest NICs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/predict/routes/incidence.hpp"
#include "bench/predict/routes/spread.hpp"

namespace railgauge::predict {

// A cable by which a rank's messages leave or reach its machine, and the arcs between it and the rank, the cable included.
struct Attachment {
  std::uint32_t cable = 0;   // arc
  std::uint32_t beyond = 0;  // the vertex at its far end: a switch, or a NIC of another machine
  std::vector<Use> uses;
};

enum class Direction : std::uint8_t { out, in };

class Inside {
 public:
  explicit Inside(const Incidence& incidence);

  // What is joined without the fabric has the same number: a machine, or a rack that NVSwitches join.
  [[nodiscard]] std::uint32_t region(std::uint32_t vertex) const { return regions_[vertex]; }
  // The arcs from one rank's vertex to another's by GPU links alone, else by PCIe and processors alone. `relayed`: also through
  // other GPUs. Empty when there is no such path.
  struct Found {
    std::vector<Use> uses;
    ArcClass by = ArcClass::inside;
  };
  [[nodiscard]] Found between(std::uint32_t from, std::uint32_t to, bool relayed);
  // The cables of the nearest NICs.
  [[nodiscard]] std::vector<Attachment> attachments(std::uint32_t rank, Direction direction);

 private:
  bool search(std::uint32_t from, std::uint32_t to, ArcClass by, bool relayed, std::vector<Use>& uses);
  [[nodiscard]] std::vector<std::uint32_t> nearest_with_cable(std::uint32_t rank);
  void forget();

  const Incidence& incidence_;
  Spreader spreader_;
  std::vector<std::uint32_t> regions_, seen_;
  std::vector<std::uint16_t> distance_;
};

}  // namespace railgauge::predict
