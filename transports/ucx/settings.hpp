// The settings of the UCX transport (--set ucx.NAME=VALUE) and UCX's configuration made from them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.hpp"
#include "transports/ucx/handles.hpp"

namespace railgauge::ucx {

struct Options {
  // UCX's own names without "UCX_", and their values, in the order in which they are applied.
  std::vector<std::pair<std::string, std::string>> changes;
  // Whether UCX reports a peer that dies (see read_options).
  bool peer_errors = false;
  // Whether UCX watches mmap, munmap and the like.
  bool memory_events = false;
  // Whether ranks are connected at an address of their interface, by rdma_cm or TCP, instead of by what UCX tells of a worker.
  bool listener = false;

  // The network device that `changes` name; empty when none is.
  [[nodiscard]] std::string device() const;
};

// The names: `tls` (UCX_TLS), `devices` (UCX_NET_DEVICES), `rndv_thresh` (UCX_RNDV_THRESH), `error_handling` and any UCX_...
// name. `error_handling` is off or on, off by default. On makes UCX itself report a peer that dies; the group's watch over its
// ranks does so anyway, and UCX 1.13 then aborts the process in about one of six deaths in the middle of a large message over
// TCP (uct_iface.h: Assertion `comp->count > 0'), and takes shared memory only where UCX_POSIX_ERROR_HANDLING=y is in the
// environment. `memory_events` is off or on, off by default. On makes UCX patch the C library's memory functions, for a cache of
// registrations that nothing here needs, since all memory is registered beforehand. `connect` is worker or listener
// (listener.hpp). Throws Error(usage) that lists the names when one is unknown.
[[nodiscard]] Options read_options(const Settings& settings);

struct ConfigurationRelease {
  void operator()(ucp_config_t* configuration) const noexcept { ucp_config_release(configuration); }
};
using Configuration = std::unique_ptr<ucp_config_t, ConfigurationRelease>;

// UCX's defaults, then its environment (UCX_...), then `options`; network devices limited to `port` unless it is empty.
[[nodiscard]] Configuration read_configuration(const Options& options, const std::string& port);

// UCX's own log says in other words what our errors say, in the middle of tables. Silences it, but for fatal messages, unless
// its level was chosen (UCX_LOG_LEVEL in the environment).
void silence_log();

// UCX's watch over memory functions, for the whole process; works only before the first ucp_init.
void watch_memory(bool on) noexcept;

// While it is loaded UCX takes SIGHUP for its own debugging, and a program whose terminal is closed would live on. Gives the
// signal its default action back when it is UCX that holds it.
void restore_hangup();

}  // namespace railgauge::ucx
