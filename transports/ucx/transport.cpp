// Opens the UCX transport and connects its endpoints.
#include "transports/ucx/transport.hpp"

#include "transports/ucx/endpoint.hpp"
#include "transports/ucx/handles.hpp"

namespace railgauge::ucx {

UcxTransport::UcxTransport(const Settings& settings) : options_(read_options(settings)) {
  restore_hangup();
  silence_log();
  watch_memory(options_.memory_events);
  const Configuration configuration = read_configuration(options_, "");  // refuses wrong values now, not on the first connect
}

std::unique_ptr<Endpoint> UcxTransport::connect(Group& group, const Place& place) {
  return std::make_unique<UcxEndpoint>(group, place, options_);
}

}  // namespace railgauge::ucx
