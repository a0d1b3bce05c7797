// A fabric as readers of lists make it: nodes by key, ports by node and number, whichever line names them first.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "topo/evidence/evidence.hpp"
#include "topo/read/fabric.hpp"

namespace railgauge::topo {

class FabricList {
 public:
  explicit FabricList(const Reading& reading) {
    fabric.source = reading.source;
    fabric.origin = reading.origin;
  }

  // Throws Error(usage) "ORIGIN:LINE: what".
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;

  // The place of the node; a new one has this key and nothing else.
  std::size_t node(const std::string& key);
  // The place of the port; a new one has the line.
  std::size_t port(std::size_t node, unsigned number, std::size_t line);
  // Makes each the peer of the other. Throws Error(usage) when one has another peer already.
  void join(std::size_t port, std::size_t other, std::size_t line);

  Fabric fabric;

 private:
  std::unordered_map<std::string, std::size_t> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> ports_;
};

}  // namespace railgauge::topo
