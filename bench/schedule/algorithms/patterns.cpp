// Patterns of one round: all messages of bench/schedule/traffic.hpp at once.
//
//                   rank 0        rank 1        rank 2        rank 3
//   stream          ===> 1        <=== 0        idle          idle          a window of messages, all in flight together
//   bidirectional   <==> 1        <==> 0        idle          idle
//   incast          <- 1 2 3      -> 0          -> 0          -> 0          root 0
//   outcast         -> 1 2 3      <- 0          <- 0          <- 0          root 0
//   permutation     -> 2          -> 0          -> 3          -> 1          for example; one cycle through all ranks
//   bisection       <-> 2         <-> 3         <-> 0         <-> 1         the last of an odd number of ranks stands idle
//
// The window of outstanding messages is that of Jiuxing Liu et al., "Performance Comparison of MPI Implementations over
// InfiniBand, Myrinet and Quadrics", SC 2003; the bisection that of William Dally and Brian Towles, "Principles and Practices of
// Interconnection Networks", 2004; what many senders do to one receiver over TCP is in Amar Phanishayee et al., "Measurement and
// Analysis of TCP Throughput Collapse in Cluster-based Storage Systems", FAST 2008.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"
#include "bench/schedule/traffic.hpp"

namespace railgauge::builders {
using namespace phases;
namespace {

Schedule at_once(Collective collective, const Shape& shape) {
  const Traffic messages = traffic(collective, shape);
  Schedule schedule;
  schedule.blocks = busiest_end(collective, shape);
  if (messages.to.empty() && messages.from.empty()) return schedule;
  Round round;
  std::uint32_t block = 0;
  for (const Correspondence& receiver : messages.to) round.transfers.push_back(send(receiver.peer, input(block++)));
  block = 0;
  for (const Correspondence& sender : messages.from) round.transfers.push_back(receive(sender.peer, output(block++)));
  schedule.rounds.push_back(std::move(round));
  return schedule;
}

}  // namespace

Schedule stream(const Shape& shape) { return at_once(Collective::stream, shape); }
Schedule bidirectional(const Shape& shape) { return at_once(Collective::bidirectional, shape); }
Schedule incast(const Shape& shape) { return at_once(Collective::incast, shape); }
Schedule outcast(const Shape& shape) { return at_once(Collective::outcast, shape); }
Schedule permutation(const Shape& shape) { return at_once(Collective::permutation, shape); }
Schedule bisection(const Shape& shape) { return at_once(Collective::bisection, shape); }

}  // namespace railgauge::builders
