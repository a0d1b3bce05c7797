// Lays out the work requests of all rounds.
#include "transports/verbs/layout.hpp"

#include <arpa/inet.h>

#include <algorithm>

namespace railgauge::verbs {
namespace {

constexpr std::size_t least_part = std::size_t{64} << 10;  // of a message that is spread
constexpr std::size_t longest_request = std::size_t{1} << 30;
constexpr std::size_t line = 64;

// One rank's messages in the order of rounds.
class Layer {
 public:
  Layer(Work& work, VerbsLane& lane, const std::map<int, Agreed>& pairs) : work_(work), lane_(lane), pairs_(pairs) {
    for (const auto& [peer, pair] : pairs) {
      if (!pair.mine.sends.empty()) {
        Work::Outgoing& out = *work.outgoing[pair.outgoing];
        out.grants = Grants(pair.theirs.receives).count();
        *out.word.value = pair.theirs.channel;
      }
      sent_[peer] = received_[peer] = 0;
    }
  }

  void add_round(const std::vector<Message>& messages) {
    RoundWork& round = work_.rounds.emplace_back();
    std::map<Queue*, std::vector<Send>> by_queue;  // in the order of messages
    std::vector<Queue*> order;
    for (const Message& message : messages) {
      if (message.kind == Message::Kind::receive) {
        await(round, message);
        continue;
      }
      const Striping parts = stripe(sent_[message.peer], message.bytes, lane_.queue_pairs());
      for (std::size_t i = 0; i < parts.count; ++i) {
        Queue& queue = queue_of(message.peer, parts.first + i);
        std::vector<Send>& sends = by_queue[&queue];
        if (sends.empty()) order.push_back(&queue);
        const std::size_t begin = i * parts.step;
        add_part(sends, queue, message, begin, i + 1 == parts.count ? message.bytes - begin : parts.step);
      }
      ++sent_[message.peer];
    }
    for (Queue* queue : order) add_burst(round, *queue, by_queue[queue]);
  }

  void add_grants() {
    std::map<std::uint64_t, std::vector<Grant>> by_round;
    for (const auto& [peer, pair] : pairs_) {
      const Grants grants(pair.mine.receives);
      for (const auto& [round, ordinal] : grants.by_round()) {
        Grant grant;
        grant.queue = &queue_of(peer, 0);
        grant.value = lane_.counters().take();
        grant.ordinal = ordinal;
        grant.grants = grants.count();
        grant.notice = lane_.events();
        *grant.value.value = pair.theirs.grants | VerbsLane::grant_mark;
        grant.part = {.addr = grant.value.address(), .length = sizeof(std::uint64_t), .lkey = grant.value.local_key};
        grant.request =
            grant.queue->write_request(grant.part, pair.theirs.granted, static_cast<std::uint32_t>(pair.theirs.granted_key));
        if (grant.notice) make_notice(grant.request, static_cast<std::uint32_t>(pair.theirs.grants) | VerbsLane::grant_mark);
        if (grant.notice && lane_.notice() == Notice::immediate) grant.request.num_sge = 0;
        by_round[round].push_back(grant);
      }
    }
    for (std::size_t r = 0; r < work_.rounds.size(); ++r) {
      work_.rounds[r].first_grant = work_.grants.size();
      if (const auto found = by_round.find(r); found != by_round.end())
        work_.grants.insert(work_.grants.end(), found->second.begin(), found->second.end());
      work_.rounds[r].end_grant = work_.grants.size();
    }
  }

  // Once nothing moves any more.
  void link() {
    for (Send& send : work_.sends) send.request.sg_list = &send.part;
    for (Grant& grant : work_.grants) grant.request.sg_list = &grant.part;
    for (RoundWork& round : work_.rounds)
      for (const RoundWork::Burst& burst : round.bursts)
        for (std::size_t i = burst.first; i < burst.end; ++i)
          work_.sends[i].request.next = i + 1 == burst.end ? nullptr : &work_.sends[i + 1].request;
  }

 private:
  [[nodiscard]] Queue& queue_of(int peer, std::size_t index) const {
    const auto& queues = lane_.find(peer)->queues;
    return *queues[index % queues.size()];
  }

