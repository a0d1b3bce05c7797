// Lowers one rank's lane to steps over mapped peers.
#include <algorithm>
#include <utility>

#include "bench/plan/mapped.hpp"

namespace railgauge {
namespace {

// A send whose source the peer may still be reading.
struct Pending {
  Range range;
  std::int32_t peer;
  std::uint64_t ordinal;
};

class Lowering {
 public:
  Lowering(const ResolvedSchedule& schedule, const Scaled& scaled, std::byte* memory, std::size_t unit, std::size_t scratch_begin,
           const std::vector<PeerView>& views, StepOrder order)
      : schedule_(schedule),
        scaled_(scaled),
        memory_(memory),
        unit_(unit),
        scratch_begin_(scratch_begin),
        views_(views),
        grouped_(order == StepOrder::grouped),
        taken_(views.size()),
        heard_(views.size()) {
    lane_.sends.assign(views.size(), 0);
    lane_.receives.assign(views.size(), 0);
    for (const PeerView& peer : views) {
      const auto is_inline = [](Delivery delivery) { return delivery == Delivery::inline_data; };
      ordered_.push_back(!std::all_of(peer.sends.begin(), peer.sends.end(), is_inline) ||
                         !std::all_of(peer.receives.begin(), peer.receives.end(), is_inline));
    }
  }

  MappedLane run() {
    find_pushes();
    for (std::size_t r = 0; r < schedule_.size(); ++r) lower_round(r);
    for (const Pending& pending : pending_) await_taken(pending);
    lane_.proves = taken_;
    return std::move(lane_);
  }

 private:
  struct Incoming {
    Range range;
    std::int32_t peer;
    std::uint64_t ordinal;  // of the messages from this peer, from 1
    Delivery delivery;
    const std::byte* address;
  };
  // A message that the works of a round store at the receiver.
  struct Push {
    std::size_t round;
    Range range;
    std::byte* target;
  };

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  [[nodiscard]] const PeerView& view(std::int32_t peer) const { return views_[index(peer)]; }
  [[nodiscard]] std::byte* at(const Range& range) const { return memory_ + range.begin * unit_; }

  void find_pushes() {
    std::vector<std::size_t> sent(views_.size());
    for (std::size_t r = 0; r < schedule_.size(); ++r)
      for (const ResolvedMessage& message : schedule_[r].messages) {
        if (message.kind != Transfer::Kind::send) continue;
        const std::size_t n = sent[index(message.peer)]++;
        if (view(message.peer).sends[n] == Delivery::put)
          pushes_.push_back({*written_in(schedule_, r, message.range), message.range, view(message.peer).targets[n]});
      }
  }

  MappedStep& step(MappedStep::Kind kind, std::int32_t peer, std::uint64_t ordinal) {
    MappedStep& added = lane_.steps.emplace_back();
    added.kind = kind;
    added.peer = static_cast<std::uint32_t>(peer);
    added.ordinal = ordinal;
    return added;
  }

  // What this rank knows once it has the peer's message.
  void await(MappedStep& awaiting) {
    const std::vector<std::uint64_t>& taken = views_[awaiting.peer].taken;
    awaiting.proves = awaiting.ordinal <= taken.size() ? taken[awaiting.ordinal - 1] : 0;
    heard_[awaiting.peer] = true;
    taken_[awaiting.peer] = std::max(taken_[awaiting.peer], awaiting.proves);
  }
  void await_ready(const Incoming& message) { await(step(MappedStep::Kind::await_ready, message.peer, message.ordinal)); }

  void await_taken(const Pending& pending) {
    std::uint64_t& taken = taken_[index(pending.peer)];
    if (taken >= pending.ordinal) return;
    taken = pending.ordinal;
    step(MappedStep::Kind::await_taken, pending.peer, pending.ordinal);
  }

  // Before the range is written, all peers must have read what they were sent of it.
  void free_for_writing(const Range& range) {
    std::erase_if(pending_, [&](const Pending& pending) {
      if (!overlap(pending.range, range)) return false;
      await_taken(pending);
      return true;
    });
  }

  void add_work(Work work) {
    step(MappedStep::Kind::work, 0, 0).work = lane_.works.size();
    lane_.works.push_back(std::move(work));
  }

