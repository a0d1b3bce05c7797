// The card's own operations as Runnables.
#pragma once

#include <memory>

#include "transports/verbs/native/link.hpp"

namespace railgauge::verbs {

enum class Operation : std::uint8_t { write, read, send, fetch_add };

// Many messages in flight at once, or (latency) one after the other. `receives` of sends are posted at a time, at least the
// depth.
[[nodiscard]] std::unique_ptr<Native> make_stream(std::unique_ptr<Link> link, Operation operation, const NativeRun& run,
                                                  const Options& options, std::uint32_t receives);
// Latency of what has two halves: a message there and one back.
[[nodiscard]] std::unique_ptr<Native> make_ping_pong(std::unique_ptr<Link> link, Operation operation, const NativeRun& run,
                                                     const Options& options);

// What both are made of: rendezvous and settling.
class LinkedNative : public Native {
 public:
  explicit LinkedNative(std::unique_ptr<Link> link) : link_(std::move(link)), rendezvous_(*link_) {}
  void settle() override;
  [[nodiscard]] Runnable& rendezvous() override { return rendezvous_; }

 protected:
  [[nodiscard]] Link& link() noexcept { return *link_; }

 private:
  class Rendezvous final : public Runnable {
   public:
    explicit Rendezvous(Link& link) : link_(link) {}
    void start() override;
    bool test() override;

   private:
    Link& link_;
    std::uint64_t count_ = 0;
  };

  std::unique_ptr<Link> link_;
  Rendezvous rendezvous_;
  std::uint64_t settled_ = 0;
};

// The table of the plugin.
extern const NativeTable natives;

}  // namespace railgauge::verbs
