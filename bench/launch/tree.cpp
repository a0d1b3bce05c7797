// Routes, gathers and spreads news.
#include "bench/launch/tree.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <system_error>

#include "base/error.hpp"
#include "bench/launch/sentences.hpp"
#include "bench/launch/shape.hpp"

namespace railgauge {
namespace {

using wire::Kind;

// How long a rank that gives up waits to hear from the first member who is missing, and for its last words to be sent.
constexpr std::chrono::seconds last_words{2};

std::uint32_t number(int rank) { return static_cast<std::uint32_t>(rank); }

}  // namespace

template <typename Work>
void Tree::post(Work work) {
  ++posted_;
  boost::asio::post(*connected_.context, [this, work = std::move(work)]() mutable {
    const std::lock_guard guard(lock_);
    work();
    if (--posted_ == 0) quiet_.notify_all();
  });
}

Tree::Tree(ConnectedPeers connected, int rank, int size, const Deadlines& deadlines)
    : rank_(rank),
      size_(size),
      deadline_(deadlines.call),
      silence_(deadlines.silence),
      connected_(std::move(connected)),
      work_(connected_.context->get_executor()),
      heart_(*connected_.context) {
  for (Link& link : connected_.links) link.events = this;
  std::vector<int> everyone(static_cast<std::size_t>(size));
  for (int each = 0; each < size; ++each) everyone[static_cast<std::size_t>(each)] = each;
  (void)enter(0, std::move(everyone));
  for (ConnectedPeers::Early& early : connected_.early) {
    if (early.ended.empty())
      arrived(*early.link, early.head, std::move(early.body));
    else
      ended(*early.link, early.ended);
  }
  connected_.early.clear();
  connected_.context->restart();
  send_pulses();
  beat();
  // Signals are for the rank's own thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { connected_.context->run(); });
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw Error(Fault::usage, fmt::format("the thread of the control tree: {}", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Tree::~Tree() {
  connected_.context->stop();
  thread_.join();
}

Tree::Members& Tree::enter(std::uint64_t group, std::vector<int> ranks) {
  const std::lock_guard guard(lock_);
  Members& members = groups_[group];
  members.ranks = std::move(ranks);
  members.mine = static_cast<int>(std::lower_bound(members.ranks.begin(), members.ranks.end(), rank_) - members.ranks.begin());
  for (const auto& [rank, sentence] : deaths_) mark(members, rank, sentence);
  if (thread_.joinable()) post([this, group] { forward(group); });
  return members;
}

Tree::Members& Tree::everyone() {
  const std::lock_guard guard(lock_);
  return groups_.at(0);
}

void Tree::leave_group(std::uint64_t group) {
  const std::lock_guard guard(lock_);
  groups_.erase(group);
}

void Tree::throw_loss(const Members& members) const {
  const std::lock_guard guard(lock_);
  throw RankLost(members.lost_rank, members.loss);
}

std::vector<Blob> Tree::gather(std::uint64_t group, std::uint64_t sequence, const Blob& mine, const char* call) {
  std::unique_lock guard(lock_);
  Members& members = groups_.at(group);
  Gathering& gathering = members.gatherings[sequence];
  post([this, group, sequence, mine, member = members.mine] { contribute(group, sequence, member, mine); });
  const auto until = moment_after(deadline_);
  while (!gathering.complete) {
    if (members.lost) throw RankLost(members.lost_rank, members.loss);
    if (std::chrono::steady_clock::now() >= until) {
      if (members.mine == 0)
        gathering.missing = missing(members, gathering);
      else
        ask(guard, members, group, sequence, gathering);
      if (members.lost) throw RankLost(members.lost_rank, members.loss);
      if (gathering.complete) break;
      throw Error(Fault::lost, absent_sentence(gathering.missing, call, deadline_));
    }
    members.wake.wait_until(guard, until);
  }
  std::vector<Blob> result = std::move(gathering.result);
  members.gatherings.erase(sequence);
  return result;
}

void Tree::ask(std::unique_lock<std::mutex>& guard, Members& members, std::uint64_t group, std::uint64_t sequence,
               Gathering& gathering) {
  const int first = members.ranks.front();
  post([this, group, sequence, first] { route({Kind::asking, number(first), number(rank_), group, sequence}, {}); });
  const auto until = std::chrono::steady_clock::now() + last_words;
  while (!gathering.answered && !gathering.complete && !members.lost && std::chrono::steady_clock::now() < until)
    members.wake.wait_until(guard, until);
  if (gathering.missing.empty()) gathering.missing = {first};  // not even an answer
}

std::vector<Blob> Tree::exchange(std::uint64_t group, std::span<const int> peers, std::span<const Blob> blobs) {
  std::unique_lock guard(lock_);
  Members& members = groups_.at(group);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const int to = members.ranks[static_cast<std::size_t>(peers[i])];
    const auto body = std::make_shared<const Blob>(blobs[i]);
    if (body->size() > wire::most_bytes) throw Error(Fault::usage, "a blob over the control tree is longer than 2 GiB");
    if (to == rank_)
      members.letters[peers[i]].push_back(*body);
    else
      post([this, group, to, body, mine = members.mine] {
        route({Kind::letter, number(to), number(rank_), group, static_cast<std::uint64_t>(mine)}, body);
      });
  }
  std::vector<Blob> answer(peers.size());
  const auto until = moment_after(deadline_);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    auto& box = members.letters[peers[i]];
    while (box.empty()) {
      if (members.lost) throw RankLost(members.lost_rank, members.loss);
      if (std::chrono::steady_clock::now() >= until) {
        std::vector<int> absent;
        for (std::size_t k = i; k < peers.size(); ++k)
          if (members.letters[peers[k]].empty()) absent.push_back(members.ranks[static_cast<std::size_t>(peers[k])]);
        std::sort(absent.begin(), absent.end());
        absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
        throw Error(Fault::lost, absent_sentence(absent, "exchange", deadline_));
      }
      members.wake.wait_until(guard, until);
    }
    answer[i] = std::move(box.front());
    box.pop_front();
  }
  return answer;
}

void Tree::announce(const std::string& sentence) {
  std::unique_lock guard(lock_);
  post([this, sentence] { die(rank_, "ended: " + sentence, nullptr); });
  flush(guard);
}

void Tree::depart(bool at_once) noexcept {
  try {
    if (!at_once) {
      bool alone = false;
      {
        const std::lock_guard guard(lock_);
        alone = !dead_.empty();
      }
      if (!alone) (void)gather(0, leaving, {}, "end of the run");
    }
  } catch (const Error&) {
    // Somebody died or stays away: there is nobody left to be polite to, and whoever waits for this rank learns that it leaves.
  }
  try {
    std::unique_lock guard(lock_);
    if (!left_)
      post([this] {
        for (Link& link : connected_.links) link.send({Kind::goodbye});
      });
    flush(guard);
  } catch (...) {
    // Out of memory: the closing connections say it all.
  }
}

void Tree::flush(std::unique_lock<std::mutex>& guard) {
  const auto until = std::chrono::steady_clock::now() + last_words;
  while ((posted_ > 0 || *connected_.unsent > 0) && std::chrono::steady_clock::now() < until) quiet_.wait_until(guard, until);
}

void Tree::drained() {
  const std::lock_guard guard(lock_);
  quiet_.notify_all();
}

void Tree::arrived(Link& link, const wire::Head& head, wire::Body body) {
  const std::lock_guard guard(lock_);
  if (link.rank < 0) return;  // no neighbour
  try {
    if (head.kind == Kind::goodbye) {
      link.said_goodbye = true;
    } else if (head.kind == Kind::pulse) {
      wire::Reader reader(*body);
      link.process = reader.i32();
    } else if (head.kind == Kind::death) {
      wire::Reader reader(*body);
      if (head.from < number(size_)) die(static_cast<int>(head.from), reader.text(), &link);
    } else if (head.to != number(rank_)) {
      if (head.to < number(size_)) route(head, std::move(body));
    } else {
      take(head, body);
    }
  } catch (const Error& error) {
    link.close();
    die(link.rank, fmt::format("was lost: {}", error.what()), &link);
  }
}

void Tree::ended(Link& link, const std::string& why) {
  const std::lock_guard guard(lock_);
  if (link.rank < 0 || left_) return;
  const std::string& node = connected_.nodes[static_cast<std::size_t>(link.rank)];
  die(link.rank,
      link.said_goodbye ? fmt::format("on {} left before the others", node) : fmt::format("on {} was lost: {}", node, why),
      &link);
}

void Tree::route(const wire::Head& head, wire::Body body) {
  const int to = shape::next(rank_, static_cast<int>(head.to));
  if (to == shape::parent(rank_)) return connected_.parent->send(head, std::move(body));
  if (const auto child = connected_.children.find(to); child != connected_.children.end())
    child->second->send(head, std::move(body));
}

void Tree::take(const wire::Head& head, const wire::Body& body) {
  switch (head.kind) {
    case Kind::gather_up: {
      wire::Reader reader(*body);
      for (std::size_t left = reader.count(8); left > 0; --left) {
        const auto member = static_cast<int>(reader.u32());
        contribute(head.group, head.sequence, member, reader.blob());
      }
      break;
    }
    case Kind::gather_down:
      complete(head.group, head.sequence, body);
      break;
    case Kind::letter: {
      Members& members = groups_[head.group];
      members.letters[static_cast<int>(head.sequence)].push_back(*body);
      members.wake.notify_all();
      break;
    }
    case Kind::asking: {
      const Members& members = groups_[head.group];
      const auto gathering = members.gatherings.find(head.sequence);
      const std::vector<int> absent =
          gathering == members.gatherings.end() ? std::vector<int>{rank_} : missing(members, gathering->second);
      wire::Writer writer;
      writer.u32(static_cast<std::uint32_t>(absent.size()));
      for (const int rank : absent) writer.u32(number(rank));
      route({Kind::answer, head.from, number(rank_), head.group, head.sequence}, std::move(writer).body());
      break;
    }
    case Kind::answer: {
      wire::Reader reader(*body);
      std::vector<int> absent(reader.count(4));
      for (int& rank : absent) rank = static_cast<int>(reader.u32());
      const auto members = groups_.find(head.group);
      if (members == groups_.end()) break;
      const auto gathering = members->second.gatherings.find(head.sequence);
      if (gathering == members->second.gatherings.end()) break;
      gathering->second.missing = std::move(absent);
      gathering->second.answered = true;
      members->second.wake.notify_all();
      break;
    }
    default:
      break;  // of the rendezvous, which is over
  }
}

void Tree::contribute(std::uint64_t group, std::uint64_t sequence, int member, Blob blob) {
  Members& members = groups_[group];
  Gathering& gathering = members.gatherings[sequence];
  gathering.unsent.emplace_back(member, std::move(blob));
  if (members.flush_due) return;
  // What else has come meanwhile from other children travels in the same message.
  members.flush_due = true;
  post([this, group] { forward(group); });
}

void Tree::forward(std::uint64_t group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  Members& members = found->second;
  members.flush_due = false;
  if (members.mine < 0) return;  // enter() will forward
  std::vector<std::uint64_t> complete_now;
  for (auto& [sequence, gathering] : members.gatherings) {
    if (gathering.unsent.empty()) continue;
    if (members.mine == 0) {
      for (auto& [member, blob] : gathering.unsent)
        if (member >= 0 && member < static_cast<int>(members.ranks.size())) gathering.given[member] = std::move(blob);
      if (gathering.given.size() == members.ranks.size()) complete_now.push_back(sequence);
    } else {
      wire::Writer writer;
      writer.u32(static_cast<std::uint32_t>(gathering.unsent.size()));
      for (const auto& [member, blob] : gathering.unsent) {
        writer.u32(number(member));
        writer.blob(blob);
      }
      const int above = members.ranks[static_cast<std::size_t>(shape::parent(members.mine))];
      route({Kind::gather_up, number(above), number(rank_), group, sequence}, std::move(writer).body());
    }
    gathering.unsent.clear();
  }
  for (const std::uint64_t sequence : complete_now) {
    wire::Writer writer;
    Gathering& gathering = members.gatherings[sequence];
    writer.u32(static_cast<std::uint32_t>(gathering.given.size()));
    for (const auto& [member, blob] : gathering.given) writer.blob(blob);
    gathering.given.clear();
    complete(group, sequence, std::move(writer).body());
  }
}

void Tree::complete(std::uint64_t group, std::uint64_t sequence, const wire::Body& body) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  Members& members = found->second;
  const int size = static_cast<int>(members.ranks.size());
  const int first = shape::first_child(members.mine);
  for (int child = first; child < first + shape::children(members.mine, size); ++child)
    route({Kind::gather_down, number(members.ranks[static_cast<std::size_t>(child)]), number(rank_), group, sequence}, body);
  const auto at = members.gatherings.find(sequence);
  if (at == members.gatherings.end()) return;  // this rank gave up
  wire::Reader reader(*body);
  at->second.result.resize(reader.count(4));
  for (Blob& blob : at->second.result) blob = reader.blob();
  at->second.complete = true;
  if (sequence == leaving) left_ = true;
  members.wake.notify_all();
}

std::vector<int> Tree::missing(const Members& members, const Gathering& gathering) const {
  if (members.mine < 0) return {rank_};
  std::vector<int> absent;
  for (std::size_t member = 0; member < members.ranks.size(); ++member)
    if (!gathering.given.contains(static_cast<int>(member))) absent.push_back(members.ranks[member]);
  return absent;
}

void Tree::mark(Members& members, int rank, const std::string& sentence) {
  if (members.lost || members.mine < 0) return;
  const bool needed = std::any_of(members.ranks.begin(), members.ranks.end(),
                                  [&](int member) { return member != rank_ && shape::passes(rank_, member, rank); });
  if (!needed && rank != rank_) return;
  members.lost_rank = rank;
  members.loss = fmt::format("rank {} {}", rank, sentence);
  members.lost.store(true, std::memory_order_release);
  members.wake.notify_all();
}

void Tree::die(int rank, const std::string& sentence, const Link* from) {
  if (left_ || !dead_.insert(rank).second) return;
  deaths_.emplace_back(rank, sentence);
  for (auto& [group, members] : groups_) mark(members, rank, sentence);
  wire::Writer writer;
  writer.text(sentence);
  const wire::Body body = std::move(writer).body();
  for (Link& link : connected_.links)
    if (&link != from && link.rank >= 0 && link.open()) link.send({Kind::death, 0, number(rank), 0, 0}, body);
}

}  // namespace railgauge
