// What a message and a reduction cost beside the bytes on the links: LogGP's latency and gap, and the memory of the device
// (Alexandrov, Ionescu, Schauser and Scheiman, "LogGP: Incorporating Long Messages into the LogP Model", SPAA 1995).
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "bench/predict/routes/routes.hpp"

namespace railgauge::predict {

// What large messages pay beside their latency: sender and receiver find out that both are ready (rendezvous; LogGPS).
struct Handshake {
  double eager = std::numeric_limits<double>::infinity();  // bytes of the largest message that goes without
  double seconds = 0;
};

struct Costs {
  // Seconds from post to completion of a message of no bytes, by medium; through the network with one switch.
  double gpu_links = 0, pcie = 0, network = 0;
  double hop = 0;                            // seconds that each further switch adds
  double gap = 0;                            // seconds from one send of a rank to its next in the same round
  double memory = 0;                         // bytes a second that a rank's device reads and writes; 0: local steps take no time
  std::array<Handshake, 3> handshakes = {};  // by medium
  // Bytes of the largest message that begins when it is sent, by medium: an eager one. Others begin when both ranks have posted
  // it.
  std::array<double, 3> eager = {-1, -1, -1};

  [[nodiscard]] double latency(const Route& route) const {
    if (route.medium == Medium::gpu_links) return gpu_links;
    if (route.medium == Medium::pcie) return pcie;
    const double further = route.switches > 1 ? route.switches - 1.0 : 0.0;
    return network + hop * further + (route.relayed ? gpu_links : 0);
  }
  [[nodiscard]] double handshake(Medium medium, double bytes) const {
    const Handshake& it = handshakes[static_cast<std::size_t>(medium)];
    return bytes > it.eager && !is_eager(medium, bytes) ? it.seconds : 0;
  }
  [[nodiscard]] bool is_eager(Medium medium, double bytes) const { return bytes <= eager[static_cast<std::size_t>(medium)]; }
  [[nodiscard]] double local(double bytes_moved) const { return memory > 0 ? bytes_moved / memory : 0; }
};

}  // namespace railgauge::predict
