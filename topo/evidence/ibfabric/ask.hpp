// Queries that libibnetdisc lacks: the forwarding tables of switches, and the counters of ports.
#pragma once

#include <infiniband/ibnetdisc.h>

#include <chrono>
#include <memory>
#include <string>

#include "topo/evidence/ibfabric.hpp"

namespace railgauge::topo {

// Queries through one port until a deadline. Queries without an answer by then give an empty text and are counted.
class Asker {
 public:
  // `end` is the deadline. Throws Error(usage) when the port cannot be opened.
  Asker(const FabricQuestion& question, std::chrono::steady_clock::time_point end);
  // The forwarding table of a switch, LID=port: "1=20,2-5=3"; LIDs without a port are left out.
  [[nodiscard]] std::string routes(ibnd_node_t& node);
  // "symbol_error:0,port_xmit_data:12345", with the kernel's names. Needs a LID, which a subnet manager assigns.
  [[nodiscard]] std::string counters(const ibnd_port_t& port);
  [[nodiscard]] unsigned silent() const { return silent_; }  // queries without an answer

 private:
  struct Close {
    void operator()(ibmad_port* port) const noexcept { mad_rpc_close_port(port); }
  };
  [[nodiscard]] bool may_ask();

  std::unique_ptr<ibmad_port, Close> port_;
  std::chrono::steady_clock::time_point end_;
  unsigned silent_ = 0;
};

}  // namespace railgauge::topo
