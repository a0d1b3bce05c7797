// Copies between the memories of one machine, as a kind of device offers them (DeviceTable::copies): its memories, and jobs that
// copy. docs/copies.md says what is measured with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/device/device.hpp"
#include "transports/transport.hpp"

namespace railgauge {

struct ChaseOrder;  // bench/device/chase.hpp
class ChaseJob;

// A memory that copies can be from and to.
struct CopyMemory {
  std::string name;               // as it is chosen: "cuda:0", "numa0"
  std::string summary;            // what it is
  std::vector<std::string> keys;  // how a topology may call it, the best first: a GPU's UUID, its PCI address
  int node = -1;                  // number of the NUMA node that it is or stands at; -1: not known
  std::size_t cache_bytes = 0;    // of the last cache in front of it; 0: not known
};

enum class CopyMover : std::uint8_t {
  engine,  // the device's copy engine
  kernel,  // a loop of ours, which the device's or the host's processors run
};

// One end of a copy: memory of a device, which the job allocates, or of the host, which the caller allocates.
struct CopyEnd {
  int device = -1;  // number in the table's list; -1: the host
  int node = -1;    // of the host's memory: the number of its NUMA node
  Bytes host;       // as many bytes as end_bytes() says, page aligned; the job pins them where that makes copies fast
};

struct CopyOrder {
  CopyEnd from, to;
  CopyMover mover = CopyMover::kernel;
  // true: the end that receives the bytes runs the copy (it reads); false: the end that gives them (it writes). Between the host
  // and a device the device always runs it.
  bool reads = false;
  bool both_ways = false;    // as many bytes go from `to` to `from` at the same time
  std::size_t bytes = 0;     // of one copy, at least 1
  std::uint64_t copies = 1;  // in each direction in one start(), one after the other
};

// An end has one buffer for each direction, in this order: what goes forward, what comes back.
[[nodiscard]] constexpr std::size_t copy_stride(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}
[[nodiscard]] constexpr std::size_t end_bytes(std::size_t bytes, bool both_ways) noexcept {
  return copy_stride(bytes) * (both_ways ? 2 : 1);
}

// Wrong bytes in a target: always an error, never a warning.
struct CopyMistake {
  bool back = false;       // in what went from `to` to `from`
  std::uint64_t byte = 0;  // the first that is wrong, counted from the begin of the target
  std::byte expected{}, got{};
  std::uint64_t wrong = 0;  // how many are
};

// Copies again and again between its own buffers. One start() begins `copies` copies in each direction. One thread makes the
// job, makes all calls and destroys it. A failure throws Error(lost) that names call and device; no call waits longer than a
// minute.
class CopyJob : public Runnable {
 public:
  // Overwrites every byte of the targets with a wrong value.
  virtual void restore() = 0;
  // Compares every byte of the targets with the sources; nothing when all are right.
  [[nodiscard]] virtual std::optional<CopyMistake> check() = 0;
  // The time from the start of the first copy of the last start() to the end of its last copy, by the device's own clock.
  // Nothing where the device has no clock.
  [[nodiscard]] virtual std::optional<Seconds> device_time() = 0;
};

struct MadeCopy {
  std::unique_ptr<CopyJob> job;
  bool staged = false;  // the devices cannot reach each other's memory: bytes pass through memory of the host
};

struct CopyTable {
  const char* name = "";          // of its kind of memory: "host", "cuda"
  std::vector<CopyMover> movers;  // that it has, the one that is taken when nobody says which first
  // Lists the memories in the order of their numbers. Throws Error(usage) that names the call.
  std::vector<CopyMemory> (*memories)() = nullptr;
  // Throws Error(usage) that says what is missing: memory, a core, a path from one end to the other.
  MadeCopy (*make)(const CopyOrder& order) = nullptr;
  // Makes a walk along pointers by one of its processors. Throws as `make` does. Null where the kind of device has no such
  // walks.
  std::unique_ptr<ChaseJob> (*chase)(const ChaseOrder& order) = nullptr;
};

// The table of copies between NUMA nodes of the host, by one core for each direction. Its memories are those of numa_nodes().
// Static storage.
[[nodiscard]] const CopyTable& host_copies();

}  // namespace railgauge