  [[nodiscard]] Range range_of(const Bytes& bytes) const {
    const auto begin = static_cast<std::size_t>(bytes.data() - memory_) / unit_;
    return {begin, begin + bytes.size() / unit_};
  }

  // Whether a local overwrites what the same round sends. It must then wait until the peer has read it, and the peer may be in
  // the same place: so that neither waits for the other, both read first.
  [[nodiscard]] bool overwrites_its_sends(std::size_t r) const {
    for (const ResolvedLocal& local : schedule_[r].locals)
      for (const ResolvedMessage& message : schedule_[r].messages)
        if (message.kind == Transfer::Kind::send && overlap(message.range, local.target)) return true;
    return false;
  }

  // Whether what is received is read by this round's locals alone, so that they can read it at the peer.
  [[nodiscard]] bool read_here_only(const Incoming& incoming, std::size_t r) const {
    bool used = false;
    for (const ResolvedLocal& local : schedule_[r].locals) {
      if (overlap(local.target, incoming.range)) return false;
      if (!overlap(local.source, incoming.range)) continue;
      if (!(local.source == incoming.range)) return false;
      used = true;
    }
    if (!used) return false;
    for (std::size_t later = r + 1; later < schedule_.size(); ++later) {
      for (const ResolvedMessage& message : schedule_[later].messages) {
        if (!overlap(message.range, incoming.range)) continue;
        return message.kind == Transfer::Kind::receive && message.range.begin <= incoming.range.begin &&
               message.range.end >= incoming.range.end;
      }
      for (const ResolvedLocal& local : schedule_[later].locals)
        if (overlap(local.source, incoming.range) || overlap(local.target, incoming.range)) return false;
    }
    return incoming.range.begin >= scratch_begin_;
  }

  void lower_send(const ResolvedMessage& message) {
    const std::uint64_t ordinal = ++lane_.sends[index(message.peer)];
    const Delivery delivery = view(message.peer).sends[ordinal - 1];
    MappedStep& announce =
        step(delivery == Delivery::inline_data ? MappedStep::Kind::put : MappedStep::Kind::set_ready, message.peer, ordinal);
    announce.source = at(message.range);
    announce.ordered = ordered_[index(message.peer)];
    if (announce.kind == MappedStep::Kind::put) {
      announce.heard = heard_[index(message.peer)];
      announce.proves = taken_[index(message.peer)];
    }
    announce.bytes = delivery == Delivery::inline_data ? message.range.size() * unit_ : 0;
    if (delivery == Delivery::get) pending_.push_back({message.range, message.peer, ordinal});
  }

  void await_landing(const Incoming& message) {
    if (message.delivery != Delivery::inline_data) return await_ready(message);
    free_for_writing(message.range);
    MappedStep& taking = step(MappedStep::Kind::take, message.peer, message.ordinal);
    taking.target = at(message.range);
    taking.ordered = ordered_[index(message.peer)];
    taking.bytes = message.range.size() * unit_;
    await(taking);
  }
  static bool is_copied(const Incoming& message) { return message.delivery == Delivery::get && message.range.size() != 0; }
  // Behind await_landing(), which may have proved that peers have read what they were sent.
  void copy_landing(const Incoming& message) {
    if (!is_copied(message)) return;
    free_for_writing(message.range);
    Work copy;
    copy.sources.emplace_back(message.address, message.range.size() * unit_);
    copy.targets.emplace_back(at(message.range), message.range.size() * unit_);
    add_work(std::move(copy));
  }
  void tell_taken(const Incoming& message) {
    if (message.delivery != Delivery::inline_data) step(MappedStep::Kind::set_taken, message.peer, message.ordinal);
  }

  // One count says how many messages of a peer are taken.
  void tell_last_taken(const std::vector<Incoming>& messages) {
    for (auto message = messages.begin(); message != messages.end(); ++message)
      if (std::none_of(message + 1, messages.end(), [&](const Incoming& later) { return later.peer == message->peer; }))
        tell_taken(*message);
  }
  // Whether all messages of the peer are inline, or none is. A take may say that it and those before it are taken, so that
  // messages of both kinds must be taken in their order.
  static bool are_alike(const std::vector<Incoming>& messages, std::int32_t peer) {
    std::size_t all = 0, inline_data = 0;
    for (const Incoming& message : messages) {
      if (message.peer != peer) continue;
      ++all;
      if (message.delivery == Delivery::inline_data) ++inline_data;
    }
    return inline_data == 0 || inline_data == all;
  }

