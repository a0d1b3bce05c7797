// The ranks of a run as processes: a tree of TCP connections over which they speak out of band, with a deadline on each call and
// news of deaths within milliseconds. See docs/launching.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/launch/address.hpp"
#include "transports/group.hpp"

namespace railgauge {

// Who a rank is, as its launcher says. `arguments` must be the same text on all ranks: the words of the command line.
struct Introduction {
  int rank = 0;
  int size = 1;
  std::string node = "localhost";
  std::string arguments;
  Network network = {};
};

struct Deadlines {
  Seconds rendezvous{60};  // until all ranks have found each other
  Seconds call{60};        // of each call of the group
  // A neighbour in the tree that says nothing for so long is lost: its process is stopped, or its host hangs. What shares a host
  // is asked of the kernel first, and is waited for as long as it is merely slow.
  Seconds silence{8};
};

// Where rank 0 awaits the others. May be made before a fork, and then belongs to the child that becomes rank 0.
class RootListener {
 public:
  // Throws Error(usage) when this machine cannot listen.
  explicit RootListener(Reach reach = Reach::network, const Network& network = {});
  // At a port and with a token that all know beforehand.
  RootListener(std::uint16_t port, const wire::Token& token, const Network& network = {});
  // What the other ranks pass to join(): a token and the addresses to try. Whoever knows it may take part in the run.
  [[nodiscard]] std::string address() const;
  void close() { listener_ = {}; }  // in a process that is not rank 0
  [[nodiscard]] Listener release() { return std::move(listener_); }

 private:
  friend class Rendezvous;
  Address address_;
  Listener listener_;
};

// The Group of all ranks, and, made by split(), of some. Groups made by split() end before the one of all.
// The destructor of the group of all ranks waits until all ranks have come to theirs, at most `Deadlines::call`, so that no
// message is lost; it does not wait once a death is known, nor while an exception passes.
// A rank whose path to a dead one's children led through the dead one no longer reaches them: calls that need them fail and name
// the dead one.
class ControlTree : public Group {
 public:
  // Tells all ranks that this one is about to end because of `sentence`: for them it is dead from now on, and their calls and
  // checks throw RankLost "rank 2 ended: <sentence>". Returns when that has been sent. Not collective.
  virtual void announce(const std::string& sentence) noexcept = 0;

 protected:
  using Group::Group;
};

// The sentence to be told, and which rank's end it tells of, where it does.
struct Cause {
  std::string sentence;
  std::optional<int> lost_rank;
};
// A transport may notice that a peer is gone before the control tree says who died: the news is worth a moment's wait.
[[nodiscard]] Cause cause_of(const ControlTree& tree, const Error& error);

// Rank 0 has refused all ranks, and throws the same sentence itself: for people, once is enough.
class Refused : public Error {
 public:
  using Error::Error;
};

// Meets the other ranks. Rank 0 passes its RootListener and its address; the others nullptr and the address of rank 0.
// Throws Error(lost) that names the ranks that are absent, lost or out of reach, Error(usage) that names the rank and the
// difference when ranks were started with different arguments; all ranks throw the same sentence, those
// that have it from rank 0 as Refused.
[[nodiscard]] std::unique_ptr<ControlTree> join(const Introduction& me, const std::string& address, const Deadlines& deadlines,
                                                RootListener* own);

}  // namespace railgauge
