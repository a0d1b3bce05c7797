// Messages in flight at once, as many as the depth allows: bandwidth. With one message at a time it is the latency of what needs
// nothing of the peer.
#include <algorithm>

#include "transports/verbs/native/operations.hpp"

namespace railgauge::verbs {
namespace {

class Stream final : public LinkedNative {
 public:
  Stream(std::unique_ptr<Link> link, Operation operation, const NativeRun& run, const Options& options, std::uint32_t receives)
      : LinkedNative(std::move(link)),
        operation_(operation),
        run_(run),
        active_(run.initiates || run.both_ways),
        takes_(operation == Operation::send && (!run.initiates || run.both_ways)),
        depth_(options.depth),
        receives_(receives),
        list_(options.post_list),
        signal_every_(options.signal_every == 0 ? std::max(1U, options.depth / 4) : options.signal_every) {
    lines_.resize(this->link().size());
    for (std::size_t p = 0; p < lines_.size(); ++p) {
      Line& line = lines_[p];
      line.requests.resize(list_);
      line.parts.resize(list_);
      for (std::uint32_t i = 0; i < list_; ++i) prepare(line, p, i);
      if (!takes_) continue;
      line.receives.resize(receives_);
      line.receive_parts.resize(receives_);
      for (std::uint32_t i = 0; i < receives_; ++i) post_receive(p);
    }
  }

  void start() override {
    completed_ = 0;
    for (std::size_t p = 0; p < lines_.size(); ++p) {
      lines_[p].left = share_of(p);
      if (active_) post(p);
    }
  }

  bool test() override {
    if (advance()) return true;
    if (moved_) return false;
    if (++idle_ % 256 == 0) link().check();
    if (!link().sleeps() || lacks_receives_) return false;  // of more the peer tells by a number in memory, which wakes nobody
    link().arm(active_, takes_ ? Link::Wakes::solicited : Link::Wakes::nothing);
    if (advance()) return true;
    if (moved_ || lacks_receives_) return false;
    link().sleep();
    return advance();
  }

 private:
  struct Line {                         // one queue pair
    std::vector<ibv_send_wr> requests;  // of one list, to be filled in
    std::vector<ibv_sge> parts;
    std::uint64_t left = 0;       // messages of this sample to be posted
    std::uint64_t posted = 0;     // since the beginning
    std::uint32_t under_way = 0;  // posted, and not known to be over
    std::uint32_t unsignalled = 0;
    std::vector<ibv_recv_wr> receives;
    std::vector<ibv_sge> receive_parts;
    std::uint64_t taken = 0, offered = 0, reported = 0;  // receives: used, posted, told of; since the beginning
  };

  void prepare(Line& line, std::size_t pair, std::uint32_t i) {
    ibv_sge& part = line.parts[i];
    ibv_send_wr& request = line.requests[i];
    part.length = static_cast<std::uint32_t>(run_.bytes);
    part.lkey = link().memory().lkey;
    request.sg_list = &part;
    request.num_sge = run_.bytes == 0 ? 0 : 1;
    switch (operation_) {
      case Operation::write:
        request.opcode = IBV_WR_RDMA_WRITE;
        break;
      case Operation::read:
        request.opcode = IBV_WR_RDMA_READ;
        break;
      case Operation::send:
        request.opcode = IBV_WR_SEND;
        break;
      case Operation::fetch_add:
        request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
        break;
    }
    if (operation_ == Operation::write || operation_ == Operation::send)
      request.send_flags = link().pair(pair).inline_flag(run_.bytes);
    if (operation_ == Operation::fetch_add) {
      request.wr.atomic.compare_add = 1;
      request.wr.atomic.rkey = link().their_key();
    } else if (operation_ != Operation::send) {
      request.wr.rdma.rkey = link().their_key();
    }
  }

  // Messages of a sample by a queue pair: they are dealt out round-robin.
  [[nodiscard]] std::uint64_t share_of(std::size_t pair) const {
    return run_.messages / lines_.size() + (pair < run_.messages % lines_.size() ? 1 : 0);
  }
  // The slot of the message that is number `number` of a queue pair, as an offset. A queue pair that has no message has receives.
  [[nodiscard]] std::uint64_t offset(std::size_t pair, std::uint64_t number) const {
    const std::uint64_t share = share_of(pair);
    const std::uint64_t message = share == 0 ? pair : number / share * run_.messages + pair + number % share * lines_.size();
    return message % run_.slots * run_.stride;
  }

  void aim(ibv_send_wr& request, std::uint64_t offset) const {
    const bool fetches = operation_ == Operation::read || operation_ == Operation::fetch_add;
    request.sg_list->addr = reinterpret_cast<std::uintptr_t>(fetches ? run_.target : run_.source) + offset;
    if (operation_ == Operation::fetch_add)
      request.wr.atomic.remote_addr = their_source_ + offset;
    else if (operation_ != Operation::send)
      request.wr.rdma.remote_addr = (fetches ? their_source_ : their_target_) + offset;
  }

