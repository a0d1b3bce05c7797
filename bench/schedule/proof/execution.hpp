// The steps of a program under one numbering, its connections with their messages, and executions of it that only ask who must
// wait for whom.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

inline constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

// Message i is sent by step sends[i] and received by step receives[i].
struct PeerConnection {
  std::int32_t sender = 0, receiver = 0;
  std::uint32_t channel = 0;
  std::uint32_t sending = nothing, receiving = nothing;  // thread blocks, numbered as in StepTable
  std::vector<std::uint32_t> sends, receives;
};

// Precondition: check_program() found nothing. The program outlives it.
struct StepTable {
  struct Row {
    const Step* step = nullptr;
    std::uint32_t thread_block = 0;
    std::uint32_t incoming = nothing, outgoing = nothing;  // which message of the thread block's connections
    std::uint32_t needed = 0;  // of a wait: signals of its counter that must have been, whoever else waits
    std::uint32_t seen = 0;    // of a wait: signals that have been, whoever else waits
  };
  // Steps in the order of the table.
  struct CounterSteps {
    std::vector<std::uint32_t> signals, waits;
  };
  // Two packets of one place: a reader cannot tell which of them it has.
  struct DoublePacket {
    std::uint32_t first = 0, second = 0;
    std::int32_t rank = 0;
    std::uint32_t block = 0;
  };
  struct Block {
    std::int32_t rank = 0;
    std::uint32_t number = 0;                              // within its rank
    std::uint32_t first = 0, end = 0;                      // steps
    std::uint32_t incoming = nothing, outgoing = nothing;  // connections
    bool proxy = false;  // a port does it: that its rank's other thread blocks have ended does not say that it has
  };

  explicit StepTable(const Program& program);
  // "rank 0, thread block 1, step 3 (rrc, line 27)"; without the line where the program has none.
  [[nodiscard]] std::string text(std::uint32_t step) const;
  [[nodiscard]] std::string text_of_block(std::uint32_t thread_block) const;
  [[nodiscard]] std::uint32_t awaited(std::uint32_t step) const;    // the step that it waits for, or `nothing`
  [[nodiscard]] std::uint32_t sender_of(std::uint32_t step) const;  // of the message that it receives, or `nothing`
  // Whether the threads of its thread block meet there: what is before it is done by all, and seen by all that is behind it. Of a
  // plan that are a nop and a barrier; a step of MSCCL begins and ends so.
  [[nodiscard]] bool meets(std::uint32_t step) const;
  // Whether one thread of several does it, for itself: a signal, a wait, what a port is asked for.
  [[nodiscard]] bool alone(std::uint32_t step) const;
  // Whether what one thread has waited for is known to those whom it tells: it signals, and does not ask a port for a put.
  [[nodiscard]] bool passes_on(std::uint32_t step) const;
  // The steps that write the packets which it reads; `nothing` among them for a packet that no step writes.
  [[nodiscard]] std::span<const std::uint32_t> packets(std::uint32_t step) const;
  // The latest signal of each thread block that must have been when this wait ends, of those that order memory only: calls
  // use(step).
  template <class Use>
  void signals_before(std::uint32_t wait, bool memory_only, const Use& use) const;
  [[nodiscard]] std::int32_t rank_of(std::uint32_t step) const { return blocks[steps[step].thread_block].rank; }

  std::vector<Row> steps;
  std::vector<Block> blocks;
  std::vector<std::uint32_t> first_block;  // of each rank, and the end
  std::vector<PeerConnection> connections;
  std::vector<CounterSteps> counters;
  std::vector<DoublePacket> double_packets;
  std::vector<DoublePacket> plain_packets;  // written as packets by the first, and accessed as plain data by the second

 private:
  void add_counters(const Program& program);
  void add_packets(const Program& program);
  std::vector<std::uint32_t> packets_, first_packet_;  // of each step, and the end; empty where there are none
};

template <class Use>
void StepTable::signals_before(std::uint32_t wait, bool memory_only, const Use& use) const {
  const std::vector<std::uint32_t>& all = counters[steps[wait].step->counter].signals;
  const std::size_t others = all.size() - steps[wait].seen;  // that need not have been
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && steps[all[end]].thread_block == steps[all[begin]].thread_block) ++end;
    std::size_t done = end - begin > others ? end - begin - others : 0;
    while (done > 0 && memory_only && steps[all[begin + done - 1]].step->relaxed) --done;
    if (done > 0) use(all[begin + done - 1]);
  }
}

enum class WaitsFor : std::uint8_t { dependency, message, room, signal, packet };

struct Wait {
  std::uint32_t step = 0;
  WaitsFor what = WaitsFor::dependency;
  std::uint32_t thread_block = nothing;  // whose progress it waits for; nothing where there is no such thread block
};

struct Execution {
  std::vector<std::uint32_t> order;  // of the steps that were done, in an order that some execution could have
  std::vector<Wait> stuck;           // one for each thread block that can never go on
};

// `capacity` is how many messages a connection holds. A step takes its message, and has room for what it sends on, before it
// does anything (as NCCL's primitives wait for both), so that its message leaves the connection when it is done.
[[nodiscard]] Execution execute(const StepTable& table, std::uint32_t capacity);
inline constexpr std::uint32_t unlimited = nothing;

// Whether it completes though no message is ever held: a send completes when its receive has begun (a synchronous send). A step
// that receives and sends does one after the other here.
[[nodiscard]] bool runs_unbuffered(const StepTable& table);

// Why it is stuck: the waits that form a circle, or those that end at a wait that nothing can end.
[[nodiscard]] std::vector<Wait> reason(const StepTable& table, const Execution& execution);
// "... waits for a message of rank 1, thread block 0".
[[nodiscard]] std::string text(const StepTable& table, const Wait& wait);

}  // namespace railgauge
