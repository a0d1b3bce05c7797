// Lowers a schedule to steps over mapped peers, and runs them.
#include "bench/plan/mapped.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"

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
           std::size_t ranks, const std::function<const std::byte*(std::int32_t, std::size_t)>& source_of)
      : schedule_(schedule),
        scaled_(scaled),
        memory_(memory),
        unit_(unit),
        scratch_begin_(scratch_begin),
        source_of_(source_of),
        awaited_(ranks) {
    lane_.sends.assign(ranks, 0);
    lane_.receives.assign(ranks, 0);
  }

  MappedLane run() {
    for (std::size_t r = 0; r < schedule_.size(); ++r) lower_round(r);
    for (const Pending& pending : pending_) await_taken(pending);
    return std::move(lane_);
  }

 private:
  struct Incoming {
    Range range;
    std::int32_t peer;
    std::uint64_t ordinal;  // of the messages from this peer, from 1
    const std::byte* address;
  };

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  void step(MappedStep::Kind kind, std::int32_t peer, Signal signal, std::uint64_t ordinal) {
    lane_.steps.push_back({kind, static_cast<std::uint32_t>(peer), signal, ordinal, 0});
  }

  void await_taken(const Pending& pending) {
    std::uint64_t& awaited = awaited_[index(pending.peer)];
    if (awaited >= pending.ordinal) return;
    awaited = pending.ordinal;
    step(MappedStep::Kind::await, pending.peer, Signal::taken, pending.ordinal);
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
    MappedStep added;
    added.work = lane_.works.size();
    lane_.works.push_back(std::move(work));
    lane_.steps.push_back(added);
  }

  Range range_of(const Bytes& bytes) const {
    const auto begin = static_cast<std::size_t>(bytes.data() - memory_) / unit_;
    return {begin, begin + bytes.size() / unit_};
  }

  // Whether a local overwrites what the same round sends. It must then wait until the peer has read it, and the peer may be in
  // the same place: so that neither waits for the other, both read first.
  bool overwrites_its_sends(std::size_t r) const {
    for (const ResolvedLocal& local : schedule_[r].locals)
      for (const ResolvedMessage& message : schedule_[r].messages)
        if (message.kind == Transfer::Kind::send && overlap(message.range, local.target)) return true;
    return false;
  }

  // Whether what is received is read by this round's locals alone, so that they can read it at the peer.
  bool read_here_only(const Incoming& incoming, std::size_t r) const {
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

  void lower_round(std::size_t r) {
    const ResolvedRound& round = schedule_[r];
    std::vector<Incoming> incoming;
    for (const ResolvedMessage& message : round.messages) {
      if (message.kind == Transfer::Kind::send) {
        const std::uint64_t ordinal = ++lane_.sends[index(message.peer)];
        step(MappedStep::Kind::set, message.peer, Signal::ready, ordinal);
        pending_.push_back({message.range, message.peer, ordinal});
      } else {
        const std::uint64_t ordinal = ++lane_.receives[index(message.peer)];
        incoming.push_back({message.range, message.peer, ordinal, source_of_(message.peer, ordinal - 1)});
      }
    }
    // A peer's messages of one round are read in place all together or not at all, since one count says how many are taken.
    std::vector<std::int32_t> copied_peers;
    const bool all_copied = overwrites_its_sends(r);
    for (const Incoming& message : incoming)
      if (all_copied || !read_here_only(message, r)) copied_peers.push_back(message.peer);
    const auto copied = [&](std::int32_t peer) {
      return std::find(copied_peers.begin(), copied_peers.end(), peer) != copied_peers.end();
    };
    for (const Incoming& message : incoming) {
      if (!copied(message.peer)) continue;
      step(MappedStep::Kind::await, message.peer, Signal::ready, message.ordinal);
      if (message.range.size() != 0) {
        free_for_writing(message.range);
        Work copy;
        copy.sources.emplace_back(message.address, message.range.size() * unit_);
        copy.targets.emplace_back(memory_ + message.range.begin * unit_, message.range.size() * unit_);
        add_work(std::move(copy));
      }
      step(MappedStep::Kind::set, message.peer, Signal::taken, message.ordinal);
    }
    for (const Incoming& message : incoming)
      if (!copied(message.peer)) step(MappedStep::Kind::await, message.peer, Signal::ready, message.ordinal);
    const Elsewhere elsewhere = [&](const Range& range) -> const std::byte* {
      for (const Incoming& message : incoming)
        if (message.range == range && !copied(message.peer)) return message.address;
      return nullptr;
    };
    for (Work& work : make_work(round, r, scaled_, memory_, unit_, elsewhere)) {
      free_for_writing(range_of(work.targets.front()));
      add_work(std::move(work));
    }
    for (const Incoming& message : incoming)
      if (!copied(message.peer)) step(MappedStep::Kind::set, message.peer, Signal::taken, message.ordinal);
  }

  const ResolvedSchedule& schedule_;
  const Scaled& scaled_;
  std::byte* memory_;
  std::size_t unit_;
  std::size_t scratch_begin_;
  const std::function<const std::byte*(std::int32_t, std::size_t)>& source_of_;
  std::vector<std::uint64_t> awaited_;
  std::vector<Pending> pending_;
  MappedLane lane_;
};

}  // namespace

