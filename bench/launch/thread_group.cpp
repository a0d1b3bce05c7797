// Ranks as threads: one lock for the run, one room a group, and a condition variable for each member of a room.
#include "bench/launch/thread_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/sentences.hpp"

namespace railgauge {
namespace {

enum class Life { running, returned, threw };

// The n-th allgather of a room, until its last member has taken the answer.
struct Gathering {
  std::vector<Blob> blobs;
  std::vector<bool> given;
  int missing = 0;
  int to_take = 0;
};

// What the members of one group share. Everything but `lost` is guarded by World::lock.
struct Room {
  std::vector<int> members;  // by their ranks in the run
  int users = 0;             // members whose Group still exists or is still to be made
  int entered = 0;
  std::atomic<bool> lost{false};
  int lost_rank = -1;  // the first member that died: later deaths mostly follow from it
  std::string loss;
  std::deque<std::condition_variable> wakes;
  std::map<std::uint64_t, Gathering> gatherings;
  std::map<std::pair<int, int>, std::deque<Blob>> letters;    // (from, to)
  std::map<std::pair<std::uint64_t, int>, Room*> beginnings;  // rooms that a split has made and some member has yet to enter
};

struct World {
  std::mutex lock;
  Seconds deadline{};
  std::string node;
  std::vector<Life> lives;
  std::vector<std::string> endings;  // of those that threw
  std::list<Room> rooms;
};

void mark_lost(Room& room, int rank, const std::string& sentence) {
  if (room.lost.load(std::memory_order_relaxed)) return;
  room.lost_rank = rank;
  room.loss = fmt::format("rank {} ended: {}", rank, sentence);
  room.lost.store(true, std::memory_order_release);
}

void end_rank(World& world, int rank, Life life, const std::string& sentence) {
  const std::lock_guard guard(world.lock);
  const auto index = static_cast<std::size_t>(rank);
  world.lives[index] = life;
  world.endings[index] = sentence;
  for (Room& room : world.rooms) {
    if (std::find(room.members.begin(), room.members.end(), rank) == room.members.end()) continue;
    if (life == Life::threw) mark_lost(room, rank, sentence);
    for (auto& wake : room.wakes) wake.notify_all();
  }
}

// Under World::lock, or before the threads start.
Room& open_room(World& world, std::vector<int> members) {
  Room& room = world.rooms.emplace_back();
  room.users = static_cast<int>(members.size());
  room.wakes.resize(members.size());
  room.members = std::move(members);
  for (const int member : room.members) {
    const auto index = static_cast<std::size_t>(member);
    if (world.lives[index] == Life::threw) mark_lost(room, member, world.endings[index]);
  }
  return room;
}

class ThreadGroup final : public Group {
 public:
  ThreadGroup(World& world, Room& room, int rank)
      : Group(rank, std::vector<std::string>(room.members.size(), world.node)), world_(world), room_(room) {}

  ~ThreadGroup() override {
    const std::lock_guard guard(world_.lock);
    if (--room_.users == 0) world_.rooms.remove_if([this](const Room& room) { return &room == &room_; });
  }

  std::vector<Blob> allgather(const Blob& mine) override { return gather(mine, "allgather"); }
  void barrier() override { (void)gather({}, "barrier"); }
  std::vector<Blob> exchange(std::span<const int> peers, std::span<const Blob> blobs) override;
  std::unique_ptr<Group> split(int colour) override;

  void check() const override {
    if (!room_.lost.load(std::memory_order_acquire)) return;
    const std::lock_guard guard(world_.lock);
    throw RankLost(room_.lost_rank, room_.loss);
  }

 private:
  std::vector<Blob> gather(const Blob& mine, const char* call);
  // Waits under `guard` until `absent` names no member (by its number here) any more.
  template <typename Absent>
  void wait_for(std::unique_lock<std::mutex>& guard, const char* call, const Absent& absent);
  std::condition_variable& wake(int member) { return room_.wakes[static_cast<std::size_t>(member)]; }

