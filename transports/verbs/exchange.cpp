// Posts what may be posted, and sees what has come.
#include "transports/verbs/exchange.hpp"

namespace railgauge::verbs {

void VerbsExchange::post(std::size_t round) {
  if (round == 0) ++run_;
  RoundWork& work = work_->rounds[round];
  work.next_grant = work.first_grant;
  for (RoundWork::Burst& burst : work.bursts) burst.next = burst.first;
  (void)advance(work);
}

bool VerbsExchange::test(std::size_t round) {
  RoundWork& work = work_->rounds[round];
  lane_.progress();
  starved_ = false;
  if (advance(work) && arrived(work)) return true;
  group_.check();
  lane_.waiting();
  if (!lane_.events() || starved_) return false;
  lane_.sleep();
  return advance(work) && arrived(work);
}

// Grants and sends what may be, in order; true when all of the round is out and its sources are free.
bool VerbsExchange::advance(RoundWork& work) {
  for (; work.next_grant != work.end_grant; ++work.next_grant) {
    Grant& grant = work_->grants[work.next_grant];
    if (grant.queue->room() == 0 || (grant.notice && grant.queue->notices() == 0)) {
      starved_ = true;
      break;
    }
    // Not yet sent values may be overtaken by later ones, which are granted too by then.
    if (!grant.notice) std::atomic_ref(*grant.value.value).store(run_ * grant.grants + grant.ordinal, std::memory_order_release);
    grant.queue->post(grant.request, grant.request, 1, grant.notice ? 1 : 0);
  }
  bool complete = work.next_grant == work.end_grant;
  for (RoundWork::Burst& burst : work.bursts) complete = advance(burst) && complete;
  return complete;
}

// As many at once as credits, notices and room allow.
bool VerbsExchange::advance(RoundWork::Burst& burst) {
  Queue& queue = *burst.queue;
  while (burst.next != burst.end) {
    std::uint32_t room = queue.room();
    const std::uint32_t notices = queue.notices();
    std::uint32_t noticed = 0;
    std::size_t end = burst.next;
    for (; end != burst.end && room != 0; ++end, --room) {
      const Send& send = work_->sends[end];
      if (send.notice && noticed == notices) {
        starved_ = true;
        break;
      }
      if (send.credit != 0) {
        const Work::Outgoing& out = *work_->outgoing[send.direction];
        const std::uint64_t granted = lane_.events() ? out.channel.granted : out.granted.load();
        if (granted < run_ * out.grants + send.credit) break;
      }
      noticed += send.notice ? 1 : 0;
    }
    if (end == burst.next) return false;
    Send &first = work_->sends[burst.next], &last = work_->sends[end - 1];
    ibv_send_wr* const behind = last.request.next;
    last.request.next = nullptr;
    queue.post(first.request, last.request, static_cast<std::uint32_t>(end - burst.next), noticed);
    last.request.next = behind;
    burst.next = end;
    if (end == burst.end) burst.until = queue.posted();
  }
  return !burst.waits || queue.completed() >= burst.until;
}

bool VerbsExchange::arrived(const RoundWork& work) const {
  for (const RoundWork::Await& await : work.awaits) {
    const Work::Source& source = *work_->sources[await.source];
    if (source.channel.arrived[await.queue] < run_ * source.messages[await.queue] + await.count) return false;
  }
  return true;
}

}  // namespace railgauge::verbs
