// Two ranks that measure the card's own operations: queue pairs of their own, whose work requests nothing else uses.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transports/native.hpp"
#include "transports/verbs/counters.hpp"
#include "transports/verbs/native/tick.hpp"
#include "transports/verbs/pair.hpp"
#include "transports/verbs/port_watch.hpp"

namespace railgauge::verbs {

class Link {
 public:
  // Collective over the two. `receives`: that each queue pair takes, besides those of numbers, which need none. `oversubscribed`:
  // ranks share cores, also with the kernel's part of a device that has one.
  Link(Group& group, Port& port, const Options& options, const NativeRun& run, std::uint32_t receives, bool oversubscribed);

  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }  // queue pairs
  [[nodiscard]] Pair& pair(std::size_t index) noexcept { return *pairs_[index]; }
  [[nodiscard]] const ibv_mr& memory() const noexcept { return memory_; }
  // Of the peer's memory: where what this rank writes goes, and what it reads comes from.
  [[nodiscard]] std::uint64_t their_target() const noexcept { return their_target_; }
  [[nodiscard]] std::uint64_t their_source() const noexcept { return their_source_; }
  [[nodiscard]] std::uint32_t their_key() const noexcept { return their_key_; }

  // Gives what was reported of sends, or receives, since: false when nothing was. Throws Error(lost) that names call, port, peer
  // and cause when an operation failed, or a rank has died.
  struct Done {
    std::uint32_t pair = 0;   // index
    std::uint32_t count = 0;  // what the work request said
  };
  [[nodiscard]] std::span<const Done> sent() { return poll(sent_.get(), "ibv_post_send to"); }
  [[nodiscard]] std::span<const Done> received() { return poll(received_.get(), "ibv_post_recv from"); }
  // wr_id of a work request: its completion stands for `count` of them.
  [[nodiscard]] static std::uint64_t id(std::size_t pair, std::uint32_t count) { return std::uint64_t{pair} << 32 | count; }
  // Whether the card wakes this rank, which then sleeps while it waits: arm(), look once more, sleep() until the card reports
  // something, or for a tenth of a second. Of receives each wakes, or those only whose sender asked for it.
  [[nodiscard]] bool sleeps() const noexcept { return events_ != nullptr; }
  enum class Wakes : std::uint8_t { nothing, solicited, each };
  void arm(bool sends, Wakes receives);
  void sleep();  // throws as check() does

  // Numbers that each rank writes into the other's memory. Control requests count as sends of queue pair 0 with count 0.
  enum class Word : std::uint8_t { rendezvous, settled, consumed };
  void tell(Word word, std::uint64_t value, std::size_t pair = 0);
  [[nodiscard]] std::uint64_t told(Word word, std::size_t pair = 0) const noexcept;
  // While nothing comes. Throws Error(lost) when a rank has died, or the port has been down for long.
  void check() {
    group_.check();
    watch_.look();
  }
  // Where a rank that polls for its peer would take the core from it, the two meet asleep instead, over the control tree.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  void meet();
  // Waits, asleep, until the peer has told at least `value`.
  void await(Word word, std::uint64_t value, std::size_t pair, const char* what);

 private:
  static constexpr std::size_t words_a_pair = 3;
  struct Control {
    Counter mine, theirs_copy;
    std::uint64_t there = 0, key = 0;
  };
  [[nodiscard]] std::span<const Done> poll(ibv_cq* completions, const char* call);
  [[nodiscard]] std::size_t index(Word word, std::size_t pair) const noexcept {
    return pair * words_a_pair + static_cast<std::size_t>(word);
  }

  Group& group_;
  Port& port_;
  int peer_;
  bool oversubscribed_;
  std::string peer_text_;
  const ibv_mr& memory_;
  Counters counters_;
  PortWatch watch_;
  Events events_;  // null when polling
  std::optional<Tick> tick_;
  std::chrono::nanoseconds usual_wait_{100'000};  // of await()
  Completions sent_, received_;
  std::vector<Control> control_;
  std::uint64_t their_target_ = 0, their_source_ = 0;
  std::uint32_t their_key_ = 0;
  std::vector<Done> done_;
  std::vector<ibv_wc> taken_;
  std::vector<std::unique_ptr<Pair>> pairs_;  // go first
};

}  // namespace railgauge::verbs
