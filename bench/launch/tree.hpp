// One rank's node of the control tree after the rendezvous: its thread routes messages, gathers contributions, and forwards news
// of deaths.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/launch/rendezvous.hpp"

namespace railgauge {

class Tree final : private LinkEvents {
 public:
  // The sequence number of the last allgather, in which all ranks leave; it has no place in the order of the calls.
  static constexpr std::uint64_t leaving = std::numeric_limits<std::uint64_t>::max();

  // The state of one allgather of one group.
  struct Gathering {
    std::vector<std::pair<int, Blob>> unsent;  // contributions in flight to the group's first member
    std::map<int, Blob> given;                 // at the first member: all that came
    std::vector<Blob> result;
    bool complete = false;
    bool answered = false;  // the first member has said who is missing
    std::vector<int> missing;
  };
  // The state of one group. Members have their number in the group. Holds messages for a group that this rank has not entered
  // yet.
  struct Members {
    std::vector<int> ranks;  // in the run, ascending; empty until this rank enters the group
    int mine = -1;
    std::atomic<bool> lost{false};
    int lost_rank = -1;
    std::string loss;
    std::map<std::uint64_t, Gathering> gatherings;
    std::map<int, std::deque<Blob>> letters;
    std::condition_variable wake;
    bool flush_due = false;
  };

  Tree(ConnectedPeers connected, int rank, int size, const Deadlines& deadlines);
  ~Tree() override;

  // The thread that owns the groups calls all of these. The group of all ranks is number 0, and is entered from the start.
  Members& enter(std::uint64_t group, std::vector<int> ranks);
  [[nodiscard]] Members& everyone();
  void leave_group(std::uint64_t group);
  [[nodiscard]] std::vector<Blob> gather(std::uint64_t group, std::uint64_t sequence, const Blob& mine, const char* call);
  [[nodiscard]] std::vector<Blob> exchange(std::uint64_t group, std::span<const int> peers, std::span<const Blob> blobs);
  void check(const Members& members) const {
    if (members.lost.load(std::memory_order_acquire)) throw_loss(members);
  }
  void announce(const std::string& sentence);
  void depart(bool at_once) noexcept;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t fresh_number() noexcept { return ++numbers_; }

 private:
  void arrived(Link& link, const wire::Head& head, wire::Body body) override;
  void ended(Link& link, const std::string& why) override;
  void drained() override;

  [[noreturn]] void throw_loss(const Members& members) const;
  void route(const wire::Head& head, wire::Body body);
  void take(const wire::Head& head, const wire::Body& body);
  void contribute(std::uint64_t group, std::uint64_t sequence, int member, Blob blob);
  void forward(std::uint64_t group);
  void complete(std::uint64_t group, std::uint64_t sequence, const wire::Body& body);
  [[nodiscard]] std::vector<int> missing(const Members& members, const Gathering& gathering) const;
  void ask(std::unique_lock<std::mutex>& guard, Members& members, std::uint64_t group, std::uint64_t sequence,
           Gathering& gathering);
  void beat();
  void send_pulses();
  void judge_silence(Link& link);
  void die(int rank, const std::string& sentence, const Link* from);
  void mark(Members& members, int rank, const std::string& sentence);
  void flush(std::unique_lock<std::mutex>& guard);
  // Runs `work` on the tree's thread, under the lock.
  template <typename Work>
  void post(Work work);

  const int rank_, size_;
  const Seconds deadline_, silence_;
  ConnectedPeers connected_;
  mutable std::mutex lock_;  // of all below, and of the links
  std::map<std::uint64_t, Members> groups_;
  std::set<int> dead_;
  std::vector<std::pair<int, std::string>> deaths_;  // in the order of the news: the first is the cause of the others
  std::condition_variable quiet_;                    // nothing is unsent, or the last of the posted work was done
  int posted_ = 0;
  std::uint32_t numbers_ = 0;
  bool left_ = false;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer heart_;
  std::thread thread_;
};

}  // namespace railgauge
