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
  // Whether UCX reports a peer that dies. Then it can use fewer of its own transports (see read_options).
  bool peer_errors = false;
};

// The names: `tls` (UCX_TLS), `devices` (UCX_NET_DEVICES), `rndv_thresh` (UCX_RNDV_THRESH), `error_handling` and any UCX_...
// name. `error_handling` is on, off or auto. On lets shared memory take part by UCX_POSIX_ERROR_HANDLING and
// UCX_SYSV_ERROR_HANDLING, which are off by default because large messages then lose the copy straight out of the peer (cma).
// Auto is on when `tls` names only tcp and InfiniBand, for which it costs nothing, and off otherwise: there the group's own
// watch over its ranks reports deaths. Throws Error(usage) that lists the names when one is unknown.
[[nodiscard]] Options read_options(const Settings& settings);

struct ConfigurationRelease {
  void operator()(ucp_config_t* configuration) const noexcept { ucp_config_release(configuration); }
};
using Configuration = std::unique_ptr<ucp_config_t, ConfigurationRelease>;

// UCX's defaults, then its environment (UCX_...), then `options`; network devices limited to `port` unless it is empty.
[[nodiscard]] Configuration read_configuration(const Options& options, const std::string& port);

// While it is loaded UCX takes SIGHUP for its own debugging, and a program whose terminal is closed would live on. Gives the
// signal its default action back when it is UCX that holds it.
void restore_hangup();

}  // namespace railgauge::ucx
