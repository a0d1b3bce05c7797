// The loop of the memory transport: grant credits, copy what may be copied, see what has arrived.
#include "transports/memory/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace railgauge::memory {
namespace {

constexpr auto never = std::int64_t{8'000'000'000'000'000'000};

std::int64_t now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <bool shaped>
class MemoryExchange final : public Exchange {
 public:
  MemoryExchange(PreparedRounds prepared, const Group& group, Wire* wire)
      : prepared_(std::move(prepared)), group_(group), wire_(wire) {}

  void post(std::size_t round) override {
    if constexpr (shaped) wire_->injection->post();
    if (round == 0) ++run_;
    RoundWork& work = prepared_.rounds[round];
    for (const RoundWork::Count& grant : work.grants) {
      const PreparedRounds::Source& source = prepared_.sources[grant.incoming];
      source.incoming.channel().credits.store(run_ * source.credits + grant.count, std::memory_order_release);
    }
    for (RoundWork::Burst& burst : work.bursts) {
      burst.next = burst.first;
      advance(burst);
    }
  }

  bool test(std::size_t round) override {
    RoundWork& work = prepared_.rounds[round];
    bool complete = true;
    for (RoundWork::Burst& burst : work.bursts)
      if (!advance(burst)) complete = false;
    for (const RoundWork::Count& await : work.awaits)
      if (!arrived(await)) complete = false;
    if constexpr (shaped)
      if (wire_->injection->stalled()) complete = false;
    if (!complete) group_.check();
    return complete;
  }

 private:
  // Sends what may be sent of the burst, in order; true when all is sent.
  bool advance(RoundWork::Burst& burst) {
    if (burst.next == burst.last) return true;
    Outgoing& out = prepared_.outgoing[burst.outgoing];
    for (; burst.next != burst.last; ++burst.next) {
      const Sender& send = prepared_.senders[burst.next];
      if (send.credit != 0 && out.channel->credits.load(std::memory_order_acquire) < run_ * out.credits + send.credit)
        return false;
      const std::uint64_t ordinal = burst.before + (burst.next - burst.first) + 1;
      if constexpr (shaped) {
        if (!carry(out, send, ordinal)) return false;
      } else {
        write(*out.channel, send, [] {});
        out.channel->arrived.store(run_ * out.messages + ordinal, std::memory_order_release);
      }
    }
    return true;
  }

  // Copies into the peer's memory, unless the peer has ended; `then` follows while the target may still be touched.
  template <typename Then>
  static void write(Channel& channel, const Sender& send, const Then& then) {
    if (send.bytes == 0) return;
    channel.writing.store(true, std::memory_order_seq_cst);
    if (!channel.closed.load(std::memory_order_seq_cst)) {
      std::memcpy(send.target, send.source, send.bytes);
      then();
    }
    channel.writing.store(false, std::memory_order_release);
  }

  // One message over a link that takes time and may be faulty; false when it stalls.
  bool carry(Outgoing& out, const Sender& send, std::uint64_t ordinal) {
    Injection& injection = *wire_->injection;
    if (injection.stalled()) return false;
    const FaultKind fault = send.bytes == 0 ? FaultKind::none : injection.transfer();
    if (fault == FaultKind::stall) {
      injection.stall();
      return false;
    }
    if (fault == FaultKind::drop) out.severed = true;
    if (out.severed) return true;
    write(*out.channel, send, [&] {
      if (fault == FaultKind::corrupt) send.target[injection.struck_byte(send.bytes)] ^= std::byte{0xff};
    });
    if (Channel& channel = *out.channel; channel.due) {
      std::int64_t& busy_until = wire_->busy_until[static_cast<std::size_t>(out.peer)];
      constexpr double longest = 1e17;  // some years: a message that slow never comes, and the clock does not overflow
      const double duration = std::min(static_cast<double>(send.bytes) * wire_->seconds_per_byte * 1e9, longest);
      busy_until = std::min(std::max(busy_until, now_nanoseconds()), never) + static_cast<std::int64_t>(duration);
      channel.due[ordinal - 1].store(busy_until + wire_->latency_nanoseconds, std::memory_order_relaxed);
    }
    out.channel->arrived.store(run_ * out.messages + ordinal, std::memory_order_release);
    return true;
  }

  bool arrived(const RoundWork::Count& await) const {
    const PreparedRounds::Source& source = prepared_.sources[await.incoming];
    const Channel& channel = source.incoming.channel();
    if (channel.arrived.load(std::memory_order_acquire) < run_ * source.messages + await.count) return false;
    if constexpr (shaped)
      if (channel.due && channel.due[await.count - 1].load(std::memory_order_relaxed) > now_nanoseconds()) return false;
    return true;
  }

  PreparedRounds prepared_;
  const Group& group_;
  Wire* wire_;
  std::uint64_t run_ = ~std::uint64_t{0};  // the first post of round 0 makes it 0
};

}  // namespace

std::unique_ptr<Exchange> make_exchange(PreparedRounds prepared, const Group& group, Wire* wire) {
  if (wire == nullptr) return std::make_unique<MemoryExchange<false>>(std::move(prepared), group, nullptr);
  return std::make_unique<MemoryExchange<true>>(std::move(prepared), group, wire);
}

}  // namespace railgauge::memory
