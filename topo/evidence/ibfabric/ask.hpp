// What libibnetdisc does not ask nodes: the forwarding tables of switches, and what ports have counted.
#pragma once

#include <infiniband/ibnetdisc.h>

#include <chrono>
#include <memory>
#include <string>

#include "topo/evidence/ibfabric.hpp"

namespace railgauge::topo {

// Asks through one port until its time is over; what did not answer, or was not asked by then, is empty and counted.
class Asker {
 public:
  // Throws Error(usage).
  Asker(const FabricQuestion& question, std::chrono::steady_clock::time_point end);
  // Of a switch, by LID: "1=20,2-5=3"; LIDs without a port are left out.
  [[nodiscard]] std::string routes(ibnd_node_t& node);
  // "symbol_error:0,port_xmit_data:12345", by the kernel's names. Needs a LID, which a subnet manager gives.
  [[nodiscard]] std::string counters(const ibnd_port_t& port);
  [[nodiscard]] unsigned silent() const { return silent_; }

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