  World& world_;
  Room& room_;
  std::uint64_t calls_ = 0;
};

template <typename Absent>
void ThreadGroup::wait_for(std::unique_lock<std::mutex>& guard, const char* call, const Absent& absent) {
  const auto until = moment_after(world_.deadline);
  while (true) {
    std::vector<int> missing = absent();
    if (missing.empty()) return;
    if (room_.lost.load(std::memory_order_relaxed)) throw RankLost(room_.lost_rank, room_.loss);
    for (int& member : missing) member = room_.members[static_cast<std::size_t>(member)];
    std::vector<int> gone;
    std::copy_if(missing.begin(), missing.end(), std::back_inserter(gone),
                 [this](int rank) { return world_.lives[static_cast<std::size_t>(rank)] == Life::returned; });
    if (!gone.empty()) throw Error(Fault::lost, fmt::format("{} had ended before the {} that needs it", name_ranks(gone), call));
    if (std::chrono::steady_clock::now() >= until) throw Error(Fault::lost, absent_sentence(missing, call, world_.deadline));
    wake(rank()).wait_until(guard, until);
  }
}

std::vector<Blob> ThreadGroup::gather(const Blob& mine, const char* call) {
  std::unique_lock guard(world_.lock);
  const std::uint64_t sequence = calls_++;
  auto [at, fresh] = room_.gatherings.try_emplace(sequence);
  Gathering& gathering = at->second;
  const auto members = static_cast<std::size_t>(size());
  if (fresh) {
    gathering.blobs.resize(members);
    gathering.given.resize(members);
    gathering.missing = gathering.to_take = size();
  }
  gathering.blobs[static_cast<std::size_t>(rank())] = mine;
  gathering.given[static_cast<std::size_t>(rank())] = true;
  if (--gathering.missing == 0)
    for (auto& each : room_.wakes) each.notify_all();
  wait_for(guard, call, [&] {
    std::vector<int> missing;
    if (gathering.missing == 0) return missing;
    for (std::size_t member = 0; member < members; ++member)
      if (!gathering.given[member]) missing.push_back(static_cast<int>(member));
    return missing;
  });
  if (--gathering.to_take > 0) return gathering.blobs;
  std::vector<Blob> blobs = std::move(gathering.blobs);
  room_.gatherings.erase(at);
  return blobs;
}

std::vector<Blob> ThreadGroup::exchange(std::span<const int> peers, std::span<const Blob> blobs) {
  if (peers.size() != blobs.size())
    throw Error(Fault::usage, fmt::format("exchange was given {} peers and {} blobs", peers.size(), blobs.size()));
  for (const int peer : peers)
    if (peer < 0 || peer >= size()) throw Error(Fault::usage, fmt::format("exchange was given peer {} of {}", peer, size()));
  std::unique_lock guard(world_.lock);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    room_.letters[std::pair(rank(), peers[i])].push_back(blobs[i]);
    wake(peers[i]).notify_all();
  }
  std::vector<Blob> answer(peers.size());
  std::vector<bool> here(peers.size());
  wait_for(guard, "exchange", [&] {
    std::vector<int> missing;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if (here[i]) continue;
      const auto from = room_.letters.find(std::pair(peers[i], rank()));
      if (from == room_.letters.end()) {
        missing.push_back(peers[i]);
        continue;
      }
      answer[i] = std::move(from->second.front());
      from->second.pop_front();
      if (from->second.empty()) room_.letters.erase(from);
      here[i] = true;
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
  });
  return answer;
}

std::unique_ptr<Group> ThreadGroup::split(int colour) {
  const std::uint64_t sequence = calls_;
  Blob mine(sizeof colour);
  std::memcpy(mine.data(), &colour, sizeof colour);
  const std::vector<Blob> colours = gather(mine, "split");
  std::vector<int> members;
  int rank_there = 0;
  for (int member = 0; member < size(); ++member) {
    if (colours[static_cast<std::size_t>(member)] != mine) continue;
    if (member == rank()) rank_there = static_cast<int>(members.size());
    members.push_back(room_.members[static_cast<std::size_t>(member)]);
  }
  const std::lock_guard guard(world_.lock);
  // Who comes first opens the room; who comes last forgets where it was found.
  auto [at, fresh] = room_.beginnings.try_emplace(std::pair(sequence, colour), nullptr);
  if (fresh) at->second = &open_room(world_, members);
  Room& room = *at->second;
  if (++room.entered == static_cast<int>(members.size())) room_.beginnings.erase(at);
  return std::make_unique<ThreadGroup>(world_, room, rank_there);
}

std::string sentence_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) { return error.what(); } catch (...) {
    return "something that is no exception was thrown";
  }
}

}  // namespace

std::vector<std::exception_ptr> run_as_threads(int ranks, Seconds deadline, const std::function<void(Group&)>& body,
                                               std::string node) {
  if (ranks < 1) throw Error(Fault::usage, fmt::format("{} ranks: at least one is needed", ranks));
  const auto count = static_cast<std::size_t>(ranks);
  World world;
  world.deadline = deadline;
  world.node = std::move(node);
  world.lives.resize(count, Life::running);
  world.endings.resize(count);
  std::vector<int> everyone(count);
  for (int rank = 0; rank < ranks; ++rank) everyone[static_cast<std::size_t>(rank)] = rank;
  Room& room = open_room(world, std::move(everyone));
  std::vector<std::exception_ptr> thrown(count);

  std::vector<std::thread> threads;
  threads.reserve(count);
  const auto run = [&](int rank) {
    const auto index = static_cast<std::size_t>(rank);
    try {
      ThreadGroup group(world, room, rank);
      body(group);
    } catch (...) { thrown[index] = std::current_exception(); }
    if (thrown[index]) {
      end_rank(world, rank, Life::threw, sentence_of(thrown[index]));
    } else {
      end_rank(world, rank, Life::returned, {});
    }
  };
  for (int rank = 0; rank < ranks; ++rank) {
    try {
      threads.emplace_back(run, rank);
    } catch (const std::system_error& error) {
      // The system gives no more threads: the ranks that never came are dead to those that wait for them.
      const std::string sentence = fmt::format("its thread could not be started: {}", error.what());
      for (; rank < ranks; ++rank) {
        thrown[static_cast<std::size_t>(rank)] = std::make_exception_ptr(Error(Fault::usage, sentence));
        end_rank(world, rank, Life::threw, sentence);
      }
    }
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

std::exception_ptr first_cause(const std::vector<std::exception_ptr>& thrown) {
  const auto any = std::find_if(thrown.begin(), thrown.end(), [](const std::exception_ptr& each) { return each != nullptr; });
  if (any == thrown.end()) return nullptr;
  std::exception_ptr cause = *any;
  for (std::size_t step = 0; step < thrown.size(); ++step) {
    try {
      std::rethrow_exception(cause);
    } catch (const RankLost& lost) {
      const auto rank = static_cast<std::size_t>(lost.rank());
      if (rank >= thrown.size() || thrown[rank] == nullptr) break;
      cause = thrown[rank];
    } catch (...) { break; }
  }
  return cause;
}

}  // namespace railgauge
