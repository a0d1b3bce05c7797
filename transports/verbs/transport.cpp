// Opens the verbs transport's endpoints.
#include "transports/verbs/transport.hpp"

#include "transports/verbs/endpoint.hpp"

namespace railgauge::verbs {

std::unique_ptr<Endpoint> VerbsTransport::connect(Group& group, const Place& place) {
  return std::make_unique<VerbsEndpoint>(group, place, options_);
}

}  // namespace railgauge::verbs