std::size_t flag_index(std::size_t lane, std::size_t peer, Signal signal, std::size_t lanes, std::size_t ranks,
                       std::size_t flag_count) {
  constexpr std::size_t flags_a_cache_line = 8;
  const std::size_t spread = std::clamp<std::size_t>(flag_count / flags_needed(lanes, ranks), 1, flags_a_cache_line);
  return ((lane * ranks + peer) * 2 + (signal == Signal::taken ? 1 : 0)) * spread;
}

MappedLane lower(const ResolvedSchedule& schedule, const Scaled& scaled, std::byte* memory, std::size_t unit,
                 std::size_t scratch_begin, std::size_t ranks,
                 const std::function<const std::byte*(std::int32_t peer, std::size_t n)>& source_of) {
  return Lowering(schedule, scaled, memory, unit, scratch_begin, ranks, source_of).run();
}

MappedPlan::MappedPlan(std::vector<MappedLane> lanes, const Mapping& mapping, std::int32_t rank, MappedSequence& sequence,
                       Compute& compute)
    : sends_(sequence.sent.size()), receives_(sequence.received.size()), sequence_(sequence), compute_(compute) {
  if (mapping.flag_count < flags_needed(sequence.lanes, sequence.ranks))
    throw Error(Fault::usage, "the transport maps " + std::to_string(mapping.flag_count) + " flags, but " +
                                  std::to_string(sequence.ranks) + " ranks with " + std::to_string(sequence.lanes) +
                                  " lanes need " + std::to_string(flags_needed(sequence.lanes, sequence.ranks)));
  const auto me = static_cast<std::size_t>(rank);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    Lane& lane = lanes_.emplace_back();
    lane.works = std::move(lanes[l].works);
    for (const MappedStep& step : lanes[l].steps) {
      const bool awaits = step.kind == MappedStep::Kind::await;
      // `ready` counts the sends of the rank that sets it, `taken` the receives of the rank that sets it.
      const std::size_t pair = l * sequence.ranks + step.peer;
      const bool counts_my_sends = (step.signal == Signal::ready) != awaits;
      Step made{step.kind, nullptr, counts_my_sends ? &sequence.sent[pair] : &sequence.received[pair], step.ordinal, step.work};
      if (step.kind != MappedStep::Kind::work) {
        const std::size_t holder = awaits ? me : step.peer;
        const std::size_t setter = awaits ? step.peer : me;
        made.flag =
            mapping.flags[holder] + flag_index(l, setter, step.signal, sequence.lanes, sequence.ranks, mapping.flag_count);
      }
      lane.steps.push_back(made);
    }
    for (std::size_t peer = 0; peer < sequence.ranks; ++peer) {
      sends_[l * sequence.ranks + peer] = lanes[l].sends[peer];
      receives_[l * sequence.ranks + peer] = lanes[l].receives[peer];
    }
  }
}

void MappedPlan::start() {
  for (Lane& lane : lanes_) lane.next = 0;
  running_ = true;
}

bool MappedPlan::advance(Lane& lane) {
  for (; lane.next != lane.steps.size(); ++lane.next) {
    const Step& step = lane.steps[lane.next];
    switch (step.kind) {
      case MappedStep::Kind::await:
        if (step.flag->load(std::memory_order_acquire) < *step.base + step.ordinal) return false;
        break;
      case MappedStep::Kind::set:
        step.flag->store(*step.base + step.ordinal, std::memory_order_release);
        break;
      case MappedStep::Kind::work:
        perform(lane.works[step.work], compute_);
        compute_.fence();
        break;
    }
  }
  return true;
}

bool MappedPlan::test() {
  bool done = true;
  for (Lane& lane : lanes_) done = advance(lane) && done;
  if (done && running_) {
    running_ = false;
    for (std::size_t i = 0; i < sends_.size(); ++i) sequence_.sent[i] += sends_[i];
    for (std::size_t i = 0; i < receives_.size(); ++i) sequence_.received[i] += receives_[i];
  }
  return done;
}

}  // namespace railgauge
