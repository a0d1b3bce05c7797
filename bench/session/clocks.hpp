// Synchronises the clocks of all ranks with rank 0's, by empty messages over the transport that is measured.
#pragma once

#include <memory>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/measure/clock_sync.hpp"
#include "bench/measure/loop.hpp"
#include "bench/plan/collective_spec.hpp"
#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class Clocks {
 public:
  // Collective. `data_path` is the path of messages without bytes. Endpoint and device must outlive it.
  Clocks(Group& group, Endpoint& endpoint, Device& device, const DataPath& data_path, Clock clock, bool yield);
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;
  ~Clocks();

  // Collective: reads all clocks anew. Throws Error(lost) when a rank does not answer within the watchdog's time or is lost.
  void read();

  // The same on all ranks. Element r is the line of rank r through its last two readings, or through the only one.
  [[nodiscard]] const std::vector<ClockLine>& lines() const { return lines_; }

 private:
  struct PeerMessages;  // an empty message to one peer, and one from it
  void complete(Runnable& runnable) const;
  // Where ranks share cores: sleeps until `peer` has come, so that nobody polls but the two whose turn it is.
  void await_turn(int peer) const;
  [[nodiscard]] std::vector<ClockExchange> ask(const PeerMessages& messages) const;
  [[nodiscard]] std::vector<double> answer() const;

  Group& group_;
  Clock clock_;
  bool yield_;
  std::unique_ptr<Compute> compute_;
  std::vector<PeerMessages> peers_;  // rank 0: one to each other rank; others: one to rank 0
  std::vector<ClockReading> before_, now_;
  std::vector<ClockLine> lines_;
};

}  // namespace railgauge