  void await(RoundWork& round, const Message& message) {
    const std::size_t at = pairs_.at(message.peer).source;
    Work::Source& source = *work_.sources[at];
    const Striping parts = stripe(received_[message.peer]++, message.bytes, lane_.queue_pairs());
    for (std::size_t i = 0; i < parts.count; ++i) {
      const std::size_t queue = (parts.first + i) % source.messages.size();
      const std::uint64_t count = ++source.messages[queue];
      const auto known = std::find_if(round.awaits.begin(), round.awaits.end(),
                                      [&](const RoundWork::Await& one) { return one.source == at && one.queue == queue; });
      if (known != round.awaits.end())
        known->count = count;
      else
        round.awaits.push_back({at, queue, count});
    }
  }

  void make_notice(ibv_send_wr& request, std::uint32_t said) const {
    if (lane_.notice() == Notice::immediate) {
      request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
      request.imm_data = htonl(said);
    } else {
      request.opcode = IBV_WR_SEND;
    }
  }

  // Bytes [begin, begin + bytes) of a message, by one queue pair, with a notice at the end.
  void add_part(std::vector<Send>& sends, const Queue& queue, const Message& message, std::size_t begin, std::size_t bytes) {
    const Agreed& pair = pairs_.at(message.peer);
    const Offer::Received& target = pair.theirs.receives[sent_[message.peer]];
    const std::uint64_t credit = Grants(pair.theirs.receives).of(target);
    const std::size_t most =
        std::min<std::size_t>(longest_request, std::max<std::uint32_t>(lane_.port().attributes().max_msg_sz, 1));
    const auto add = [&](std::size_t first, std::size_t length) -> Send& {
      Send& send = sends.emplace_back();
      if (length > 0)
        send.part = {.addr = reinterpret_cast<std::uintptr_t>(message.address) + first,
                     .length = static_cast<std::uint32_t>(length),
                     .lkey = lane_.port().memory_of(message.address, message.bytes).lkey};
      send.request = queue.write_request(send.part, target.address + first, static_cast<std::uint32_t>(target.key));
      // The processor puts in what travels inline, and cannot read a GPU's memory.
      if (length > 0 && !lane_.port().is_readable(message.address, message.bytes))
        send.request.send_flags &= ~static_cast<unsigned>(IBV_SEND_INLINE);
      send.credit = credit;
      send.direction = static_cast<std::uint32_t>(pair.outgoing);
      return send;
    };
    std::size_t done = 0;
    for (; bytes - done > most; done += most) add(begin + done, most);
    const bool says_itself = lane_.notice() == Notice::immediate;
    if (bytes > done || says_itself) add(begin + done, bytes - done);
    if (!says_itself) {
      Send& send = add(0, 0);
      const Counter& word = work_.outgoing[pair.outgoing]->word;
      send.part = {.addr = word.address(), .length = sizeof(std::uint64_t), .lkey = word.local_key};
      send.request = queue.write_request(send.part, 0, 0);
    }
    make_notice(sends.back().request, static_cast<std::uint32_t>(pair.theirs.channel));
    sends.back().notice = true;
  }

  void add_burst(RoundWork& round, Queue& queue, const std::vector<Send>& sends) {
    RoundWork::Burst burst{.queue = &queue, .first = work_.sends.size(), .end = work_.sends.size() + sends.size()};
    burst.next = burst.end;
    burst.waits = std::any_of(sends.begin(), sends.end(), [](const Send& send) {
      return send.part.length > 0 && (send.request.send_flags & IBV_SEND_INLINE) == 0;
    });
    work_.sends.insert(work_.sends.end(), sends.begin(), sends.end());
    if (burst.waits) work_.sends.back().request.send_flags |= IBV_SEND_SIGNALED;
    round.bursts.push_back(burst);
  }

  Work& work_;
  VerbsLane& lane_;
  const std::map<int, Agreed>& pairs_;
  std::map<int, std::uint64_t> sent_, received_;  // messages so far, by peer
};

}  // namespace

Striping stripe(std::uint64_t ordinal, std::size_t bytes, std::size_t queue_pairs) {
  Striping result{.first = static_cast<std::size_t>(ordinal % queue_pairs),
                  .count = std::max<std::size_t>(1, std::min(queue_pairs, bytes / least_part))};
  result.step = bytes / result.count / line * line;
  return result;
}

void lay_out(Work& work, VerbsLane& lane, const std::vector<std::vector<Message>>& rounds, const std::map<int, Agreed>& pairs) {
  Layer layer(work, lane, pairs);
  for (const std::vector<Message>& round : rounds) layer.add_round(round);
  layer.add_grants();
  layer.link();
}

}  // namespace railgauge::verbs
