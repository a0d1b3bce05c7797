// Connects, and registers memory.
#include "transports/nccl/endpoint.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "transports/nccl/call.hpp"
#include "transports/nccl/exchange.hpp"
#include "transports/nccl/newer.hpp"

namespace railgauge::nccl {
namespace {

// Collective.
void expect_own_gpus(Group& group, const std::string& key) {
  Blob mine(key.size());
  std::memcpy(mine.data(), key.data(), key.size());
  const std::vector<Blob> all = group.allgather(mine);
  std::map<Blob, int> owners;
  for (int rank = 0; rank < group.size(); ++rank) {
    const Blob& its = all[static_cast<std::size_t>(rank)];
    const auto [owner, is_first] = owners.emplace(its, rank);
    if (is_first) continue;
    throw Error(Fault::usage,
                fmt::format("ranks {} and {} have the same {} on {}, which NCCL refuses: start a rank for each GPU, or let them "
                            "speak over sockets with --set nccl.shared_gpu=on",
                            owner->second, rank, std::string_view(reinterpret_cast<const char*>(its.data()), its.size()),
                            group.nodes()[static_cast<std::size_t>(rank)]));
  }
}

}  // namespace

NcclEndpoint::NcclEndpoint(Group& group, const Place& place, const Options& options)
    : lanes_(place.lanes), registers_(options.registers) {
  for (const Place::Lane& lane : lanes_)
    if (lane.stream == nullptr)
      throw Error(Fault::usage,
                  "the nccl transport moves the memory of GPUs: use it with railgauge bench --memory cuda, pinned or managed");
  if (!options.shared_gpu) expect_own_gpus(group, place.device_key);
  apply(options, group);
  communicator_ = std::make_unique<Communicator>(group, place.device_key);
}

NcclEndpoint::~NcclEndpoint() {
  if (communicator_->broken()) return;  // it is gone, or will be at once, and kernels may still use the memory
  for (void* const handle : registered_) newer().comm_deregister(communicator_->handle(), handle);
}

void NcclEndpoint::attach(const Region& region) {
  if (!registers_) return;
  if (newer().comm_register == nullptr || newer().comm_deregister == nullptr)
    throw Error(Fault::usage, "--set nccl.register=on: this NCCL is older than 2.19 and has no ncclCommRegister");
  void* handle = nullptr;
  check(newer().comm_register(communicator_->handle(), region.address, region.bytes, &handle), Fault::usage,
        fmt::format("ncclCommRegister of {} bytes on rank {}", region.bytes, communicator_->rank()), communicator_->handle());
  registered_.push_back(handle);
}

std::unique_ptr<Exchange> NcclEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  return std::make_unique<NcclExchange>(*communicator_, lanes_.at(lane).stream, std::move(rounds));
}

}  // namespace railgauge::nccl
