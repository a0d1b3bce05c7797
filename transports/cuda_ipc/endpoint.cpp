// Shares flags and regions, and ends what waits for peers that do not come.
#include "transports/cuda_ipc/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "transports/cuda_ipc/agreement.hpp"
#include "transports/cuda_ipc/driver.hpp"
#include "transports/cuda_ipc/exchange.hpp"

namespace railgauge::cuda_ipc {
namespace {

constexpr std::chrono::seconds parting{4};

// As the contract says; at least 4096, so that small groups need not count.
std::size_t flags_for(std::size_t lanes, int ranks) {
  return std::max<std::size_t>(4096, flags_a_pair(static_cast<std::size_t>(ranks)) * lanes * static_cast<std::size_t>(ranks));
}

bool is_in_flight(CUstream stream) noexcept { return driver().stream_query(stream) == CUDA_ERROR_NOT_READY; }

}  // namespace

CudaIpcEndpoint::CudaIpcEndpoint(Group& group, const Place& place, const Options& options) : peers_(group, place, options) {
  for (const Place::LaneResources& lane : place.lanes) streams_.push_back(static_cast<CUstream>(lane.stream));
  mapping_.on_device = true;
  mapping_.blocks = options.blocks;
  mapping_.sharers = peers_.sharers();
  mapping_.flag_count = flags_for(place.lanes.size(), group.size());
  mapping_.regions.resize(static_cast<std::size_t>(group.size()));
  control_ = Allocation(mapping_.flag_count * sizeof(std::uint64_t) + 2 * line * place_of(place.lanes.size(), 0), options.handles,
                        peers_.party(group.rank()));
  controls_ = peers_.share(control_.address(), control_.bytes());
  for (std::byte* const control : controls_) mapping_.flags.push_back(reinterpret_cast<std::atomic<std::uint64_t>*>(control));
}

// To close or to free memory waits for all that the GPU has in flight: what waits for a peer even now would be waited for until
// the process is killed.
CudaIpcEndpoint::~CudaIpcEndpoint() {
  release_waits();
  if (busy()) {
    peers_.leave();
    control_.leave();
  }
  if (aside_ != nullptr) (void)driver().stream_destroy(aside_);
}

void CudaIpcEndpoint::attach(const Region& region) {
  expect_gpu_memory(region);
  regions_.push_back(region);
  const std::vector<std::byte*> addresses = peers_.share(region.address, region.bytes);
  for (std::size_t rank = 0; rank < addresses.size(); ++rank) mapping_.regions[rank].push_back(addresses[rank]);
}

CUdeviceptr CudaIpcEndpoint::counter(std::size_t lane, int owner, int other) const {
  const std::byte* const first = controls_[static_cast<std::size_t>(owner)] + mapping_.flag_count * sizeof(std::uint64_t);
  return reinterpret_cast<std::uintptr_t>(first + 2 * line * place_of(lane, other));
}

std::unique_ptr<Exchange> CudaIpcEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= streams_.size()) throw Error(Fault::usage, fmt::format("lane {}: the endpoint has {}", lane, streams_.size()));
  int supported = 0;
  const std::string me = peers_.party(group().rank());
  check(driver().device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, current_device()),
        Fault::usage, "cuDeviceGetAttribute of " + me);
  if (supported == 0)
    throw Error(Fault::usage,
                fmt::format("{} cannot wait for memory in a stream (cuStreamWaitValue64), which the cuda_ipc transport "
                            "sends messages by: use --set cuda_ipc.progress=host",
                            me));
  return std::make_unique<CudaIpcExchange>(*this, lane, agree(*this, lane, rounds));
}

bool CudaIpcEndpoint::busy() const noexcept {
  return std::any_of(streams_.begin(), streams_.end(), is_in_flight) || (aside_ != nullptr && is_in_flight(aside_));
}

// Far ahead of all that was ever awaited: streams compare by the sign of the difference. Written again and again, since a peer
// that lives may still write what it has to say; but only when the last ones are done: where the stream they go by shares a
// hardware queue with what waits, they are never done, and a full stream would keep the caller.
void CudaIpcEndpoint::release_waits() noexcept {
  if (!busy()) return;
  if (aside_ != nullptr && is_in_flight(aside_)) return;  // it was tried, in vain
  if (aside_ == nullptr && driver().stream_create(&aside_, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return;
  constexpr std::uint64_t far = std::uint64_t{1} << 62;
  constexpr std::size_t at_once = 256;  // of the thousand or so that a stream holds
  const std::size_t pairs = place_of(streams_.size(), 0);
  const CUdeviceptr first = ready(0, group().rank(), 0);  // and so on, one line after the other
  std::size_t next = 0;
  const auto deadline = std::chrono::steady_clock::now() + parting;
  while (busy() && std::chrono::steady_clock::now() < deadline) {
    if (!is_in_flight(aside_))
      for (std::size_t i = 0; i < std::min(at_once, 2 * pairs); ++i, next = (next + 1) % (2 * pairs))
        (void)driver().stream_write_value(aside_, first + next * line, far, CU_STREAM_WRITE_VALUE_DEFAULT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace railgauge::cuda_ipc
