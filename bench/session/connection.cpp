#include "bench/session/connection.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/group/nodes.hpp"
#include "bench/session/places.hpp"
#include "transports/gather.hpp"
#include "transports/oversubscribed.hpp"

namespace railgauge {
namespace {

// Of the rank that has most.
std::size_t last_level_cache(Group& group, int cores) {
  const std::vector<std::size_t> caches = gather(group, host::last_level_share() * static_cast<std::size_t>(std::max(1, cores)));
  return *std::max_element(caches.begin(), caches.end());
}

RankMemory::Direct direct(Path path) {
  using Direct = RankMemory::Direct;
  if (path == Path::staged) return Direct::never;
  return path == Path::exchange ? Direct::always : Direct::where_it_can;
}

}  // namespace

Connection::Connection(Group& group, const ChosenTransport& transport, const std::vector<Point>& points,
                       const SessionOptions& options)
    : group_(group),
      chosen_(transport),
      device_(open_device(options.device, rank_of_node(group))),
      host_device_(make_host_device()),
      transport_(transport.open()),
      nodes_(count_nodes(group)),
      oversubscribed_(any_host_is_oversubscribed(group) || options.oversubscribed),
      layout_(options, last_level_cache(group, options.cores)) {
  for (const Point& point : points) lanes_ = std::max(lanes_, point.spec.lanes);
  const std::size_t bytes = layout_.bytes_needed(points, group_.rank());
  expect_room(group_, RankMemory::host_bytes(options.device.memory, transport_->abilities(), bytes));
  const bool own_streams =
      direct(options.path) != RankMemory::Direct::never;  // what is staged is copied in the device's one stream
  Place place = make_place(group_, *transport_, *device_, lanes_, own_streams);
  place.oversubscribed = oversubscribed_;
  endpoint_ = transport_->connect(group_, place);
  memory_ = std::make_unique<RankMemory>(group_, *endpoint_, RankMemory::Devices{*device_, options.device.memory, *host_device_},
                                         transport_->abilities(), bytes, direct(options.path));
  endpoint_->attach(memory_->attached());
  const Mapping* const mapping = endpoint_->mapping();
  const bool on_device = mapping != nullptr && mapping->on_device;
  reached_ = options.device.memory == (on_device ? MemoryKind::cuda : MemoryKind::host);
  mapped_ = (options.path == Path::automatic || options.path == Path::mapped) && options.unaligned == 0 && mapping != nullptr &&
            reached_;
  refuse_impossible(options);
}

void Connection::refuse_impossible(const SessionOptions& options) const {
  const Mapping* const mapping = endpoint_->mapping();
  const auto refuse = [](const std::string& sentence) { throw Error(Fault::usage, sentence); };
  if (options.graph && !in_stream())
    refuse("--graph is of plans that work in a device's stream alone, as over nccl and cuda_ipc: " + chosen_.name +
           (memory_->staged() ? " passes through memory of the host here" : " does not"));
  if (!mapped_ && mapping != nullptr && mapping->blocks != 0)
    refuse("cuda_ipc.blocks is of the kernel that runs mapped plans, and this run has none: leave it out");
  if (options.path == Path::staged && options.device.memory == MemoryKind::host)
    refuse("--path staged is of memory of a device: say --memory cuda, pinned or managed");
  if (options.path == Path::mapped && !reached_)
    refuse("--path mapped needs buffers of the host, or --transport cuda_ipc: leave out --memory or --path");
  if (options.path == Path::mapped && !mapped_)
    refuse("--path mapped: the " + chosen_.name + " transport maps nobody's memory here");
}

}  // namespace railgauge