  // The last work on each place of a put message stores it at the receiver, too.
  void add_pushes(std::vector<Work>& works, std::size_t r) const {
    for (const Push& push : pushes_) {
      if (push.round != r) continue;
      std::vector<Range> seen;
      for (std::size_t w = works.size(); w-- > 0;) {
        const Range range = range_of(works[w].targets.front());
        if (!overlap(range, push.range) || std::find(seen.begin(), seen.end(), range) != seen.end()) continue;
        seen.push_back(range);
        works[w].reduces = true;
        works[w].targets.emplace_back(push.target + (range.begin - push.range.begin) * unit_, range.size() * unit_);
      }
    }
  }

  void lower_round(std::size_t r) {
    const ResolvedRound& round = schedule_[r];
    std::vector<Incoming> incoming;
    for (const ResolvedMessage& message : round.messages) {
      if (message.kind == Transfer::Kind::send) {
        lower_send(message);
      } else {
        const std::uint64_t ordinal = ++lane_.receives[index(message.peer)];
        incoming.push_back({message.range, message.peer, ordinal, view(message.peer).receives[ordinal - 1],
                            view(message.peer).sources[ordinal - 1]});
      }
    }
    // A peer's messages of one round are read in place all together or not at all, since one count says how many are taken.
    std::vector<std::int32_t> landed_peers;
    const bool all_land = overwrites_its_sends(r);
    for (const Incoming& message : incoming)
      if (all_land || message.delivery != Delivery::get || !read_here_only(message, r)) landed_peers.push_back(message.peer);
    const auto lands = [&](std::int32_t peer) {
      return std::find(landed_peers.begin(), landed_peers.end(), peer) != landed_peers.end();
    };
    std::vector<Incoming> landing, read_in_place, together;
    for (const Incoming& message : incoming) (lands(message.peer) ? landing : read_in_place).push_back(message);
    for (const Incoming& message : landing) {
      await_landing(message);
      if (grouped_ && are_alike(landing, message.peer)) {
        together.push_back(message);
      } else {
        copy_landing(message);
        tell_taken(message);
      }
    }
    for (const Incoming& message : read_in_place) await_ready(message);
    for (const Incoming& message : together)
      if (is_copied(message)) free_for_writing(message.range);
    for (const Incoming& message : together) copy_landing(message);
    tell_last_taken(together);
    const Elsewhere elsewhere = [&](const Range& range) -> const std::byte* {
      for (const Incoming& message : read_in_place)
        if (message.range == range) return message.address;
      return nullptr;
    };
    std::vector<Work> works = make_work(round, r, scaled_, memory_, unit_, elsewhere);
    add_pushes(works, r);
    if (grouped_)
      for (const Work& work : works) free_for_writing(range_of(work.targets.front()));
    for (Work& work : works) {
      free_for_writing(range_of(work.targets.front()));
      add_work(std::move(work));
    }
    tell_last_taken(read_in_place);
  }

  const ResolvedSchedule& schedule_;
  const Scaled& scaled_;
  std::byte* memory_;
  std::size_t unit_;
  std::size_t scratch_begin_;
  const std::vector<PeerView>& views_;
  bool grouped_;
  std::vector<std::uint64_t> taken_;  // by peer: messages of this run known to be taken
  std::vector<bool> heard_;           // by peer: whether a message of this run has come
  std::vector<bool> ordered_;         // by peer
  std::vector<Pending> pending_;
  std::vector<Push> pushes_;
  MappedLane lane_;
};

}  // namespace

MappedLane lower(const ResolvedSchedule& schedule, const Scaled& scaled, std::byte* memory, std::size_t unit,
                 std::size_t scratch_begin, const std::vector<PeerView>& views, StepOrder order) {
  return Lowering(schedule, scaled, memory, unit, scratch_begin, views, order).run();
}

}  // namespace railgauge
