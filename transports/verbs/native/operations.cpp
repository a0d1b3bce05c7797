// The table of operations, and what all have in common.
#include "transports/verbs/native/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "transports/verbs/endpoint.hpp"

namespace railgauge::verbs {
namespace {

constexpr std::array rows{
    NativeRow{.name = "write", .summary = "RDMA writes", .halves = true},
    NativeRow{.name = "read", .summary = "RDMA reads", .fetches = true},
    NativeRow{.name = "send", .summary = "sends into posted receives", .halves = true, .takes = true},
    NativeRow{.name = "fetch_add",
              .summary = "atomic additions to a number of the peer",
              .only_bytes = 8,
              .fetches = true,
              .adds = true},
};

std::unique_ptr<Native> make(Endpoint& endpoint, const NativeRun& run) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const NativeRow& one) { return one.name == run.operation; });
  if (row == rows.end()) throw Error(Fault::usage, fmt::format("the verbs transport has no operation {}", run.operation));
  return static_cast<VerbsEndpoint&>(endpoint).make_native(static_cast<Operation>(row - rows.begin()), run,
                                                           run.latency && row->halves);
}

}  // namespace

const NativeTable natives{.rows = rows, .make = make};

void LinkedNative::Rendezvous::start() {
  if (link_.oversubscribed()) return link_.meet();
  link_.tell(Link::Word::rendezvous, ++count_);
}

bool LinkedNative::Rendezvous::test() {
  if (link_.oversubscribed()) return true;
  if (link_.told(Link::Word::rendezvous) >= count_) return true;
  link_.check();
  return false;
}

void LinkedNative::settle() {
  ++settled_;
  for (std::size_t p = 0; p < link_->size(); ++p) link_->tell(Link::Word::settled, settled_, p);
  for (std::size_t p = 0; p < link_->size(); ++p) link_->await(Link::Word::settled, settled_, p, "finish an operation");
  (void)link_->sent();
}

}  // namespace railgauge::verbs
