// The time of a message by its size, from measured times: a latency, a share of the links' bandwidth, and what a handshake adds
// to large messages, as LogGPS has it (Ino, Fujimoto and Hagihara, "LogGPS: A Parallel Computational Model for Synchronization
// Analysis", PPoPP 2001).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace railgauge::predict {

// One message from one rank to another, alone.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;  // of one direction
  double wire = 0;     // seconds that the links of the topology need for these bytes
};

// seconds = latency + (bytes > eager ? handshake : 0) + wire / share
struct MessageFit {
  double latency = 0;  // seconds
  double share = 1;    // of the bandwidth that the topology has
  double eager = std::numeric_limits<double>::infinity();
  double handshake = 0;
  bool has_latency = false, has_share = false;  // what the sizes tell; the rest is as above
  double error = 0;                             // the largest difference from what was measured, as a share of it, over the sizes
};

// By least squares of relative errors over the sizes; of each size the median stands for all. One size tells either the latency
// or the share, whichever it is made of; `latency` is then what is assumed in its place. A handshake is seen from 6 sizes on,
// where it halves the squares at least, and errors are above 1 % without. `times` is not empty, and its numbers are above 0.
[[nodiscard]] MessageFit fit_messages(std::span<const MessageTime> times, double latency);

}  // namespace railgauge::predict
