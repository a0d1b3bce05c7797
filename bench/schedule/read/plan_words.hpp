// The operations of MSCCL++'s execution plans: which names there are, in which dialects, and what each does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace railgauge {

enum class PlanKind : std::uint8_t {
  order,    // nop: the threads of one thread block meet
  pairs,    // target i = source i
  reduces,  // each target = all sources reduced
  signal,
  wait,
  flush,  // until the puts of a port have left
  acquire,
  release,
  barrier,   // thread blocks of one rank meet
  pipeline,  // operations, over slices
  network,   // reduces or stores inside a switch
};

enum class Packets : std::uint8_t { none, all, but_first };  // which operands are packets

struct PlanWord {
  std::string_view name;
  PlanKind kind = PlanKind::order;
  Packets sources = Packets::none, targets = Packets::none;
  bool former = false, current = false;  // dialects: with srcbuff and cids, and with src_buff and channel_ids
  bool relaxed = false;                  // signal, wait: orders no access to memory
  bool signals = false, flushes = false;
};

// Static storage.
[[nodiscard]] std::span<const PlanWord> plan_words() noexcept;
// Its place in plan_words(); -1 where the dialect has no such operation.
[[nodiscard]] int find_plan_word(std::string_view name, bool former) noexcept;

}  // namespace railgauge