  // Of messages that are reported to both: a receiver that sleeps is woken by those alone.
  [[nodiscard]] unsigned reported_flags() const {
    return operation_ == Operation::send ? IBV_SEND_SIGNALED | IBV_SEND_SOLICITED : IBV_SEND_SIGNALED;
  }

  // As many as depth, and for sends the peer's receives, allow; lists are not split but for the last one.
  void post(std::size_t p) {
    Line& line = lines_[p];
    while (line.left != 0) {
      const std::uint64_t room = depth_ - line.under_way;
      const std::uint64_t receives =
          operation_ == Operation::send ? receives_ - (line.posted - link().told(Link::Word::consumed, p)) : room;
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(list_, line.left));
      lacks_receives_ = lacks_receives_ || receives < count;
      if (std::min(room, receives) < count) return;
      for (std::uint32_t i = 0; i < count; ++i) {
        ibv_send_wr& request = line.requests[i];
        aim(request, offset(p, line.posted + i));
        request.next = i + 1 == count ? nullptr : &line.requests[i + 1];
        ++line.unsignalled;
        // The last list that fits must be reported, or there would never be room again.
        const bool last = line.left == i + 1 || (i + 1 == count && line.unsignalled + list_ > depth_);
        if (line.unsignalled >= signal_every_ || last) {
          request.send_flags |= reported_flags();
          request.wr_id = Link::id(p, line.unsignalled);
          line.unsignalled = 0;
        } else {
          request.send_flags &= ~reported_flags();
          request.wr_id = Link::id(p, 0);
        }
      }
      line.posted += count;
      line.under_way += count;
      line.left -= count;
      link().pair(p).post(line.requests.front());
    }
  }

  void post_receive(std::size_t p) {
    Line& line = lines_[p];
    const auto i = static_cast<std::size_t>(line.offered % receives_);
    line.receive_parts[i] = {.addr = reinterpret_cast<std::uintptr_t>(run_.target) + offset(p, line.offered),
                             .length = static_cast<std::uint32_t>(run_.bytes),
                             .lkey = link().memory().lkey};
    line.receives[i] = {};
    line.receives[i].wr_id = Link::id(p, 1);
    line.receives[i].sg_list = &line.receive_parts[i];
    line.receives[i].num_sge = run_.bytes == 0 ? 0 : 1;
    ++line.offered;
    link().pair(p).post(line.receives[i]);
  }

  // Receives are posted again at once, and the sender is told of a quarter of them at a time.
  void take(std::size_t p) {
    Line& line = lines_[p];
    ++taken_;
    ++line.taken;
    post_receive(p);
    // Before the sender lacks receives for a whole list.
    if (line.taken - line.reported < std::min(std::max(1U, receives_ / 4), receives_ - list_ + 1)) return;
    line.reported = line.taken;
    link().tell(Link::Word::consumed, line.taken, p);
  }

  // Takes what was reported and posts what may be; true when the sample is over.
  bool advance() {
    moved_ = false;
    for (const Link::Done& done : link().sent()) {
      lines_[done.pair].under_way -= done.count;
      completed_ += done.count;
      moved_ = moved_ || done.count != 0;
    }
    if (takes_)
      for (const Link::Done& done : link().received()) {
        take(done.pair);
        moved_ = true;
      }
    lacks_receives_ = false;
    if (active_ && completed_ != run_.messages)
      for (std::size_t p = 0; p < lines_.size(); ++p) post(p);
    if ((active_ && completed_ != run_.messages) || (takes_ && taken_ < run_.messages)) return false;
    if (takes_) taken_ -= run_.messages;  // what is left is of the next sample
    return true;
  }

  Operation operation_;
  NativeRun run_;
  bool active_, takes_;
  std::uint32_t depth_, receives_, list_, signal_every_;
  bool lacks_receives_ = false;  // a message waits for the peer's next receives
  std::uint64_t their_source_ = link().their_source(), their_target_ = link().their_target();
  std::vector<Line> lines_;
  std::uint64_t completed_ = 0, taken_ = 0;  // messages of this sample; taken_ may be ahead
  std::uint64_t idle_ = 0;
  bool moved_ = false;  // something was reported
};

}  // namespace

std::unique_ptr<Native> make_stream(std::unique_ptr<Link> link, Operation operation, const NativeRun& run, const Options& options,
                                    std::uint32_t receives) {
  return std::make_unique<Stream>(std::move(link), operation, run, options, receives);
}

}  // namespace railgauge::verbs
