// An execution plan of MSCCL++ as its file has it: names looked up, numbers checked, nothing resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/schedule/read/program.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

enum class PlanChannel : std::uint8_t { none, memory, port, network };

// Channels of the former dialects are apart by the buffers that they join; `none` is what the current one has.
struct PlanJoin {
  static constexpr std::uint8_t none = 0;
  std::uint8_t key = none;        // of source and target
  Buffer target = Buffer::input;  // at the peer
};

struct PlanOperand {
  enum class Where : std::uint8_t { own, remote, channel, network };
  Where where = Where::own;
  PlanJoin join;                  // channel: which list its number is of
  Buffer buffer = Buffer::input;  // own
  std::uint32_t number = 0;       // of the remote buffer or channel, in the thread block's list
  std::uint32_t index = 0, size = 1;
};

struct PlanOperation {
  std::int16_t word = 0;  // in plan_words()
  PlanChannel channel_type = PlanChannel::none;
  PlanJoin join;
  std::vector<std::uint32_t> channels, semaphores;
  std::vector<PlanOperand> sources, targets;
  std::uint32_t barrier = 0, meeting = 0;
  std::uint32_t slice = 0, slices = 1;                           // tbg_info: its share of each operand
  std::vector<std::pair<std::uint32_t, std::uint32_t>> awaited;  // thread block, operation
  std::vector<PlanOperation> inner;                              // of a pipeline
  StepNote note = {};
  std::size_t line = 0;
};

// A list of numbers that belongs to a type of channels: peers of a rank, channels or remote buffers of a thread block.
struct PlanList {
  PlanChannel type = PlanChannel::none;
  std::uint8_t key = PlanJoin::none;
  std::vector<std::uint32_t> numbers;
};

struct PlanThreadBlock {
  std::vector<PlanList> channels, remote_buffers;
  std::vector<PlanOperation> operations;
  std::size_t line = 0;
};

struct PlanRank {
  struct Remote {
    std::uint32_t rank = 0;
    Buffer buffer = Buffer::input;
  };
  std::uint32_t input = 0, output = 0, scratch = 0;
  std::vector<PlanList> channels;
  std::vector<Remote> remote_buffers;
  std::vector<std::uint32_t> semaphores;
  std::vector<std::uint32_t> network_ranks;  // of the first channel through a switch
  std::vector<PlanThreadBlock> thread_blocks;
  std::size_t line = 0;
};

struct ExecutionPlan {
  std::string name, collective, protocol;
  bool in_place = false, double_scratch = false, former = false;
  std::uint64_t least_bytes = 0, most_bytes = 0;  // most_bytes 0: no limit
  std::vector<PlanRank> ranks;
};

inline constexpr std::size_t most_plan_bytes = std::size_t{32} << 20, most_plan_operations = 100'000;

// Throws Error(usage) "ORIGIN:LINE: ..." for what is no plan.
[[nodiscard]] ExecutionPlan read_plan(std::string_view text, std::string_view origin);

}  // namespace railgauge
